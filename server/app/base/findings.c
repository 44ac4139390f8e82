// Findings and errors as log lines.
#include "base/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_log_finding(AppLog *log, const ScriptFinding *finding) {
    const size_t length = script_finding_format(finding, false, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) return;
    script_finding_format(finding, false, text, length + 1);
    app_log(log, finding->severity == SCRIPT_SEVERITY_ERROR ? TEXT_LOG_ERROR : TEXT_LOG_WARNING, "%s", text);
    free(text);
}

void app_log_error(AppLog *log, const ScriptError *error) {
    app_log(log, TEXT_LOG_ERROR, "%s%s%s", error->message, error->traceback ? "\n" : "",
            error->traceback ? error->traceback : "");
}

void app_error_set(ScriptError *out_error, const char *format, ...) {
    script_error_finish(out_error);
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out_error->message = strdup(text);
}
