// The reader's path, and findings at it.
#include "sandbox/error.h"
#include "schema/schema.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE    512
#define MAX_FINDINGS 200 // findings; a list may be wrong all through

static void step(ScriptReader *reader, ScriptStep next);
static void format_path(const ScriptReader *reader, const ScriptNodePath *path, char buffer[PATH_SIZE + 40]);
static void add(ScriptReader *reader, ScriptSeverity severity, const char *format, va_list arguments);

void script_reader_key(ScriptReader *reader, const char *key) {
    step(reader, (ScriptStep){.key = key});
}

void script_reader_index(ScriptReader *reader, int index) {
    step(reader, (ScriptStep){.index = index});
}

void script_reader_leave(ScriptReader *reader) {
    reader->path.count--;
}

void script_reader_move_findings(ScriptReader *reader, const ScriptFindingRange *finding_range) {
    char path[PATH_SIZE + 40];
    format_path(reader, &reader->path, path);
    for (size_t i = finding_range->first;
         i < finding_range->first + finding_range->count && i < reader->findings->count; i++) {
        const char *old = reader->findings->items[i].path;
        const size_t length = strlen(finding_range->prefix);
        if (strncmp(old, finding_range->prefix, length) == 0)
            script_findings_set_path(reader->findings, i, script_format("%s%s", path, old + length));
    }
}

void script_reader_error(ScriptReader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(reader, SCRIPT_SEVERITY_ERROR, format, arguments);
    va_end(arguments);
}

void script_reader_error_at(ScriptReader *reader, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    script_reader_key(reader, key);
    add(reader, SCRIPT_SEVERITY_ERROR, format, arguments);
    script_reader_leave(reader);
    va_end(arguments);
}

void script_reader_warn(ScriptReader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(reader, SCRIPT_SEVERITY_WARNING, format, arguments);
    va_end(arguments);
}

void script_reader_expected(ScriptReader *reader, const char *expectation, const ScriptNode *node) {
    char found[96];
    script_node_describe(node, found, sizeof found);
    script_reader_error(reader, "expected %s, found %s", expectation, found);
}

void script_reader_unknown(ScriptReader *reader, const char *what, const char *name, const char *const *names,
                           int count) {
    script_reader_unknown_in(reader, what, name, "", names, count);
}

void script_reader_unknown_in(ScriptReader *reader, const char *what, const char *name, const char *where,
                              const char *const *names, int count) {
    char hint[1024];
    const bool is_near = script_error_hint(name, names, count, hint, sizeof hint);
    script_reader_error(reader, "no %s \"%s\"%s%s", what, name, is_near ? "" : where, hint);
}

bool script_reader_failed(const ScriptReader *reader) {
    return reader->findings->error_count != reader->first_error;
}

bool script_reader_has_errors_here(const ScriptReader *reader) {
    const ScriptFindings *findings = reader->findings;
    char path[PATH_SIZE + 40];
    size_t listed = 0;
    format_path(reader, &reader->path, path);
    const size_t length = strlen(path);
    for (size_t i = 0; i < findings->count; i++) {
        const char *other = findings->items[i].path;
        if (findings->items[i].severity != SCRIPT_SEVERITY_ERROR) continue;
        listed++;
        if (i < reader->first_finding) continue;
        const bool is_below = strncmp(other, path, length) == 0 && strchr(".[", other[length]); // or its end
        if (!*other || is_below) return true;
    }
    return listed != findings->error_count;
}

void *script_reader_alloc(ScriptReader *reader, int count, size_t size) {
    void *memory = script_arena_alloc(reader->arena, (size_t)count, size);
    if (!memory && !reader->out_of_memory) {
        reader->out_of_memory = true;
        script_reader_error(reader, "out of memory");
    }
    return memory;
}

ScriptListErrors script_list_errors_begin(const ScriptReader *reader) {
    return (ScriptListErrors){reader->findings->count, reader->errors_made, 0};
}

void script_list_errors_add(ScriptListErrors *errors, ScriptReader *reader) {
    if (reader->errors_made == errors->errors_made) return;
    errors->errors_made = reader->errors_made;
    if (errors->wrong++ == 0) reader->muted++;
}

void script_list_errors_end(const ScriptListErrors *errors, ScriptReader *reader) {
    if (errors->wrong) reader->muted--;
    if (errors->wrong > 1 && !reader->muted)
        script_findings_append(reader->findings, errors->finding, "; %d more of this list %s wrong",
                               errors->wrong - 1, errors->wrong == 2 ? "is" : "are");
}

static void step(ScriptReader *reader, ScriptStep next) {
    if (reader->path.count < SCRIPT_NODE_PATH_STEPS) reader->path.steps[reader->path.count] = next;
    reader->path.count++; // may exceed the end, to match script_reader_leave; nodes are not that deep
}

static void format_path(const ScriptReader *reader, const ScriptNodePath *path, char buffer[PATH_SIZE + 40]) {
    char text[PATH_SIZE];
    script_node_path_format(path, text, sizeof text);
    const bool joined = *reader->prefix && *text && *text != '[';
    snprintf(buffer, PATH_SIZE + 40, "%.32s%s%s", reader->prefix, joined ? "." : "", text);
}

static void add(ScriptReader *reader, ScriptSeverity severity, const char *format, va_list arguments) {
    if (severity == SCRIPT_SEVERITY_ERROR) reader->errors_made++;
    if (reader->muted) return;
    if (reader->findings->count >= MAX_FINDINGS) {
        if (reader->findings->count == MAX_FINDINGS)
            script_findings_add(reader->findings, severity, reader->file, 0, "",
                                "and more that are not listed");
        else if (severity == SCRIPT_SEVERITY_ERROR)
            reader->findings->error_count++;
        return;
    }
    char text[PATH_SIZE + 40];
    ScriptNodePath path = reader->path;
    if (path.count > SCRIPT_NODE_PATH_STEPS) path.count = SCRIPT_NODE_PATH_STEPS;
    format_path(reader, &path, text);
    const char *file = NULL;
    int line = 0;
    if (reader->sources)
        line = script_node_path_line(reader->sources, reader->is_argument ? NULL : reader->file, reader->root,
                                     &path, &file);
    script_findings_add_list(reader->findings, severity, file ? file : reader->file, line, text, format,
                             arguments);
}
