// The scene: nodes of characters, bones and meshes.
#include "asset/gltf.h"
#include "gltf/animation.h"
#include "gltf/mesh.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME_SIZE (2 * SIM_GARMENT_BONE_NAME_SIZE + 2)

static void add_take(AssetGltf *document, const AssetShot *shot, const AssetTake *take, int first_mesh,
                     cJSON *scene_nodes, AssetShotInfo *info);
static cJSON *add_node(AssetGltf *document, const char *name, const SimTransform *transform, int *out_index);
static void add_children(AssetGltf *document, const AssetTake *take, int first_node);
static void add_meshes(AssetGltf *document, const AssetShot *shot, const AssetTake *take, int skin,
                       int first_mesh, cJSON *scene_nodes, AssetShotInfo *info);
static void name_of(const AssetShot *shot, const AssetTake *take, const char *name, char out_name[NAME_SIZE]);

bool asset_gltf_write(const AssetShot *shot, TextBuffer *out_text, AssetShotInfo *out_info) {
    *out_info = (AssetShotInfo){0};
    AssetGltf document;
    asset_gltf_init(&document);
    asset_gltf_number(&document, document.root, "scene", 0);
    int index;
    cJSON *scene = asset_gltf_add(&document, ASSET_GLTF_SCENES, &index);
    cJSON *nodes = asset_gltf_list(&document, scene, "nodes");
    int *first_meshes = calloc((size_t)shot->take_count, sizeof *first_meshes);
    document.failed |= !first_meshes;
    for (int i = 0; first_meshes && i < shot->take_count; i++) {
        int like = 0; // the first take of the same rig
        while (shot->takes[like].rig != shot->takes[i].rig) like++;
        first_meshes[i] = like < i ? first_meshes[like] : document.counts[ASSET_GLTF_MESHES];
        add_take(&document, shot, &shot->takes[i], first_meshes[i], nodes, out_info);
    }
    free(first_meshes);
    const bool written = asset_gltf_write_glb(&document, out_text);
    asset_gltf_finish(&document);
    return written;
}

static void add_take(AssetGltf *document, const AssetShot *shot, const AssetTake *take, int first_mesh,
                     cJSON *scene_nodes, AssetShotInfo *info) {
    int first_node;
    add_node(document, take->name, &take->transforms[0], &first_node);
    asset_gltf_number(document, scene_nodes, NULL, first_node);
    for (int i = 0; i < take->rig->bone_count; i++) {
        char name[NAME_SIZE];
        int index;
        name_of(shot, take, take->rig->bones[i].name, name);
        add_node(document, name, &take->transforms[1 + i], &index);
    }
    add_children(document, take, first_node);
    const int skin = asset_gltf_add_skin(document, take, first_node);
    if (shot->with_meshes) add_meshes(document, shot, take, skin, first_mesh, scene_nodes, info);
    asset_gltf_add_animation(document, shot, take, first_node, info);
}

// transform: at the beginning; NULL: none.
static cJSON *add_node(AssetGltf *document, const char *name, const SimTransform *transform, int *out_index) {
    cJSON *node = asset_gltf_add(document, ASSET_GLTF_NODES, out_index);
    asset_gltf_string(document, node, "name", name);
    if (transform) {
        asset_gltf_floats(document, node, "translation", transform->position, 3);
        asset_gltf_floats(document, node, "rotation", transform->rotation, 4);
    }
    return node;
}

static void add_children(AssetGltf *document, const AssetTake *take, int first_node) {
    const cJSON *nodes = document->lists[ASSET_GLTF_NODES];
    cJSON *parent = nodes ? nodes->child : NULL; // walked along, since a list's items are found one by one
    for (int i = 0; i < first_node && parent; i++) parent = parent->next;
    for (int i = -1; i < take->rig->bone_count && parent; i++, parent = parent->next) {
        cJSON *children = NULL;
        for (int j = i + 1; j < take->rig->bone_count; j++) {
            if (take->rig->bones[j].parent != i) continue;
            if (!children) children = asset_gltf_list(document, parent, "children");
            asset_gltf_number(document, children, NULL, first_node + 1 + j);
        }
    }
}

// A skinned mesh is placed by its joints alone, so that its node has neither parent nor transform. Takes of
// one rig share their meshes, which are those from first_mesh on.
static void add_meshes(AssetGltf *document, const AssetShot *shot, const AssetTake *take, int skin,
                       int first_mesh, cJSON *scene_nodes, AssetShotInfo *info) {
    for (int i = 0, mesh = first_mesh; i < take->rig->mesh_count; i++) {
        const SimRenderMesh *rendered = &take->rig->meshes[i];
        if (rendered->triangle_count == 0) continue; // all of it is covered
        if (mesh == document->counts[ASSET_GLTF_MESHES]) {
            asset_gltf_add_mesh(document, rendered);
            info->meshes++;
            info->vertices += rendered->vertex_count;
        }
        char name[NAME_SIZE];
        int index;
        name_of(shot, take, rendered->name, name);
        cJSON *node = add_node(document, name, NULL, &index);
        asset_gltf_number(document, node, "mesh", mesh++);
        asset_gltf_number(document, node, "skin", skin);
        asset_gltf_number(document, scene_nodes, NULL, index);
    }
}

static void name_of(const AssetShot *shot, const AssetTake *take, const char *name,
                    char out_name[NAME_SIZE]) {
    if (shot->take_count > 1)
        snprintf(out_name, NAME_SIZE, "%s:%s", take->name, name);
    else
        snprintf(out_name, NAME_SIZE, "%s", name);
}
