// The file that tells which ports the server has bound.
#pragma once

#include "base/options.h"

// What the server has bound; 0: not that one.
typedef struct AppPorts {
    uint16_t tcp, http;
} AppPorts;

// Writes the file of --port-file, if the options name one: {"tcp":PORT}, with "http":PORT where it is bound
// and "unix":PATH where the options name a socket. False: `out_message`.
bool app_port_file_write(const AppOptions *options, AppPorts ports, char *out_message, size_t capacity);
