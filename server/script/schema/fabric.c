// sim_fabric_fields as a schema: a table for the plain fields, one for each group.
#include "schema/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 64

static const struct {
    const char *name, *help;
} groups[] = {
    {"edge", "Factors at the edges: on particles with fewer than four neighbours."},
    {"spring", "Numbers for garments with solver = \"mass_spring\"."},
};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

// Fields made from sim's table, in the reader's memory.
typedef struct FabricSchemas {
    ScriptSchema fabric, group[GROUP_COUNT];
    const ScriptSchema *group_lists[GROUP_COUNT][2];
    ScriptSchemaField fields[MAX_FIELDS];
} FabricSchemas;

const ScriptSchema script_fabric_schema = {
    .constructor = "fabric",
    .size = sizeof(ScriptFabricDef),
    .help = "The physical values of a cloth. A value that is not given is the base's or, without a base, the "
            "default, a mid-weight wool.",
    .example = "local tweed = require \"tweed\"\n\n"
               "return tweed.fabric { name = \"wet_tweed\", base = "
               "\"tweed\", density = .75, edge = { wind = 1.2 } }"};

static int add_numbers(ScriptSchemaField *fields, const char *group);
static ScriptSchemaField number_field(const SimFabricField *field);
static double decimal(float number);
static const ScriptNode *string_at(const ScriptNode *root, const char *key);

const ScriptSchema *script_fabric_schema_make(ScriptArena *arena) {
    FabricSchemas *made = script_arena_alloc(arena, 1, sizeof *made);
    if (!made) return NULL;
    ScriptSchemaField *next = made->fields;
    for (int i = 0; i < GROUP_COUNT; i++) {
        // the whole structure: offsets count from its beginning, also the group's
        made->group[i] = (ScriptSchema){.size = sizeof(ScriptFabricDef), .fields = next};
        made->group[i].field_count = add_numbers(next, groups[i].name);
        made->group_lists[i][0] = &made->group[i];
        next += made->group[i].field_count;
    }
    made->fabric = script_fabric_schema;
    made->fabric.fields = next;
    *next++ = (ScriptSchemaField){SCRIPT_FIELD(ScriptFabricDef, name, NAME), .required = true,
                                  .help = "The name that garments use, unique among all fabrics."};
    *next++ = (ScriptSchemaField){SCRIPT_FIELD(ScriptFabricDef, base, NAME), .otherwise = "none",
                                  .expects = "the name of a fabric",
                                  .help = "The fabric whose values are used where none are given."};
    next += add_numbers(next, "");
    for (int i = 0; i < GROUP_COUNT; i++)
        *next++ = (ScriptSchemaField){.key = groups[i].name,
                                      .type = SCRIPT_TYPE_TABLE,
                                      .schemas = made->group_lists[i],
                                      .expects = "a table of numbers",
                                      .help = groups[i].help};
    next += script_fabric_form_fields(offsetof(ScriptFabricDef, forms), next);
    *next++ = (ScriptSchemaField){SCRIPT_FIELD(ScriptFabricDef, material, TABLE),
                                  .schemas = script_material_schemas,
                                  .expects = "{color =, roughness =, pattern =}", .otherwise = "the base's",
                                  .help = "What render meshes of the fabric look like."};
    made->fabric.field_count = (int)(next - made->fabric.fields);
    return &made->fabric;
}

bool script_fabric_read_names(ScriptReader *reader, ScriptFabricDef *out_def) {
    const ScriptNode *root = reader->root;
    if (root->kind != SCRIPT_NODE_TABLE || !root->call_site ||
        strcmp(root->call_site->constructor, "fabric") != 0) {
        script_reader_expected(reader, "the file to return tweed.fabric{...}", root);
        return false;
    }
    const ScriptNode *name = string_at(root, "name"), *base = string_at(root, "base");
    out_def->name = name ? name->text : NULL;
    out_def->base = base ? base->text : NULL;
    return true; // wrong ones are reported with the rest
}

void script_fabric_read_values(ScriptReader *reader, ScriptFabricDef *def) {
    const ScriptSchema *schema = script_fabric_schema_make(reader->arena);
    if (!schema) {
        script_reader_error(reader, "out of memory");
        return;
    }
    def->forms = script_fabric_clear_forms();
    script_schema_read(reader, schema, reader->root, def);
    if (!script_reader_failed(reader)) script_fabric_convert_forms(reader, &def->forms, &def->values);
    SimIssue issue;
    if (!script_reader_failed(reader) && !sim_validate_fabric(&def->values, &issue))
        script_reader_error(reader, "%s: %s", issue.path, issue.message);
}

// Appends sim's fields of that group; returns the count.
static int add_numbers(ScriptSchemaField *fields, const char *group) {
    int field_count, count = 0;
    const SimFabricField *sim_fields = sim_fabric_fields(&field_count);
    for (int i = 0; i < field_count; i++)
        if (strcmp(sim_fields[i].group, group) == 0) fields[count++] = number_field(&sim_fields[i]);
    return count;
}

static ScriptSchemaField number_field(const SimFabricField *field) {
    return (ScriptSchemaField){.key = field->name,
                               .type = SCRIPT_TYPE_NUMBER,
                               .offset = offsetof(ScriptFabricDef, values) + field->offset,
                               .minimum = decimal(field->minimum),
                               .maximum = decimal(field->maximum),
                               .unit = *field->unit ? field->unit : NULL,
                               .number = decimal(field->default_value),
                               .help = field->help};
}

// The double with the float's decimal text: 0.1, not 0.100000001.
static double decimal(float number) {
    char text[32];
    snprintf(text, sizeof text, "%.7g", (double)number);
    return strtod(text, NULL);
}

static const ScriptNode *string_at(const ScriptNode *root, const char *key) {
    const ScriptNode *node = script_node_field(root, key);
    const bool is_name =
        node && node->kind == SCRIPT_NODE_STRING && !script_name_error(node->text, node->length);
    return is_name ? node : NULL;
}
