// What a field expects, in words.
#include "schema/schema.h"

#include <stdio.h>
#include <string.h>
#include <text/glob.h>

static void schemas_expect(const ScriptSchema *const *schemas, char *buffer, size_t size);
static void append(char *buffer, size_t size, const char *text);
static void plain_default(const ScriptSchemaField *field, char *buffer, size_t size);
static void vector_default(const ScriptSchemaField *field, int count, char *buffer, size_t size);
static void choices_expect(const char *const *choices, char *buffer, size_t size);
static void list_expects(const ScriptSchemaField *field, char *buffer, size_t size);

const char *script_name_error(const char *text, size_t length) {
    if (text_is_name(text, length)) return NULL;
    return "a name of 1 to 64 bytes without * ? [";
}

void script_field_range(const ScriptSchemaField *field, char *buffer, size_t size) {
    const char *unit = field->unit ? field->unit : "";
    if (field->minimum < field->maximum)
        snprintf(buffer, size, field->type == SCRIPT_TYPE_LONG ? "%.0f to %.0f%s%s" : "%.7g to %.7g%s%s",
                 field->minimum, field->maximum, *unit ? " " : "", unit);
    else
        snprintf(buffer, size, "%s", unit);
}

void script_field_default(const ScriptSchemaField *field, char *buffer, size_t size) {
    if (field->otherwise) {
        snprintf(buffer, size, "%s", field->otherwise);
        return;
    }
    plain_default(field, buffer, size);
    const bool is_nothing = !*buffer || strcmp(buffer, "0") == 0 || strcmp(buffer, "{0, 0, 0}") == 0;
    if (!field->unit || is_nothing) return; // 0 needs no unit
    append(buffer, size, " ");
    append(buffer, size, field->unit);
}

void script_field_expects(const ScriptSchemaField *field, char *buffer, size_t size) {
    static const char *const words[] = {
        [SCRIPT_TYPE_BOOLEAN] = "true or false",
        [SCRIPT_TYPE_STRING] = "a string",
        [SCRIPT_TYPE_NAME] = "a name of 1 to 64 bytes without * ? [",
        [SCRIPT_TYPE_ROTATION] = "a quaternion {x, y, z, w}, its length at least 0.001",
        [SCRIPT_TYPE_AXIS] = "\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\" or {x, y, z}",
        [SCRIPT_TYPE_FUNCTION] = "a function",
        [SCRIPT_TYPE_SKELETON] = "tweed.import(file) or tweed.skeleton{...}",
        [SCRIPT_TYPE_CLIP] = "tweed.clip{...}",
        [SCRIPT_TYPE_MESH] = "tweed.mesh{...}",
        [SCRIPT_TYPE_DATA] = "a table of plain data",
        [SCRIPT_TYPE_CUSTOM] = "a value",
    };
    char bounds[64], range[80] = "";
    script_field_range(field, bounds, sizeof bounds);
    if (*bounds)
        snprintf(range, sizeof range, "%s%s", field->minimum < field->maximum ? " of " : " in ", bounds);
    if (field->expects)
        snprintf(buffer, size, field->expects, range);
    else if (field->type == SCRIPT_TYPE_NUMBER)
        snprintf(buffer, size, "a number%s", range);
    else if (field->type == SCRIPT_TYPE_INTEGER || field->type == SCRIPT_TYPE_LONG)
        snprintf(buffer, size, "a whole number%s", range);
    else if (field->type == SCRIPT_TYPE_VECTOR)
        snprintf(buffer, size, "{x, y, z}, each%s", field->unit || *range ? range : " a number");
    else if (field->type == SCRIPT_TYPE_CHOICE)
        choices_expect(field->choices, buffer, size);
    else if (field->type == SCRIPT_TYPE_TABLE || field->type == SCRIPT_TYPE_ONE_OF)
        schemas_expect(field->schemas, buffer, size);
    else if (field->type == SCRIPT_TYPE_LIST || field->type == SCRIPT_TYPE_MAP)
        list_expects(field, buffer, size);
    else
        snprintf(buffer, size, "%s", words[field->type]);
}

// "tweed.cloth{...} or tweed.chain{...}".
static void schemas_expect(const ScriptSchema *const *schemas, char *buffer, size_t size) {
    buffer[0] = '\0';
    for (int i = 0; schemas[i]; i++) {
        if (i) append(buffer, size, schemas[i + 1] ? ", " : " or ");
        if (!schemas[i]->constructor) {
            append(buffer, size, "a table");
            continue;
        }
        append(buffer, size, "tweed.");
        append(buffer, size, schemas[i]->constructor);
        append(buffer, size, "{...}");
    }
}

static void append(char *buffer, size_t size, const char *text) {
    const size_t length = strlen(buffer);
    if (length < size) snprintf(buffer + length, size - length, "%s", text);
}

static void plain_default(const ScriptSchemaField *field, char *buffer, size_t size) {
    switch (field->type) {
    case SCRIPT_TYPE_BOOLEAN:
        snprintf(buffer, size, "%s", field->number != 0.0 ? "true" : "false");
        break;
    case SCRIPT_TYPE_NUMBER:
    case SCRIPT_TYPE_INTEGER:
    case SCRIPT_TYPE_LONG:
        snprintf(buffer, size, "%.7g", field->number);
        break;
    case SCRIPT_TYPE_CHOICE:
        snprintf(buffer, size, "\"%s\"", field->choices[(int)field->number]);
        break;
    case SCRIPT_TYPE_VECTOR:
    case SCRIPT_TYPE_AXIS:
        vector_default(field, 3, buffer, size);
        break;
    case SCRIPT_TYPE_ROTATION:
        vector_default(field, 4, buffer, size);
        break;
    case SCRIPT_TYPE_TABLE:
    case SCRIPT_TYPE_CUSTOM: // their fields have their own
        buffer[0] = '\0';
        break;
    default:
        snprintf(buffer, size, "none");
    }
}

static void vector_default(const ScriptSchemaField *field, int count, char *buffer, size_t size) {
    buffer[0] = '\0';
    for (int i = 0; i < count; i++) {
        char number[32];
        snprintf(number, sizeof number, "%s%.7g", i ? ", " : "{", (double)field->vector[i]);
        append(buffer, size, number);
    }
    append(buffer, size, "}");
}

static void choices_expect(const char *const *choices, char *buffer, size_t size) {
    buffer[0] = '\0';
    for (int i = 0; choices[i]; i++) {
        if (i) append(buffer, size, choices[i + 1] ? ", " : " or ");
        append(buffer, size, "\"");
        append(buffer, size, choices[i]);
        append(buffer, size, "\"");
    }
}

static void list_expects(const ScriptSchemaField *field, char *buffer, size_t size) {
    char element[256];
    script_field_expects(field->element, element, sizeof element);
    snprintf(buffer, size, field->type == SCRIPT_TYPE_LIST ? "a list, each %s" : "a table of names, each %s",
             element);
}
