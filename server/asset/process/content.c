// The members of what is imported, in the order in which they are sent.
#include "process/wire.h"

#include <limits.h>
#include <stdlib.h>

#define MOST_BONES 65535 // joints of vertices have 16 bits

static void wire_bone(Wire *wire, SimBoneDef *bone, int index);
static void wire_mesh(Wire *wire, SimRenderMesh *mesh);
static void wire_motion(Wire *wire, AssetMotion *motion, size_t bone_count);
static void wire_mesh_contents(Wire *wire, AssetMeshContents *mesh);
static void *items(Wire *wire, void *list, int *count, int most, size_t size);
static void *optional(Wire *wire, void *list, size_t count, size_t size);

void wire_error(Wire *wire, AssetError *error) {
    wire_bytes(wire, error->message, sizeof error->message);
    error->message[sizeof error->message - 1] = '\0';
}

void wire_file(Wire *wire, AssetFile *file) {
    wire_floats(wire, &file->scale, 1);
    wire_floats(wire, &file->height, 1);
    wire_flag(wire, &file->is_skinned);
    file->bones = items(wire, file->bones, &file->bone_count, MOST_BONES, sizeof *file->bones);
    for (int i = 0; i < file->bone_count; i++) wire_bone(wire, &file->bones[i], i);
    const size_t bones = (size_t)file->bone_count;
    file->ends = wire_list(wire, file->ends, bones, sizeof *file->ends);
    if (wire->receives) file->has_end = calloc(bones + 1, sizeof *file->has_end);
    for (size_t i = 0; file->has_end && i < bones; i++) wire_flag(wire, &file->has_end[i]);
    file->meshes = items(wire, file->meshes, &file->mesh_count, INT_MAX, sizeof *file->meshes);
    for (int i = 0; i < file->mesh_count; i++) wire_mesh(wire, &file->meshes[i]);
    file->motions = items(wire, file->motions, &file->motion_count, INT_MAX, sizeof *file->motions);
    for (int i = 0; i < file->motion_count; i++) wire_motion(wire, &file->motions[i], bones);
    if (wire->state == WIRE_OPEN && !file->has_end) wire->state = WIRE_NO_MEMORY;
}

void wire_surface(Wire *wire, AssetSurface *surface) {
    wire_int(wire, &surface->vertex_count, 0, INT_MAX);
    wire_int(wire, &surface->triangle_count, 0, INT_MAX);
    const size_t vertices = (size_t)surface->vertex_count, triangles = (size_t)surface->triangle_count;
    surface->positions = wire_list(wire, surface->positions, vertices, sizeof *surface->positions);
    surface->uvs = optional(wire, surface->uvs, vertices, sizeof *surface->uvs);
    surface->colors = optional(wire, surface->colors, vertices, sizeof *surface->colors);
    surface->triangles = wire_list(wire, surface->triangles, triangles, sizeof *surface->triangles);
    wire_int(wire, &surface->part_count, 0, INT_MAX);
    surface->parts = wire_list(wire, surface->parts, (size_t)surface->part_count, sizeof *surface->parts);
}

void wire_contents(Wire *wire, AssetContents *contents) {
    contents->format = wire_text(wire, contents->format);
    wire_floats(wire, &contents->unit, 1);
    wire_bytes(wire, &contents->up, 1);
    contents->meshes =
        items(wire, contents->meshes, &contents->mesh_count, INT_MAX, sizeof *contents->meshes);
    for (int i = 0; i < contents->mesh_count; i++) wire_mesh_contents(wire, &contents->meshes[i]);
}

static void wire_bone(Wire *wire, SimBoneDef *bone, int index) {
    if (wire->receives) *bone = sim_default_bone_def();
    bone->name = wire_text(wire, bone->name);
    wire_int(wire, &bone->parent, -1, index - 1);
    wire_floats(wire, bone->position, 3);
    wire_floats(wire, bone->rotation, 4);
    wire_flag(wire, &bone->has_inverse_bind);
    if (bone->has_inverse_bind) wire_floats(wire, bone->inverse_bind[0], 16);
}

static void wire_mesh(Wire *wire, SimRenderMesh *mesh) {
    if (wire->receives) mesh->material = sim_default_material();
    mesh->garment = -1;
    mesh->name = wire_text(wire, mesh->name);
    wire_int(wire, &mesh->vertex_count, 1, SIM_MAX_MESH_VERTICES);
    wire_int(wire, &mesh->triangle_count, 0, 2 * SIM_MAX_MESH_VERTICES);
    const size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    mesh->positions = wire_list(wire, mesh->positions, vertices, sizeof *mesh->positions);
    mesh->normals = wire_list(wire, mesh->normals, vertices, sizeof *mesh->normals);
    mesh->uvs = wire_list(wire, mesh->uvs, vertices, sizeof *mesh->uvs);
    mesh->triangles = wire_list(wire, mesh->triangles, triangles, sizeof *mesh->triangles);
    mesh->joints = wire_list(wire, mesh->joints, vertices, sizeof *mesh->joints);
    mesh->weights = wire_list(wire, mesh->weights, vertices, sizeof *mesh->weights);
    wire_floats(wire, mesh->material.color, 3);
    wire_floats(wire, &mesh->material.roughness, 1);
}

static void wire_motion(Wire *wire, AssetMotion *motion, size_t bone_count) {
    motion->name = wire_text(wire, motion->name);
    wire_floats(wire, &motion->rate, 1);
    wire_int(wire, &motion->frame_count, 1, ASSET_MOST_BONE_FRAMES);
    wire_int(wire, &motion->first_frame, 0, motion->frame_count - 1);
    const size_t frames = (size_t)motion->frame_count, values = frames * bone_count;
    motion->rotations = wire_list(wire, motion->rotations, values, sizeof *motion->rotations);
    motion->positions = optional(wire, motion->positions, values, sizeof *motion->positions);
    motion->root = optional(wire, motion->root, frames, sizeof *motion->root);
}

static void wire_mesh_contents(Wire *wire, AssetMeshContents *mesh) {
    mesh->name = wire_text(wire, mesh->name);
    mesh->material = wire_text(wire, mesh->material);
    wire_int(wire, &mesh->vertex_count, 0, INT_MAX);
    wire_int(wire, &mesh->place_count, 0, mesh->vertex_count);
    wire_int(wire, &mesh->triangle_count, 0, INT_MAX);
    wire_int(wire, &mesh->bone_count, 0, INT_MAX);
    wire_flag(wire, &mesh->has_uvs);
    wire_flag(wire, &mesh->has_colors);
    wire_floats(wire, mesh->least, 3);
    wire_floats(wire, mesh->most, 3);
}

// A list whose items are sent one by one afterwards. Received, it is all zero, and the count is 0 after a
// failure.
static void *items(Wire *wire, void *list, int *count, int most, size_t size) {
    wire_int(wire, count, 0, most);
    if (!wire->receives) return list;
    void *received = NULL;
    if (wire->state == WIRE_OPEN && (size_t)*count > wire->left + sizeof wire->buffer)
        wire->state = WIRE_INVALID; // each item takes a byte at least
    else if (wire->state == WIRE_OPEN && !(received = calloc((size_t)*count + 1, size)))
        wire->state = WIRE_NO_MEMORY;
    if (!received) *count = 0;
    return received;
}

// A list that may be missing.
static void *optional(Wire *wire, void *list, size_t count, size_t size) {
    bool is_there = list != NULL;
    wire_flag(wire, &is_there);
    return is_there ? wire_list(wire, list, count, size) : NULL;
}
