// world.*
#include "requests.h"

#include "app.h"
#include "events.h"

#include <stdio.h>

static void get_world(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_put_world(&call->json, call->result, sim_world_environment(call->app->fleet.world));
}

static void set_world(AppCall *call) {
    SimWorld *world = call->app->fleet.world;
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
        char path[PROTOCOL_ERROR_PATH_BYTES];
        snprintf(path, sizeof path, "params.%s", issue.path);
        protocol_error_set(&call->error, PROTOCOL_INVALID_PARAMS, path, "%s", issue.message);
        return;
    }
    sim_world_set_environment(world, &environment);
    app_event_world(call->app);
}

const AppMethod app_world_methods[] = {
    {"world.get", get_world, false},
    {"world.set", set_world, false},
    {0},
};
