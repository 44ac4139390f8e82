// Parameters from the command line, looked at before anything is sent: a slip of the shell's is told with its
// place.
#pragma once

#include <stdbool.h>

// Whether `params` is a JSON object; else says on stderr, in the name of `taker`, what is wrong and where.
bool app_params_check(const char *taker, const char *params);

// Checked parameters without line ends, to be freed. NULL: out of memory.
char *app_params_in_one_line(const char *params);
