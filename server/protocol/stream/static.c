// Static data: the bones, garments, colliders, clips and commands of a character.
#include "protocol/static.h"

const char *const protocol_shape_names[] = {"ellipsoid", "sphere", "capsule", "plane", NULL};

typedef struct Writer {
    TextBuffer *text;
    ProtocolAxes axes;
} Writer;

// Converts a position or a direction to axes.
typedef void Convert(ProtocolAxes axes, const float in[3], float out[3]);

static void write_string(Writer writer, const char *member, const char *value);
static void append(Writer writer, const char *string);
static void write_integer(Writer writer, const char *member, int64_t value);
static void write_bone(Writer writer, const ProtocolBone *bone);
static void write_matrix(Writer writer, const char *member, const float matrix[16]);
static void write_garment(Writer writer, const ProtocolGarment *garment);
static void write_springs(Writer writer, const ProtocolGarment *garment);
static void write_length(Writer writer, const char *member, float metres);
static void write_indices(Writer writer, const char *member, const int *indices, size_t count);
static void write_vectors(Writer writer, const float (*vectors)[3], size_t count, Convert *convert);
static void write_triangles(Writer writer, const ProtocolMesh *mesh);
static void write_collider(Writer writer, const ProtocolCollider *collider);
static void write_plane(Writer writer, const ProtocolCollider *collider);
static void write_ellipsoid(Writer writer, const ProtocolCollider *collider);
static void write_position(Writer writer, const char *member, const float position[3]);
static void write_clip(Writer writer, const ProtocolClip *clip);
static void write_command(Writer writer, const ProtocolCommand *command);

void protocol_write_description(TextBuffer *text, const ProtocolCharacter *character, ProtocolAxes axes) {
    Writer writer = {text, axes};
    write_string(writer, "{\"name\":", character->name);
    write_string(writer, ",\"script\":", character->script);
    write_integer(writer, ",\"revision\":", character->revision);
    if (character->params) append(writer, ",\"params\":");
    if (character->params) append(writer, character->params);
    append(writer, ",\"bones\":[");
    for (size_t i = 0; i < character->bone_count; i++) {
        if (i > 0) append(writer, ",");
        write_bone(writer, &character->bones[i]);
    }
    append(writer, "],\"garments\":[");
    for (size_t i = 0; i < character->garment_count; i++) {
        if (i > 0) append(writer, ",");
        write_garment(writer, &character->garments[i]);
    }
    append(writer, "],\"colliders\":[");
    for (size_t i = 0; i < character->collider_count; i++) {
        if (i > 0) append(writer, ",");
        write_collider(writer, &character->colliders[i]);
    }
    append(writer, "],\"clips\":[");
    for (size_t i = 0; i < character->clip_count; i++) {
        if (i > 0) append(writer, ",");
        write_clip(writer, &character->clips[i]);
    }
    append(writer, "],\"commands\":[");
    for (size_t i = 0; i < character->command_count; i++) {
        if (i > 0) append(writer, ",");
        write_command(writer, &character->commands[i]);
    }
    append(writer, "]}");
}

void protocol_write_mesh(TextBuffer *text, const ProtocolMesh *mesh, ProtocolAxes axes) {
    Writer writer = {text, axes};
    const uint16_t *joints = mesh->joints[0];
    write_string(writer, "{\"name\":", mesh->name);
    if (mesh->garment) write_string(writer, ",\"garment\":", mesh->garment);
    append(writer, ",\"positions\":[");
    write_vectors(writer, mesh->positions, mesh->vertex_count, protocol_axes_position);
    append(writer, "],\"normals\":[");
    write_vectors(writer, mesh->normals, mesh->vertex_count, protocol_axes_direction);
    append(writer, "],\"uvs\":[");
    text_buffer_append_floats(text, mesh->uvs[0], 2 * mesh->vertex_count);
    append(writer, "],\"triangles\":[");
    write_triangles(writer, mesh);
    append(writer, "],\"joints\":[");
    for (size_t i = 0; i < 4 * mesh->vertex_count; i++) write_integer(writer, i == 0 ? "" : ",", joints[i]);
    append(writer, "],\"weights\":[");
    text_buffer_append_floats(text, mesh->weights[0], 4 * mesh->vertex_count);
    append(writer, "]");
}

void protocol_write_meshed_description(TextBuffer *text, const TextBuffer *description,
                                       const ProtocolMeshText *meshes, size_t mesh_count) {
    Writer writer = {.text = text};
    text_buffer_append(text, description->bytes, description->length - 1); // without its end
    append(writer, ",\"meshes\":[");
    for (size_t i = 0; i < mesh_count; i++) {
        const ProtocolMaterial *material = &meshes[i].material;
        if (i > 0) append(writer, ",");
        text_buffer_append(text, meshes[i].text->bytes, meshes[i].text->length);
        append(writer, ",\"material\":{\"color\":[");
        text_buffer_append_floats(text, material->color, 3);
        append(writer, "],\"roughness\":");
        text_buffer_append_float(text, material->roughness);
        write_string(writer, ",\"pattern\":", material->pattern);
        append(writer, "}}");
        text->failed = text->failed || meshes[i].text->failed;
    }
    append(writer, "]}");
}

void protocol_write_static(TextBuffer *text, int view, const ProtocolCharacter *character,
                           const size_t *selection, size_t selection_count, const TextBuffer *description) {
    Writer writer = {.text = text};
    write_integer(writer, "{\"jsonrpc\":\"2.0\",\"method\":\"stream.static\",\"params\":{\"view\":", view);
    write_string(writer, ",\"character\":", character->name);
    write_integer(writer, ",\"revision\":", character->revision);
    append(writer, ",\"bones\":[");
    for (size_t i = 0; i < selection_count; i++) {
        if (i > 0) append(writer, ",");
        text_buffer_append_quoted(text, character->bones[selection ? selection[i] : i].name);
    }
    append(writer, "]");
    if (description) {
        append(writer, ",\"description\":");
        text_buffer_append(text, description->bytes, description->length);
        text->failed = text->failed || description->failed;
    }
    append(writer, "}}\n");
}

// `member` is the JSON up to the value: `,"name":` or `{"name":`.
static void write_string(Writer writer, const char *member, const char *value) {
    append(writer, member);
    text_buffer_append_quoted(writer.text, value ? value : "");
}

static void append(Writer writer, const char *string) {
    text_buffer_append_string(writer.text, string);
}

static void write_integer(Writer writer, const char *member, int64_t value) {
    append(writer, member);
    text_buffer_append_integer(writer.text, value);
}

static void write_bone(Writer writer, const ProtocolBone *bone) {
    write_string(writer, "{\"name\":", bone->name);
    write_integer(writer, ",\"parent\":", bone->parent);
    write_string(writer, ",\"kind\":", protocol_bone_kind_names[bone->kind]);
    write_matrix(writer, ",\"rest\":", bone->rest);
    write_matrix(writer, ",\"inverse_bind\":", bone->inverse_bind);
    append(writer, "}");
}

static void write_matrix(Writer writer, const char *member, const float matrix[16]) {
    float converted[16];
    protocol_axes_matrix(writer.axes, matrix, converted);
    append(writer, member);
    append(writer, "[");
    text_buffer_append_floats(writer.text, converted, 16);
    append(writer, "]");
}

static void write_garment(Writer writer, const ProtocolGarment *garment) {
    write_string(writer, "{\"name\":", garment->name);
    write_string(writer, ",\"solver\":", garment->solver);
    write_string(writer, ",\"fabric\":", garment->fabric);
    if (garment->substeps > 0) write_springs(writer, garment);
    write_integer(writer, ",\"rows\":", garment->rows);
    write_integer(writer, ",\"columns\":", garment->columns);
    append(writer, garment->closed ? ",\"closed\":true,\"rest\":[" : ",\"closed\":false,\"rest\":[");
    write_vectors(writer, garment->rest, garment->particle_count, protocol_axes_position);
    append(writer, "]");
    if (garment->max_distance) {
        append(writer, ",\"max_distance\":[");
        for (size_t i = 0; i < garment->particle_count; i++) {
            write_length(writer, i == 0 ? "" : ",", garment->max_distance[i]);
        }
        append(writer, "]");
    }
    write_indices(writer, ",\"pinned\":", garment->pinned, garment->pinned_count);
    append(writer, ",\"bones\":[");
    for (size_t i = 0; i < garment->bone_count; i++)
        write_indices(writer, i == 0 ? "" : ",", garment->bones[i], 2);
    append(writer, "]");
    write_indices(writer, ",\"colliders\":", garment->colliders, garment->collider_count);
    const int *corners = garment->triangle_count == 0 ? NULL : garment->triangles[0];
    write_indices(writer, ",\"triangles\":", corners, 3 * garment->triangle_count);
    append(writer, "}");
}

static void write_springs(Writer writer, const ProtocolGarment *garment) {
    append(writer, ",\"springs\":{\"stable_step\":");
    text_buffer_append_float(writer.text, garment->stable_step);
    write_integer(writer, ",\"substeps\":", garment->substeps);
    append(writer, ",\"share\":");
    text_buffer_append_float(writer.text, garment->spring_share);
    append(writer, "}");
}

static void write_length(Writer writer, const char *member, float metres) {
    append(writer, member);
    text_buffer_append_float(writer.text, metres * protocol_axes_unit(writer.axes));
}

static void write_indices(Writer writer, const char *member, const int *indices, size_t count) {
    append(writer, member);
    append(writer, "[");
    for (size_t i = 0; i < count; i++) write_integer(writer, i == 0 ? "" : ",", indices[i]);
    append(writer, "]");
}

static void write_vectors(Writer writer, const float (*vectors)[3], size_t count, Convert *convert) {
    for (size_t i = 0; i < count; i++) {
        float converted[3];
        convert(writer.axes, vectors[i], converted);
        if (i > 0) append(writer, ",");
        text_buffer_append_floats(writer.text, converted, 3);
    }
}

// A mirror image is counter-clockwise in the other direction.
static void write_triangles(Writer writer, const ProtocolMesh *mesh) {
    const bool mirrored = protocol_axes_are_left_handed(writer.axes);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corners = mesh->triangles[i];
        write_integer(writer, i == 0 ? "" : ",", corners[0]);
        write_integer(writer, ",", corners[mirrored ? 2 : 1]);
        write_integer(writer, ",", corners[mirrored ? 1 : 2]);
    }
}

static void write_collider(Writer writer, const ProtocolCollider *collider) {
    write_string(writer, "{\"name\":", collider->name);
    write_string(writer, ",\"shape\":", protocol_shape_names[collider->shape]);
    if (collider->shape == PROTOCOL_SHAPE_PLANE) {
        write_plane(writer, collider);
        return;
    }
    write_string(writer, ",\"bone\":", collider->bone);
    if (collider->shape == PROTOCOL_SHAPE_ELLIPSOID) {
        write_ellipsoid(writer, collider);
        return;
    }
    if (collider->shape == PROTOCOL_SHAPE_SPHERE) {
        write_position(writer, ",\"center\":", collider->center);
        write_length(writer, ",\"radius\":", collider->radius);
    } else {
        write_position(writer, ",\"from\":", collider->from);
        write_position(writer, ",\"to\":", collider->to);
        write_length(writer, ",\"radius\":", collider->radius);
        write_length(writer, ",\"radius_end\":", collider->radius_end);
    }
    append(writer, "}");
}

static void write_plane(Writer writer, const ProtocolCollider *collider) {
    float normal[3];
    protocol_axes_direction(writer.axes, collider->normal, normal);
    append(writer, ",\"normal\":[");
    text_buffer_append_floats(writer.text, normal, 3);
    append(writer, "]");
    write_length(writer, ",\"offset\":", collider->offset);
    append(writer, "}");
}

static void write_ellipsoid(Writer writer, const ProtocolCollider *collider) {
    float rotation[4], radii[3];
    protocol_axes_quaternion(writer.axes, collider->rotation, rotation);
    protocol_axes_scale(writer.axes, collider->radii, radii);
    for (int i = 0; i < 3; i++) radii[i] *= protocol_axes_unit(writer.axes);
    write_position(writer, ",\"center\":", collider->center);
    append(writer, ",\"rotation\":[");
    text_buffer_append_floats(writer.text, rotation, 4);
    append(writer, "],\"radii\":[");
    text_buffer_append_floats(writer.text, radii, 3);
    append(writer, "]}");
}

static void write_position(Writer writer, const char *member, const float position[3]) {
    float converted[3];
    protocol_axes_position(writer.axes, position, converted);
    append(writer, member);
    append(writer, "[");
    text_buffer_append_floats(writer.text, converted, 3);
    append(writer, "]");
}

static void write_clip(Writer writer, const ProtocolClip *clip) {
    write_string(writer, "{\"name\":", clip->name);
    append(writer, ",\"duration\":");
    text_buffer_append_float(writer.text, (float)clip->duration);
    append(writer, "}");
}

static void write_command(Writer writer, const ProtocolCommand *command) {
    write_string(writer, "{\"name\":", command->name);
    write_string(writer, ",\"help\":", command->help);
    append(writer, "}");
}
