// Loads scenes: the environment, the spawn list and all its characters.
#include "script/scene.h"

#include "data/value_lua.h"
#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"
#include "runtime/instance.h"
#include "runtime/listener.h"
#include "schema/definition.h"
#include "script/name_table.h"
#include "script/reload.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool add_folders(ScriptHost *host, const char *file, ScriptFindings *findings);
static bool find_root(const ScriptHost *host, const char *folder, char out_root[SCRIPT_PATH_SIZE]);
static ScriptScene *make_scene(ScriptHost *host, ScriptLoad *load);
static ScriptScene *create(const char *script);
static bool set_spawns(ScriptHost *host, ScriptScene *scene, ScriptReader *reader, const ScriptList *list);
static ScriptSpawn *add_spawns(ScriptScene *scene, int count);
static bool set_spawn(ScriptScene *scene, ScriptReader *reader, const ScriptSpawnDef *def,
                      ScriptNameTable *names, ScriptSpawn *spawn);
static ScriptParams *read_params(ScriptReader *reader, const ScriptNode *node);
static void load_character(ScriptHost *host, ScriptReader *reader, const ScriptSpawn *spawns, int index);
static bool name_spawn(ScriptScene *scene, ScriptNameTable *names, ScriptSpawn *spawn);
static bool set_camera(ScriptScene *scene, ScriptReader *reader, const ScriptSceneDef *def);
static bool is_spawned(const ScriptScene *scene, const char *name);
static void set_environment(ScriptScene *scene, ScriptReader *reader, const ScriptSceneDef *def);
static ScriptScene *make_scene_of_one(ScriptHost *host, ScriptLoad *load);
static int start(lua_State *lua);

void script_scene_destroy(ScriptScene *scene) {
    if (!scene) return;
    for (int i = 0; i < scene->info.spawn_count; i++) script_params_release(scene->info.spawns[i].params);
    script_state_destroy(scene->state);
    script_arena_finish(&scene->arena);
    free(scene);
}

const ScriptSceneInfo *script_scene_info(const ScriptScene *scene) {
    return &scene->info;
}

ScriptScene *script_scene_load(ScriptHost *host, const char *path, ScriptFindings *findings) {
    char file[SCRIPT_PATH_SIZE];
    ScriptLoad load;
    struct stat status;
    const bool found = script_display_path(host, path, file);
    if (!found || (stat(file, &status) == 0 && S_ISDIR(status.st_mode))) {
        script_findings_add(findings, SCRIPT_SEVERITY_ERROR, path, 0, "",
                            found ? "expected the file of a scene or a character, found a folder"
                                  : "no such file");
        return NULL;
    }
    if (!add_folders(host, file, findings) && !host->checking) return NULL;
    script_load_begin(&load, host, file, findings);
    const char *kind = script_load_kind(&load);
    if (strcmp(kind, "scene") == 0) return make_scene(host, &load);
    if (strcmp(kind, "character") == 0) return make_scene_of_one(host, &load);
    if (load.root) {
        ScriptReader reader = script_load_reader(&load);
        const bool is_module = load.root->kind == SCRIPT_NODE_FUNCTION;
        char expectation[200];
        snprintf(expectation, sizeof expectation, "the file to return %s%s",
                 host->checking ? "tweed.scene{...}, tweed.character{...} or tweed.fabric{...}"
                                : "tweed.scene{...} or tweed.character{...}",
                 is_module ? " (a module is checked with the scripts that require it)" : "");
        script_reader_expected(&reader, expectation, load.root);
    }
    script_load_end(&load, NULL);
    return NULL;
}

bool script_scene_start(ScriptScene *scene, ScriptError *out_error) {
    if (!scene->state || scene->on_start == LUA_NOREF) return true;
    return script_instance_enter(scene->state, NULL, "on_start", start, scene, out_error);
}

void script_scene_tick(ScriptScene *scene) {
    ScriptState *state = scene->state;
    if (!state || !state->listeners.count || !script_host_takes_turn(state->host, &scene->pass)) return;
    for (const ScriptEvent *event = state->host->events.now; event; event = event->next)
        script_listeners_call(&state->listeners, state, NULL, event);
}

const char *script_scene_file(const ScriptScene *scene) {
    return scene->state ? scene->state->file : NULL;
}

const char *const *script_scene_files(const ScriptScene *scene, int *out_count) {
    *out_count = scene->state ? scene->state->files.count : 0;
    return scene->state ? (const char *const *)scene->state->files.items : NULL;
}

const ScriptError *script_scene_suspension(const ScriptScene *scene) {
    return scene->state && !scene->state->lua ? &scene->state->stop_error : NULL;
}

size_t script_scene_memory(const ScriptScene *scene) {
    return scene->state ? scene->state->allocator.bytes : 0;
}

// Adds the file's folder to the folders in which scripts and fabrics are searched; for a file in a folder
// scenes/ or characters/, also the folder that holds that one.
static bool add_folders(ScriptHost *host, const char *file, ScriptFindings *findings) {
    char folder[SCRIPT_PATH_SIZE], root[SCRIPT_PATH_SIZE];
    const char *slash = strrchr(file, '/');
    const int length = slash && slash > file ? (int)(slash - file) : 1; // "scenes", "." and "/"
    snprintf(folder, sizeof folder, "%.*s", length, slash ? file : ".");
    if (host->folders.count && strcmp(host->folders.items[0], folder) == 0) return true;
    const bool has_root = find_root(host, folder, root);
    const char *folders[] = {folder, root};
    if ((!has_root || script_string_list_add(&host->folders, root, true)) &&
        script_string_list_add(&host->folders, folder, true))
        return script_fabrics_load(host, folders, has_root ? 2 : 1, findings);
    script_findings_add(findings, SCRIPT_SEVERITY_ERROR, file, 0, "", "out of memory");
    return false;
}

// The folder that holds the innermost scenes/ or characters/ on the way to the folder. False: there is none,
// or it is a script directory already.
static bool find_root(const ScriptHost *host, const char *folder, char out_root[SCRIPT_PATH_SIZE]) {
    char *real = realpath(folder, NULL), *slash = NULL;
    bool found = false;
    while (!found && real && (slash = strrchr(real, '/')) && slash[1]) {
        found = strcmp(slash, "/scenes") == 0 || strcmp(slash, "/characters") == 0;
        slash[slash == real] = '\0'; // "/" is left
    }
    found = found && script_display_path(host, real, out_root) &&
            !script_folder_is_among(&host->directories, out_root);
    free(real);
    return found;
}

static ScriptScene *make_scene(ScriptHost *host, ScriptLoad *load) {
    ScriptSceneDef def;
    ScriptReader reader = script_load_reader(load);
    ScriptScene *scene = create(load->state->script);
    script_schema_defaults(&script_scene_schema, &def);
    script_schema_read(&reader, &script_scene_schema, load->root, &def);
    const bool kept =
        scene && set_spawns(host, scene, &reader, &def.spawn) && set_camera(scene, &reader, &def);
    if (!kept) script_reader_error(&reader, "out of memory");
    if (kept) set_environment(scene, &reader, &def);
    if (kept) scene->info.levels = (ScriptLevels){def.levels.reduced, def.levels.skinned};
    if (kept) scene->on_start = def.on_start;
    const bool failed = script_load_failed(load);
    script_load_end(load, failed ? NULL : &scene->state);
    if (!failed) return scene;
    script_scene_destroy(scene);
    return NULL;
}

static ScriptScene *create(const char *script) {
    char name[SCRIPT_NAME_SIZE];
    ScriptScene *scene = calloc(1, sizeof *scene);
    if (!scene) return NULL;
    script_stem_of(script, name);
    scene->on_start = LUA_NOREF;
    scene->info.script = script_arena_text(&scene->arena, script);
    scene->info.name = script_arena_text(&scene->arena, name);
    scene->info.environment = sim_default_world_def().environment;
    if (scene->info.script && scene->info.name) return scene;
    script_scene_destroy(scene);
    return NULL;
}

static bool set_spawns(ScriptHost *host, ScriptScene *scene, ScriptReader *reader, const ScriptList *list) {
    const ScriptSpawnDef *defs = list->items;
    ScriptSpawn *spawns = add_spawns(scene, list->count);
    if (!spawns) return false;
    bool kept = true;
    ScriptNameTable names = {0};
    script_reader_key(reader, "spawn");
    for (int i = 0; i < list->count; i++) {
        script_reader_index(reader, i + 1);
        kept = set_spawn(scene, reader, &defs[i], &names, &spawns[i]) && kept;
        if (kept && *spawns[i].script) load_character(host, reader, spawns, i);
        script_reader_leave(reader);
    }
    script_reader_leave(reader);
    for (int i = 0; kept && i < list->count; i++) // given names take precedence over generated ones
        if (!*spawns[i].name) kept = name_spawn(scene, &names, &spawns[i]);
    script_name_table_finish(&names);
    return kept;
}

static ScriptSpawn *add_spawns(ScriptScene *scene, int count) {
    ScriptSpawn *spawns = script_arena_alloc(&scene->arena, (size_t)count, sizeof *spawns);
    if (!spawns) return NULL;
    for (int i = 0; i < count; i++)
        spawns[i] = (ScriptSpawn){.script = "", .name = "", .root_world = SIM_TRANSFORM_IDENTITY};
    scene->info.spawns = spawns;
    scene->info.spawn_count = count;
    return spawns;
}

static bool set_spawn(ScriptScene *scene, ScriptReader *reader, const ScriptSpawnDef *def,
                      ScriptNameTable *names, ScriptSpawn *spawn) {
    if (def->script) spawn->script = script_arena_text(&scene->arena, def->script);
    if (*def->name) {
        spawn->name = script_arena_text(&scene->arena, def->name);
        if (script_name_table_has(names, def->name))
            script_reader_error_at(reader, "name", "there is another character \"%s\"", def->name);
        if (spawn->name && !script_name_table_put(names, spawn->name, spawn)) return false;
    }
    memcpy(spawn->root_world.position, def->position, sizeof def->position);
    memcpy(spawn->root_world.rotation, def->rotation, sizeof def->rotation);
    spawn->params = read_params(reader, def->params);
    return spawn->script && spawn->name;
}

static ScriptParams *read_params(ScriptReader *reader, const ScriptNode *node) {
    char message[SCRIPT_MESSAGE_SIZE];
    ScriptValue value;
    if (!node) return NULL;
    if (script_value_of_node(&value, node, "", message)) {
        ScriptParams *params = script_params_create(value);
        if (!params) script_reader_error_at(reader, "params", "out of memory");
        return params;
    }
    script_reader_error_at(reader, "params", "%s", message);
    return NULL;
}

// Loads each script once, so that its errors are reported once.
static void load_character(ScriptHost *host, ScriptReader *reader, const ScriptSpawn *spawns, int index) {
    char file[SCRIPT_PATH_SIZE], message[SCRIPT_REQUEST_MESSAGE_SIZE];
    for (int i = 0; i < index; i++)
        if (strcmp(spawns[i].script, spawns[index].script) == 0) return;
    if (script_find_script(host, spawns[index].script, file, message) == SCRIPT_FOUND) {
        script_character_of_file(host, file, reader->findings);
        return;
    }
    script_reader_error_at(reader, "script", "%s", message);
}

// "wake", "wake_2", ...
static bool name_spawn(ScriptScene *scene, ScriptNameTable *names, ScriptSpawn *spawn) {
    char stem[SCRIPT_NAME_SIZE], name[SCRIPT_NAME_SIZE];
    script_stem_of(spawn->script, stem);
    script_name_table_free_name(names, stem, name);
    spawn->name = script_arena_text(&scene->arena, name);
    return spawn->name && script_name_table_put(names, spawn->name, spawn);
}

static bool set_camera(ScriptScene *scene, ScriptReader *reader, const ScriptSceneDef *def) {
    ScriptCamera *camera = &scene->info.camera;
    scene->info.has_camera = script_node_field(reader->root, "camera") != NULL;
    *camera = (ScriptCamera){script_arena_text(&scene->arena, def->camera.target), def->camera.distance,
                             def->camera.height};
    if (!camera->target) return false;
    if (!*camera->target || is_spawned(scene, camera->target)) return true;
    const char **names = script_reader_alloc(reader, scene->info.spawn_count, sizeof *names);
    for (int i = 0; names && i < scene->info.spawn_count; i++) names[i] = scene->info.spawns[i].name;
    script_reader_key(reader, "camera");
    script_reader_key(reader, "target");
    script_reader_unknown(reader, "character", camera->target, names, names ? scene->info.spawn_count : 0);
    script_reader_leave(reader);
    script_reader_leave(reader);
    return true;
}

static bool is_spawned(const ScriptScene *scene, const char *name) {
    for (int i = 0; i < scene->info.spawn_count; i++)
        if (strcmp(scene->info.spawns[i].name, name) == 0) return true;
    return false;
}

static void set_environment(ScriptScene *scene, ScriptReader *reader, const ScriptSceneDef *def) {
    SimEnvironment *environment = &scene->info.environment;
    SimIssue issue;
    memcpy(environment->gravity_world, def->gravity, sizeof def->gravity);
    memcpy(environment->wind.velocity_world, def->wind.velocity, sizeof def->wind.velocity);
    environment->wind.turbulence = def->wind.turbulence;
    environment->wind.gust = def->wind.gust;
    environment->has_ground = def->ground.given;
    environment->ground = def->ground.height;
    if (!sim_validate_environment(environment, &issue))
        script_reader_error(reader, "%s: %s", issue.path, issue.message);
}

static ScriptScene *make_scene_of_one(ScriptHost *host, ScriptLoad *load) {
    ScriptScene *scene = create(load->state->script);
    ScriptSpawn *spawns = scene ? add_spawns(scene, 1) : NULL;
    if (spawns) spawns->script = scene->info.script;
    ScriptNameTable names = {0};
    const bool named = spawns && name_spawn(scene, &names, spawns);
    script_name_table_finish(&names);
    if (named) {
        if (script_character_make(host, load)) return scene;
    } else {
        ScriptReader reader = script_load_reader(load);
        script_reader_error(&reader, "out of memory");
        script_load_end(load, NULL);
    }
    script_scene_destroy(scene);
    return NULL;
}

static int start(lua_State *lua) {
    const ScriptScene *scene = lua_touserdata(lua, 1);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, scene->on_start);
    lua_createtable(lua, 0, 2);
    lua_pushstring(lua, scene->info.name);
    lua_setfield(lua, -2, "name");
    lua_pushstring(lua, scene->info.script);
    lua_setfield(lua, -2, "script");
    lua_call(lua, 1, 0);
    return 0;
}
