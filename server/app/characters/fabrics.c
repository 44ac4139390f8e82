// Fabrics as JSON, from JSON and as Lua, and the way of their values to the garments.
#include "characters/fabrics.h"

#include <math.h>
#include <protocol/methods.h>
#include <stdio.h>
#include <string.h>
#include <text/nearest.h>
#include <text/number.h>

#define MAX_FIELDS 64 // bits of AppOverride.fields

static bool read_group(const cJSON *json, const char *group, AppOverride *out_values,
                       ProtocolError *out_error);
static bool read_field(const cJSON *item, const char *path, const SimFabricField *field, int index,
                       AppOverride *out_values, ProtocolError *out_error);
static void unknown_key(const char *group, const char *key, const char *path, ProtocolError *out_error);
static void put_fields(AppJson *json, cJSON *parent, const char *group, const SimFabric *fabric);
static SimFabric with_override(const SimFabric *base, const AppOverride *override);
static void set_garment(AppCharacters *characters, AppCharacter *character, int garment, bool ramp);
static void note_change(AppCharacters *characters, AppCharacter *character);

static void write_origin(TextBuffer *text, const AppFabricOrigin *origin);
static void write_name(TextBuffer *text, const AppFabricOrigin *origin);
static void write_field(TextBuffer *text, const SimFabricField *field, float value);
static void write_quoted(TextBuffer *text, const char *string);

bool app_fabrics_read(const cJSON *json, AppOverride *out_values, ProtocolError *out_error) {
    *out_values = (AppOverride){.values = sim_default_fabric()};
    return read_group(json, "", out_values, out_error);
}

bool app_fabrics_set(AppCharacters *characters, const char *fabric, const AppOverride *values) {
    const ScriptFabric *known = script_fabric_find(characters->host, fabric);
    if (!known) return false;
    const SimFabric changed = with_override(&known->values, values);
    if (!script_fabric_set(characters->host, fabric, &changed)) return false;
    app_fabrics_spread(characters, fabric);
    return true;
}

AppOverride app_fabrics_difference(const SimFabric *fabric, const SimFabric *before) {
    AppOverride difference = {.values = *fabric};
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (!before || sim_fabric_get(fabric, &fields[i]) != sim_fabric_get(before, &fields[i]))
            difference.fields |= UINT64_C(1) << i;
    return difference;
}

void app_fabrics_spread(AppCharacters *characters, const char *fabric) {
    for (size_t i = 0; i < characters->count; i++) {
        AppCharacter *character = characters->items[i];
        const ScriptCharacterInfo *script = app_character_script(character);
        for (int garment = 0; garment < script->garment_count; garment++)
            if (strcmp(script->garments[garment].fabric, fabric) == 0)
                set_garment(characters, character, garment, true);
    }
}

void app_fabrics_set_garment(AppCharacters *characters, AppCharacter *character, int garment,
                             const AppOverride *values) {
    AppOverride *override = &character->overrides[garment];
    override->values = with_override(&override->values, values);
    override->fields |= values->fields;
    set_garment(characters, character, garment, true);
}

void app_fabrics_apply(AppCharacters *characters, AppCharacter *character, bool ramp) {
    const int count = app_character_script(character)->garment_count;
    for (int garment = 0; garment < count; garment++) set_garment(characters, character, garment, ramp);
}

SimFabric app_fabrics_of_garment(const AppCharacters *characters, const AppCharacter *character,
                                 int garment) {
    const ScriptFabric *fabric =
        script_fabric_find(characters->host, app_character_script(character)->garments[garment].fabric);
    const SimFabric *base =
        fabric ? &fabric->values : sim_garment_fabric(characters->world, character->id, garment);
    return with_override(base, &character->overrides[garment]);
}

cJSON *app_fabrics_describe(AppJson *json, const SimFabric *fabric) {
    cJSON *root = app_json_root_object(json);
    put_fields(json, app_json_object(json, root, "values"), "", fabric);
    put_fields(json, app_json_object(json, root, "edge"), "edge", fabric);
    put_fields(json, app_json_object(json, root, "spring"), "spring", fabric);
    return root;
}

void app_fabrics_put_values(AppJson *json, cJSON *parent, const char *key, const AppOverride *values) {
    cJSON *root = app_json_object(json, parent, key);
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        if (!(values->fields >> i & 1)) continue;
        cJSON *group = root;
        if (fields[i].group[0]) {
            group = cJSON_GetObjectItemCaseSensitive(root, fields[i].group);
            if (!group) group = app_json_object(json, root, fields[i].group);
        }
        app_json_float(json, group, fields[i].name, sim_fabric_get(&values->values, &fields[i]));
    }
}

static bool read_group(const cJSON *json, const char *group, AppOverride *out_values,
                       ProtocolError *out_error) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (const cJSON *item = json->child; item; item = item->next) {
        char path[PROTOCOL_ERROR_PATH_BYTES];
        snprintf(path, sizeof path, "params.values.%s%s%.64s", group, group[0] ? "." : "", item->string);
        if (cJSON_GetObjectItemCaseSensitive(json, item->string) != item) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "%s is given twice", path);
            return false;
        }
        int field = 0;
        bool is_group = false;
        for (; field < count; field++) {
            is_group |= !group[0] && fields[field].group[0] && strcmp(fields[field].group, item->string) == 0;
            if (strcmp(fields[field].group, group) == 0 && strcmp(fields[field].name, item->string) == 0)
                break;
        }
        if (field < count) {
            if (!read_field(item, path, &fields[field], field, out_values, out_error)) return false;
        } else if (is_group && cJSON_IsObject(item)) {
            if (!read_group(item, item->string, out_values, out_error)) return false;
        } else if (is_group) {
            protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path,
                               "expected an object of numbers, found %.9g", item->valuedouble);
            return false;
        } else {
            unknown_key(group, item->string, path, out_error);
            return false;
        }
    }
    return true;
}

static bool read_field(const cJSON *item, const char *path, const SimFabricField *field, int index,
                       AppOverride *out_values, ProtocolError *out_error) {
    const double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    const double minimum = text_double_from_float(field->minimum);
    const double maximum = text_double_from_float(field->maximum);
    if (value >= minimum && value <= maximum) {
        sim_fabric_set(&out_values->values, field, (float)value);
        out_values->fields |= UINT64_C(1) << index;
        return true;
    }
    char found[32] = "an object";
    if (cJSON_IsNumber(item)) snprintf(found, sizeof found, "%.9g", value);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "expected %.9g to %.9g%s%s, found %s",
                       minimum, maximum, field->unit[0] ? " " : "", field->unit, found);
    return false;
}

static void unknown_key(const char *group, const char *key, const char *path, ProtocolError *out_error) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    const char *names[MAX_FIELDS + 2] = {0};
    size_t name_count = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].group, group) == 0) names[name_count++] = fields[i].name;
    if (!group[0]) {
        names[name_count++] = "edge";
        names[name_count++] = "spring";
    }
    const TextNearest nearest = text_nearest_of(key, names, name_count);
    char hint[TEXT_HINT_SIZE];
    text_nearest_hint(&nearest, hint, sizeof hint);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path, "no value \"%.64s\"%s", key, hint);
}

static void put_fields(AppJson *json, cJSON *parent, const char *group, const SimFabric *fabric) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].group, group) != 0) continue;
        cJSON *field = app_json_object(json, parent, fields[i].name);
        app_json_float(json, field, "value", sim_fabric_get(fabric, &fields[i]));
        app_json_string(json, field, "unit", fields[i].unit);
        app_json_float(json, field, "minimum", fields[i].minimum);
        app_json_float(json, field, "maximum", fields[i].maximum);
        app_json_float(json, field, "default", fields[i].default_value);
    }
}

static SimFabric with_override(const SimFabric *base, const AppOverride *override) {
    SimFabric fabric = *base;
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (override->fields >> i & 1)
            sim_fabric_set(&fabric, &fields[i], sim_fabric_get(&override->values, &fields[i]));
    return fabric;
}

static void set_garment(AppCharacters *characters, AppCharacter *character, int garment, bool ramp) {
    const SimFabric fabric = app_fabrics_of_garment(characters, character, garment);
    sim_garment_set_fabric(characters->world, character->id, garment, &fabric, ramp);
    if (ramp) note_change(characters, character);
}

static void note_change(AppCharacters *characters, AppCharacter *character) {
    character->fabric_changed = true;
    character->fabric_changed_tick = sim_world_tick(characters->world);
}

void app_fabric_write_lua(TextBuffer *text, const AppFabricOrigin *origin, const SimFabric *values) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    const char *group = "";
    write_origin(text, origin);
    text_buffer_append_string(text, "local tweed = require \"tweed\"\n\nreturn tweed.fabric {\n  name = ");
    write_name(text, origin);
    text_buffer_append_string(text, ",\n");
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].group, group) != 0) {
            if (group[0]) text_buffer_append_string(text, "  },\n");
            group = fields[i].group;
            text_buffer_append_string(text, "  ");
            text_buffer_append_string(text, group);
            text_buffer_append_string(text, " = {\n");
        }
        write_field(text, &fields[i], sim_fabric_get(values, &fields[i]));
    }
    if (group[0]) text_buffer_append_string(text, "  },\n");
    text_buffer_append_string(text, "}\n");
}

static void write_origin(TextBuffer *text, const AppFabricOrigin *origin) {
    text_buffer_append_string(text, "-- The fabric ");
    write_quoted(text, origin->fabric);
    if (origin->garment) {
        text_buffer_append_string(text, " as the garment ");
        write_quoted(text, origin->garment);
        text_buffer_append_string(text, " of ");
        write_quoted(text, origin->character);
        text_buffer_append_string(text, " had it");
    }
    if (origin->base) {
        text_buffer_append_string(text, ", what it has from ");
        write_quoted(text, origin->base);
        text_buffer_append_string(text, " included");
    }
    text_buffer_append_string(text, ". SI units.\n\n");
}

static void write_name(TextBuffer *text, const AppFabricOrigin *origin) {
    char name[2 * TEXT_NAME_BYTES + 2];
    if (!origin->garment) {
        write_quoted(text, origin->fabric);
        return;
    }
    snprintf(name, sizeof name, "%s_%s", origin->character, origin->garment);
    write_quoted(text, strlen(name) <= TEXT_NAME_BYTES ? name : origin->garment);
}

static void write_field(TextBuffer *text, const SimFabricField *field, float value) {
    text_buffer_append_string(text, field->group[0] ? "    " : "  ");
    text_buffer_append_string(text, field->name);
    text_buffer_append_string(text, " = ");
    text_buffer_append_float(text, value);
    text_buffer_append_char(text, ',');
    if (field->unit[0]) {
        text_buffer_append_string(text, " -- ");
        text_buffer_append_string(text, field->unit);
    }
    text_buffer_append_char(text, '\n');
}

// As Lua reads it, in one line: names come from clients too, and may hold anything.
static void write_quoted(TextBuffer *text, const char *string) {
    text_buffer_append_char(text, '"');
    for (const char *c = string; *c; c++) {
        const unsigned byte = (unsigned char)*c;
        char escaped[8] = {*c};
        if (byte < 0x20 || byte == 0x7f)
            snprintf(escaped, sizeof escaped, "\\%03u", byte);
        else if (*c == '"' || *c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        text_buffer_append_string(text, escaped);
    }
    text_buffer_append_char(text, '"');
}
