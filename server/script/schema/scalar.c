// Reading numbers, texts, vectors and objects.
#include "schema/schema.h"

#include <math.h>
#include <string.h>

#define SHORTEST_ROTATION 1e-3 // length of a quaternion, as in the protocol
#define SHORTEST_AXIS     1e-6

static bool read_number(const ScriptSchemaField *field, const ScriptNode *node, void *out);
static bool in_range(const ScriptSchemaField *field, double number);
static bool read_integer(const ScriptSchemaField *field, const ScriptNode *node, void *out);
static bool read_long(const ScriptSchemaField *field, const ScriptNode *node, void *out);
static bool read_text(const ScriptSchemaField *field, const ScriptNode *node, const char **out);
static bool read_choice(const ScriptSchemaField *field, const ScriptNode *node, int *out);
static bool read_vector(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        float *out);
static bool is_list_of(const ScriptNode *node, int count);
static bool read_unit(const ScriptSchemaField *field, const ScriptNode *node, int count, float *out);
static bool read_axis(const ScriptSchemaField *field, const ScriptNode *node, float *out);
static bool read_object(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out);
static bool read_made_object(ScriptReader *reader, const ScriptNode *node, const char *type, void *out);

bool script_scalar_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out) {
    switch (field->type) {
    case SCRIPT_TYPE_BOOLEAN:
        if (script_node_is(node, SCRIPT_NODE_BOOLEAN)) *(bool *)out = node->boolean;
        return script_node_is(node, SCRIPT_NODE_BOOLEAN);
    case SCRIPT_TYPE_NUMBER:
        return read_number(field, node, out);
    case SCRIPT_TYPE_INTEGER:
        return read_integer(field, node, out);
    case SCRIPT_TYPE_LONG:
        return read_long(field, node, out);
    case SCRIPT_TYPE_STRING:
    case SCRIPT_TYPE_NAME:
        return read_text(field, node, out);
    case SCRIPT_TYPE_CHOICE:
        return read_choice(field, node, out);
    case SCRIPT_TYPE_VECTOR:
        return read_vector(reader, field, node, out);
    case SCRIPT_TYPE_ROTATION:
        return read_unit(field, node, 4, out);
    case SCRIPT_TYPE_AXIS:
        return read_axis(field, node, out);
    default:
        return read_object(reader, field, node, out);
    }
}

void script_field_mismatch(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node) {
    char text[512];
    script_field_expects(field, text, sizeof text);
    script_reader_expected(reader, text, node);
}

static bool read_number(const ScriptSchemaField *field, const ScriptNode *node, void *out) {
    if (!script_node_is(node, SCRIPT_NODE_NUMBER) || !in_range(field, node->number)) return false;
    *(float *)out = (float)node->number;
    return true;
}

static bool in_range(const ScriptSchemaField *field, double number) {
    if (!isfinite(number)) return false;
    return field->minimum >= field->maximum || (number >= field->minimum && number <= field->maximum);
}

static bool read_integer(const ScriptSchemaField *field, const ScriptNode *node, void *out) {
    if (!script_node_is(node, SCRIPT_NODE_NUMBER) || !in_range(field, node->number)) return false;
    if (floor(node->number) != node->number || fabs(node->number) > 1e9) return false;
    *(int *)out = (int)node->number;
    return true;
}

static bool read_long(const ScriptSchemaField *field, const ScriptNode *node, void *out) {
    if (!script_node_is(node, SCRIPT_NODE_NUMBER) || !in_range(field, node->number)) return false;
    if (floor(node->number) != node->number) return false;
    *(int64_t *)out = (int64_t)node->number;
    return true;
}

static bool read_text(const ScriptSchemaField *field, const ScriptNode *node, const char **out) {
    if (!script_node_is(node, SCRIPT_NODE_STRING) || strlen(node->text) != node->length) return false;
    if (field->type == SCRIPT_TYPE_NAME && script_name_error(node->text, node->length)) return false;
    *out = node->text;
    return true;
}

static bool read_choice(const ScriptSchemaField *field, const ScriptNode *node, int *out) {
    for (int i = 0; script_node_is(node, SCRIPT_NODE_STRING) && field->choices[i]; i++) {
        if (strcmp(field->choices[i], node->text) != 0) continue;
        *out = i;
        return true;
    }
    return false;
}

// A list of three numbers, each in the field's range. One wrong number is named, several are one mistake.
static bool read_vector(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        float *out) {
    if (!is_list_of(node, 3)) return false;
    const ScriptSchemaField component = {.type = SCRIPT_TYPE_NUMBER,
                                         .minimum = field->minimum,
                                         .maximum = field->maximum,
                                         .unit = field->unit};
    int wrong = 0, last_wrong = 0;
    for (int i = 0; i < 3; i++) {
        if (read_number(&component, &node->items[i], &out[i])) continue;
        wrong++;
        last_wrong = i;
    }
    if (wrong > 1) return false;
    if (wrong == 1) {
        script_reader_index(reader, last_wrong + 1);
        script_field_mismatch(reader, &component, &node->items[last_wrong]);
        script_reader_leave(reader);
    }
    return true;
}

static bool is_list_of(const ScriptNode *node, int count) {
    return script_node_is(node, SCRIPT_NODE_TABLE) && node->item_count == count && !node->field_count &&
           !node->call_site;
}

static bool read_unit(const ScriptSchemaField *field, const ScriptNode *node, int count, float *out) {
    float read[4] = {0};
    double square = 0.0;
    if (!is_list_of(node, count)) return false;
    for (int i = 0; i < count; i++) {
        if (!read_number(field, &node->items[i], &read[i])) return false;
        square += (double)read[i] * (double)read[i];
    }
    const double length = sqrt(square);
    if (length < (count == 4 ? SHORTEST_ROTATION : SHORTEST_AXIS)) return false;
    for (int i = 0; i < count; i++) out[i] = (float)((double)read[i] / length);
    return true;
}

static bool read_axis(const ScriptSchemaField *field, const ScriptNode *node, float *out) {
    if (!script_node_is(node, SCRIPT_NODE_STRING)) return read_unit(field, node, 3, out);
    const char *letter = node->text + (node->text[0] == '-');
    if (letter[0] < 'x' || letter[0] > 'z' || letter[1]) return false;
    out[0] = out[1] = out[2] = 0.0f;
    out[letter[0] - 'x'] = node->text[0] == '-' ? -1.0f : 1.0f;
    return true;
}

static bool read_object(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        void *out) {
    switch (field->type) {
    case SCRIPT_TYPE_FUNCTION:
        if (script_node_is(node, SCRIPT_NODE_FUNCTION)) *(int *)out = node->function;
        return script_node_is(node, SCRIPT_NODE_FUNCTION);
    case SCRIPT_TYPE_SKELETON:
        return read_made_object(reader, node, SCRIPT_SKELETON_TYPE, out);
    case SCRIPT_TYPE_CLIP:
        return read_made_object(reader, node, SCRIPT_CLIP_TYPE, out);
    case SCRIPT_TYPE_MESH:
        return read_made_object(reader, node, SCRIPT_MESH_TYPE, out);
    default: // DATA
        if (!script_node_is(node, SCRIPT_NODE_TABLE)) return false;
        *(const ScriptNode **)out = node;
        return true;
    }
}

static bool read_made_object(ScriptReader *reader, const ScriptNode *node, const char *type, void *out) {
    if (!script_node_is(node, SCRIPT_NODE_OBJECT) || strcmp(node->object_type, type) != 0) return false;
    script_reader_move_findings(reader, &node->object->finding_range);
    *(const void **)out = node->object;
    return true;
}
