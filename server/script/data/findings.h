// Findings: adding them to a list.
#pragma once

#include "data/strings.h"
#include "script/findings.h"

#include <stdarg.h>

// Copies the texts. When memory runs out, only the count of errors grows, so that a wrong file never counts
// as right.
__attribute__((format(printf, 6, 7))) void script_findings_add(ScriptFindings *findings,
                                                               ScriptSeverity severity, const char *file,
                                                               int line, const char *path, const char *format,
                                                               ...);
void script_findings_add_list(ScriptFindings *findings, ScriptSeverity severity, const char *file, int line,
                              const char *path, const char *format, va_list arguments);
// Adds text to the message of the finding at `index`.
__attribute__((format(printf, 3, 4))) void script_findings_append(ScriptFindings *findings, size_t index,
                                                                  const char *format, ...);
// Replaces the path of the finding at `index`; takes over `path`.
void script_findings_set_path(ScriptFindings *findings, size_t index, char *path);
// Sorts the findings from `first` on: files in the order of their first finding, then by line.
void script_findings_sort(ScriptFindings *findings, size_t first);

// The findings about an object made by a constructor, before it is known which field holds it: their paths
// begin with "tweed.clip" and become "clips.walk" later.
typedef struct ScriptFindingRange {
    size_t first, count; // in the findings of the file's loading
    const char *prefix;  // "tweed.clip"
} ScriptFindingRange;
