// Definitions: any text as a character's, scene's or fabric's file, by the way of `tweed check`, with the
// limits of memory and time active. Whatever it is, there is an answer: findings whose count and texts hold
// together, and no error without one.
//
// Input: Lua.
#include "file.h"
#include "fuzz.h"
#include "script/check.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    fuzz_enter_folder();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const directories[] = {FUZZ_SCRIPTS}, *const file = "input.lua";
    const ScriptHostDef def = {.script_directories = directories,
                               .script_directory_count = 1,
                               .script_memory = (size_t)8 << 20,
                               .script_budget_ns = 5000000}; // loading may take 40 times as long
    ScriptFindings findings = {0};
    fuzz_write_file(file, data, size);
    script_check(&def, file, &findings);
    const bool fine = findings.error_count == 0;
    size_t errors = 0;
    for (size_t i = 0; i < findings.count; i++) {
        char *text = script_finding_text(&findings.items[i], true);
        FUZZ_CHECK(text && text[0] != '\0', "a finding without a text");
        free(text);
        FUZZ_CHECK(findings.items[i].message[0] != '\0', "a finding that says nothing");
        errors += findings.items[i].severity == SCRIPT_SEVERITY_ERROR;
    }
    FUZZ_CHECK(fine == (errors == 0), "%zu errors, and yet it is %s", errors, fine ? "fine" : "not fine");
    FUZZ_CHECK(errors == findings.error_count, "%zu errors counted as %zu", errors, findings.error_count);
    script_findings_finish(&findings);
    return 0;
}
