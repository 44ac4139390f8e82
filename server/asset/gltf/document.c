#include "gltf/document.h"

#include <math.h>
#include <string.h>

#define GLB_MAGIC   0x46546c67u // "glTF"
#define CHUNK_JSON  0x4e4f534au
#define CHUNK_BIN   0x004e4942u
#define HEADER_SIZE 12
#define CHUNK_SIZE  8 // of a chunk's header

static const char *const list_names[] = {"scenes",     "nodes",     "meshes",      "materials", "skins",
                                         "animations", "accessors", "bufferViews", "buffers"};

static cJSON *add(AssetGltf *document, cJSON *parent, const char *key, cJSON *item);
static void pad(TextBuffer *text, char with);
static void add_bounds(AssetGltf *document, cJSON *accessor, const float *items, int count, int width);
static void append_word(TextBuffer *text, size_t word);

void asset_gltf_init(AssetGltf *document) {
    *document = (AssetGltf){.root = cJSON_CreateObject()};
    document->failed = !document->root;
    cJSON *asset = asset_gltf_object(document, document->root, "asset");
    asset_gltf_string(document, asset, "version", "2.0");
    asset_gltf_string(document, asset, "generator", "tweed " TWEED_VERSION);
}

void asset_gltf_finish(AssetGltf *document) {
    cJSON_Delete(document->root);
    text_buffer_finish(&document->binary);
    *document = (AssetGltf){0};
}

cJSON *asset_gltf_object(AssetGltf *document, cJSON *parent, const char *key) {
    return add(document, parent, key, cJSON_CreateObject());
}

cJSON *asset_gltf_list(AssetGltf *document, cJSON *parent, const char *key) {
    return add(document, parent, key, cJSON_CreateArray());
}

void asset_gltf_number(AssetGltf *document, cJSON *parent, const char *key, double value) {
    add(document, parent, key, cJSON_CreateNumber(value));
}

void asset_gltf_string(AssetGltf *document, cJSON *parent, const char *key, const char *value) {
    add(document, parent, key, cJSON_CreateString(value));
}

void asset_gltf_floats(AssetGltf *document, cJSON *parent, const char *key, const float *values, int count) {
    add(document, parent, key, cJSON_CreateFloatArray(values, count));
}

cJSON *asset_gltf_add(AssetGltf *document, AssetGltfList list, int *out_index) {
    if (!document->lists[list])
        document->lists[list] = asset_gltf_list(document, document->root, list_names[list]);
    *out_index = document->counts[list]++;
    return asset_gltf_object(document, document->lists[list], NULL);
}

void asset_gltf_begin_view(AssetGltf *document, AssetGltfTarget target) {
    document->view_start = document->binary.length;
    document->view = asset_gltf_add(document, ASSET_GLTF_VIEWS, &document->view_index);
    asset_gltf_number(document, document->view, "buffer", 0);
    asset_gltf_number(document, document->view, "byteOffset", (double)document->view_start);
    asset_gltf_number(document, document->view, "byteLength", 0);
    if (target != ASSET_GLTF_DATA) asset_gltf_number(document, document->view, "target", target);
}

int asset_gltf_accessor(AssetGltf *document, const void *items, int count, int width,
                        AssetGltfComponent component, bool with_bounds) {
    const size_t size = component == ASSET_GLTF_UINT16 ? sizeof(uint16_t) : sizeof(float);
    int index;
    cJSON *accessor = asset_gltf_add(document, ASSET_GLTF_ACCESSORS, &index);
    asset_gltf_number(document, accessor, "bufferView", document->view_index);
    asset_gltf_number(document, accessor, "byteOffset",
                      (double)(document->binary.length - document->view_start));
    asset_gltf_number(document, accessor, "componentType", component);
    asset_gltf_number(document, accessor, "count", count);
    asset_gltf_string(document, accessor, "type",
                      width == 16  ? "MAT4"
                      : width == 4 ? "VEC4"
                      : width == 3 ? "VEC3"
                      : width == 2 ? "VEC2"
                                   : "SCALAR");
    if (with_bounds) add_bounds(document, accessor, items, count, width);
    text_buffer_append(&document->binary, items, (size_t)count * (size_t)width * size);
    pad(&document->binary, '\0');
    cJSON *length = cJSON_GetObjectItemCaseSensitive(document->view, "byteLength");
    if (length) cJSON_SetNumberValue(length, (double)(document->binary.length - document->view_start));
    return index;
}

bool asset_gltf_write_glb(AssetGltf *document, TextBuffer *out_text) {
    int index;
    cJSON *buffer = asset_gltf_add(document, ASSET_GLTF_BUFFERS, &index);
    asset_gltf_number(document, buffer, "byteLength", (double)document->binary.length);
    char *printed =
        document->failed || document->binary.failed ? NULL : cJSON_PrintUnformatted(document->root);
    if (!printed) {
        out_text->failed = true;
        return false;
    }
    TextBuffer json = {0};
    text_buffer_append_string(&json, printed);
    pad(&json, ' ');
    cJSON_free(printed);
    const size_t total = HEADER_SIZE + CHUNK_SIZE + json.length + CHUNK_SIZE + document->binary.length;
    const bool fits = total <= UINT32_MAX;
    out_text->failed |= json.failed;
    if (fits && text_buffer_reserve(out_text, total)) {
        append_word(out_text, GLB_MAGIC);
        append_word(out_text, 2);
        append_word(out_text, total);
        append_word(out_text, json.length);
        append_word(out_text, CHUNK_JSON);
        text_buffer_append(out_text, json.bytes, json.length);
        append_word(out_text, document->binary.length);
        append_word(out_text, CHUNK_BIN);
        text_buffer_append(out_text, document->binary.bytes, document->binary.length);
    }
    text_buffer_finish(&json);
    return fits && !out_text->failed;
}

// Takes the item over, also when it fails.
static cJSON *add(AssetGltf *document, cJSON *parent, const char *key, cJSON *item) {
    if (item && parent &&
        (key ? cJSON_AddItemToObject(parent, key, item) : cJSON_AddItemToArray(parent, item)))
        return item;
    cJSON_Delete(item);
    document->failed = true;
    return NULL;
}

// To a multiple of 4 bytes, where each component and each chunk begins.
static void pad(TextBuffer *text, char with) {
    while (text->length % 4 != 0 && !text->failed) text_buffer_append_char(text, with);
}

static void add_bounds(AssetGltf *document, cJSON *accessor, const float *items, int count, int width) {
    float least[16], most[16];
    memcpy(least, items, (size_t)width * sizeof *items);
    memcpy(most, items, (size_t)width * sizeof *items);
    for (int i = 1; i < count; i++) {
        for (int j = 0; j < width; j++) {
            least[j] = fminf(least[j], items[i * width + j]);
            most[j] = fmaxf(most[j], items[i * width + j]);
        }
    }
    asset_gltf_floats(document, accessor, "min", least, width);
    asset_gltf_floats(document, accessor, "max", most, width);
}

// In little-endian order, as the format is; the data behind is of a little-endian machine.
static void append_word(TextBuffer *text, size_t word) {
    for (int i = 0; i < 4; i++) text_buffer_append_char(text, (char)(word >> 8 * i & 0xff));
}
