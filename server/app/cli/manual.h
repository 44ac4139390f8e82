// The manual pages, in the roff of man(7). They are written from the tables of commands, options and the Lua
// interface, so they cannot disagree with --help and the reference.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Writes the page, such as "tweed-serve.1"; NULL: the names of all pages, one a line. False: there is no such
// page, or memory ran out, as `out_message` says.
bool app_write_manual(const char *page, FILE *file, char *out_message, size_t capacity);
