// From the command line to what it asks for.
#include "app/main.h"

#include "app/options.h"
#include "check.h"
#include "serve.h"

#include <stdio.h>

static int run(const AppOptions *options);

int app_main(int argc, char **argv) {
    AppOptions options;
    char message[1024];
    int status = 0;
    switch (app_options_parse(&options, argc, argv, message, sizeof message)) {
    case APP_PARSE_RUN:
        status = run(&options);
        break;
    case APP_PARSE_HELP:
        app_options_write_help(options.command, stdout);
        break;
    case APP_PARSE_VERSION:
        printf("tweed " TWEED_VERSION "\n");
        break;
    case APP_PARSE_WRONG:
        fprintf(stderr, "tweed: %s\n", message);
        status = 2;
        break;
    }
    app_options_finish(&options);
    return status;
}

static int run(const AppOptions *options) {
    return options->command == APP_COMMAND_CHECK ? app_check(options) : app_serve(options);
}
