// Findings to stdout, in the form editors parse; the sum of them to stderr.
#include "check.h"

#include "paths.h"

#include <script/check.h>
#include <stdio.h>
#include <stdlib.h>

static void print_finding(const ScriptFinding *finding);
static void print_sum(const AppOptions *options, const ScriptFindings *findings);

int app_check(const AppOptions *options) {
    AppPaths paths;
    if (!app_paths_init(&paths, options)) {
        fprintf(stderr, "tweed: out of memory\n");
        return 1;
    }
    const ScriptHostDef def = {.script_directories = paths.scripts,
                               .script_directory_count = paths.script_count,
                               .asset_directories = paths.assets,
                               .asset_directory_count = paths.asset_count};
    ScriptFindings findings = {0};
    const bool fine = script_check(&def, options->files.names, (int)options->files.count, &findings);
    for (size_t i = 0; i < findings.count; i++) print_finding(&findings.items[i]);
    print_sum(options, &findings);
    script_findings_finish(&findings);
    app_paths_finish(&paths);
    return fine ? 0 : 1;
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
