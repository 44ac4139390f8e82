// Loads characters and keeps them in the host's list.
#include "script/character.h"

#include "define/mesh.h"
#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"
#include "rig/build.h"
#include "schema/definition.h"
#include "script/reload.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static ScriptCharacter *find(const ScriptHost *host, const char *file);
static ScriptCharacter *create(ScriptHost *host, const char *script, const ScriptCharacterDef *def,
                               SimRigId rig);
static bool copy_commands(ScriptCharacter *character, const ScriptList *list);
static bool copy_garments(ScriptCharacter *character, const ScriptList *list);
static bool copy_materials(ScriptCharacter *character, const ScriptCharacterDef *def);
static void destroy(ScriptCharacter *character);

ScriptCharacter *script_character_make(ScriptHost *host, ScriptLoad *load) {
    ScriptCharacter *known = find(host, load->state->file);
    if (known) {
        script_load_end(load, NULL);
        return known;
    }
    ScriptCharacterDef def;
    ScriptCharacter *character = NULL;
    ScriptReader reader = script_load_reader(load);
    SimRigId rig = {0};
    script_schema_defaults(&script_character_schema, &def);
    script_schema_read(&reader, &script_character_schema, load->root, &def);
    script_rig_build(&reader, host, load->state->script, &def, &rig);
    if (!script_load_failed(load)) {
        character = create(host, load->state->script, &def, rig);
        if (!character) script_reader_error(&reader, "out of memory");
    }
    if (!character) {
        if (host->world && rig.index) sim_rig_release(host->world, rig);
        script_load_end(load, NULL);
        return NULL;
    }
    script_load_end(load, &character->state);
    character->next = host->characters;
    host->characters = character;
    return character;
}

ScriptCharacter *script_character_of_file(ScriptHost *host, const char *file, ScriptFindings *findings) {
    ScriptCharacter *known = find(host, file);
    if (known) return known;
    ScriptLoad load;
    script_load_begin(&load, host, file, findings);
    if (strcmp(script_load_kind(&load), "character") == 0) return script_character_make(host, &load);
    if (load.root) {
        ScriptReader reader = script_load_reader(&load);
        script_reader_expected(&reader, "the file to return tweed.character{...}", load.root);
    }
    script_load_end(&load, NULL);
    return NULL;
}

ScriptCharacter *script_character_load(ScriptHost *host, const char *script, ScriptFindings *findings) {
    char file[SCRIPT_PATH_SIZE], message[SCRIPT_REQUEST_MESSAGE_SIZE];
    if (script_find_script(host, script, file, message) == SCRIPT_FOUND)
        return script_character_of_file(host, file, findings);
    script_findings_add(findings, SCRIPT_SEVERITY_ERROR, script, 0, "", "%s", message);
    return NULL;
}

void script_characters_destroy(ScriptHost *host) {
    while (host->characters) {
        ScriptCharacter *character = host->characters;
        host->characters = character->next;
        destroy(character);
    }
}

const ScriptCharacterInfo *script_character_info(const ScriptCharacter *character) {
    return &character->info;
}

SimMaterial script_character_material(const ScriptCharacter *character, const SimRenderMesh *mesh,
                                      int index) {
    const ScriptMeshMaterial *own = &character->info.meshes[index];
    const ScriptFabric *fabric =
        mesh->garment < 0
            ? NULL
            : script_fabric_find(character->host, character->info.garments[mesh->garment].fabric);
    SimMaterial material = mesh->material;
    if (fabric && !own->color) memcpy(material.color, fabric->material.color, sizeof material.color);
    if (fabric && !own->roughness) material.roughness = fabric->material.roughness;
    if (fabric && !own->pattern) material.pattern = fabric->material.pattern;
    return material;
}

size_t script_character_memory(const ScriptCharacter *character) {
    return character->state->allocator.bytes;
}

ScriptCharacter *script_character_loaded(const ScriptHost *host, const char *file) {
    return find(host, file);
}

ScriptCharacter *script_character_next(const ScriptHost *host, const ScriptCharacter *before) {
    return before ? before->next : host->characters;
}

const char *script_character_file(const ScriptCharacter *character) {
    return character->state->file;
}

const char *const *script_character_files(const ScriptCharacter *character, int *out_count) {
    *out_count = character->state->files.count;
    return (const char *const *)character->state->files.items;
}

const ScriptError *script_character_suspension(const ScriptCharacter *character) {
    return character->state->lua ? NULL : &character->state->stop_error;
}

void script_character_discard(ScriptCharacter *fresh) {
    if (fresh) destroy(fresh);
}

static ScriptCharacter *find(const ScriptHost *host, const char *file) {
    ScriptCharacter *character = host->characters;
    while (character && strcmp(character->state->file, file) != 0) character = character->next;
    return character;
}

// Copies the parts that are needed after loading.
static ScriptCharacter *create(ScriptHost *host, const char *script, const ScriptCharacterDef *def,
                               SimRigId rig) {
    ScriptCharacter *character = calloc(1, sizeof *character);
    if (!character) return NULL;
    character->host = host;
    character->on_spawn = def->on_spawn;
    character->on_tick = def->on_tick;
    character->on_save = def->on_save;
    character->on_restore = def->on_restore;
    character->info = (ScriptCharacterInfo){
        .script = script_arena_text(&character->arena, script), .rig = rig, .revision = 1};
    if (character->info.script && copy_commands(character, &def->commands) &&
        copy_garments(character, &def->garments) && copy_materials(character, def))
        return character;
    character->info.rig = (SimRigId){0}; // the caller keeps it
    destroy(character);
    return NULL;
}

static bool copy_commands(ScriptCharacter *character, const ScriptList *list) {
    const ScriptCommandDef *defs = list->items;
    ScriptCommand *commands = script_arena_alloc(&character->arena, (size_t)list->count, sizeof *commands);
    int *runs = script_arena_alloc(&character->arena, (size_t)list->count, sizeof *runs);
    if (!commands || !runs) return false;
    for (int i = 0; i < list->count; i++) {
        commands[i] = (ScriptCommand){script_arena_text(&character->arena, list->keys[i]),
                                      script_arena_text(&character->arena, defs[i].help)};
        runs[i] = defs[i].run;
        if (!commands[i].name || !commands[i].help) return false;
    }
    character->info.commands = commands;
    character->info.command_count = list->count;
    character->command_runs = runs;
    return true;
}

static bool copy_garments(ScriptCharacter *character, const ScriptList *list) {
    const ScriptItem *items = list->items;
    ScriptGarment *garments = script_arena_alloc(&character->arena, (size_t)list->count, sizeof *garments);
    if (!garments) return false;
    for (int i = 0; i < list->count; i++) {
        const ScriptGarmentDef *def = items[i].value;
        garments[i] =
            (ScriptGarment){script_arena_text(&character->arena, def->fabric), script_solvers[def->solver]};
        if (!garments[i].fabric) return false;
    }
    character->info.garments = garments;
    character->info.garment_count = list->count;
    return true;
}

static bool copy_materials(ScriptCharacter *character, const ScriptCharacterDef *def) {
    int count = 0;
    for (int garment = -1; garment < def->garments.count; garment++)
        count += script_meshes_of(def, garment).count;
    ScriptMeshMaterial *materials = script_arena_alloc(&character->arena, (size_t)count, sizeof *materials);
    if (!materials) return false;
    character->info.meshes = materials;
    character->info.mesh_count = count;
    for (int garment = -1; garment < def->garments.count; garment++) {
        const ScriptList list = script_meshes_of(def, garment);
        const ScriptMesh *const *meshes = list.items;
        for (int i = 0; i < list.count; i++) {
            const ScriptMaterial *given = &meshes[i]->material;
            *materials++ =
                (ScriptMeshMaterial){!isnan(given->color[0]), !isnan(given->roughness), given->pattern >= 0};
        }
    }
    return true;
}

static void destroy(ScriptCharacter *character) {
    if (character->host->world && character->info.rig.index)
        sim_rig_release(character->host->world, character->info.rig);
    script_state_destroy(character->state);
    script_arena_finish(&character->arena);
    free(character);
}
