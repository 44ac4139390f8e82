// One line of a server's stream, as far as who takes it along has to understand it.
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppLine {
    cJSON *message;        // of a frame not read whole, what stands before its bones
    const char *method;    // "" in a reply
    const cJSON *params;   // NULL: none
    const char *character; // that it is about; NULL: of none
    bool has_tick;
    uint64_t tick;
} AppLine;

// False: not JSON, or memory ran out; nothing to finish. With `whole` false the bones of frames are passed
// over.
bool app_line_read(AppLine *line, const char *bytes, size_t length, bool whole);
void app_line_finish(AppLine *line);

bool app_line_is(const AppLine *line, const char *method);
