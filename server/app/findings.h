// What scripts' loading found, on the terminal.
#pragma once

#include "app/log.h"

#include <script/findings.h>

void app_log_finding(AppLog *log, const ScriptFinding *finding);
void app_log_error(AppLog *log, const ScriptError *error);
