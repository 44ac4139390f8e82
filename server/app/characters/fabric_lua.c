// Writing what tweed.fabric reads.
#include "characters/fabric_lua.h"

#include <protocol/methods.h>
#include <stdio.h>
#include <string.h>

static void write_origin(ProtocolText *text, const AppFabricOrigin *origin);
static void write_name(ProtocolText *text, const AppFabricOrigin *origin);
static void write_field(ProtocolText *text, const SimFabricField *field, float value);
static void write_quoted(ProtocolText *text, const char *string);

void app_fabric_write_lua(ProtocolText *text, const AppFabricOrigin *origin, const SimFabric *values) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    const char *group = "";
    write_origin(text, origin);
    protocol_text_append_string(text, "local tweed = require \"tweed\"\n\nreturn tweed.fabric {\n  name = ");
    write_name(text, origin);
    protocol_text_append_string(text, ",\n");
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].group, group) != 0) {
            if (group[0]) protocol_text_append_string(text, "  },\n");
            group = fields[i].group;
            protocol_text_append_string(text, "  ");
            protocol_text_append_string(text, group);
            protocol_text_append_string(text, " = {\n");
        }
        write_field(text, &fields[i], sim_fabric_get(values, &fields[i]));
    }
    if (group[0]) protocol_text_append_string(text, "  },\n");
    protocol_text_append_string(text, "}\n");
}

static void write_origin(ProtocolText *text, const AppFabricOrigin *origin) {
    protocol_text_append_string(text, "-- The fabric ");
    write_quoted(text, origin->fabric);
    if (origin->garment) {
        protocol_text_append_string(text, " as the garment ");
        write_quoted(text, origin->garment);
        protocol_text_append_string(text, " of ");
        write_quoted(text, origin->character);
        protocol_text_append_string(text, " had it");
    }
    if (origin->base) {
        protocol_text_append_string(text, ", what it has from ");
        write_quoted(text, origin->base);
        protocol_text_append_string(text, " included");
    }
    protocol_text_append_string(text, ". SI units.\n\n");
}

static void write_name(ProtocolText *text, const AppFabricOrigin *origin) {
    char name[2 * PROTOCOL_NAME_BYTES + 2];
    if (!origin->garment) {
        write_quoted(text, origin->fabric);
        return;
    }
    snprintf(name, sizeof name, "%s_%s", origin->character, origin->garment);
    write_quoted(text, strlen(name) <= PROTOCOL_NAME_BYTES ? name : origin->garment);
}

static void write_field(ProtocolText *text, const SimFabricField *field, float value) {
    protocol_text_append_string(text, field->group[0] ? "    " : "  ");
    protocol_text_append_string(text, field->name);
    protocol_text_append_string(text, " = ");
    protocol_text_append_float(text, value);
    protocol_text_append_char(text, ',');
    if (field->unit[0]) {
        protocol_text_append_string(text, " -- ");
        protocol_text_append_string(text, field->unit);
    }
    protocol_text_append_char(text, '\n');
}

// As Lua reads it, in one line: names come from clients too, and may hold anything.
static void write_quoted(ProtocolText *text, const char *string) {
    protocol_text_append_char(text, '"');
    for (const char *c = string; *c; c++) {
        const unsigned byte = (unsigned char)*c;
        char escaped[8] = {*c};
        if (byte < 0x20 || byte == 0x7f)
            snprintf(escaped, sizeof escaped, "\\%03u", byte);
        else if (*c == '"' || *c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", *c);
        protocol_text_append_string(text, escaped);
    }
    protocol_text_append_char(text, '"');
}
