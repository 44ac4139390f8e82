// `tweed check`: findings go to stdout, in the form that editors parse or as JSON; what scripts print and the
// summary go to stderr.
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "tools/tools.h"

#include <script/check.h>
#include <stdio.h>
#include <stdlib.h>

static void print_log(void *context, TextLogLevel level, const char *file, const char *character,
                      const char *message);
static void print_report(void *context, const char *file, const char *message);
static void print_finding(AppLog *output, const ScriptFinding *finding);
static void print_summary(int file_count, const ScriptFindings *findings);
static void print_json(const ScriptFindings *findings);

int app_tool_check(const AppOptions *options) {
    AppPaths paths;
    if (!app_paths_init(&paths, options)) {
        fprintf(stderr, "tweed: out of memory\n");
        return 1;
    }
    AppLog log, output;
    app_log_init(&log, stderr, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
    app_paths_check(options, &log);
    const ScriptHostDef def = {.script_directories = paths.scripts,
                               .script_directory_count = paths.script_count,
                               .asset_directories = paths.assets,
                               .asset_directory_count = paths.asset_count,
                               .cache_directory = paths.cache,
                               .import = app_options_import(options),
                               .most_rig_ns = options->allow_heavy ? 0 : UINT64_C(1000000000) / 60,
                               .script_memory = app_options_script_memory(options),
                               .script_budget_ns = app_options_script_budget_ns(options),
                               .callbacks = {.context = &log, .log = print_log, .report = print_report}};
    ScriptFindings findings = {0};
    int file_count = 0;
    for (size_t i = 0; i < options->files.count; i++)
        file_count += script_check(&def, options->files.names[i], &findings);
    if (options->json) {
        print_json(&findings);
    } else {
        app_log_init(&output, stdout, TEXT_LOG_INFO, APP_LOG_TIME_NONE);
        for (size_t i = 0; i < findings.count; i++) print_finding(&output, &findings.items[i]);
        print_summary(file_count, &findings);
    }
    const bool failed = !app_flush_output() || findings.error_count > 0;
    script_findings_finish(&findings);
    app_paths_finish(&paths);
    return failed ? 1 : 0;
}

// What a script prints while it is checked.
static void print_log(void *context, TextLogLevel level, const char *file, const char *character,
                      const char *message) {
    const char *kind = level == TEXT_LOG_INFO ? "print" : text_log_level_names[level];
    app_log(context, TEXT_LOG_INFO, "%s: %s%s: %s%s%s", file, level == TEXT_LOG_INFO ? "" : "log ", kind,
            character ? character : "", character ? ": " : "", message);
}

static void print_report(void *context, const char *file, const char *message) {
    app_log(context, TEXT_LOG_INFO, "%s: info: %s", file, message);
}

static void print_finding(AppLog *output, const ScriptFinding *finding) {
    char *text = script_finding_text(finding, true);
    if (text) app_log_print_line(output, "%s", text);
    free(text);
}

static void print_summary(int file_count, const ScriptFindings *findings) {
    const size_t errors = findings->error_count, warnings = findings->count - errors;
    fflush(stdout);
    fprintf(stderr, "%d file%s: %zu error%s, %zu warning%s\n", file_count, file_count == 1 ? "" : "s", errors,
            errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
}

// {"errors":1,"warnings":0,"findings":[{"file","line"?,"severity","path","message"}]}
static void print_json(const ScriptFindings *findings) {
    AppJson json = {0};
    cJSON *root = app_json_root_object(&json);
    app_json_integer(&json, root, "errors", findings->error_count);
    app_json_integer(&json, root, "warnings", findings->count - findings->error_count);
    cJSON *list = app_json_list(&json, root, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        const ScriptFinding *finding = &findings->items[i];
        cJSON *item = app_json_object(&json, list, NULL);
        app_json_string(&json, item, "file", finding->file);
        if (finding->line) app_json_integer(&json, item, "line", (uint64_t)finding->line);
        app_json_string(&json, item, "severity",
                        finding->severity == SCRIPT_SEVERITY_ERROR ? "error" : "warning");
        app_json_string(&json, item, "path", finding->path);
        app_json_string(&json, item, "message", finding->message);
    }
    app_json_print(&json, root);
}
