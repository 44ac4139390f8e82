// A glTF document: a tree of JSON, and the binary data that it tells of.
#pragma once

#include <cjson/cJSON.h>
#include <text/buffer.h>

typedef enum AssetGltfComponent { // as the format numbers them
    ASSET_GLTF_UINT16 = 5123,
    ASSET_GLTF_UINT32 = 5125,
    ASSET_GLTF_FLOAT = 5126
} AssetGltfComponent;

typedef enum AssetGltfTarget { // what a view is for
    ASSET_GLTF_DATA = 0,
    ASSET_GLTF_VERTICES = 34962,
    ASSET_GLTF_INDICES = 34963
} AssetGltfTarget;

typedef enum AssetGltfList { // of the document
    ASSET_GLTF_SCENES,
    ASSET_GLTF_NODES,
    ASSET_GLTF_MESHES,
    ASSET_GLTF_MATERIALS,
    ASSET_GLTF_SKINS,
    ASSET_GLTF_ANIMATIONS,
    ASSET_GLTF_ACCESSORS,
    ASSET_GLTF_VIEWS,
    ASSET_GLTF_BUFFERS,
    ASSET_GLTF_LIST_COUNT
} AssetGltfList;

typedef struct AssetGltf {
    cJSON *root;
    cJSON *lists[ASSET_GLTF_LIST_COUNT]; // NULL: an empty one, which the format does not allow
    int counts[ASSET_GLTF_LIST_COUNT];
    TextBuffer binary;
    cJSON *view; // the bufferView that is being written
    int view_index;
    size_t view_start; // bytes
    bool failed;       // something is missing for want of memory
} AssetGltf;

void asset_gltf_init(AssetGltf *document);
void asset_gltf_finish(AssetGltf *document);

// The item under a key, or (NULL) at the end of a list. It belongs to its parent, which may be NULL after a
// failure.
cJSON *asset_gltf_object(AssetGltf *document, cJSON *parent, const char *key);
cJSON *asset_gltf_list(AssetGltf *document, cJSON *parent, const char *key);
void asset_gltf_number(AssetGltf *document, cJSON *parent, const char *key, double value);
void asset_gltf_string(AssetGltf *document, cJSON *parent, const char *key, const char *value);
void asset_gltf_floats(AssetGltf *document, cJSON *parent, const char *key, const float *values, int count);

// A new object at the end of one of the document's lists; out_index: its place there.
cJSON *asset_gltf_add(AssetGltf *document, AssetGltfList list, int *out_index);

// All accessors until the next call are of one view.
void asset_gltf_begin_view(AssetGltf *document, AssetGltfTarget target);

// Appends `count` items of `width` components to the view, and returns the accessor's index. with_bounds: the
// accessor tells the least and greatest of each component; the components are floats.
int asset_gltf_accessor(AssetGltf *document, const void *items, int count, int width,
                        AssetGltfComponent component, bool with_bounds);

// Appends the whole as a .glb file. Returns false when memory runs out (out_text->failed), or the file is too
// large for the format.
bool asset_gltf_write_glb(AssetGltf *document, TextBuffer *out_text);
