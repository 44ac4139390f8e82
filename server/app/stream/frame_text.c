// Frames, read from the world.
#include "stream/frame_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    BONES_AHEAD = 32
}; // are fetched: a crowd's matrices have left the near caches since they were computed

static bool write_head(TextBuffer *text, const AppFrameSource *source);
static bool write_body(AppScratch *scratch, const AppFrameSource *source);
static bool reserve(AppScratch *scratch, const SimRigInfo *rig, const AppSelection *selection);
static size_t particle_count(const SimRigInfo *rig);
static size_t garment_bone_count(const SimRigInfo *rig);
static void fill_points(const AppCharacters *characters, const AppCharacter *character, bool references,
                        bool in_world, float (*positions)[3], ProtocolPoints *out_points);
static void fill_wrinkles(const AppCharacters *characters, const AppCharacter *character, float *weights,
                          ProtocolWrinkles *out_wrinkles);
static void root_matrix(const AppCharacter *character, mat4 out_matrix);

void app_scratch_finish(AppScratch *scratch) {
    text_buffer_finish(&scratch->text);
    free(scratch->floats);
    free(scratch->points);
    free(scratch->wrinkles);
    *scratch = (AppScratch){0};
}

size_t app_frame_write(AppScratch *scratch, const AppFrameSource *source) {
    TextBuffer *text = &scratch->text;
    text_buffer_clear(text);
    if (!write_head(text, source)) return 0;
    const size_t body = text->length;
    if (!app_frame_repeats(source)) return write_body(scratch, source) ? body : 0;
    text_buffer_append(text, source->last_body, source->last_body_length);
    return text->failed ? 0 : body;
}

bool app_frame_repeats(const AppFrameSource *source) {
    return source->last_body_length > 0 &&
           sim_character_still_since(source->characters->world, source->character->id) <= source->last_tick;
}

void app_skeleton_init(AppSkeleton *skeleton, const AppCharacters *characters,
                       const AppCharacter *character) {
    skeleton->rig = app_character_rig(characters, character);
    skeleton->model = sim_character_bones_model(characters->world, character->id);
    root_matrix(character, skeleton->root);
}

void app_skeleton_place(AppSkeleton *skeleton, ProtocolSpace space, size_t bone, float out_matrix[16]) {
    const int parent = skeleton->rig->bones[bone].parent;
    vec4 *own = (vec4 *)skeleton->model[bone], *out = (vec4 *)(void *)out_matrix; // cglm takes no const
    if (space == PROTOCOL_SPACE_WORLD) {
        glm_mat4_mul((vec4 *)skeleton->root, own, out);
    } else if (space == PROTOCOL_SPACE_PARENT && parent >= 0) {
        mat4 frame;
        glm_mat4_inv((vec4 *)skeleton->model[parent], frame);
        glm_mat4_mul(frame, own, out);
    } else {
        memcpy(out_matrix, own, sizeof(mat4));
    }
}

// The head depends on the tick, the body on what has moved. Returns false when memory runs out.
static bool write_head(TextBuffer *text, const AppFrameSource *source) {
    const AppCharacters *characters = source->characters;
    const AppCharacter *character = source->character;
    int64_t sequence;
    const bool has_sequence = sim_character_sequence(characters->world, character->id, &sequence);
    const ProtocolFrame frame = {.view = source->view_id,
                                 .character = character->name,
                                 .revision = character->revision,
                                 .tick = sim_world_tick(characters->world),
                                 .tick_rate = characters->tick_rate,
                                 .has_sequence = has_sequence,
                                 .sequence = sequence};
    protocol_write_frame_head(text, &frame);
    return !text->failed;
}

static bool write_body(AppScratch *scratch, const AppFrameSource *source) {
    const AppCharacters *characters = source->characters;
    const AppCharacter *character = source->character;
    const AppSelection *selection = &source->selection;
    const ProtocolView *view = source->view;
    AppSkeleton skeleton;
    app_skeleton_init(&skeleton, characters, character);
    const SimRigInfo *rig = skeleton.rig;
    if (!reserve(scratch, rig, selection)) return false;
    float(*bones)[16] = (float(*)[16])(void *)scratch->floats;
    for (size_t i = 0; i < selection->count; i++) {
        if (i + BONES_AHEAD < selection->count)
            __builtin_prefetch(skeleton.model[selection->bones[i + BONES_AHEAD]]);
        app_skeleton_place(&skeleton, view->space, selection->bones[i], bones[i]);
    }

    const bool in_world = view->space == PROTOCOL_SPACE_WORLD;
    const size_t garment_count = (size_t)rig->garment_count;
    float(*positions)[3] = (float(*)[3])(void *)(bones + selection->count);
    ProtocolPoints *particles = scratch->points, *references = scratch->points + garment_count;
    if (view->particles) fill_points(characters, character, false, in_world, positions, particles);
    if (view->references)
        fill_points(characters, character, true, in_world, positions + particle_count(rig), references);
    float *weights = (float *)(positions + 2 * particle_count(rig));
    if (view->wrinkles) fill_wrinkles(characters, character, weights, scratch->wrinkles);

    const ProtocolFrame frame = {.bones = (const float(*)[16])bones,
                                 .selection_count = selection->count,
                                 .particles = particles,
                                 .particles_count = garment_count,
                                 .references = references,
                                 .references_count = garment_count,
                                 .wrinkles = scratch->wrinkles,
                                 .wrinkles_count = garment_count};
    protocol_write_frame_body(&scratch->text, view, &frame);
    return !scratch->text.failed;
}

// The array with room for count items of that size at least, or NULL.
static void *grow(void *array, size_t *held, size_t count, size_t size) {
    if (count <= *held) return array;
    void *grown = realloc(array, count * size);
    if (grown) *held = count;
    return grown;
}

static bool reserve(AppScratch *scratch, const SimRigInfo *rig, const AppSelection *selection) {
    const size_t garments = (size_t)rig->garment_count;
    const size_t count = selection->count * 16 + particle_count(rig) * 2 * 3 + garment_bone_count(rig) * 2;
    float *floats = grow(scratch->floats, &scratch->float_count, count + 1, sizeof *floats);
    if (floats) scratch->floats = floats;
    ProtocolPoints *points = grow(scratch->points, &scratch->point_count, 2 * garments + 1, sizeof *points);
    if (points) scratch->points = points;
    ProtocolWrinkles *wrinkles =
        grow(scratch->wrinkles, &scratch->wrinkle_count, garments + 1, sizeof *wrinkles);
    if (wrinkles) scratch->wrinkles = wrinkles;
    return floats && points && wrinkles;
}

static size_t particle_count(const SimRigInfo *rig) {
    size_t count = 0;
    for (int i = 0; i < rig->garment_count; i++) count += (size_t)rig->garments[i].particle_count;
    return count;
}

static size_t garment_bone_count(const SimRigInfo *rig) {
    size_t count = 0;
    for (int i = 0; i < rig->garment_count; i++) count += (size_t)rig->garments[i].bone_count;
    return count;
}

static void fill_points(const AppCharacters *characters, const AppCharacter *character, bool references,
                        bool in_world, float (*positions)[3], ProtocolPoints *out_points) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    mat4 root;
    root_matrix(character, root);
    for (int i = 0; i < rig->garment_count; i++) {
        const size_t count = (size_t)rig->garments[i].particle_count;
        if (references)
            sim_garment_references_model(characters->world, character->id, i, positions);
        else
            sim_garment_particles_model(characters->world, character->id, i, positions);
        for (size_t j = 0; in_world && j < count; j++) glm_mat4_mulv3(root, positions[j], 1.0f, positions[j]);
        out_points[i] = (ProtocolPoints){rig->garments[i].name, (const float(*)[3])positions, count};
        positions += count;
    }
}

static void fill_wrinkles(const AppCharacters *characters, const AppCharacter *character, float *weights,
                          ProtocolWrinkles *out_wrinkles) {
    const SimRigInfo *rig = app_character_rig(characters, character);
    for (int i = 0; i < rig->garment_count; i++) {
        const size_t count = (size_t)rig->garments[i].bone_count;
        sim_garment_wrinkles(characters->world, character->id, i, weights, weights + count);
        out_wrinkles[i] = (ProtocolWrinkles){rig->garments[i].name, weights, weights + count, count};
        weights += 2 * count;
    }
}

static void root_matrix(const AppCharacter *character, mat4 out_matrix) {
    versor rotation;
    vec3 position;
    memcpy(rotation, character->root_world.rotation, sizeof rotation);
    memcpy(position, character->root_world.position, sizeof position);
    glm_quat_mat4(rotation, out_matrix);
    glm_vec3_copy(position, out_matrix[3]);
}
