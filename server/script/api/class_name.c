// Names of classes and types, as LuaLS writes them.
#include "api/class_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void pascal_case(const char *name, char *out, size_t size);
static void append_classes(const ScriptSchemaField *field, const char *parent, char *type);
static void append(char *text, size_t size, const char *more);
static void append_choices(const char *const *choices, char *type);
static void append_elements(const ScriptSchemaField *field, const char *parent, char *type);

void script_class_name(const ScriptSchema *schema, const char *parent, const char *key,
                       char out_name[SCRIPT_CLASS_SIZE]) {
    char name[SCRIPT_CLASS_SIZE / 2];
    pascal_case(schema->name          ? schema->name
                : schema->constructor ? schema->constructor
                                      : key,
                name, sizeof name);
    const bool is_own = schema->name || schema->constructor;
    snprintf(out_name, SCRIPT_CLASS_SIZE, "%.40s.%s", is_own ? "tweed" : parent, name);
}

void script_field_lua_type(const ScriptSchemaField *field, const char *parent,
                           char out_type[SCRIPT_LUA_TYPE_SIZE]) {
    static const char *const names[] = {
        [SCRIPT_TYPE_BOOLEAN] = "boolean",
        [SCRIPT_TYPE_NUMBER] = "number",
        [SCRIPT_TYPE_INTEGER] = "integer",
        [SCRIPT_TYPE_LONG] = "integer",
        [SCRIPT_TYPE_STRING] = "string",
        [SCRIPT_TYPE_NAME] = "string",
        [SCRIPT_TYPE_VECTOR] = "tweed.Vector",
        [SCRIPT_TYPE_ROTATION] = "tweed.Rotation",
        [SCRIPT_TYPE_AXIS] = "tweed.Axis",
        [SCRIPT_TYPE_FUNCTION] = "function",
        [SCRIPT_TYPE_SKELETON] = "tweed.Skeleton",
        [SCRIPT_TYPE_CLIP] = "tweed.Clip",
        [SCRIPT_TYPE_MESH] = "tweed.Mesh",
        [SCRIPT_TYPE_DATA] = "table",
        [SCRIPT_TYPE_CUSTOM] = "any",
    };
    out_type[0] = '\0';
    if (field->schemas) append_classes(field, parent, out_type);
    if (field->lua) {
        append(out_type, SCRIPT_LUA_TYPE_SIZE, field->schemas ? "|" : "");
        append(out_type, SCRIPT_LUA_TYPE_SIZE, field->lua);
    } else if (field->type == SCRIPT_TYPE_CHOICE) {
        append_choices(field->choices, out_type);
    } else if (field->element) {
        append_elements(field, parent, out_type);
    } else if (!field->schemas) {
        append(out_type, SCRIPT_LUA_TYPE_SIZE, names[field->type]);
    }
}

void script_parameter_lua_type(const ScriptParameter *parameter, char out_type[SCRIPT_LUA_TYPE_SIZE]) {
    if (parameter->type)
        snprintf(out_type, SCRIPT_LUA_TYPE_SIZE, "%s", parameter->type);
    else
        script_class_name(parameter->schema, "tweed", "", out_type);
}

// "max_distance" → "MaxDistance".
static void pascal_case(const char *name, char *out, size_t size) {
    size_t length = 0;
    bool begins = true;
    for (; *name && length + 1 < size; name++) {
        if (*name != '_') out[length++] = (char)(begins ? toupper((unsigned char)*name) : *name);
        begins = *name == '_';
    }
    out[length] = '\0';
}

static void append_classes(const ScriptSchemaField *field, const char *parent, char *type) {
    for (int i = 0; field->schemas[i]; i++) {
        char name[SCRIPT_CLASS_SIZE];
        script_class_name(field->schemas[i], parent, field->key, name);
        append(type, SCRIPT_LUA_TYPE_SIZE, i ? "|" : "");
        append(type, SCRIPT_LUA_TYPE_SIZE, name);
    }
}

static void append(char *text, size_t size, const char *more) {
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

static void append_choices(const char *const *choices, char *type) {
    for (int i = 0; choices[i]; i++) {
        append(type, SCRIPT_LUA_TYPE_SIZE, i ? "|\"" : "\"");
        append(type, SCRIPT_LUA_TYPE_SIZE, choices[i]);
        append(type, SCRIPT_LUA_TYPE_SIZE, "\"");
    }
}

// A list or map of the element's type; a plain table in it is named after the list's key.
static void append_elements(const ScriptSchemaField *field, const char *parent, char *type) {
    char inner[SCRIPT_LUA_TYPE_SIZE];
    ScriptSchemaField element = *field->element;
    element.key = field->key;
    script_field_lua_type(&element, parent, inner);
    const bool is_list = field->type == SCRIPT_TYPE_LIST, is_union = strchr(inner, '|') != NULL;
    append(type, SCRIPT_LUA_TYPE_SIZE, is_list ? is_union ? "(" : "" : "table<string, ");
    append(type, SCRIPT_LUA_TYPE_SIZE, inner);
    append(type, SCRIPT_LUA_TYPE_SIZE, is_list ? is_union ? ")[]" : "[]" : ">");
}
