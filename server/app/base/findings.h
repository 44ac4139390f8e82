// What scripts are blamed for, as text and on the terminal.
#pragma once

#include "base/log.h"

#include <protocol/error.h>
#include <script/findings.h>

void app_log_finding(AppLog *log, const ScriptFinding *finding);
void app_log_error(AppLog *log, const ScriptError *error);

// In place of what is there.
void app_error_set(ScriptError *out_error, const char *format, ...) PROTOCOL_PRINTF(2, 3);
