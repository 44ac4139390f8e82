// Writes a fabric as a Lua script.
#include "characters/fabrics.h"

#include <stdio.h>
#include <string.h>
#include <text/number.h>

static void write_origin(TextBuffer *text, const AppFabricOrigin *origin);
static void write_field(TextBuffer *text, const SimFabricField *field, float value);
static void write_material(TextBuffer *text, const SimMaterial *material);
static void write_quoted(TextBuffer *text, const char *string);

void app_fabric_write_lua(TextBuffer *text, const char *name, const AppFabricOrigin *origin,
                          const SimFabric *values) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    const char *group = "";
    write_origin(text, origin);
    text_buffer_append_string(text, "local tweed = require \"tweed\"\n\nreturn tweed.fabric {\n  name = ");
    write_quoted(text, name);
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
    write_material(text, &origin->material);
    text_buffer_append_string(text, "}\n");
}

void app_fabric_default_name(const AppFabricOrigin *origin, char out_name[TEXT_NAME_BYTES + 1]) {
    const char *last = origin->garment ? origin->garment : origin->fabric;
    int length = 0;
    if (origin->garment && strlen(origin->character) + 1 + strlen(last) <= TEXT_NAME_BYTES)
        length = snprintf(out_name, TEXT_NAME_BYTES + 1, "%s_", origin->character);
    snprintf(out_name + length, (size_t)(TEXT_NAME_BYTES + 1 - length), "%s", last);
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

static void write_material(TextBuffer *text, const SimMaterial *material) {
    text_buffer_append_string(text, "  material = { color = { ");
    for (int k = 0; k < 3; k++) {
        text_buffer_append_float(text, material->color[k]);
        text_buffer_append_string(text, k < 2 ? ", " : " }, roughness = ");
    }
    text_buffer_append_float(text, material->roughness);
    text_buffer_append_string(text, ", pattern = \"");
    text_buffer_append_string(text, sim_pattern_names[material->pattern]);
    text_buffer_append_string(text, "\" },\n");
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
