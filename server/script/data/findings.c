// A growing list of findings, and their text.
#include "script/findings.h"

#include "data/findings.h"
#include "data/strings.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/utf8.h>

#define MAX_FINDINGS 500 // more than anyone reads, and soon sorted

static void free_texts(ScriptFinding *finding);
static size_t file_order(const ScriptFindings *findings, size_t first, const char *file);
static int last_if_unknown(int line);

void script_findings_add_list(ScriptFindings *findings, ScriptSeverity severity, const char *file, int line,
                              const char *path, const char *format, va_list arguments) {
    if (severity == SCRIPT_SEVERITY_ERROR) findings->error_count++;
    if (findings->count > MAX_FINDINGS) return;
    if (findings->count == MAX_FINDINGS) {
        line = 0;
        path = "";
        format = "and more"; // has no arguments
    }
    ScriptFinding finding = {severity, line, strdup(file), strdup(path),
                             script_format_list(format, arguments)};
    if (!finding.file || !finding.path || !finding.message ||
        !TEXT_ARRAY_GROW(findings->items, findings->count, findings->capacity)) {
        free_texts(&finding);
        return;
    }
    text_utf8_mend(finding.file);
    text_utf8_mend(finding.path);
    text_utf8_mend(finding.message);
    findings->items[findings->count++] = finding;
}

void script_findings_add(ScriptFindings *findings, ScriptSeverity severity, const char *file, int line,
                         const char *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    script_findings_add_list(findings, severity, file, line, path, format, arguments);
    va_end(arguments);
}

void script_findings_append(ScriptFindings *findings, size_t index, const char *format, ...) {
    if (index >= findings->count) return;
    va_list arguments;
    va_start(arguments, format);
    char *more = script_format_list(format, arguments);
    va_end(arguments);
    char *message = more ? script_format("%s%s", findings->items[index].message, more) : NULL;
    free(more);
    if (!message) return;
    free(findings->items[index].message);
    findings->items[index].message = message;
}

void script_findings_set_path(ScriptFindings *findings, size_t index, char *path) {
    if (!path || index >= findings->count) {
        free(path);
        return;
    }
    free(findings->items[index].path);
    findings->items[index].path = path;
}

void script_findings_sort(ScriptFindings *findings, size_t first) {
    for (size_t i = first + 1; i < findings->count; i++) { // insertion sort: stable, and the list is short
        const ScriptFinding moved = findings->items[i];
        const size_t order = file_order(findings, first, moved.file);
        size_t index = i;
        for (; index > first; index--) {
            const ScriptFinding *before = &findings->items[index - 1];
            const size_t before_order = file_order(findings, first, before->file);
            if (before_order < order ||
                (before_order == order && last_if_unknown(before->line) <= last_if_unknown(moved.line)))
                break;
            findings->items[index] = *before;
        }
        findings->items[index] = moved;
    }
}

void script_findings_finish(ScriptFindings *findings) {
    for (size_t i = 0; i < findings->count; i++) free_texts(&findings->items[i]);
    free(findings->items);
    *findings = (ScriptFindings){0};
}

char *script_finding_text(const ScriptFinding *finding, bool with_severity) {
    char line[16] = "";
    if (finding->line > 0) snprintf(line, sizeof line, "%d:", finding->line);
    const char *severity = finding->severity == SCRIPT_SEVERITY_ERROR ? "error: " : "warning: ";
    return script_format("%s:%s %s%s%s%s", finding->file, line, with_severity ? severity : "", finding->path,
                         finding->path[0] ? ": " : "", finding->message);
}

void script_error_finish(ScriptError *error) {
    free(error->message);
    free(error->traceback);
    *error = (ScriptError){0};
}

void script_error_copy(ScriptError *out_copy, const ScriptError *error) {
    out_copy->message = error->message ? strdup(error->message) : NULL;
    out_copy->traceback = error->traceback ? strdup(error->traceback) : NULL;
}

void script_error_set(ScriptError *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *message = script_format_list(format, arguments);
    va_end(arguments);
    script_error_finish(error);
    error->message = message;
}

static void free_texts(ScriptFinding *finding) {
    free(finding->file);
    free(finding->path);
    free(finding->message);
}

// The index of the first finding in the same file.
static size_t file_order(const ScriptFindings *findings, size_t first, const char *file) {
    size_t index = first;
    while (strcmp(findings->items[index].file, file) != 0) index++;
    return index;
}

static int last_if_unknown(int line) {
    return line ? line : INT_MAX;
}
