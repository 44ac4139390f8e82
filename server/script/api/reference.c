// The reference page.
#include "api/api.h"
#include "schema/fabric.h"
#include "script/manual.h"

#include <ctype.h>
#include <string.h>

enum { KEY_SIZE = 128 };

static const char head[] =
    "# Reference\n\n"
    "All that Lua scripts can say to tweed: each definition with its keys, each function. "
    "[README.md](README.md) tells how they go together; `tweed types` prints the same for editors. "
    "`tweed reference` prints this page: do not edit it.\n\n"
    "Lengths are metres, times seconds, angles radians; +Y is up, +Z is where a character faces, its left is "
    "+X. Of the values in the tables, these are more than they seem:\n\n"
    "| Value | What it is |\n| --- | --- |\n"
    "| a name | 1 to 64 bytes without `*`, `?` and `[` |\n"
    "| a rotation | a quaternion `{x, y, z, w}` of any length from 0.001, made unit |\n"
    "| an axis | `\"x\"`, `\"y\"`, `\"z\"`, `\"-x\"`, `\"-y\"`, `\"-z\"`, or `{x, y, z}` of any length |\n\n";

static const char table_head[] = "| Key | Meaning | Value | Default |\n| --- | --- | --- | --- |\n";

static void write_contents(FILE *file, const ScriptApiPart *part);
static void write_link(FILE *file, const char *owner, const char *name);
static void owner_of(const ScriptApiPart *part, char out_owner[KEY_SIZE]);
static void write_function_links(FILE *file, const char *owner, const ScriptFunction *functions, bool *begun);
static const char *heading_of(const ScriptObject *object);
static void write_helper_links(FILE *file);
static bool write_part(FILE *file, ScriptArena *arena, const ScriptApiPart *part);
static void write_constructor(FILE *file, const ScriptApiPart *part, const ScriptSchema *schema);
static void write_sentence(FILE *file, const char *text);
static void write_example(FILE *file, const char *example);
static void write_table(FILE *file, const ScriptSchema *schema, const ScriptSchema *common);
static void write_rows(FILE *file, const ScriptSchema *schema, const ScriptSchema *common,
                       const char *prefix);
static void write_row(FILE *file, const ScriptSchemaField *field, const char *key);
static void write_value(FILE *file, const ScriptSchemaField *field);
static bool has_constructors(const ScriptSchemaField *field);
static void write_links(FILE *file, const ScriptSchema *const *schemas);
static void write_cell(FILE *file, const char *text);
static void write_required(FILE *file, const ScriptSchema *schema, const char *prefix);
static void write_fields(FILE *file, const ScriptSchema *schema, const char *prefix, bool required);
static void write_field(FILE *file, const ScriptSchemaField *field, const char *prefix);
static void write_common(FILE *file, const ScriptSchema *common);
static void write_functions(FILE *file, const char *owner, const ScriptFunction *functions);
static void write_function(FILE *file, const char *owner, const ScriptFunction *function);
static void write_signature(FILE *file, const char *owner, const ScriptFunction *function);
static void write_names(FILE *file, const ScriptParameter *parameter);
static void write_notes(FILE *file, const ScriptParameter *parameter);
static void write_object(FILE *file, const ScriptObject *object);
static void write_helpers(FILE *file);

bool script_write_reference(FILE *file) {
    int count;
    const ScriptApiPart *parts = script_api(&count);
    ScriptArena arena = {0};
    bool written = true;
    fputs(head, file);
    for (int i = 0; i < count; i++) write_contents(file, &parts[i]);
    write_helper_links(file);
    fputc('\n', file);
    for (int i = 0; written && i < count; i++) written = write_part(file, &arena, &parts[i]);
    write_helpers(file);
    script_arena_finish(&arena);
    return written;
}

static void write_contents(FILE *file, const ScriptApiPart *part) {
    char owner[KEY_SIZE];
    bool begun = false;
    fprintf(file, "- **%s**", part->title);
    for (int i = 0; part->schemas[i]; i++, begun = true) {
        fputs(begun ? ", " : ": ", file);
        write_link(file, "tweed.", part->schemas[i]->constructor);
    }
    owner_of(part, owner);
    write_function_links(file, owner, part->functions, &begun);
    if (part->object) {
        snprintf(owner, sizeof owner, "%s:", heading_of(part->object));
        write_function_links(file, owner, part->object->methods, &begun);
    }
    fputc('\n', file);
}

// A link to its description: [tweed.cloth](#tweedcloth).
static void write_link(FILE *file, const char *owner, const char *name) {
    fprintf(file, "[%s%s](#", owner, name);
    for (const char *const *part = (const char *const[]){owner, name, NULL}; *part; part++)
        for (const char *c = *part; *c; c++)
            if (isalnum((unsigned char)*c) || *c == '_')
                fputc(tolower((unsigned char)*c), file);
            else if (*c == ' ')
                fputc('-', file);
    fputc(')', file);
}

static void owner_of(const ScriptApiPart *part, char out_owner[KEY_SIZE]) {
    snprintf(out_owner, KEY_SIZE, "tweed.%s%s", part->table ? part->table : "", part->table ? "." : "");
}

static void write_function_links(FILE *file, const char *owner, const ScriptFunction *functions,
                                 bool *begun) {
    for (; functions && functions->name; functions++, *begun = true) {
        fputs(*begun ? ", " : ": ", file);
        write_link(file, owner, functions->name);
    }
}

static const char *heading_of(const ScriptObject *object) {
    return object->variable ? object->variable : object->name;
}

static void write_helper_links(FILE *file) {
    fputs("- **Shipped helpers**", file);
    for (const ScriptHelper *helper = script_helpers; helper->name; helper++) {
        fputs(helper == script_helpers ? ": " : ", ", file);
        write_link(file, "", helper->name);
    }
    fputs(", ", file);
    write_link(file, "", script_humanoid_object.variable);
    fputc('\n', file);
}

static bool write_part(FILE *file, ScriptArena *arena, const ScriptApiPart *part) {
    char owner[KEY_SIZE];
    fprintf(file, "## %s\n\n", part->title);
    fprintf(file, "%s\n\n", part->help);
    for (int i = 0; part->schemas[i]; i++) {
        const bool is_fabric = part->schemas[i] == &script_fabric_schema;
        const ScriptSchema *schema = is_fabric ? script_fabric_schema_make(arena) : part->schemas[i];
        if (!schema) return false;
        write_constructor(file, part, schema);
    }
    if (part->common) write_common(file, part->common);
    owner_of(part, owner);
    write_functions(file, owner, part->functions);
    if (part->object) write_object(file, part->object);
    return true;
}

static void write_constructor(FILE *file, const ScriptApiPart *part, const ScriptSchema *schema) {
    fprintf(file, "### tweed.%s\n\n", schema->constructor);
    write_sentence(file, schema->help);
    fputs("\n\n", file);
    write_example(file, schema->example);
    write_table(file, schema, part->common);
    if (!part->common) return;
    fputs("Further there are the ", file);
    write_link(file, "", part->common->name);
    fputs(".\n\n", file);
}

// Writes a sentence with a capital and a full stop.
static void write_sentence(FILE *file, const char *text) {
    if (!text || !*text) return;
    fprintf(file, "%c%s%s", toupper((unsigned char)*text), text + 1,
            text[strlen(text) - 1] == '.' ? "" : ".");
}

static void write_example(FILE *file, const char *example) {
    if (example) fprintf(file, "```lua\n%s\n```\n\n", example);
}

static void write_table(FILE *file, const ScriptSchema *schema, const ScriptSchema *common) {
    fputs(table_head, file);
    write_rows(file, schema, common, "");
    fputc('\n', file);
}

// Required fields come first. common: a base whose optional fields are documented elsewhere, or NULL.
static void write_rows(FILE *file, const ScriptSchema *schema, const ScriptSchema *common,
                       const char *prefix) {
    if (schema->first) {
        char key[KEY_SIZE];
        const int length = (int)strlen(prefix);
        snprintf(key, sizeof key, "%.*s[1]", length ? length - 1 : 0, prefix); // without its full stop
        write_row(file, schema->first, key);
    }
    write_required(file, schema, prefix);
    for (const ScriptSchema *part = schema; part && part != common; part = part->base)
        write_fields(file, part, prefix, false);
}

static void write_row(FILE *file, const ScriptSchemaField *field, const char *key) {
    char fallback[256] = "required";
    if (!field->required) script_field_default(field, fallback, sizeof fallback);
    fprintf(file, "| `%s` | ", key);
    write_sentence(file, field->help);
    fputs(" | ", file);
    write_value(file, field);
    fputs(" | ", file);
    write_cell(file, fallback);
    fputs(" |\n", file);
}

// The values of a key as in error messages, or shorter with a link.
static void write_value(FILE *file, const ScriptSchemaField *field) {
    static const char *const words[] = {
        [SCRIPT_TYPE_NAME] = "a name",
        [SCRIPT_TYPE_ROTATION] = "a rotation",
        [SCRIPT_TYPE_AXIS] = "an axis",
        [SCRIPT_TYPE_SKELETON] = "[tweed.import](#tweedimport) or [tweed.skeleton](#tweedskeleton)",
        [SCRIPT_TYPE_CLIP] = "[tweed.clip](#tweedclip)",
        [SCRIPT_TYPE_MESH] = "[tweed.mesh](#tweedmesh)",
    };
    const bool is_short = (size_t)field->type < sizeof words / sizeof *words && words[field->type];
    const bool is_list = field->type == SCRIPT_TYPE_LIST;
    if (!field->expects && field->element) {
        fputs(is_list ? "a list, each " : "a table of names, each ", file);
        write_value(file, field->element);
    } else if (has_constructors(field)) {
        write_links(file, field->schemas);
    } else if (!field->expects && is_short) {
        fputs(words[field->type], file);
    } else {
        char text[512];
        script_field_expects(field, text, sizeof text);
        write_cell(file, text);
    }
}

static bool has_constructors(const ScriptSchemaField *field) {
    return field->schemas && field->schemas[0]->constructor;
}

static void write_links(FILE *file, const ScriptSchema *const *schemas) {
    for (int i = 0; schemas[i]; i++) {
        if (i) fputs(schemas[i + 1] ? ", " : " or ", file);
        write_link(file, "tweed.", schemas[i]->constructor);
    }
}

// Writes text into a cell of a table.
static void write_cell(FILE *file, const char *text) {
    for (; *text; text++) {
        if (strchr("|*<", *text)) fputc('\\', file);
        fputc(*text, file);
    }
}

static void write_required(FILE *file, const ScriptSchema *schema, const char *prefix) {
    if (schema->base) write_required(file, schema->base, prefix); // names first
    write_fields(file, schema, prefix, true);
}

static void write_fields(FILE *file, const ScriptSchema *schema, const char *prefix, bool required) {
    for (int i = 0; i < schema->field_count; i++)
        if (schema->fields[i].required == required) write_field(file, &schema->fields[i], prefix);
}

// Writes a field, and below it the fields of the plain table that it is or holds.
static void write_field(FILE *file, const ScriptSchemaField *field, const char *prefix) {
    char key[KEY_SIZE], inner[KEY_SIZE + 8];
    snprintf(key, sizeof key, "%.80s%.40s", prefix, field->key);
    write_row(file, field, key);
    const ScriptSchemaField *holder = field->element ? field->element : field;
    if (!holder->schemas || has_constructors(holder)) return;
    snprintf(inner, sizeof inner, "%s%s.", key,
             !field->element                   ? ""
             : field->type == SCRIPT_TYPE_LIST ? "[n]"
                                               : ".NAME");
    write_rows(file, holder->schemas[0], NULL, inner);
}

static void write_common(FILE *file, const ScriptSchema *common) {
    fprintf(file, "### %s\n\n%s", common->name, table_head);
    write_fields(file, common, "", false);
    fputc('\n', file);
}

static void write_functions(FILE *file, const char *owner, const ScriptFunction *functions) {
    for (; functions && functions->name; functions++) write_function(file, owner, functions);
}

static void write_function(FILE *file, const char *owner, const ScriptFunction *function) {
    fprintf(file, "### %s%s\n\n", owner, function->name);
    write_signature(file, owner, function);
    write_sentence(file, function->help);
    write_notes(file, function->parameters);
    write_notes(file, function->results);
    fputs("\n\n", file);
    write_example(file, function->example);
    for (const ScriptParameter *parameter = function->parameters; parameter->name; parameter++)
        if (parameter->schema) write_table(file, parameter->schema, NULL);
}

static void write_signature(FILE *file, const char *owner, const ScriptFunction *function) {
    fprintf(file, "`%s%s(", owner, function->name);
    write_names(file, function->parameters);
    fputc(')', file);
    if (function->results[0].name) fputs(" → ", file);
    write_names(file, function->results);
    fputs("`\n\n", file);
}

static void write_names(FILE *file, const ScriptParameter *parameter) {
    for (const ScriptParameter *first = parameter; parameter->name; parameter++)
        fprintf(file, "%s%s%s", parameter == first ? "" : ", ", parameter->name,
                parameter->optional ? "?" : "");
}

static void write_notes(FILE *file, const ScriptParameter *parameter) {
    for (; parameter->name; parameter++) {
        if (!parameter->help) continue;
        fprintf(file, " `%s`: ", parameter->name);
        fprintf(file, "%c%s", tolower((unsigned char)parameter->help[0]), parameter->help + 1);
    }
}

static void write_object(FILE *file, const ScriptObject *object) {
    char owner[KEY_SIZE];
    fprintf(file, "### %s\n\n", heading_of(object));
    write_sentence(file, object->help);
    fputs("\n\n| Key | Meaning |\n| --- | --- |\n", file);
    for (const ScriptParameter *field = object->fields; field->name; field++) {
        fprintf(file, "| `%s` | ", field->name);
        write_sentence(file, field->help);
        fputs(" |\n", file);
    }
    fputc('\n', file);
    for (const ScriptParameter *field = object->fields; field->name; field++) {
        if (!field->schema) continue;
        fprintf(file, "`%s` is a table:\n\n", field->name);
        write_table(file, field->schema, NULL);
    }
    snprintf(owner, sizeof owner, "%s:", heading_of(object));
    write_functions(file, owner, object->methods);
}

// Modules of Lua: their examples stand in a line, since they need a body and a character round them.
static void write_helpers(FILE *file) {
    fputs("## Shipped helpers\n\nModules below `scripts/`, for `require`. Of `rigs.gait.walk` the module is "
          "`rigs.gait`. A level is a height on a body: see [humanoid](#humanoid).\n\n",
          file);
    for (const ScriptHelper *helper = script_helpers; helper->name; helper++) {
        fprintf(file, "### %s\n\n`%s`\n\n", helper->name, helper->call);
        write_sentence(file, helper->help);
        fputs("\n\n", file);
        if (helper->options) write_table(file, helper->options, NULL);
    }
    write_object(file, &script_humanoid_object);
}
