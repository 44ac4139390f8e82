// The types file: annotations of the Lua language server.
#include "api/api.h"
#include "api/class_name.h"
#include "schema/fabric.h"
#include "script/manual.h"

#include <ctype.h>
#include <string.h>

#define LINE_LENGTH 118
#define MAX_CLASSES 64

typedef struct Writer {
    FILE *file;
    ScriptArena arena;
    const ScriptSchema *written[MAX_CLASSES]; // a class is declared once
    int written_count;
    bool out_of_memory;
} Writer;

static const char head[] =
    "---@meta tweed\n"
    "-- What scripts can say, for the Lua language server. Printed by `tweed types`: do not edit.\n"
    "-- luacheck: ignore 241\n\n"
    "---{x, y, z}: +Y is up, +Z is where a character faces, +X is its left.\n"
    "---@alias tweed.Vector number[]\n\n"
    "---{x, y, z, w}: a quaternion of any length from 0.001, made unit.\n"
    "---@alias tweed.Rotation number[]\n\n"
    "---A direction; of a vector the length is of no matter.\n"
    "---@alias tweed.Axis \"x\"|\"y\"|\"z\"|\"-x\"|\"-y\"|\"-z\"|tweed.Vector\n\n"
    "---An event of the protocol.\n"
    "---@alias tweed.Event\n"
    "---| \"character.spawned\" | \"character.removed\" | \"character.moved\" | \"character.changed\"\n"
    "---| \"character.unstable\"\n"
    "---| \"script.loaded\" | \"script.failed\" | \"script.suspended\"\n"
    "---| \"fabric.changed\" | \"world.changed\" | \"simulation.paused\" | \"simulation.resumed\"\n"
    "---| \"simulation.shed\" | \"log\"\n\n"
    "---What tweed.clip gives, for a character's clips.\n"
    "---@class (exact) tweed.Clip\n\n";

static void write_part_classes(Writer *writer, const ScriptApiPart *part);
static void write_class(Writer *writer, const ScriptSchema *schema, const char *parent, const char *key);
static bool is_new(Writer *writer, const ScriptSchema *schema);
static void write_inner_classes(Writer *writer, const ScriptSchemaField *field, const char *key,
                                const char *class);
static void write_comment(FILE *file, const char *text);
static void write_field(FILE *file, const ScriptSchemaField *field, const char *key, const char *class);
static void write_field_comment(FILE *file, const ScriptSchemaField *field);
static const ScriptSchema *whole(Writer *writer, const ScriptSchema *schema);
static void write_function_classes(Writer *writer, const ScriptFunction *functions);
static void write_parameter_classes(Writer *writer, const ScriptParameter *parameters);
static void write_object(FILE *file, const ScriptObject *object);
static void write_parameter(FILE *file, const char *tag, const ScriptParameter *parameter);
static void write_functions(FILE *file, const char *owner, const ScriptFunction *functions);
static void write_function(FILE *file, const char *owner, const ScriptFunction *function);
static void write_constructor(FILE *file, const ScriptSchema *schema);

bool script_write_types(FILE *file) {
    Writer writer = {.file = file};
    int count;
    const ScriptApiPart *parts = script_api(&count);
    fputs(head, file);
    for (int i = 0; i < count; i++) write_part_classes(&writer, &parts[i]);
    for (int i = 0; i < count; i++)
        if (parts[i].object) write_object(file, parts[i].object);
    fprintf(file, "---The module: `local tweed = require \"tweed\"`.\n---@class tweed\nlocal tweed = {}\n\n");
    for (int i = 0; i < count; i++) {
        char owner[SCRIPT_CLASS_SIZE];
        for (int k = 0; parts[i].schemas[k]; k++) write_constructor(file, parts[i].schemas[k]);
        snprintf(owner, sizeof owner, "tweed.%s%s", parts[i].table ? parts[i].table : "",
                 parts[i].table ? "." : "");
        if (parts[i].table) {
            write_comment(file, parts[i].help);
            fprintf(file, "tweed.%s = {}\n\n", parts[i].table);
        }
        write_functions(file, owner, parts[i].functions);
    }
    fprintf(file, "return tweed\n");
    script_arena_finish(&writer.arena);
    return !writer.out_of_memory;
}

static void write_part_classes(Writer *writer, const ScriptApiPart *part) {
    for (int i = 0; part->schemas[i]; i++) write_class(writer, whole(writer, part->schemas[i]), "tweed", "");
    write_function_classes(writer, part->functions);
    if (!part->object) return;
    write_parameter_classes(writer, part->object->fields);
    write_function_classes(writer, part->object->methods);
}

static void write_class(Writer *writer, const ScriptSchema *schema, const char *parent, const char *key) {
    char class[SCRIPT_CLASS_SIZE];
    if (!is_new(writer, schema)) return;
    script_class_name(schema, parent, key, class);
    for (const ScriptSchema *part = schema; part; part = part->base)
        for (int i = 0; i < part->field_count; i++)
            write_inner_classes(writer, &part->fields[i], part->fields[i].key, class);
    if (schema->help) write_comment(writer->file, schema->help);
    fprintf(writer->file, "---@class (exact) %s\n", class);
    if (schema->first) write_field(writer->file, schema->first, "[1]", class);
    for (const ScriptSchema *part = schema; part; part = part->base)
        for (int i = 0; i < part->field_count; i++)
            write_field(writer->file, &part->fields[i], part->fields[i].key, class);
    fputc('\n', writer->file);
}

static bool is_new(Writer *writer, const ScriptSchema *schema) {
    for (int i = 0; i < writer->written_count; i++)
        if (writer->written[i] == schema) return false;
    const bool is_shared = schema->name || schema->constructor; // otherwise each holder has a class for it
    if (is_shared && writer->written_count < MAX_CLASSES) writer->written[writer->written_count++] = schema;
    return true;
}

// Writes the classes of plain tables in a field.
static void write_inner_classes(Writer *writer, const ScriptSchemaField *field, const char *key,
                                const char *class) {
    for (int i = 0; field->schemas && field->schemas[i]; i++)
        if (!field->schemas[i]->constructor) write_class(writer, field->schemas[i], class, key);
    if (field->element) write_inner_classes(writer, field->element, key, class);
}

static void write_comment(FILE *file, const char *text) {
    while (*text) {
        size_t length = strlen(text);
        if (length > LINE_LENGTH - 3) {
            length = LINE_LENGTH - 3;
            while (length > 0 && text[length] != ' ') length--;
        }
        fprintf(file, "---%.*s\n", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

static void write_field(FILE *file, const ScriptSchemaField *field, const char *key, const char *class) {
    char type[SCRIPT_LUA_TYPE_SIZE];
    script_field_lua_type(field, class, type);
    write_field_comment(file, field);
    fprintf(file, "---@field %s%s %s\n", key, field->required ? "" : "?", type);
}

// "Of the bone, that looks there. 0 to 1, default 1."
static void write_field_comment(FILE *file, const ScriptSchemaField *field) {
    char range[64], fallback[256] = "", text[1024];
    script_field_range(field, range, sizeof range);
    if (!field->required) script_field_default(field, fallback, sizeof fallback);
    const char *help = field->help ? field->help : "";
    const bool is_told = *range || *fallback;
    snprintf(text, sizeof text, "%c%s%s%s%s%s%s%s", toupper((unsigned char)help[0]), *help ? help + 1 : "",
             *help && help[strlen(help) - 1] != '.' ? "." : "", is_told ? " " : "", range,
             *fallback ? *range ? ", default: " : "Default: " : "", fallback, is_told ? "." : "");
    write_comment(file, *help ? text : text + 1);
}

static const ScriptSchema *whole(Writer *writer, const ScriptSchema *schema) {
    if (schema != &script_fabric_schema) return schema;
    const ScriptSchema *made = script_fabric_schema_make(&writer->arena);
    if (!made) writer->out_of_memory = true;
    return made ? made : schema;
}

static void write_function_classes(Writer *writer, const ScriptFunction *functions) {
    for (; functions && functions->name; functions++) write_parameter_classes(writer, functions->parameters);
}

static void write_parameter_classes(Writer *writer, const ScriptParameter *parameters) {
    for (; parameters && parameters->name; parameters++)
        if (parameters->schema) write_class(writer, parameters->schema, "tweed", "");
}

static void write_object(FILE *file, const ScriptObject *object) {
    char owner[SCRIPT_CLASS_SIZE];
    write_comment(file, object->help);
    fprintf(file, "---@class tweed.%s\n", object->name);
    for (const ScriptParameter *field = object->fields; field->name; field++)
        write_parameter(file, "field", field);
    if (object->is_open) fprintf(file, "---@field [string] any\n");
    if (object->methods) fprintf(file, "local %s = {}\n", object->name);
    fputc('\n', file);
    snprintf(owner, sizeof owner, "%s:", object->name);
    write_functions(file, owner, object->methods);
}

static void write_parameter(FILE *file, const char *tag, const ScriptParameter *parameter) {
    char type[SCRIPT_LUA_TYPE_SIZE];
    script_parameter_lua_type(parameter, type);
    const bool is_result = strcmp(tag, "return") == 0;
    const bool is_any = strcmp(parameter->name, SCRIPT_ANY_BONE) == 0;
    const char *mark = parameter->optional ? "?" : "", *help = parameter->help;
    if (is_result)
        fprintf(file, "---@return %s%s %s", type, mark, parameter->name);
    else
        fprintf(file, "---@%s %s%s %s", tag, is_any ? "[string]" : parameter->name, mark, type);
    fprintf(file, "%s%s\n", help ? is_result ? " # " : " " : "", help ? help : "");
}

static void write_functions(FILE *file, const char *owner, const ScriptFunction *functions) {
    for (; functions && functions->name; functions++) write_function(file, owner, functions);
}

static void write_function(FILE *file, const char *owner, const ScriptFunction *function) {
    write_comment(file, function->help);
    for (const ScriptParameter *parameter = function->parameters; parameter->name; parameter++)
        write_parameter(file, "param", parameter);
    for (const ScriptParameter *result = function->results; result->name; result++)
        write_parameter(file, "return", result);
    fprintf(file, "function %s%s(", owner, function->name);
    for (const ScriptParameter *parameter = function->parameters; parameter->name; parameter++)
        fprintf(file, "%s%s", parameter == function->parameters ? "" : ", ", parameter->name);
    fprintf(file, ") end\n\n");
}

static void write_constructor(FILE *file, const ScriptSchema *schema) {
    char class[SCRIPT_CLASS_SIZE];
    script_class_name(schema, "tweed", "", class);
    write_comment(file, schema->help);
    fprintf(file, "---@param definition %s\n---@return %s\nfunction tweed.%s(definition) end\n\n", class,
            class, schema->constructor);
}
