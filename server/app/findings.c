// Findings and errors as log lines.
#include "findings.h"

#include <stdlib.h>

void app_log_finding(AppLog *log, const ScriptFinding *finding) {
    const size_t length = script_finding_format(finding, false, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) return;
    script_finding_format(finding, false, text, length + 1);
    app_log(log, finding->severity == SCRIPT_SEVERITY_ERROR ? APP_LOG_ERROR : APP_LOG_WARNING, "%s", text);
    free(text);
}

void app_log_error(AppLog *log, const ScriptError *error) {
    app_log(log, APP_LOG_ERROR, "%s%s%s", error->message, error->traceback ? "\n" : "",
            error->traceback ? error->traceback : "");
}
