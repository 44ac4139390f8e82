// simulation.*
#include "rpc/requests.h"
#include "server/app.h"
#include "server/simulation.h"

static void put_state(AppCall *call);

static void pause_simulation(AppCall *call) {
    if (!app_pause(call->app, call->client))
        app_call_fail_memory(call);
    else
        put_state(call);
}

static void resume_simulation(AppCall *call) {
    app_resume(call->app, call->client);
    put_state(call);
}

static void step_simulation(AppCall *call) {
    App *app = call->app;
    if (app->step.request) {
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "another connection is stepping");
    } else if (!app_is_paused(app)) {
        protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method",
                           "the simulation is running; pause it first");
    } else {
        call->later = true;
        app_step_begin(app, call->request, (uint64_t)protocol_param_integer(call->params, "ticks"));
    }
}

// The newest tick: a pause takes hold before the next one.
static void put_state(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", sim_world_tick(call->app->characters.world));
    app_json_integer(&call->json, call->result, "holds",
                     (uint64_t)app_pause_locks_count(&call->app->pause_locks));
}

const AppMethod app_simulation_methods[] = {
    {"simulation.pause", pause_simulation, false},
    {"simulation.resume", resume_simulation, false},
    {"simulation.step", step_simulation, false},
    {0},
};
