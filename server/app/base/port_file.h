// --port-file: a file with the ports that the server listens on, for the program that started it.
#pragma once

#include "base/options.h"

// Writes it, if the options name one: {"tcp":PORT}, with "unix":PATH where they say so. False: `out_message`.
bool app_port_file_write(const AppOptions *options, uint16_t port, char *out_message, size_t capacity);
