// Findings to stdout, in the form editors parse, with the sum of them to stderr; or as JSON.
#include "base/json.h"
#include "base/paths.h"
#include "tools/tools.h"

#include <script/check.h>
#include <stdio.h>
#include <stdlib.h>

static void print_lines(const AppOptions *options, const ScriptFindings *findings);
static void print_finding(const ScriptFinding *finding);
static void print_sum(const AppOptions *options, const ScriptFindings *findings);
static void print_json(const ScriptFindings *findings);

int app_tool_check(const AppOptions *options) {
    AppPaths paths;
    if (!app_paths_init(&paths, options)) {
        fprintf(stderr, "tweed: out of memory\n");
        return 1;
    }
    const ScriptHostDef def = {.script_directories = paths.scripts,
                               .script_directory_count = paths.script_count,
                               .asset_directories = paths.assets,
                               .asset_directory_count = paths.asset_count,
                               .script_memory = app_options_script_memory(options),
                               .script_budget_ns = app_options_script_budget_ns(options)};
    ScriptFindings findings = {0};
    const bool fine = script_check(&def, options->files.names, (int)options->files.count, &findings);
    if (options->json)
        print_json(&findings);
    else
        print_lines(options, &findings);
    script_findings_finish(&findings);
    app_paths_finish(&paths);
    return fine ? 0 : 1;
}

static void print_lines(const AppOptions *options, const ScriptFindings *findings) {
    for (size_t i = 0; i < findings->count; i++) print_finding(&findings->items[i]);
    print_sum(options, findings);
}

static void print_finding(const ScriptFinding *finding) {
    const size_t length = script_finding_format(finding, true, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) return;
    script_finding_format(finding, true, text, length + 1);
    puts(text);
    free(text);
}

static void print_sum(const AppOptions *options, const ScriptFindings *findings) {
    const size_t errors = findings->error_count, warnings = findings->count - errors;
    fflush(stdout);
    fprintf(stderr, "%zu file%s: ", options->files.count, options->files.count == 1 ? "" : "s");
    if (findings->count == 0)
        fprintf(stderr, "nothing to find fault with\n");
    else
        fprintf(stderr, "%zu error%s, %zu warning%s\n", errors, errors == 1 ? "" : "s", warnings,
                warnings == 1 ? "" : "s");
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
    char *text = json.failed ? NULL : cJSON_PrintUnformatted(root);
    if (text)
        puts(text);
    else
        fprintf(stderr, "tweed: out of memory\n");
    cJSON_free(text);
    cJSON_Delete(root);
}
