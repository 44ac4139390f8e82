// Static data, read back from its JSON.
#include "protocol/recorded.h"

#include "protocol/reply.h"
#include "stream/member_reader.h"

#include <string.h>

static const char *read_params(ProtocolReader *reader, const cJSON *json);
static void read_bones(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character);
static const float *read_matrix(ProtocolReader *reader, const cJSON *object, const char *member);
static void read_colliders(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character);
static void read_collider(ProtocolReader *reader, const cJSON *json, ProtocolCollider *out_collider);
static void read_ellipsoid(ProtocolReader *reader, const cJSON *json, ProtocolCollider *out_collider);
static void read_garments(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character);
static void read_garment(ProtocolReader *reader, const cJSON *json, const ProtocolCharacter *character,
                         ProtocolGarment *out_garment);
static void read_springs(ProtocolReader *reader, const cJSON *json, ProtocolGarment *out_garment);
static const int (*read_garment_bones(ProtocolReader *reader, const cJSON *json, size_t particle_count,
                                      size_t bone_count, size_t *out_count))[2];
static void read_clips(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character);
static void read_commands(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character);
static void read_meshes(ProtocolReader *reader, const cJSON *json, ProtocolDescription *description);
static void read_mesh(ProtocolReader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *out_mesh,
                      ProtocolMaterial *out_material);
static void read_triangles(ProtocolReader *reader, const cJSON *json, ProtocolMesh *mesh);
static void read_joints(ProtocolReader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *mesh);

bool protocol_read_description(const cJSON *json, ProtocolAxes axes, ProtocolDescription *out_description,
                               ProtocolError *out_error) {
    *out_description = (ProtocolDescription){0};
    ProtocolReader reader = {.axes = axes, .memory = &out_description->memory, .error = out_error};
    ProtocolCharacter *character = &out_description->character;
    character->name = protocol_read_string(&reader, json, "name");
    character->script = protocol_read_string(&reader, json, "script");
    character->revision = (uint32_t)protocol_read_integer(&reader, json, "revision", 0, UINT32_MAX);
    character->params = read_params(&reader, json);
    read_bones(&reader, json, character);
    read_colliders(&reader, json, character);
    read_garments(&reader, json, character);
    read_clips(&reader, json, character);
    read_commands(&reader, json, character);
    if (cJSON_GetObjectItemCaseSensitive(json, "meshes")) read_meshes(&reader, json, out_description);
    if (reader.failed) protocol_description_finish(out_description);
    return !reader.failed;
}

void protocol_description_finish(ProtocolDescription *description) {
    protocol_memory_finish(&description->memory);
    *description = (ProtocolDescription){0};
}

static const char *read_params(ProtocolReader *reader, const cJSON *json) {
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(json, "params");
    if (!params) return NULL;
    if (!cJSON_IsObject(params) || !protocol_json_is_finite(params)) {
        protocol_reader_fail(reader, "params", "an object with finite numbers");
        return NULL;
    }
    TextBuffer text = {0};
    protocol_write_json(&text, params);
    const char *copy = protocol_reader_copy(reader, text_buffer_string(&text));
    text_buffer_finish(&text);
    return copy;
}

static void read_bones(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character) {
    size_t count;
    const cJSON *item = protocol_read_list(reader, json, "bones", &count);
    ProtocolBone *bones = protocol_reader_allocate(reader, count, sizeof *bones);
    for (size_t i = 0; i < count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "bones", i);
        bones[i].name = protocol_read_string(reader, item, "name");
        bones[i].parent = (int)protocol_read_integer(reader, item, "parent", -1, (double)i - 1);
        bones[i].kind =
            (ProtocolBoneKind)protocol_read_choice(reader, item, "kind", protocol_bone_kind_names);
        bones[i].rest = read_matrix(reader, item, "rest");
        bones[i].inverse_bind = read_matrix(reader, item, "inverse_bind");
    }
    reader->place[0] = '\0';
    character->bones = bones;
    character->bone_count = count;
}

static const float *read_matrix(ProtocolReader *reader, const cJSON *object, const char *member) {
    float *matrix = protocol_reader_allocate(reader, 16, sizeof *matrix);
    protocol_read_vector(reader, object, member, 16, matrix);
    if (matrix) protocol_axes_from_matrix(reader->axes, matrix, matrix);
    return matrix;
}

static void read_colliders(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character) {
    const cJSON *item = protocol_read_list(reader, json, "colliders", &character->collider_count);
    ProtocolCollider *colliders =
        protocol_reader_allocate(reader, character->collider_count, sizeof *colliders);
    for (size_t i = 0; i < character->collider_count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "colliders", i);
        read_collider(reader, item, &colliders[i]);
    }
    reader->place[0] = '\0';
    character->colliders = colliders;
}

static void read_collider(ProtocolReader *reader, const cJSON *json, ProtocolCollider *out_collider) {
    out_collider->name = protocol_read_string(reader, json, "name");
    out_collider->shape = (ProtocolShape)protocol_read_choice(reader, json, "shape", protocol_shape_names);
    if (out_collider->shape == PROTOCOL_SHAPE_PLANE) {
        protocol_read_vector(reader, json, "normal", 3, out_collider->normal);
        protocol_axes_from_direction(reader->axes, out_collider->normal, out_collider->normal);
        out_collider->offset = protocol_read_length(reader, json, "offset");
        return;
    }
    out_collider->bone = protocol_read_string(reader, json, "bone");
    if (out_collider->shape == PROTOCOL_SHAPE_ELLIPSOID) {
        read_ellipsoid(reader, json, out_collider);
        return;
    }
    out_collider->radius = protocol_read_length(reader, json, "radius");
    if (out_collider->shape == PROTOCOL_SHAPE_SPHERE) {
        protocol_read_position(reader, json, "center", out_collider->center);
        return;
    }
    protocol_read_position(reader, json, "from", out_collider->from);
    protocol_read_position(reader, json, "to", out_collider->to);
    out_collider->radius_end = protocol_read_length(reader, json, "radius_end");
}

static void read_ellipsoid(ProtocolReader *reader, const cJSON *json, ProtocolCollider *out_collider) {
    protocol_read_position(reader, json, "center", out_collider->center);
    protocol_read_vector(reader, json, "rotation", 4, out_collider->rotation);
    protocol_axes_from_quaternion(reader->axes, out_collider->rotation, out_collider->rotation);
    protocol_read_vector(reader, json, "radii", 3, out_collider->radii);
    protocol_axes_from_scale(reader->axes, out_collider->radii, out_collider->radii);
    for (int i = 0; i < 3; i++) out_collider->radii[i] /= protocol_axes_unit(reader->axes);
}

static void read_garments(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character) {
    const cJSON *item = protocol_read_list(reader, json, "garments", &character->garment_count);
    ProtocolGarment *garments = protocol_reader_allocate(reader, character->garment_count, sizeof *garments);
    for (size_t i = 0; i < character->garment_count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "garments", i);
        read_garment(reader, item, character, &garments[i]);
    }
    reader->place[0] = '\0';
    character->garments = garments;
}

static void read_garment(ProtocolReader *reader, const cJSON *json, const ProtocolCharacter *character,
                         ProtocolGarment *out_garment) {
    ProtocolGarment *garment = out_garment;
    garment->name = protocol_read_string(reader, json, "name");
    garment->solver = protocol_read_string(reader, json, "solver");
    garment->fabric = protocol_read_string(reader, json, "fabric");
    read_springs(reader, json, garment);
    garment->rows = (int)protocol_read_integer(reader, json, "rows", 0, INT32_MAX);
    garment->columns = (int)protocol_read_integer(reader, json, "columns", 0, INT32_MAX);
    garment->closed = protocol_read_bool(reader, json, "closed");
    garment->rest =
        (const float(*)[3])protocol_read_positions(reader, json, "rest", &garment->particle_count);
    const size_t count = garment->particle_count;
    if (cJSON_GetObjectItemCaseSensitive(json, "max_distance")) {
        size_t distance_count;
        float *distances = protocol_read_floats(reader, json, "max_distance", 1, &distance_count);
        if (!reader->failed && distance_count != count)
            protocol_reader_fail(reader, "max_distance", "one for each particle");
        for (size_t i = 0; i < distance_count; i++) distances[i] /= protocol_axes_unit(reader->axes);
        garment->max_distance = distances;
    }
    garment->pinned = protocol_read_indices(reader, json, "pinned", 1, count, &garment->pinned_count);
    garment->bones = read_garment_bones(reader, json, count, character->bone_count, &garment->bone_count);
    garment->colliders = protocol_read_indices(reader, json, "colliders", 1, character->collider_count,
                                               &garment->collider_count);
    garment->triangles =
        (const int(*)[3])protocol_read_indices(reader, json, "triangles", 3, count, &garment->triangle_count);
}

static void read_springs(ProtocolReader *reader, const cJSON *json, ProtocolGarment *out_garment) {
    const cJSON *springs = cJSON_GetObjectItemCaseSensitive(json, "springs");
    if (!springs) return;
    const size_t length = strlen(reader->place);
    strcat(reader->place, "springs."); // place has room: see its callers
    out_garment->stable_step = protocol_read_number(reader, springs, "stable_step");
    out_garment->substeps = (int)protocol_read_integer(reader, springs, "substeps", 1, INT32_MAX);
    out_garment->spring_share = protocol_read_number(reader, springs, "share");
    if (!reader->failed) reader->place[length] = '\0';
}

// Pairs of a particle and a bone.
static const int (*read_garment_bones(ProtocolReader *reader, const cJSON *json, size_t particle_count,
                                      size_t bone_count, size_t *out_count))[2] {
    const cJSON *pair = protocol_read_list(reader, json, "bones", out_count);
    int(*pairs)[2] = protocol_reader_allocate(reader, *out_count, sizeof *pairs);
    const double limits[2] = {(double)particle_count, (double)bone_count};
    for (size_t i = 0; i < *out_count && !reader->failed; i++, pair = pair->next) {
        const bool is_pair = cJSON_IsArray(pair) && cJSON_GetArraySize(pair) == 2;
        const cJSON *index = is_pair ? pair->child : NULL;
        for (int k = 0; index && k < 2; k++, index = index->next) {
            const double value = cJSON_IsNumber(index) ? index->valuedouble : -1;
            if (!(value >= 0 && value < limits[k] && value == (double)(int)value)) break;
            pairs[i][k] = (int)value;
        }
        if (!is_pair || index) protocol_reader_fail(reader, "bones", "pairs of a particle and a bone");
    }
    return (const int(*)[2])pairs;
}

static void read_clips(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character) {
    const cJSON *item = protocol_read_list(reader, json, "clips", &character->clip_count);
    ProtocolClip *clips = protocol_reader_allocate(reader, character->clip_count, sizeof *clips);
    for (size_t i = 0; i < character->clip_count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "clips", i);
        clips[i].name = protocol_read_string(reader, item, "name");
        clips[i].duration = (double)protocol_read_number(reader, item, "duration");
    }
    reader->place[0] = '\0';
    character->clips = clips;
}

static void read_commands(ProtocolReader *reader, const cJSON *json, ProtocolCharacter *character) {
    const cJSON *item = protocol_read_list(reader, json, "commands", &character->command_count);
    ProtocolCommand *commands = protocol_reader_allocate(reader, character->command_count, sizeof *commands);
    for (size_t i = 0; i < character->command_count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "commands", i);
        commands[i].name = protocol_read_string(reader, item, "name");
        commands[i].help = protocol_read_string(reader, item, "help");
    }
    reader->place[0] = '\0';
    character->commands = commands;
}

static void read_meshes(ProtocolReader *reader, const cJSON *json, ProtocolDescription *description) {
    size_t count;
    const cJSON *item = protocol_read_list(reader, json, "meshes", &count);
    ProtocolMesh *meshes = protocol_reader_allocate(reader, count, sizeof *meshes);
    ProtocolMaterial *materials = protocol_reader_allocate(reader, count, sizeof *materials);
    for (size_t i = 0; i < count && !reader->failed; i++, item = item->next) {
        protocol_reader_enter(reader, "meshes", i);
        read_mesh(reader, item, description->character.bone_count, &meshes[i], &materials[i]);
    }
    reader->place[0] = '\0';
    description->meshes = meshes;
    description->materials = materials;
    description->mesh_count = count;
}

static void read_mesh(ProtocolReader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *out_mesh,
                      ProtocolMaterial *out_material) {
    size_t normals, uvs, weights;
    out_mesh->name = protocol_read_string(reader, json, "name");
    if (cJSON_GetObjectItemCaseSensitive(json, "garment"))
        out_mesh->garment = protocol_read_string(reader, json, "garment");
    float *positions = protocol_read_floats(reader, json, "positions", 3, &out_mesh->vertex_count);
    float *directions = protocol_read_floats(reader, json, "normals", 3, &normals);
    out_mesh->uvs = (const float(*)[2])protocol_read_floats(reader, json, "uvs", 2, &uvs);
    out_mesh->weights = (const float(*)[4])protocol_read_floats(reader, json, "weights", 4, &weights);
    const size_t count = out_mesh->vertex_count;
    if (!reader->failed && (normals != count || uvs != count || weights != count))
        protocol_reader_fail(reader, "positions", "as many vertices as normals, uvs and weights have");
    for (size_t i = 0; i < count && !reader->failed; i++) {
        protocol_axes_from_position(reader->axes, positions + 3 * i, positions + 3 * i);
        protocol_axes_from_direction(reader->axes, directions + 3 * i, directions + 3 * i);
    }
    out_mesh->positions = (const float(*)[3])positions;
    out_mesh->normals = (const float(*)[3])directions;
    read_triangles(reader, json, out_mesh);
    read_joints(reader, json, bone_count, out_mesh);
    const cJSON *material = cJSON_GetObjectItemCaseSensitive(json, "material");
    protocol_read_vector(reader, material, "color", 3, out_material->color);
    out_material->roughness = protocol_read_number(reader, material, "roughness");
    out_material->pattern = protocol_read_string(reader, material, "pattern");
}

static void read_triangles(ProtocolReader *reader, const cJSON *json, ProtocolMesh *mesh) {
    int *corners =
        protocol_read_indices(reader, json, "triangles", 3, mesh->vertex_count, &mesh->triangle_count);
    uint32_t(*triangles)[3] = protocol_reader_allocate(reader, mesh->triangle_count, sizeof *triangles);
    const bool mirrored = protocol_axes_are_left_handed(reader->axes);
    for (size_t i = 0; i < mesh->triangle_count && !reader->failed; i++) {
        triangles[i][0] = (uint32_t)corners[3 * i];
        triangles[i][1] = (uint32_t)corners[3 * i + (mirrored ? 2 : 1)];
        triangles[i][2] = (uint32_t)corners[3 * i + (mirrored ? 1 : 2)];
    }
    mesh->triangles = (const uint32_t(*)[3])triangles;
}

static void read_joints(ProtocolReader *reader, const cJSON *json, size_t bone_count, ProtocolMesh *mesh) {
    size_t count;
    int *bones = protocol_read_indices(reader, json, "joints", 4, bone_count, &count);
    uint16_t(*joints)[4] = protocol_reader_allocate(reader, count, sizeof *joints);
    if (!reader->failed && count != mesh->vertex_count)
        protocol_reader_fail(reader, "joints", "four for each vertex");
    for (size_t i = 0; i < 4 * count && !reader->failed; i++) joints[i / 4][i % 4] = (uint16_t)bones[i];
    mesh->joints = (const uint16_t(*)[4])joints;
}
