// The cache of meshes' texts, and its thread.
#include "characters/mesh_texts.h"

#include <stdlib.h>

#define MOST_BYTES ((size_t)64 << 20) // of all texts; past it they are dropped before the next is added

static void on_wake(uv_async_t *handle);
static AppMeshText **find(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes);
static AppMeshText *add(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes);
static void drop_old(AppMeshTexts *texts);
static void begin_next(AppMeshTexts *texts);
static bool begin(AppMeshTexts *texts, AppMeshText *text);
static void encode(void *context);
static ProtocolMesh protocol_mesh(const SimRigInfo *rig, size_t index);
static void end_encoding(AppMeshTexts *texts);
static void remove_text(AppMeshText **place);

int app_mesh_texts_init(AppMeshTexts *texts, uv_loop_t *loop, SimWorld *world, void (*encoded)(void *context),
                        void *context) {
    *texts = (AppMeshTexts){.world = world, .encoded = encoded, .context = context};
    texts->wake.data = texts;
    return uv_async_init(loop, &texts->wake, on_wake);
}

void app_mesh_texts_stop(AppMeshTexts *texts) {
    if (texts->encoding) end_encoding(texts);
}

void app_mesh_texts_finish(AppMeshTexts *texts) {
    while (texts->first) remove_text(&texts->first);
}

AppMeshState app_mesh_texts_get(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes,
                                const AppMeshText **out_text) {
    AppMeshText **place = find(texts, rig, axes);
    if (!*place) {
        drop_old(texts);
        if (!add(texts, rig, axes)) return APP_MESHES_FAILED;
        begin_next(texts);
        place = find(texts, rig, axes);
    }
    const AppMeshState state = (*place)->state;
    *out_text = state == APP_MESHES_ENCODED ? *place : NULL;
    if (state == APP_MESHES_FAILED) remove_text(place);
    return state;
}

bool app_mesh_texts_update(AppMeshTexts *texts) {
    if (!texts->encoding || !atomic_load(&texts->finished)) return false;
    end_encoding(texts);
    begin_next(texts);
    return true;
}

static void on_wake(uv_async_t *handle) {
    AppMeshTexts *texts = handle->data;
    texts->encoded(texts->context);
}

static AppMeshText **find(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes) {
    AppMeshText **place = &texts->first;
    while (*place && !((*place)->rig.index == rig.index && (*place)->rig.generation == rig.generation &&
                       (*place)->axes == axes))
        place = &(*place)->next;
    return place;
}

// Returns NULL when memory runs out.
static AppMeshText *add(AppMeshTexts *texts, SimRigId rig, ProtocolAxes axes) {
    AppMeshText *text = calloc(1, sizeof *text), **end = &texts->first;
    if (!text) return NULL;
    text->rig = rig;
    text->axes = axes;
    text->count = (size_t)sim_rig_info(texts->world, rig)->mesh_count;
    text->texts = calloc(text->count + 1, sizeof *text->texts);
    if (!text->texts) {
        free(text);
        return NULL;
    }
    while (*end) end = &(*end)->next;
    *end = text;
    return text;
}

// Drops the texts of rigs that are gone and, where all take too much memory, those that are encoded.
static void drop_old(AppMeshTexts *texts) {
    size_t bytes = 0;
    for (const AppMeshText *text = texts->first; text; text = text->next) bytes += text->bytes;
    for (AppMeshText **place = &texts->first; *place;) {
        const bool is_gone = *place != texts->encoding && !sim_rig_info(texts->world, (*place)->rig);
        if (is_gone || (bytes > MOST_BYTES && (*place)->state == APP_MESHES_ENCODED))
            remove_text(place);
        else
            place = &(*place)->next;
    }
}

static void begin_next(AppMeshTexts *texts) {
    for (AppMeshText *text = texts->first; text && !texts->encoding; text = text->next)
        if (text->state == APP_MESHES_WAIT && !begin(texts, text)) text->state = APP_MESHES_FAILED;
}

static bool begin(AppMeshTexts *texts, AppMeshText *text) {
    texts->rig_info = sim_rig_info(texts->world, text->rig);
    if (!texts->rig_info) return false; // its last character has been removed
    texts->encoding = text;
    atomic_store(&texts->finished, false);
    sim_rig_retain(texts->world, text->rig);
    if (uv_thread_create(&texts->thread, encode, texts) == 0) return true;
    sim_rig_release(texts->world, text->rig);
    texts->encoding = NULL;
    return false;
}

static void encode(void *context) {
    AppMeshTexts *texts = context;
    AppMeshText *text = texts->encoding;
    for (size_t i = 0; i < text->count; i++) {
        const ProtocolMesh mesh = protocol_mesh(texts->rig_info, i);
        protocol_write_mesh(&text->texts[i], &mesh, text->axes);
    }
    atomic_store(&texts->finished, true);
    uv_async_send(&texts->wake);
}

static ProtocolMesh protocol_mesh(const SimRigInfo *rig, size_t index) {
    const SimRenderMesh *mesh = &rig->meshes[index];
    return (ProtocolMesh){.name = mesh->name,
                          .garment = mesh->garment < 0 ? NULL : rig->garments[mesh->garment].name,
                          .vertex_count = (size_t)mesh->vertex_count,
                          .triangle_count = (size_t)mesh->triangle_count,
                          .positions = mesh->positions,
                          .normals = mesh->normals,
                          .uvs = mesh->uvs,
                          .triangles = mesh->triangles,
                          .joints = mesh->joints,
                          .weights = mesh->weights};
}

static void end_encoding(AppMeshTexts *texts) {
    AppMeshText *text = texts->encoding;
    uv_thread_join(&texts->thread);
    sim_rig_release(texts->world, text->rig);
    texts->encoding = NULL;
    text->state = APP_MESHES_ENCODED;
    for (size_t i = 0; i < text->count; i++) {
        text->bytes += text->texts[i].length;
        if (text->texts[i].failed) text->state = APP_MESHES_FAILED;
    }
}

static void remove_text(AppMeshText **place) {
    AppMeshText *text = *place;
    *place = text->next;
    for (size_t i = 0; i < text->count; i++) text_buffer_finish(&text->texts[i]);
    free(text->texts);
    free(text);
}
