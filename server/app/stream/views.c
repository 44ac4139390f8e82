// The table of views, and what each has encoded of the newest tick. Bones and points are converted from the
// world to the view's space here; protocol does axes, layout and text.
#include "stream/views.h"

#include "characters/describe.h"

#include <stdlib.h>
#include <string.h>

static AppView *create(const AppCharacters *characters, ProtocolView *view);
static void destroy(AppView *view);
static bool add_characters(AppView *view, const AppCharacters *characters);
static void retire(AppEncodings *encodings);
static void drop_encodings(AppEncodings *encodings);
static size_t write_frame(AppScratch *scratch, const AppEncodings *encodings, const AppCharacters *characters,
                          const AppCharacter *character, const AppView *view, const AppSelection *selection);
static bool write_head(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                       const AppView *view);
static bool write_body(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                       const AppView *view, const AppSelection *selection);
static void *grow(void *array, size_t *held, size_t count, size_t size);
static bool reserve(AppScratch *scratch, const SimRigInfo *rig, const AppSelection *selection);
static size_t particle_count(const SimRigInfo *rig);
static size_t garment_bone_count(const SimRigInfo *rig);
static void fill_points(const AppCharacters *characters, const AppCharacter *character, bool references,
                        bool in_world, float (*positions)[3], ProtocolPoints *out_points);
static void fill_wrinkles(const AppCharacters *characters, const AppCharacter *character, float *weights,
                          ProtocolWrinkles *out_wrinkles);
static void root_matrix(const AppCharacter *character, mat4 out_matrix);
static NetBuffer *frame_buffer_of(AppEncodings *encodings, const TextBuffer *text);
static const AppSelection *select_bones(AppView *view, const AppCharacters *characters,
                                        const AppCharacter *character);
static NetBuffer *buffer_of(const TextBuffer *text);

void app_views_finish(AppViews *views) {
    for (size_t i = 0; i < views->count; i++) destroy(views->items[i]);
    text_buffer_finish(&views->scratch.text);
    free(views->scratch.floats);
    free(views->scratch.points);
    free(views->scratch.wrinkles);
    *views = (AppViews){0};
}

AppView *app_views_open(AppViews *views, const AppCharacters *characters, ProtocolView *view,
                        ProtocolError *out_error) {
    for (size_t i = 0; i < views->count; i++) {
        if (!protocol_view_equal(&views->items[i]->view, view)) continue;
        protocol_view_finish(view);
        views->items[i]->subscribers++;
        return views->items[i];
    }
    AppView *created = NULL;
    if (views->count == APP_MAX_VIEWS) {
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "the server has %d different views, the most there can be", APP_MAX_VIEWS);
    } else if (!(created = create(characters, view))) {
        protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    } else {
        created->id = ++views->last_id;
        views->items[views->count++] = created;
        return created;
    }
    protocol_view_finish(view);
    return NULL;
}

void app_views_close(AppViews *views, AppView *view) {
    if (--view->subscribers > 0) return;
    size_t place = 0;
    while (views->items[place] != view) place++;
    views->items[place] = views->items[--views->count];
    destroy(view);
}

bool app_views_add_characters(AppViews *views, const AppCharacters *characters) {
    bool added = true;
    for (size_t i = 0; i < views->count; i++) added &= add_characters(views->items[i], characters);
    return added;
}

void app_views_remove_character(AppViews *views, size_t slot) {
    for (size_t i = 0; i < views->count; i++) {
        AppView *view = views->items[i];
        if (slot >= view->character_count) continue; // it was not added, out of memory
        AppEncodings *encodings = view->encodings;
        drop_encodings(&encodings[slot]);
        view->character_count--;
        memmove(encodings + slot, encodings + slot + 1, (view->character_count - slot) * sizeof *encodings);
        app_bitset_remove_slot(&view->members, slot);
    }
}

void app_views_expire(AppViews *views) {
    for (size_t i = 0; i < views->count; i++)
        for (size_t slot = 0; slot < views->items[i]->character_count; slot++)
            retire(&views->items[i]->encodings[slot]);
}

void app_views_drop_rigs(AppViews *views, const SimWorld *world) {
    for (size_t i = 0; i < views->count; i++) {
        AppView *view = views->items[i];
        for (size_t slot = 0; slot < view->character_count; slot++) drop_encodings(&view->encodings[slot]);
        const size_t count = view->selection_count;
        view->selection_count = 0;
        for (size_t j = 0; j < count; j++) {
            if (sim_rig_info(world, view->selections[j].rig))
                view->selections[view->selection_count++] = view->selections[j];
            else
                free(view->selections[j].bones);
        }
    }
}

NetBuffer *app_view_frame(AppViews *views, AppView *view, const AppCharacters *characters, size_t slot) {
    AppEncodings *encodings = &view->encodings[slot];
    if (encodings->frame) return encodings->frame;
    const AppCharacter *character = characters->items[slot];
    const AppSelection *selection = select_bones(view, characters, character);
    if (!selection) return NULL;
    const size_t body = write_frame(&views->scratch, encodings, characters, character, view, selection);
    if (body > 0) encodings->frame = frame_buffer_of(encodings, &views->scratch.text);
    if (encodings->frame) {
        encodings->frame_tick = sim_world_tick(characters->world);
        encodings->body = body;
    }
    return encodings->frame;
}

NetBuffer *app_view_static(AppViews *views, AppView *view, AppCharacters *characters, size_t slot,
                           AppStaticKind kind) {
    AppEncodings *encodings = &view->encodings[slot];
    if (encodings->statics[kind]) return encodings->statics[kind];
    AppCharacter *character = characters->items[slot];
    const AppSelection *selection = select_bones(view, characters, character);
    AppDescription description;
    if (!selection || !app_description_init(&description, characters, character)) return NULL;
    const TextBuffer *whole = NULL;
    if (kind == APP_STATIC_DESCRIBED)
        whole = app_description_text(characters, character, &description, view->view.axes);
    if (kind == APP_STATIC_MESHED)
        whole = app_meshed_description_text(characters, character, &description, view->view.axes);
    if (whole || kind == APP_STATIC_BARE) {
        TextBuffer *text = &views->scratch.text;
        text_buffer_clear(text);
        protocol_write_static(text, view->id, &description.character, selection->bones, selection->count,
                              whole);
        encodings->statics[kind] = buffer_of(text);
    }
    app_description_finish(&description);
    return encodings->statics[kind];
}

bool app_view_waits(const AppView *view, AppCharacters *characters, size_t slot, AppStaticKind kind) {
    return kind == APP_STATIC_MESHED && !view->encodings[slot].statics[kind] &&
           !app_meshes_are_ready(characters, characters->items[slot], view->view.axes);
}

bool app_view_has(const AppView *view, size_t slot, AppDue due, AppStaticKind kind) {
    const AppEncodings *encodings = &view->encodings[slot];
    return due == APP_DUE_STATIC ? encodings->statics[kind] != NULL : encodings->frame != NULL;
}

void app_skeleton_init(AppSkeleton *skeleton, const AppCharacters *characters,
                       const AppCharacter *character) {
    skeleton->rig = app_character_rig(characters, character);
    skeleton->model = sim_character_bones_model(characters->world, character->id);
    root_matrix(character, skeleton->root);
}

void app_skeleton_place(AppSkeleton *skeleton, ProtocolSpace space, size_t bone, float out_matrix[16]) {
    const int parent = skeleton->rig->bones[bone].parent;
    mat4 placed, own, frame;
    memcpy(own, skeleton->model[bone], sizeof own); // cglm takes no const
    if (space == PROTOCOL_SPACE_WORLD) {
        glm_mat4_mul(skeleton->root, own, placed);
    } else if (space == PROTOCOL_SPACE_PARENT && parent >= 0) {
        memcpy(frame, skeleton->model[parent], sizeof frame);
        glm_mat4_inv(frame, frame);
        glm_mat4_mul(frame, own, placed);
    } else {
        memcpy(placed, own, sizeof placed);
    }
    memcpy(out_matrix, placed, sizeof placed);
}

// Returns the offset of the body; 0: out of memory. The last body is reused where the character has not moved
// since, as when it sleeps.
static size_t write_frame(AppScratch *scratch, const AppEncodings *encodings, const AppCharacters *characters,
                          const AppCharacter *character, const AppView *view, const AppSelection *selection) {
    TextBuffer *text = &scratch->text;
    const NetBuffer *last = encodings->last_frame;
    const size_t last_length = last ? net_buffer_length(last) : 0;
    text_buffer_clear(text);
    if (!write_head(scratch, characters, character, view)) return 0;
    const size_t body = text->length;
    if (last_length <= encodings->body ||
        sim_character_still_since(characters->world, character->id) > encodings->frame_tick)
        return write_body(scratch, characters, character, view, selection) ? body : 0;
    text_buffer_append(text, net_buffer_data(last) + encodings->body, last_length - encodings->body);
    return text->failed ? 0 : body;
}

// The head depends on the tick, the body on what has moved. Both append to scratch->text; false: out of
// memory.
static bool write_head(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                       const AppView *view) {
    int64_t sequence;
    const bool has_sequence = sim_character_sequence(characters->world, character->id, &sequence);
    const ProtocolFrame frame = {.view = view->id,
                                 .character = character->name,
                                 .revision = character->revision,
                                 .tick = sim_world_tick(characters->world),
                                 .tick_rate = characters->tick_rate,
                                 .has_sequence = has_sequence,
                                 .sequence = sequence};
    protocol_write_frame_head(&scratch->text, &frame);
    return !scratch->text.failed;
}

static bool write_body(AppScratch *scratch, const AppCharacters *characters, const AppCharacter *character,
                       const AppView *view, const AppSelection *selection) {
    AppSkeleton skeleton;
    app_skeleton_init(&skeleton, characters, character);
    const SimRigInfo *rig = skeleton.rig;
    if (!reserve(scratch, rig, selection)) return false;
    float(*bones)[16] = (float(*)[16])(void *)scratch->floats;
    for (size_t i = 0; i < selection->count; i++)
        app_skeleton_place(&skeleton, view->view.space, selection->bones[i], bones[i]);

    const bool in_world = view->view.space == PROTOCOL_SPACE_WORLD;
    const size_t garment_count = (size_t)rig->garment_count;
    float(*positions)[3] = (float(*)[3])(void *)(bones + selection->count);
    ProtocolPoints *particles = scratch->points, *references = scratch->points + garment_count;
    if (view->view.particles) fill_points(characters, character, false, in_world, positions, particles);
    if (view->view.references)
        fill_points(characters, character, true, in_world, positions + particle_count(rig), references);
    float *weights = (float *)(positions + 2 * particle_count(rig));
    if (view->view.wrinkles) fill_wrinkles(characters, character, weights, scratch->wrinkles);

    const ProtocolFrame frame = {.bones = (const float(*)[16])bones,
                                 .selection_count = selection->count,
                                 .particles = particles,
                                 .particles_count = garment_count,
                                 .references = references,
                                 .references_count = garment_count,
                                 .wrinkles = scratch->wrinkles,
                                 .wrinkles_count = garment_count};
    protocol_write_frame_body(&scratch->text, &view->view, &frame);
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

static AppView *create(const AppCharacters *characters, ProtocolView *view) {
    AppView *created = calloc(1, sizeof *created);
    if (!created) return NULL;
    created->subscribers = 1;
    created->view = *view;
    if (add_characters(created, characters)) return created;
    *view = created->view; // stays the caller's
    created->view = (ProtocolView){0};
    destroy(created);
    return NULL;
}

static void destroy(AppView *view) {
    for (size_t slot = 0; slot < view->character_count; slot++) drop_encodings(&view->encodings[slot]);
    for (size_t i = 0; i < view->selection_count; i++) free(view->selections[i].bones);
    free(view->selections);
    free(view->encodings);
    app_bitset_finish(&view->members);
    protocol_view_finish(&view->view);
    free(view);
}

static bool add_characters(AppView *view, const AppCharacters *characters) {
    if (view->character_count == characters->count && view->encodings) return true;
    AppEncodings *encodings = realloc(view->encodings, (characters->count + 1) * sizeof *encodings);
    if (!encodings) return false;
    view->encodings = encodings;
    if (!app_bitset_reserve(&view->members, characters->count)) return false;
    for (; view->character_count < characters->count; view->character_count++) {
        const size_t slot = view->character_count;
        encodings[slot] = (AppEncodings){0};
        if (protocol_view_has_character(&view->view, characters->items[slot]->name))
            app_bitset_add(&view->members, slot);
    }
    return true;
}

static void retire(AppEncodings *encodings) {
    if (encodings->frame) {
        net_buffer_release(encodings->last_frame);
        encodings->last_frame = encodings->frame;
    }
    encodings->frame = NULL;
    for (int kind = 0; kind < APP_STATIC_KIND_COUNT; kind++) {
        net_buffer_release(encodings->statics[kind]);
        encodings->statics[kind] = NULL;
    }
}

static void drop_encodings(AppEncodings *encodings) {
    retire(encodings);
    net_buffer_release(encodings->last_frame);
    encodings->last_frame = NULL;
}

static const AppSelection *select_bones(AppView *view, const AppCharacters *characters,
                                        const AppCharacter *character) {
    const SimRigId rig = sim_character_rig(characters->world, character->id);
    for (size_t i = 0; i < view->selection_count; i++)
        if (view->selections[i].rig.index == rig.index &&
            view->selections[i].rig.generation == rig.generation)
            return &view->selections[i];
    const SimRigInfo *info = sim_rig_info(characters->world, rig);
    AppSelection *grown = realloc(view->selections, (view->selection_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    view->selections = grown;
    AppSelection *selection = &grown[view->selection_count];
    *selection = (AppSelection){.rig = rig, .bones = calloc((size_t)info->bone_count + 1, sizeof(size_t))};
    if (!selection->bones) return NULL;
    for (int bone = 0; bone < info->bone_count; bone++)
        if (protocol_view_has_bone(&view->view, info->bones[bone].name,
                                   (ProtocolBoneKind)info->bones[bone].kind))
            selection->bones[selection->count++] = (size_t)bone;
    view->selection_count++;
    return selection;
}

// Reuses the memory of the frame before, which is about as long: a running stream allocates nothing.
static NetBuffer *frame_buffer_of(AppEncodings *encodings, const TextBuffer *text) {
    NetBuffer *last = encodings->last_frame;
    if (text->failed || !net_buffer_reuse(last)) return buffer_of(text);
    if (!net_buffer_append(last, text->bytes, text->length)) return NULL;
    encodings->last_frame = NULL;
    return last;
}

static NetBuffer *buffer_of(const TextBuffer *text) {
    return text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
}
