// Runs a scene once without a server: its requests get no answers, and errors that follow them are not
// reported.
#include "host/host.h"
#include "host/lookup.h"
#include "load/load.h"
#include "runtime/instance.h"
#include "script/name_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT (1.0 / 60.0)

typedef struct DryRun {
    ScriptHost *host;
    const ScriptSceneInfo *scene;
    ScriptFindings *findings;
    ScriptCallbacks outer;
    bool has_unanswered_request; // later errors may be due to it
} DryRun;

static bool spawn(void *context, const ScriptSpawn *spawn, char out_name[SCRIPT_NAME_SIZE],
                  char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static bool remove_character(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static void print(void *context, TextLogLevel level, const char *script, const char *character,
                  const char *message);
static void failed(void *context, const char *script, const char *character, const ScriptError *error);
static void add(DryRun *run, const char *script, const char *character, const ScriptError *error);
static ScriptRequestStatus request(void *context, const char *method, const ScriptValue *params,
                                   uint64_t token, ScriptValue *out_result,
                                   char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
static ScriptInstance *begin(DryRun *run, const ScriptSpawn *spawn);

void script_dry_run(ScriptHost *host, ScriptScene *scene, ScriptFindings *findings) {
    const ScriptSceneInfo *info = script_scene_info(scene);
    DryRun run = {.host = host, .scene = info, .findings = findings, .outer = host->callbacks};
    ScriptInstance **instances = calloc((size_t)info->spawn_count + 1, sizeof *instances);
    ScriptError error = {0};
    host->callbacks = (ScriptCallbacks){.context = &run,
                                        .spawn = spawn,
                                        .remove = remove_character,
                                        .log = print,
                                        .failed = failed,
                                        .suspended = failed,
                                        .request = request};
    for (int i = 0; instances && i < info->spawn_count; i++) instances[i] = begin(&run, &info->spawns[i]);
    run.has_unanswered_request = false;
    if (!script_scene_start(scene, &error)) add(&run, info->script, NULL, &error);
    script_error_finish(&error);
    script_host_begin_tick(host, DT, DT);
    script_host_deliver_events(host);
    script_scene_tick(scene);
    for (int i = 0; instances && i < info->spawn_count; i++) {
        run.has_unanswered_request = false;
        if (instances[i]) script_instance_tick(instances[i]);
    }
    for (int i = 0; instances && i < info->spawn_count; i++) script_instance_destroy(instances[i]);
    free(instances);
    host->callbacks = run.outer;
}

static bool spawn(void *context, const ScriptSpawn *spawn, char out_name[SCRIPT_NAME_SIZE],
                  char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char file[SCRIPT_PATH_SIZE];
    const DryRun *run = context;
    if (*spawn->name)
        snprintf(out_name, SCRIPT_NAME_SIZE, "%s", spawn->name);
    else
        script_stem_of(spawn->script, out_name);
    for (int i = 0; i < run->scene->spawn_count; i++) {
        if (strcmp(run->scene->spawns[i].name, spawn->name) != 0) continue;
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "there is a character \"%s\" already",
                 spawn->name);
        return false;
    }
    return script_find_script(run->host, spawn->script, file, out_message) == SCRIPT_FOUND;
}

static bool remove_character(void *context, const char *name, char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    (void)context, (void)name, (void)out_message;
    return true;
}

static void print(void *context, TextLogLevel level, const char *script, const char *character,
                  const char *message) {
    const ScriptCallbacks *outer = &((DryRun *)context)->outer;
    if (outer->log) outer->log(outer->context, level, script, character, message);
}

static void failed(void *context, const char *script, const char *character, const ScriptError *error) {
    add(context, script, character, error);
}

// "alan: on_spawn: scripts/x.lua:3: text" as a finding of line 3 with the path on_spawn; a scene's has its
// script in place of the character.
static void add(DryRun *run, const char *script, const char *character, const ScriptError *error) {
    const char *message = error->message ? error->message : "out of memory";
    const char *owner = character ? character : script;
    const size_t length = strlen(owner);
    char callback[80] = "", file[SCRIPT_PATH_SIZE], ignored[SCRIPT_REQUEST_MESSAGE_SIZE];
    ScriptError rest = {NULL, error->traceback};
    if (run->has_unanswered_request) return;
    if (strncmp(message, owner, length) == 0 && message[length] == ':') message += length + 2;
    const size_t end = strcspn(message, ":");
    if (strncmp(message + end, ": ", 2) == 0 && end < sizeof callback) { // else it begins with "file:line: "
        snprintf(callback, sizeof callback, "%.*s", (int)end, message);
        message += end + 2;
    }
    rest.message = (char *)message;
    const bool found = script_find_script(run->host, script, file, ignored) == SCRIPT_FOUND;
    script_state_add_error(run->findings, found ? file : script, callback, &rest);
}

static ScriptRequestStatus request(void *context, const char *method, const ScriptValue *params,
                                   uint64_t token, ScriptValue *out_result,
                                   char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    (void)method, (void)params, (void)token, (void)out_result, (void)out_message;
    ((DryRun *)context)->has_unanswered_request = true;
    return SCRIPT_REQUEST_DONE;
}

// NULL with a finding if its on_spawn raises. The host's world destroys the character.
static ScriptInstance *begin(DryRun *run, const ScriptSpawn *spawn) {
    SimIssue issue;
    ScriptError error;
    ScriptCharacter *character = script_character_load(run->host, spawn->script, run->findings);
    if (!character) return NULL;
    const SimCharacterId id = sim_character_create(run->host->world, script_character_info(character)->rig,
                                                   &spawn->root_world, &issue);
    if (!id.index) return NULL;
    run->has_unanswered_request = false;
    ScriptInstance *instance = script_instance_create(character, id, spawn->name, spawn->params, &error);
    if (!instance) add(run, spawn->script, spawn->name, &error);
    script_error_finish(&error);
    return instance;
}
