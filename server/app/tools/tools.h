// The commands of `tweed` beside `serve`: each takes its options and returns the process's exit status.
#pragma once

#include "base/options.h"

int app_tool_check(const AppOptions *options);   // 1 if a script has an error
int app_tool_inspect(const AppOptions *options); // 1 if the file cannot be read
int app_tool_call(const AppOptions *options);    // this and the next three: an AppExit
int app_tool_stats(const AppOptions *options);
int app_tool_watch(const AppOptions *options);
int app_tool_record(const AppOptions *options);
int app_tool_replay(const AppOptions *options);         // 0 after SIGTERM or SIGINT, 1 if it cannot start
int app_tool_bake_recording(const AppOptions *options); // 1 if nothing is baked, APP_EXIT_SHOT_FILE
