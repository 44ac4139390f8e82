// The way into a script as one of its instances, and what is said when it raises.
#include "host/host.h"
#include "runtime/instance.h"

#include <stdlib.h>

bool script_instance_enter(ScriptState *state, ScriptInstance *instance, const char *callback,
                           lua_CFunction body, void *context, ScriptError *out_error) {
    ScriptInstance *outer = state->running;
    state->running = instance;
    state->host->running = true;
    const bool done = script_state_enter(state, body, context, out_error);
    state->host->running = false;
    state->running = outer;
    if (!done && state->lua) script_instance_name_error(instance, callback, out_error);
    return done;
}

void script_instance_name_error(const ScriptInstance *instance, const char *callback, ScriptError *error) {
    char *message = error->message ? script_format("%s%s%s: %s", instance ? instance->name : "",
                                                   instance ? ": " : "", callback, error->message)
                                   : NULL;
    if (!message) return;
    free(error->message);
    error->message = message;
}

void script_instance_report(ScriptState *state, const ScriptInstance *instance, ScriptError *error) {
    const ScriptCallbacks *callbacks = &state->host->callbacks;
    if (callbacks->failed && state->lua) // else that it was suspended has been told
        callbacks->failed(callbacks->context, state->script, instance ? instance->name : NULL, error);
    script_error_finish(error);
}
