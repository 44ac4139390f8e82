// Static data and frames, read back from their JSON.
#include "protocol/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ProtocolMemory {
    ProtocolMemory *next;
    _Alignas(max_align_t) unsigned char data[];
};

typedef struct Reader {
    ProtocolAxes axes;
    ProtocolMemory **memory;
    ProtocolError *error; // the first one
    bool failed;
    char place[96]; // of the object that is read, such as "bones[3]."
} Reader;

static void fail(Reader *reader, const char *member, const char *expected);
static void *allocate(Reader *reader, size_t count, size_t size);
static const cJSON *read_list(Reader *reader, const cJSON *object, const char *member, size_t *out_count);
static void enter(Reader *reader, const char *list, size_t i);
static const char *read_string(Reader *reader, const cJSON *object, const char *member);
static double read_integer(Reader *reader, const cJSON *object, const char *member, double least,
                           double most);
static float read_number(Reader *reader, const cJSON *object, const char *member);
static float *read_floats(Reader *reader, const cJSON *object, const char *member, size_t width,
                          size_t *out_count);
static void read_vector(Reader *reader, const cJSON *object, const char *member, size_t width, float *out);
static int *read_indices(Reader *reader, const cJSON *object, const char *member, size_t width, size_t limit,
                         size_t *out_count);
static int read_choice(Reader *reader, const cJSON *object, const char *member, const char *const *names);
static void make_unit(float q[4]);
static void read_bones(Reader *reader, const cJSON *json, ProtocolCharacter *character);
static const float *read_matrix(Reader *reader, const cJSON *object, const char *member);
static void read_meshes(Reader *reader, const cJSON *json, ProtocolDescription *description);
static void read_mesh(Reader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *out_mesh,
                      ProtocolMaterial *out_material);
static void read_triangles(Reader *reader, const cJSON *json, ProtocolMesh *mesh);
static void read_joints(Reader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *mesh);

bool protocol_read_description(const cJSON *json, ProtocolAxes axes, ProtocolDescription *out_description,
                               ProtocolError *out_error) {
    *out_description = (ProtocolDescription){0};
    Reader reader = {.axes = axes, .memory = &out_description->memory, .error = out_error};
    ProtocolCharacter *character = &out_description->character;
    character->name = read_string(&reader, json, "name");
    character->script = read_string(&reader, json, "script");
    character->revision = (uint32_t)read_integer(&reader, json, "revision", 0, UINT32_MAX);
    read_bones(&reader, json, character);
    if (cJSON_GetObjectItemCaseSensitive(json, "meshes")) read_meshes(&reader, json, out_description);
    if (reader.failed) protocol_description_finish(out_description);
    return !reader.failed;
}

void protocol_description_finish(ProtocolDescription *description) {
    while (description->memory) {
        ProtocolMemory *block = description->memory;
        description->memory = block->next;
        free(block);
    }
    *description = (ProtocolDescription){0};
}

bool protocol_read_frame_bones(const cJSON *params, const ProtocolView *view, size_t bone_count,
                               float (*out_bones)[16], ProtocolError *out_error) {
    Reader reader = {.axes = view->axes, .error = out_error};
    const bool is_trs = view->layout == PROTOCOL_LAYOUT_TRS;
    const size_t width = is_trs ? 10 : 16;
    size_t count;
    const cJSON *bone = read_list(&reader, params, "bones", &count);
    if (!reader.failed && count != bone_count) fail(&reader, "bones", "as many bones as stream.static lists");
    for (size_t i = 0; i < bone_count && !reader.failed; i++, bone = bone->next) {
        float values[16];
        const cJSON *value = cJSON_IsArray(bone) ? bone->child : NULL;
        size_t read = 0;
        for (; read < width && cJSON_IsNumber(value) && isfinite(value->valuedouble); value = value->next)
            values[read++] = (float)value->valuedouble;
        enter(&reader, "bones", i);
        if (read < width || value) fail(&reader, "", is_trs ? "10 numbers" : "16 numbers");
        if (reader.failed) break;
        if (is_trs) {
            protocol_axes_from_position(view->axes, values, values);
            protocol_axes_from_quaternion(view->axes, values + 3, values + 3);
            protocol_axes_from_scale(view->axes, values + 7, values + 7);
            make_unit(values + 3);
            protocol_compose(values, values + 3, values + 7, out_bones[i]);
        } else {
            protocol_axes_from_matrix(view->axes, values, out_bones[i]);
        }
    }
    return !reader.failed;
}

// A rotation is rounded on the wire; one of length 0 becomes none.
static void make_unit(float q[4]) {
    const float length = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (length < 1e-3f) q[3] = 1.0f;
    for (int i = 0; i < 4; i++) q[i] = length < 1e-3f ? q[i] : q[i] / length;
}

static void read_bones(Reader *reader, const cJSON *json, ProtocolCharacter *character) {
    size_t count;
    const cJSON *item = read_list(reader, json, "bones", &count);
    ProtocolBone *bones = allocate(reader, count, sizeof *bones);
    for (size_t i = 0; i < count && !reader->failed; i++, item = item->next) {
        enter(reader, "bones", i);
        bones[i].name = read_string(reader, item, "name");
        bones[i].parent = (int)read_integer(reader, item, "parent", -1, (double)i - 1);
        bones[i].kind = (ProtocolBoneKind)read_choice(reader, item, "kind", protocol_bone_kind_names);
        bones[i].rest = read_matrix(reader, item, "rest");
        bones[i].inverse_bind = read_matrix(reader, item, "inverse_bind");
    }
    reader->place[0] = '\0';
    character->bones = bones;
    character->bone_count = count;
}

static const float *read_matrix(Reader *reader, const cJSON *object, const char *member) {
    float *matrix = allocate(reader, 16, sizeof *matrix);
    read_vector(reader, object, member, 16, matrix);
    if (matrix) protocol_axes_from_matrix(reader->axes, matrix, matrix);
    return matrix;
}

static void read_meshes(Reader *reader, const cJSON *json, ProtocolDescription *description) {
    size_t count;
    const cJSON *item = read_list(reader, json, "meshes", &count);
    ProtocolMesh *meshes = allocate(reader, count, sizeof *meshes);
    ProtocolMaterial *materials = allocate(reader, count, sizeof *materials);
    for (size_t i = 0; i < count && !reader->failed; i++, item = item->next) {
        enter(reader, "meshes", i);
        read_mesh(reader, item, description->character.bone_count, &meshes[i], &materials[i]);
    }
    reader->place[0] = '\0';
    description->meshes = meshes;
    description->materials = materials;
    description->mesh_count = count;
}

static void read_mesh(Reader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *out_mesh,
                      ProtocolMaterial *out_material) {
    size_t normals, uvs, weights;
    out_mesh->name = read_string(reader, json, "name");
    if (cJSON_GetObjectItemCaseSensitive(json, "garment"))
        out_mesh->garment = read_string(reader, json, "garment");
    float *positions = read_floats(reader, json, "positions", 3, &out_mesh->vertex_count);
    float *directions = read_floats(reader, json, "normals", 3, &normals);
    out_mesh->uvs = (const float(*)[2])read_floats(reader, json, "uvs", 2, &uvs);
    out_mesh->weights = (const float(*)[4])read_floats(reader, json, "weights", 4, &weights);
    const size_t count = out_mesh->vertex_count;
    if (!reader->failed && (normals != count || uvs != count || weights != count))
        fail(reader, "positions", "as many vertices as normals, uvs and weights have");
    for (size_t i = 0; i < count && !reader->failed; i++) {
        protocol_axes_from_position(reader->axes, positions + 3 * i, positions + 3 * i);
        protocol_axes_from_direction(reader->axes, directions + 3 * i, directions + 3 * i);
    }
    out_mesh->positions = (const float(*)[3])positions;
    out_mesh->normals = (const float(*)[3])directions;
    read_triangles(reader, json, out_mesh);
    read_joints(reader, json, bone_count, out_mesh);
    const cJSON *material = cJSON_GetObjectItemCaseSensitive(json, "material");
    read_vector(reader, material, "color", 3, out_material->color);
    out_material->roughness = read_number(reader, material, "roughness");
    out_material->pattern = read_string(reader, material, "pattern");
}

static void read_triangles(Reader *reader, const cJSON *json, ProtocolMesh *mesh) {
    int *corners = read_indices(reader, json, "triangles", 3, mesh->vertex_count, &mesh->triangle_count);
    uint32_t(*triangles)[3] = allocate(reader, mesh->triangle_count, sizeof *triangles);
    const bool mirrored = protocol_axes_are_left_handed(reader->axes);
    for (size_t i = 0; i < mesh->triangle_count && !reader->failed; i++) {
        triangles[i][0] = (uint32_t)corners[3 * i];
        triangles[i][1] = (uint32_t)corners[3 * i + (mirrored ? 2 : 1)];
        triangles[i][2] = (uint32_t)corners[3 * i + (mirrored ? 1 : 2)];
    }
    mesh->triangles = (const uint32_t(*)[3])triangles;
}

static void read_joints(Reader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *mesh) {
    size_t count;
    int *bones = read_indices(reader, json, "joints", 4, bone_count, &count);
    uint16_t(*joints)[4] = allocate(reader, count, sizeof *joints);
    if (!reader->failed && count != mesh->vertex_count) fail(reader, "joints", "four for each vertex");
    for (size_t i = 0; i < 4 * count && !reader->failed; i++) joints[0][i] = (uint16_t)bones[i];
    mesh->joints = (const uint16_t(*)[4])joints;
}

// Members
// -----------------------------------------------------------------------------------------------------------

static void fail(Reader *reader, const char *member, const char *expected) {
    if (reader->failed) return;
    char path[160];
    snprintf(path, sizeof path, "%s%s", reader->place, member);
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '.') path[length - 1] = '\0';
    protocol_error_set(reader->error, PROTOCOL_INVALID_PARAMS, path, "%s: expected %s", path, expected);
    reader->failed = true;
}

static void *allocate(Reader *reader, size_t count, size_t size) {
    if (reader->failed) return NULL;
    ProtocolMemory *block = calloc(1, sizeof *block + (count + 1) * size);
    if (!block) {
        protocol_error_set(reader->error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
        reader->failed = true;
        return NULL;
    }
    block->next = *reader->memory;
    *reader->memory = block;
    return block->data;
}

static void enter(Reader *reader, const char *list, size_t i) {
    snprintf(reader->place, sizeof reader->place, "%s[%zu].", list, i);
}

// The first item. `*out_count` is 0 where there is no list.
static const cJSON *read_list(Reader *reader, const cJSON *object, const char *member, size_t *out_count) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, member);
    if (!cJSON_IsArray(list)) fail(reader, member, "a list");
    *out_count = reader->failed ? 0 : (size_t)cJSON_GetArraySize(list);
    return reader->failed ? NULL : list->child;
}

static const char *read_string(Reader *reader, const cJSON *object, const char *member) {
    const char *string = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, member));
    if (!string) fail(reader, member, "a text");
    return string;
}

static double read_integer(Reader *reader, const cJSON *object, const char *member, double least,
                           double most) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from %.0f to %.0f", least, most);
    if (value >= least && value <= most && value == floor(value)) return value;
    fail(reader, member, expected);
    return 0;
}

static float read_number(Reader *reader, const cJSON *object, const char *member) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, member);
    if (!cJSON_IsNumber(item)) fail(reader, member, "a number");
    return (float)(reader->failed ? 0.0 : item->valuedouble);
}

// `count` items of `width` numbers.
static float *read_floats(Reader *reader, const cJSON *object, const char *member, size_t width,
                          size_t *out_count) {
    size_t length;
    const cJSON *item = read_list(reader, object, member, &length);
    float *values = allocate(reader, length, sizeof *values);
    if (!reader->failed && length % width != 0) fail(reader, member, "whole vectors");
    for (size_t i = 0; i < length && !reader->failed; i++, item = item->next) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) fail(reader, member, "numbers");
        values[i] = (float)item->valuedouble;
    }
    *out_count = reader->failed ? 0 : length / width;
    return values;
}

static void read_vector(Reader *reader, const cJSON *object, const char *member, size_t width, float *out) {
    size_t length;
    char expected[32];
    snprintf(expected, sizeof expected, "%zu numbers", width);
    const cJSON *item = read_list(reader, object, member, &length);
    if (!reader->failed && length != width) fail(reader, member, expected);
    for (size_t i = 0; i < width && !reader->failed; i++, item = item->next) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) fail(reader, member, expected);
        out[i] = (float)item->valuedouble;
    }
}

// `count` items of `width` indices below the limit.
static int *read_indices(Reader *reader, const cJSON *object, const char *member, size_t width, size_t limit,
                         size_t *out_count) {
    size_t length;
    const cJSON *item = read_list(reader, object, member, &length);
    int *indices = allocate(reader, length, sizeof *indices);
    char expected[48];
    snprintf(expected, sizeof expected, "indices from 0 to %zu", limit > 0 ? limit - 1 : 0);
    if (!reader->failed && length % width != 0) fail(reader, member, "whole groups of indices");
    for (size_t i = 0; i < length && !reader->failed; i++, item = item->next) {
        const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= 0 && value < (double)limit && value == floor(value)))
            fail(reader, member, expected);
        else
            indices[i] = (int)value;
    }
    *out_count = reader->failed ? 0 : length / width;
    return indices;
}

static int read_choice(Reader *reader, const cJSON *object, const char *member, const char *const *names) {
    const char *string = read_string(reader, object, member);
    for (int i = 0; string && names[i]; i++)
        if (strcmp(names[i], string) == 0) return i;
    fail(reader, member, "a known name");
    return 0;
}
