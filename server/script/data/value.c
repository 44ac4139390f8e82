// Building, copying and freeing trees of values.
#include "script/value.h"

#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static bool copy_items(ScriptValue *list, const ScriptValue *from);
static bool copy_fields(ScriptValue *table, const ScriptValue *from);
static ScriptField *find_field(const ScriptValue *table, const char *key);

ScriptValue script_value_boolean(bool boolean) {
    return (ScriptValue){.kind = SCRIPT_VALUE_BOOLEAN, .boolean = boolean};
}

ScriptValue script_value_number(double number) {
    return (ScriptValue){.kind = SCRIPT_VALUE_NUMBER, .number = number};
}

ScriptValue script_value_list(void) {
    return (ScriptValue){.kind = SCRIPT_VALUE_LIST};
}

ScriptValue script_value_table(void) {
    return (ScriptValue){.kind = SCRIPT_VALUE_TABLE};
}

bool script_value_string(ScriptValue *out_value, const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *out_value = (ScriptValue){.kind = SCRIPT_VALUE_STRING, .string = copy, .count = length};
    return true;
}

bool script_value_copy(ScriptValue *out_copy, const ScriptValue *value) {
    bool copied = true;
    *out_copy = SCRIPT_NULL;
    switch (value->kind) {
    case SCRIPT_VALUE_STRING:
        return script_value_string(out_copy, value->string, value->count);
    case SCRIPT_VALUE_LIST:
        *out_copy = script_value_list();
        copied = copy_items(out_copy, value);
        break;
    case SCRIPT_VALUE_TABLE:
        *out_copy = script_value_table();
        copied = copy_fields(out_copy, value);
        break;
    default:
        *out_copy = *value;
    }
    if (!copied) script_value_finish(out_copy);
    return copied;
}

size_t script_value_bytes(const ScriptValue *value) {
    size_t bytes = 0;
    switch (value->kind) {
    case SCRIPT_VALUE_STRING:
        return value->count + 1;
    case SCRIPT_VALUE_LIST:
        for (size_t i = 0; i < value->count; i++) bytes += script_value_bytes(&value->items[i]);
        return bytes + value->capacity * sizeof *value->items;
    case SCRIPT_VALUE_TABLE:
        for (size_t i = 0; i < value->count; i++)
            bytes += strlen(value->fields[i].key) + 1 + script_value_bytes(&value->fields[i].value);
        return bytes + value->capacity * sizeof *value->fields;
    default:
        return 0;
    }
}

void script_value_finish(ScriptValue *value) {
    if (value->kind == SCRIPT_VALUE_STRING) free(value->string);
    if (value->kind == SCRIPT_VALUE_LIST) {
        for (size_t i = 0; i < value->count; i++) script_value_finish(&value->items[i]);
        free(value->items);
    }
    if (value->kind == SCRIPT_VALUE_TABLE) {
        for (size_t i = 0; i < value->count; i++) {
            free(value->fields[i].key);
            script_value_finish(&value->fields[i].value);
        }
        free(value->fields);
    }
    *value = SCRIPT_NULL;
}

bool script_value_append(ScriptValue *list, ScriptValue item) {
    if (!TEXT_ARRAY_GROW(list->items, list->count, list->capacity)) {
        script_value_finish(&item);
        return false;
    }
    list->items[list->count++] = item;
    return true;
}

bool script_value_set(ScriptValue *table, const char *key, ScriptValue value) {
    ScriptField *known = find_field(table, key);
    if (known) {
        script_value_finish(&known->value);
        known->value = value;
        return true;
    }
    return script_value_add(table, key, value);
}

bool script_value_add(ScriptValue *table, const char *key, ScriptValue value) {
    char *copy = strdup(key);
    if (!copy || !TEXT_ARRAY_GROW(table->fields, table->count, table->capacity)) {
        free(copy);
        script_value_finish(&value);
        return false;
    }
    table->fields[table->count++] = (ScriptField){copy, value};
    return true;
}

static bool copy_items(ScriptValue *list, const ScriptValue *from) {
    for (size_t i = 0; i < from->count; i++) {
        ScriptValue item;
        if (!script_value_copy(&item, &from->items[i]) || !script_value_append(list, item)) return false;
    }
    return true;
}

static bool copy_fields(ScriptValue *table, const ScriptValue *from) {
    for (size_t i = 0; i < from->count; i++) {
        ScriptValue value;
        if (!script_value_copy(&value, &from->fields[i].value)) return false;
        if (!script_value_add(table, from->fields[i].key, value)) return false;
    }
    return true;
}

static ScriptField *find_field(const ScriptValue *table, const char *key) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0) return &table->fields[i];
    return NULL;
}
