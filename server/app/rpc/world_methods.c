// world.*
#include "rpc/handlers.h"
#include "session/events.h"

#include <stdio.h>

static void report_change(AppCall *call);
static void fail_params(AppCall *call, const SimIssue *issue);

void app_handle_world_get(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_put_world(&call->json, call->result, call->rpc->characters->world);
}

void app_handle_world_set(AppCall *call) {
    SimWorld *world = call->rpc->characters->world;
    SimEnvironment environment = *sim_world_environment(world);
    protocol_param_vec3(call->params, "gravity", environment.gravity_world);
    const ProtocolParams wind = protocol_param_fields(call->params, "wind");
    protocol_param_vec3(wind, "velocity", environment.wind.velocity_world);
    if (protocol_param_given(wind, "turbulence"))
        environment.wind.turbulence = (float)protocol_param_number(wind, "turbulence");
    if (protocol_param_given(wind, "gust"))
        environment.wind.gust = (float)protocol_param_number(wind, "gust");
    if (protocol_param_given(call->params, "ground")) {
        double ground;
        environment.has_ground = protocol_param_number_or_false(call->params, "ground", &ground);
        environment.ground = (float)ground;
    }
    SimIssue issue;
    if (!sim_validate_environment(&environment, &issue)) {
        fail_params(call, &issue);
        return;
    }
    sim_world_set_environment(world, &environment);
    report_change(call);
}

void app_handle_world_tornado(AppCall *call) {
    const char *name = protocol_param_string(call->params, "name");
    SimTornado tornado = {.radius = (float)protocol_param_number(call->params, "radius"),
                          .strength = (float)protocol_param_number(call->params, "strength"),
                          .lift = (float)protocol_param_number(call->params, "lift")};
    protocol_param_vec3(call->params, "position", tornado.position_world);
    protocol_param_vec3(call->params, "velocity", tornado.velocity_world);
    SimIssue issue;
    if (!sim_validate_tornado(&tornado, &issue))
        fail_params(call, &issue);
    else if (!sim_world_set_tornado(call->rpc->characters->world, name, &tornado))
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "params.name",
                           "there are %d tornadoes already, the most there can be", SIM_MAX_TORNADOS);
    else
        report_change(call);
}

void app_handle_world_calm(AppCall *call) {
    SimWorld *world = call->rpc->characters->world;
    const char *name = protocol_param_string(call->params, "name"), *names[SIM_MAX_TORNADOS];
    if (sim_world_remove_tornado(world, name)) {
        report_change(call);
        return;
    }
    const int count = sim_world_tornado_names(world, names);
    const TextNearest nearest = text_nearest_of(name, names, (size_t)count);
    protocol_error_not_found(&call->error, "params.name", "tornado", &nearest);
}

// One event tells of all that scripts change in a tick.
static void report_change(AppCall *call) {
    if (app_call_is_of_script(call))
        call->rpc->sessions->scripts_changed_world = true;
    else
        app_event_world(call->rpc->sessions);
}

static void fail_params(AppCall *call, const SimIssue *issue) {
    char path[PROTOCOL_ERROR_PATH_BYTES];
    snprintf(path, sizeof path, "params.%s", issue->path);
    protocol_error_set(&call->error, PROTOCOL_INVALID_PARAMS, path, "%s", issue->message);
}
