// Beginning and end of loading a file.
#include "load/load.h"

#include "api/api.h"
#include "define/import.h"
#include "host/lookup.h"

static int open_libraries(lua_State *lua);
static int drop_imports(lua_State *lua);

void script_load_begin(ScriptLoad *load, ScriptHost *host, const char *file, ScriptFindings *findings) {
    char script[SCRIPT_PATH_SIZE];
    *load = (ScriptLoad){
        .findings = findings, .first_finding = findings->count, .first_error = findings->error_count};
    script_name_of(host, file, script);
    load->state = script_state_create(host, script, file);
    if (load->state && !script_state_enter(load->state, open_libraries, NULL, NULL)) {
        script_state_destroy(load->state);
        load->state = NULL;
    }
    if (load->state)
        load->root = script_state_load(load->state, &load->arena, &load->sources, findings);
    else
        script_findings_add(findings, SCRIPT_SEVERITY_ERROR, file, 0, "", "out of memory");
}

const char *script_load_kind(const ScriptLoad *load) {
    const ScriptNode *root = load->root;
    return root && root->kind == SCRIPT_NODE_TABLE && root->call_site ? root->call_site->constructor : "";
}

ScriptReader script_load_reader(ScriptLoad *load) {
    return (ScriptReader){.arena = &load->arena,
                          .findings = load->findings,
                          .sources = &load->sources,
                          .file = load->state->file,
                          .root = load->root,
                          .prefix = "",
                          .first_error = load->first_error,
                          .first_finding = load->first_finding};
}

bool script_load_failed(const ScriptLoad *load) {
    return !load->root || load->findings->error_count != load->first_error;
}

void script_load_end(ScriptLoad *load, ScriptState **out_state) {
    if (out_state) {
        script_state_enter(load->state, drop_imports, NULL, NULL);
        script_state_loaded(load->state);
        *out_state = load->state;
    } else {
        script_state_destroy(load->state);
    }
    script_arena_finish(&load->arena);
    script_sources_finish(&load->sources);
    script_findings_sort(load->findings, load->first_finding);
    *load = (ScriptLoad){0};
}

static int open_libraries(lua_State *lua) {
    script_api_open(lua);
    return 0;
}

static int drop_imports(lua_State *lua) {
    script_import_loaded(lua);
    return 0;
}
