// The command line: reading it and explaining it. One table has names, ranges, defaults and help texts, so
// that parsing and --help agree.
#pragma once

#include "base/options.h"

#include <stdio.h>

typedef enum AppParse {
    APP_PARSE_RUN,     // do the command
    APP_PARSE_HELP,    // print the help of the command, or, without one, of tweed
    APP_PARSE_VERSION, // print the version
    APP_PARSE_WRONG,   // print the message: which option, what is expected, what was found
} AppParse;

// Fills `options`; call app_options_finish whatever the result is. argv[0] is ignored. With APP_PARSE_WRONG,
// `message` is one line without its end.
AppParse app_options_parse(AppOptions *options, int argc, char *const argv[], char *message, size_t capacity);
void app_options_finish(AppOptions *options);

void app_options_write_help(AppCommand command, FILE *file);
