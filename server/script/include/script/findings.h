// Findings: the errors and advice about script files, collected so that one run reports all. Also the error
// of a single call.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum ScriptSeverity {
    SCRIPT_SEVERITY_ERROR,   // the file cannot be used
    SCRIPT_SEVERITY_WARNING, // advice
} ScriptSeverity;

typedef struct ScriptFinding {
    ScriptSeverity severity;
    int line;      // 0: unknown
    char *file;    // relative to the working folder if it lies below
    char *path;    // "garments[1].fabric", counted from 1 as in Lua; "" for the file as a whole
    char *message; // without a full stop; the first line is the mistake, further lines are a traceback
} ScriptFinding;

// All zero is empty.
typedef struct ScriptFindings {
    ScriptFinding *items; // [count], sorted by file in order of loading, then by line
    size_t count;
    size_t error_count;
    size_t capacity; // internal
} ScriptFindings;

void script_findings_finish(ScriptFindings *findings);

// "scripts/characters/wake.lua:14: garments[1].fabric: no fabric "twed"; did you mean "tweed"?"; with
// severity, as editors parse it, "…:14: error: garments[1].fabric: …". An unknown line or path is left out.
// The caller frees the text. NULL: memory runs out.
char *script_finding_text(const ScriptFinding *finding, bool with_severity);

// The error of one call. All zero: none.
typedef struct ScriptError {
    char *message;   // "scripts/characters/wake.lua:31: no clip "jmp"; did you mean "jump"?"
    char *traceback; // lines of "file:line: in …", innermost first; NULL where no script ran
} ScriptError;

// Frees the texts.
void script_error_finish(ScriptError *error);
// Texts for which memory runs out are left out.
void script_error_copy(ScriptError *out_copy, const ScriptError *error);
// Replaces the error by a message.
__attribute__((format(printf, 2, 3))) void script_error_set(ScriptError *error, const char *format, ...);
