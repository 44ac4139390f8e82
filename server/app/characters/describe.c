// Fills protocol's description of a character, and caches its text.
#include "characters/describe.h"

#include "base/json.h"

#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>

static void fill_bones(AppDescription *description, const SimRigInfo *rig);
static void fill_colliders(AppDescription *description, const SimRigInfo *rig);
static void fill_garments(AppDescription *description, const AppCharacters *characters,
                          const AppCharacter *character);
static void fill_clips_and_commands(AppDescription *description, const SimRigInfo *rig,
                                    const ScriptCharacterInfo *script);
static void fill_params(AppDescription *description, const AppCharacter *character);
static void fill_meshes(AppDescription *description, const AppCharacters *characters,
                        const AppCharacter *character);
static void *array(int count, size_t size);

// Both layers keep the wire's order, so a cast is enough.
_Static_assert((int)SIM_BONE_CHAIN == (int)PROTOCOL_BONE_CHAIN, "bone kinds differ");
_Static_assert((int)SIM_COLLIDER_PLANE == (int)PROTOCOL_SHAPE_PLANE, "collider shapes differ");
_Static_assert(sizeof(SimGarmentBone) == sizeof(int[2]), "a garment's bone is a pair");

#define MOST_BYTES ((size_t)64 << 20)

struct AppDescriptionCache {
    uint32_t revision;
    TextBuffer texts[PROTOCOL_AXES_COUNT]; // empty: not written yet
};

static AppDescriptionCache *cache_of(AppCharacters *characters, AppCharacter *character);

bool app_description_init(AppDescription *description, const AppCharacters *characters,
                          const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    const ScriptCharacterInfo *script = app_character_script(character);
    int particle_count = 0;
    for (int i = 0; i < rig->garment_count; i++) particle_count += rig->garments[i].particle_count;
    *description = (AppDescription){.bones = array(rig->bone_count, sizeof(ProtocolBone)),
                                    .garments = array(rig->garment_count, sizeof(ProtocolGarment)),
                                    .colliders = array(rig->collider_count, sizeof(ProtocolCollider)),
                                    .clips = array(rig->clip_count, sizeof(ProtocolClip)),
                                    .commands = array(script->command_count, sizeof(ProtocolCommand)),
                                    .meshes = array(rig->mesh_count, sizeof(ProtocolMeshText)),
                                    .mesh_count = (size_t)rig->mesh_count,
                                    .distances = array(particle_count, sizeof(float))};
    if (!description->bones || !description->garments || !description->colliders || !description->clips ||
        !description->commands || !description->meshes || !description->distances) {
        app_description_finish(description);
        return false;
    }
    fill_bones(description, rig);
    fill_colliders(description, rig);
    fill_garments(description, characters, character);
    fill_clips_and_commands(description, rig, script);
    fill_params(description, character);
    fill_meshes(description, characters, character);
    description->character = (ProtocolCharacter){
        .name = character->name,
        .script = script->script,
        .revision = character->revision,
        .params = description->params.length > 0 ? text_buffer_string(&description->params) : NULL,
        .bones = description->bones,
        .bone_count = (size_t)rig->bone_count,
        .garments = description->garments,
        .garment_count = (size_t)rig->garment_count,
        .colliders = description->colliders,
        .collider_count = (size_t)rig->collider_count,
        .clips = description->clips,
        .clip_count = (size_t)rig->clip_count,
        .commands = description->commands,
        .command_count = (size_t)script->command_count};
    return true;
}

void app_description_finish(AppDescription *description) {
    free(description->bones);
    free(description->garments);
    free(description->colliders);
    free(description->clips);
    free(description->commands);
    free(description->meshes);
    free(description->distances);
    text_buffer_finish(&description->params);
    *description = (AppDescription){0};
}

const TextBuffer *app_description_text(AppCharacters *characters, AppCharacter *character,
                                       const AppDescription *description, ProtocolAxes axes) {
    AppDescriptionCache *cache = cache_of(characters, character);
    if (!cache) return NULL;
    TextBuffer *text = &cache->texts[axes];
    if (text->length > 0) return text;
    protocol_write_description(text, &description->character, axes);
    if (text->failed) {
        text_buffer_finish(text);
        return NULL;
    }
    characters->description_cache_bytes += text->length;
    return text;
}

bool app_meshes_are_ready(AppCharacters *characters, const AppCharacter *character, ProtocolAxes axes) {
    const AppMeshText *meshes;
    const SimRigId rig = sim_character_rig(characters->world, character->id);
    return sim_rig_info(characters->world, rig)->mesh_count == 0 ||
           app_mesh_texts_get(&characters->mesh_texts, rig, axes, &meshes) != APP_MESHES_WAIT;
}

const TextBuffer *app_meshed_description_text(AppCharacters *characters, AppCharacter *character,
                                              AppDescription *description, ProtocolAxes axes) {
    TextBuffer *text = &characters->mesh_description;
    const AppMeshText *meshes = NULL;
    const SimRigId rig = sim_character_rig(characters->world, character->id);
    const TextBuffer *whole = app_description_text(characters, character, description, axes);
    if (!whole || (description->mesh_count > 0 &&
                   app_mesh_texts_get(&characters->mesh_texts, rig, axes, &meshes) != APP_MESHES_ENCODED))
        return NULL;
    for (size_t i = 0; i < description->mesh_count; i++) description->meshes[i].text = &meshes->texts[i];
    text_buffer_clear(text);
    protocol_write_meshed_description(text, whole, description->meshes, description->mesh_count);
    return text->failed ? NULL : text;
}

void app_description_drop(AppCharacters *characters, AppCharacter *character) {
    AppDescriptionCache *cache = character->description_cache;
    if (!cache) return;
    for (int axes = 0; axes < PROTOCOL_AXES_COUNT; axes++) {
        characters->description_cache_bytes -= cache->texts[axes].length;
        text_buffer_finish(&cache->texts[axes]);
    }
    free(cache);
    character->description_cache = NULL;
}

static void fill_bones(AppDescription *description, const SimRigInfo *rig) {
    for (int i = 0; i < rig->bone_count; i++) {
        const SimBoneInfo *bone = &rig->bones[i];
        description->bones[i] = (ProtocolBone){.name = bone->name,
                                               .parent = bone->parent,
                                               .kind = (ProtocolBoneKind)bone->kind,
                                               .rest = bone->rest_model[0],
                                               .inverse_bind = bone->inverse_bind[0]};
    }
}

static void fill_colliders(AppDescription *description, const SimRigInfo *rig) {
    for (int i = 0; i < rig->collider_count; i++) {
        const SimColliderDef *from = &rig->colliders[i];
        ProtocolCollider *to = &description->colliders[i];
        *to =
            (ProtocolCollider){.name = from->name,
                               .shape = (ProtocolShape)from->shape,
                               .bone = from->shape == SIM_COLLIDER_PLANE ? NULL : rig->bones[from->bone].name,
                               .radius = from->radius,
                               .radius_end = from->radius_end,
                               .offset = from->offset};
        memcpy(to->center, from->center, sizeof to->center);
        memcpy(to->rotation, from->rotation, sizeof to->rotation);
        memcpy(to->radii, from->radii, sizeof to->radii);
        memcpy(to->from, from->from, sizeof to->from);
        memcpy(to->to, from->to, sizeof to->to);
        memcpy(to->normal, from->normal, sizeof to->normal);
    }
}

static void fill_garments(AppDescription *description, const AppCharacters *characters,
                          const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    const ScriptCharacterInfo *script = app_character_script(character);
    float *distances = description->distances;
    for (int i = 0; i < rig->garment_count; i++) {
        const SimGarmentInfo *garment = &rig->garments[i];
        const SimSpringPlan springs = sim_garment_springs(characters->world, character->id, i);
        const bool has_springs = garment->solver == SIM_SOLVER_MASS_SPRING;
        if (garment->has_max_distance)
            sim_garment_max_distances(characters->world, character->id, i, distances);
        description->garments[i] = (ProtocolGarment){
            .name = garment->name,
            .solver = script->garments[i].solver,
            .fabric = script->garments[i].fabric,
            .stable_step = springs.stable_step,
            .substeps = has_springs ? springs.steps * sim_world_substeps(characters->world) : 0,
            .spring_share = springs.share,
            .rows = garment->rows,
            .columns = garment->columns,
            .closed = garment->closed,
            .rest = garment->rest_model,
            .particle_count = (size_t)garment->particle_count,
            .max_distance = garment->has_max_distance ? distances : NULL,
            .pinned = garment->pinned,
            .pinned_count = (size_t)garment->pinned_count,
            .bones = (const int(*)[2])(const void *)garment->bones,
            .bone_count = (size_t)garment->bone_count,
            .colliders = garment->colliders,
            .collider_count = (size_t)garment->collider_count,
            .triangles = garment->triangles,
            .triangle_count = (size_t)garment->triangle_count};
        distances += garment->particle_count;
    }
}

static void fill_clips_and_commands(AppDescription *description, const SimRigInfo *rig,
                                    const ScriptCharacterInfo *script) {
    for (int i = 0; i < rig->clip_count; i++)
        description->clips[i] = (ProtocolClip){rig->clip_names[i], (double)rig->clip_durations[i]};
    for (int i = 0; i < script->command_count; i++)
        description->commands[i] = (ProtocolCommand){script->commands[i].name, script->commands[i].help};
}

static void fill_params(AppDescription *description, const AppCharacter *character) {
    const ScriptValue *params = script_params_value(script_instance_params(character->instance));
    if (params->count == 0) return;
    cJSON *json = app_value_to_json(params);
    if (json) protocol_write_json(&description->params, json);
    cJSON_Delete(json);
}

static void fill_meshes(AppDescription *description, const AppCharacters *characters,
                        const AppCharacter *character) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    for (int i = 0; i < rig->mesh_count; i++) {
        const SimMaterial material = script_character_material(character->script, &rig->meshes[i], i);
        ProtocolMaterial *to = &description->meshes[i].material;
        *to = (ProtocolMaterial){.roughness = material.roughness,
                                 .pattern = sim_pattern_names[material.pattern]};
        memcpy(to->color, material.color, sizeof to->color);
    }
}

// One element more than needed, so that NULL always means out of memory.
static void *array(int count, size_t size) {
    return calloc((size_t)count + 1, size);
}

static AppDescriptionCache *cache_of(AppCharacters *characters, AppCharacter *character) {
    if (character->description_cache && character->description_cache->revision != character->revision)
        app_description_drop(characters, character);
    if (characters->description_cache_bytes > MOST_BYTES)
        for (size_t slot = 0; slot < characters->count; slot++)
            app_description_drop(characters, characters->items[slot]);
    if (!character->description_cache) {
        character->description_cache =
            calloc(1, sizeof *character->description_cache); // all zero is an empty text
        if (character->description_cache) character->description_cache->revision = character->revision;
    }
    return character->description_cache;
}
