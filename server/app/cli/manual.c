// A page for tweed, one for each command that serves, asks or makes something, and one for Lua.
#include "cli/manual.h"

#include "base/version.h"
#include "cli/option_table.h"
#include "cli/roff.h"

#include <ctype.h>
#include <script/manual.h>
#include <stdlib.h>
#include <string.h>

#define LUA_PAGE "tweed.lua.5"

static void name_page(const AppCommandInfo *info, char out_page[64]);
static bool has_page(const AppCommandInfo *info);
static void write_page_names(FILE *file);
static void write_main_page(FILE *file);
static void write_command_page(FILE *file, const AppCommandInfo *info);
static void write_usage(FILE *file, const char *usage);
static void write_options(FILE *file, AppCommand command);
static void write_environment(FILE *file, AppCommand command);
static void write_see_also(FILE *file, const AppCommandInfo *except);
static bool write_lua_page(FILE *file);

static const char description[] =
    "tweed simulates the clothes of characters that Lua scripts describe, and streams the bones of bodies "
    "and clothes over TCP, Unix sockets and WebSocket, as JSON-RPC 2.0, to game engines, editors, browsers "
    "and scripts. Each command has a page of its own.";

static const char serving[] = "SIGTERM and SIGINT end the server with status 0; a second one ends it at "
                              "once. SIGHUP opens the log file again, and reads the token file and all "
                              "scripts again; when the server's terminal is closed, it ends the server.";

static const char notifying[] =
    "Of a supervisor that waits for readiness, as systemd does: the server tells it when it is ready, that "
    "it ends, how it is doing, and, if the supervisor asks, after ticks that it is alive.";

bool app_write_manual(const char *page, FILE *file, char *out_message, size_t capacity) {
    if (!page) {
        write_page_names(file);
        return true;
    }
    if (strcmp(page, "tweed.1") == 0) {
        write_main_page(file);
        return true;
    }
    if (strcmp(page, LUA_PAGE) == 0) {
        snprintf(out_message, capacity, "out of memory");
        return write_lua_page(file);
    }
    for (size_t i = 0; i < app_command_count; i++) {
        char name[64];
        name_page(&app_command_table[i], name);
        if (!has_page(&app_command_table[i]) || strcmp(page, name) != 0) continue;
        write_command_page(file, &app_command_table[i]);
        return true;
    }
    snprintf(out_message, capacity, "no page \"%s\"; tweed manual lists them", page);
    return false;
}

static void name_page(const AppCommandInfo *info, char out_page[64]) {
    snprintf(out_page, 64, "tweed-%s.1", info->name);
}

// Commands that print what the manual is made of have none.
static bool has_page(const AppCommandInfo *info) {
    return info->command != APP_COMMAND_TYPES && info->command != APP_COMMAND_REFERENCE &&
           info->command != APP_COMMAND_MANUAL;
}

static void write_page_names(FILE *file) {
    char name[64];
    fputs("tweed.1\n", file);
    for (size_t i = 0; i < app_command_count; i++) {
        if (!has_page(&app_command_table[i])) continue;
        name_page(&app_command_table[i], name);
        fprintf(file, "%s\n", name);
    }
    fputs(LUA_PAGE "\n", file);
}

static void write_title(FILE *file, const char *page, const char *what) {
    const char *section = strrchr(page, '.');
    fputs(".TH ", file);
    for (const char *c = page; c < section; c++) fputc(toupper((unsigned char)*c), file);
    fprintf(file, " %s \"%s\" \"tweed " TWEED_VERSION "\" \"tweed\"\n", section + 1,
            app_commit_day[0] ? app_commit_day : "2026-01-01");
    app_roff_section(file, "NAME");
    app_roff_text(file, page, (size_t)(section - page));
    fputs(" \\- ", file);
    app_roff_line(file, what);
}

static void write_main_page(FILE *file) {
    write_title(file, "tweed.1", "simulate characters' clothes and stream their bones");
    app_roff_section(file, "SYNOPSIS");
    fputs(".B tweed\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n", file);
    app_roff_section(file, "DESCRIPTION");
    app_roff_line(file, description);
    app_roff_section(file, "COMMANDS");
    for (size_t i = 0; i < app_command_count; i++) {
        const char *name = app_command_table[i].usage;
        fputs(".TP\n", file);
        write_usage(file, name);
        app_roff_line(file, app_command_table[i].help);
    }
    write_options(file, APP_COMMAND_NONE);
    write_environment(file, APP_COMMAND_NONE);
    write_see_also(file, NULL);
}

static void write_command_page(FILE *file, const AppCommandInfo *info) {
    char page[64];
    name_page(info, page);
    write_title(file, page, info->help);
    app_roff_section(file, "SYNOPSIS");
    write_usage(file, info->usage);
    if (info->notes) {
        app_roff_section(file, "DESCRIPTION");
        app_roff_notes(file, info->notes);
    }
    if (info->command == APP_COMMAND_SERVE) {
        app_roff_section(file, "SIGNALS");
        app_roff_line(file, serving);
    }
    write_options(file, info->command);
    write_environment(file, info->command);
    write_see_also(file, info);
}

// "tweed serve [OPTION…] SCENE…": the words of the command are bold, what stands for something is italic.
static void write_usage(FILE *file, const char *usage) {
    for (const char *word = usage; *word;) {
        const size_t length = strcspn(word, " ");
        const bool is_literal = *word >= 'a' && *word <= 'z';
        fputs(is_literal ? "\\fB" : "\\fI", file);
        app_roff_text(file, word, length);
        fputs("\\fR", file);
        word += length + (word[length] == ' ');
        fputc(*word ? ' ' : '\n', file);
    }
}

static void write_options(FILE *file, AppCommand command) {
    app_roff_section(file, "OPTIONS");
    for (size_t i = 0; i < app_option_count; i++) {
        const AppOption *option = &app_option_table[i];
        char variable[APP_VARIABLE_BYTES];
        if (!(option->commands & 1U << command)) continue;
        fputs(".TP\n\\fB\\-\\-", file);
        app_roff_text(file, option->name, strlen(option->name));
        fputs("\\fR", file);
        if (option->value) fprintf(file, " \\fI%s\\fR", option->value);
        fputc('\n', file);
        char *help = NULL;
        size_t length = 0;
        FILE *text = open_memstream(&help, &length);
        if (!text) return;
        fputs(option->help, text);
        app_option_write_range(option, text);
        fclose(text);
        app_roff_line(file, help);
        free(help);
        if (command != APP_COMMAND_NONE && app_option_variable(option, variable))
            fprintf(file, ".br\nVariable: \\fB%s\\fR\n", variable);
    }
}

static void write_environment(FILE *file, AppCommand command) {
    app_roff_section(file, "ENVIRONMENT");
    app_roff_notes(file, app_environment_help + 1);
    if (command == APP_COMMAND_SERVE) {
        fputs(".TP\n\\fBNOTIFY_SOCKET\\fR, \\fBWATCHDOG_USEC\\fR, \\fBWATCHDOG_PID\\fR\n", file);
        app_roff_line(file, notifying);
    }
    fputs(".TP\n\\fBNO_COLOR\\fR\n", file);
    app_roff_line(file, "Without colours on a terminal, if it is not empty.");
}

static void write_see_also(FILE *file, const AppCommandInfo *except) {
    app_roff_section(file, "SEE ALSO");
    if (except) fputs(".BR tweed (1),\n", file);
    for (size_t i = 0; i < app_command_count; i++)
        if (has_page(&app_command_table[i]) && &app_command_table[i] != except)
            fprintf(file, ".BR tweed\\-%s (1),\n", app_command_table[i].name);
    fputs(".BR tweed.lua (5)\n", file);
}

static bool write_lua_page(FILE *file) {
    char *reference = NULL;
    size_t length = 0;
    FILE *markdown = open_memstream(&reference, &length);
    if (!markdown) return false;
    bool written = script_write_reference(markdown);
    written = fclose(markdown) == 0 && written;
    if (written) {
        write_title(file, LUA_PAGE, "the language of characters, garments, fabrics and scenes");
        app_roff_markdown(file, reference);
        app_roff_section(file, "SEE ALSO");
        fputs(".BR tweed\\-check (1),\n.BR tweed\\-serve (1)\n", file);
    }
    free(reference);
    return written;
}
