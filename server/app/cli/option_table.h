// The commands, their arguments and their options, as data.
#pragma once

#include "cli/parse.h"

typedef enum AppOptionKind {
    APP_OPTION_FLAG,    // bool, set to true
    APP_OPTION_TEXT,    // const char *
    APP_OPTION_LIST,    // AppNames, one more
    APP_OPTION_INTEGER, // int64_t, minimum to maximum
    APP_OPTION_NUMBER,  // double, minimum to maximum
    APP_OPTION_FACTOR,  // double, 1 / maximum to maximum
    APP_OPTION_LEVEL,   // int64_t, index into text_log_level_names
    APP_OPTION_TIME,    // int64_t, index into app_log_time_names
    APP_OPTION_FORMAT,  // int64_t, index into app_log_format_names
    APP_OPTION_ADDRESS, // AppAddress
    APP_OPTION_HELP,
    APP_OPTION_VERSION,
} AppOptionKind;

typedef struct AppOption {
    const char *name;
    const char *value; // its name in the help; NULL: the option takes none
    AppOptionKind kind;
    unsigned commands; // set of 1 << AppCommand
    size_t offset;     // in AppOptions
    int64_t minimum, maximum;
    int64_t initial; // the default of an integer or a choice
    const char *help;
} AppOption;

typedef struct AppCommandInfo {
    AppCommand command;
    const char *name, *usage, *help;
    const char *argument; // the first one, for messages; NULL: there are none
    size_t least, most;   // arguments
    const char *notes;    // below the options; NULL: none
} AppCommandInfo;

#define APP_VARIABLE_BYTES 64

// The variable of the environment that sets an option: "TWEED_LOG_TIME" of log-time. False: it has none.
bool app_option_variable(const AppOption *option, char out_variable[APP_VARIABLE_BYTES]);

// Writes "; 30 to 240, default 60" of an integer.
void app_option_write_range(const AppOption *option, FILE *file);

extern const char app_environment_help[]; // a paragraph of the help
extern const AppOption app_option_table[];
extern const size_t app_option_count;
extern const AppCommandInfo app_command_table[];
extern const size_t app_command_count;
