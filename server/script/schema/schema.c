// Reading nodes into structures, field by field.
#include "schema/schema.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <text/nearest.h>

static void default_field(const ScriptSchemaField *field, void *out);
static void *at(void *out, const ScriptSchemaField *field);
static bool read_table(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                       void *out);
static const ScriptSchema *schema_for(const ScriptSchema *const *schemas, const ScriptNode *node);
static bool read_one_of(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        ScriptItem *out);
static bool read_list(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                      ScriptList *out);
static void *alloc_elements(ScriptReader *reader, const ScriptSchemaField *element, int count);
static bool read_map(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                     ScriptList *out);
static void read_first(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out);
static const ScriptSchemaField *find_field(const ScriptSchema *schema, const char *key);
static void report_unknown(ScriptReader *reader, const ScriptSchema *schema, const char *key);
static void read_fields(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out);
static void report_missing(ScriptReader *reader, const ScriptSchemaField *field);

void script_schema_defaults(const ScriptSchema *schema, void *out) {
    memset(out, 0, schema->size);
    for (const ScriptSchema *part = schema; part; part = part->base)
        for (int i = 0; i < part->field_count; i++)
            default_field(&part->fields[i], at(out, &part->fields[i]));
}

void script_field_read(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                       void *out) {
    bool fits = true;
    switch (field->type) {
    case SCRIPT_TYPE_TABLE:
        fits = read_table(reader, field, node, out);
        break;
    case SCRIPT_TYPE_ONE_OF:
        fits = read_one_of(reader, field, node, out);
        break;
    case SCRIPT_TYPE_LIST:
        fits = read_list(reader, field, node, out);
        break;
    case SCRIPT_TYPE_MAP:
        fits = read_map(reader, field, node, out);
        break;
    case SCRIPT_TYPE_CUSTOM:
        reader->field = field;
        field->read(reader, node, out);
        break;
    default:
        fits = script_scalar_read(reader, field, node, out);
    }
    if (!fits) script_field_mismatch(reader, field, node);
}

void script_schema_read(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out) {
    read_first(reader, schema, node, out);
    for (int i = 0; i < node->field_count; i++)
        if (!find_field(schema, node->fields[i].key)) report_unknown(reader, schema, node->fields[i].key);
    for (const ScriptSchema *part = schema; part; part = part->base) read_fields(reader, part, node, out);
}

static size_t type_size(const ScriptSchemaField *field) {
    static const size_t sizes[] = {
        [SCRIPT_TYPE_BOOLEAN] = sizeof(bool),
        [SCRIPT_TYPE_NUMBER] = sizeof(float),
        [SCRIPT_TYPE_INTEGER] = sizeof(int),
        [SCRIPT_TYPE_LONG] = sizeof(int64_t),
        [SCRIPT_TYPE_STRING] = sizeof(char *),
        [SCRIPT_TYPE_NAME] = sizeof(char *),
        [SCRIPT_TYPE_CHOICE] = sizeof(int),
        [SCRIPT_TYPE_VECTOR] = 3 * sizeof(float),
        [SCRIPT_TYPE_ROTATION] = 4 * sizeof(float),
        [SCRIPT_TYPE_AXIS] = 3 * sizeof(float),
        [SCRIPT_TYPE_FUNCTION] = sizeof(int),
        [SCRIPT_TYPE_SKELETON] = sizeof(void *),
        [SCRIPT_TYPE_CLIP] = sizeof(void *),
        [SCRIPT_TYPE_MESH] = sizeof(void *),
        [SCRIPT_TYPE_ONE_OF] = sizeof(ScriptItem),
        [SCRIPT_TYPE_LIST] = sizeof(ScriptList),
        [SCRIPT_TYPE_MAP] = sizeof(ScriptList),
        [SCRIPT_TYPE_DATA] = sizeof(void *),
        [SCRIPT_TYPE_CUSTOM] = 0,
    };
    return field->type == SCRIPT_TYPE_TABLE ? field->schemas[0]->size : sizes[field->type];
}

static void default_field(const ScriptSchemaField *field, void *out) {
    switch (field->type) {
    case SCRIPT_TYPE_BOOLEAN:
        *(bool *)out = field->number != 0.0;
        break;
    case SCRIPT_TYPE_NUMBER:
        *(float *)out = (float)field->number;
        break;
    case SCRIPT_TYPE_INTEGER:
    case SCRIPT_TYPE_CHOICE:
        *(int *)out = (int)field->number;
        break;
    case SCRIPT_TYPE_LONG:
        *(int64_t *)out = (int64_t)field->number;
        break;
    case SCRIPT_TYPE_STRING:
    case SCRIPT_TYPE_NAME:
        *(const char **)out = field->text;
        break;
    case SCRIPT_TYPE_VECTOR:
    case SCRIPT_TYPE_AXIS:
        memcpy(out, field->vector, 3 * sizeof(float));
        break;
    case SCRIPT_TYPE_ROTATION:
        memcpy(out, field->vector, 4 * sizeof(float));
        break;
    case SCRIPT_TYPE_FUNCTION:
        *(int *)out = LUA_NOREF;
        break;
    case SCRIPT_TYPE_TABLE:
    case SCRIPT_TYPE_CUSTOM:
        if (field->schemas) script_schema_defaults(field->schemas[0], out);
        break;
    default:
        break; // empty: all zero
    }
}

static void *at(void *out, const ScriptSchemaField *field) {
    return (char *)out + field->offset;
}

static bool read_table(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                       void *out) {
    const ScriptSchema *schema = schema_for(field->schemas, node);
    if (schema) script_schema_read(reader, schema, node, out);
    return schema != NULL;
}

// A plain table is accepted if there is only one schema.
static const ScriptSchema *schema_for(const ScriptSchema *const *schemas, const ScriptNode *node) {
    if (!script_node_is(node, SCRIPT_NODE_TABLE)) return NULL;
    if (!node->call_site) return schemas[1] ? NULL : schemas[0];
    for (int i = 0; schemas[i]; i++)
        if (schemas[i]->constructor && strcmp(schemas[i]->constructor, node->call_site->constructor) == 0)
            return schemas[i];
    return NULL;
}

static bool read_one_of(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                        ScriptItem *out) {
    const ScriptSchema *schema = schema_for(field->schemas, node);
    void *value = schema ? script_reader_alloc(reader, 1, schema->size) : NULL;
    if (!value) return schema != NULL;
    script_schema_defaults(schema, value);
    script_schema_read(reader, schema, node, value);
    *out = (ScriptItem){schema, value};
    return true;
}

static bool read_list(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                      ScriptList *out) {
    if (!script_node_is(node, SCRIPT_NODE_TABLE) || node->field_count || node->call_site) return false;
    char *items = alloc_elements(reader, field->element, node->item_count);
    if (!items) return true;
    const ScriptType type = field->element->type;
    const bool is_of_numbers = type == SCRIPT_TYPE_NUMBER || type == SCRIPT_TYPE_INTEGER ||
                               type == SCRIPT_TYPE_LONG || type == SCRIPT_TYPE_VECTOR;
    ScriptListErrors errors = script_list_errors_begin(reader);
    for (int i = 0; i < node->item_count; i++) {
        script_reader_index(reader, i + 1);
        script_field_read(reader, field->element, &node->items[i],
                          items + (size_t)i * type_size(field->element));
        script_reader_leave(reader);
        if (is_of_numbers) script_list_errors_add(&errors, reader);
    }
    script_list_errors_end(&errors, reader);
    *out = (ScriptList){NULL, items, node->item_count};
    return true;
}

static void *alloc_elements(ScriptReader *reader, const ScriptSchemaField *element, int count) {
    const size_t size = type_size(element);
    char *items = script_reader_alloc(reader, count, size);
    for (int i = 0; items && i < count; i++) default_field(element, items + (size_t)i * size);
    return items;
}

static bool read_map(ScriptReader *reader, const ScriptSchemaField *field, const ScriptNode *node,
                     ScriptList *out) {
    if (!script_node_is(node, SCRIPT_NODE_TABLE) || node->item_count || node->call_site) return false;
    char *items = alloc_elements(reader, field->element, node->field_count);
    const char **keys = script_reader_alloc(reader, node->field_count, sizeof *keys);
    if (!items || !keys) return true;
    for (int i = 0; i < node->field_count; i++) {
        keys[i] = node->fields[i].key;
        script_reader_key(reader, keys[i]);
        const char *fault = script_name_error(keys[i], strlen(keys[i]));
        if (fault)
            script_reader_error(reader, "expected %s as the key", fault);
        else
            script_field_read(reader, field->element, node->fields[i].value,
                              items + (size_t)i * type_size(field->element));
        script_reader_leave(reader);
    }
    *out = (ScriptList){keys, items, node->field_count};
    return true;
}

// Reads values without a key: at most one.
static void read_first(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out) {
    const ScriptSchemaField *first = schema->first;
    script_reader_index(reader, 1);
    if (first && node->item_count)
        script_field_read(reader, first, &node->items[0], at(out, first));
    else if (first && first->required)
        script_reader_error(reader, "missing; expected %s", first->expects);
    script_reader_leave(reader);
    const int allowed = first ? 1 : 0;
    if (node->item_count <= allowed) return;
    script_reader_index(reader, allowed + 1);
    script_reader_error(reader, "expected key = value, found a value without a key");
    script_reader_leave(reader);
}

static const ScriptSchemaField *find_field(const ScriptSchema *schema, const char *key) {
    for (const ScriptSchema *part = schema; part; part = part->base)
        for (int i = 0; i < part->field_count; i++)
            if (strcmp(part->fields[i].key, key) == 0) return &part->fields[i];
    return NULL;
}

static void report_unknown(ScriptReader *reader, const ScriptSchema *schema, const char *key) {
    char hint[1024] = "";
    size_t length = 0;
    TextNearest nearest = text_nearest_to(key);
    for (const ScriptSchema *part = schema; part; part = part->base) {
        for (int i = 0; i < part->field_count; i++) {
            text_nearest_offer(&nearest, part->fields[i].key);
            if (length < sizeof hint)
                length += (size_t)snprintf(hint + length, sizeof hint - length, "%s %s",
                                           length ? "," : "; known are", part->fields[i].key);
        }
    }
    if (nearest.best) text_nearest_hint(&nearest, hint, sizeof hint);
    script_reader_error_at(reader, key, "unknown key%s", hint);
}

static void read_fields(ScriptReader *reader, const ScriptSchema *schema, const ScriptNode *node, void *out) {
    for (int i = 0; i < schema->field_count; i++) {
        const ScriptSchemaField *field = &schema->fields[i];
        const ScriptNode *value = script_node_field(node, field->key);
        if (!value && field->required) report_missing(reader, field);
        if (!value) continue;
        script_reader_key(reader, field->key);
        script_field_read(reader, field, value, at(out, field));
        script_reader_leave(reader);
    }
}

static void report_missing(ScriptReader *reader, const ScriptSchemaField *field) {
    char text[512];
    script_field_expects(field, text, sizeof text);
    script_reader_error_at(reader, field->key, "missing; expected %s", text);
}
