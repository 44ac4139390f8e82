// session.* and server.*
#include "rpc/requests.h"
#include "server/app.h"
#include "server/server_info.h"

#include <stdio.h>

static void open_session(AppCall *call) {
    AppClient *client = call->client;
    const AppAccessResult result =
        app_access_open(&client->access, &call->app->tokens, call->params, &call->error);
    if (result == APP_ACCESS_WRONG_TOKEN) app_client_dismiss(client);
    if (result != APP_ACCESS_OPENED) return;
    net_connection_trust(client->connection);
    client->takes_events = protocol_param_bool(call->params, "events");
    if (protocol_param_given(call->params, "client"))
        snprintf(client->name, sizeof client->name, "%s", protocol_param_string(call->params, "client"));
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "role", protocol_role_name(client->access.role));
}

// Answered while a tick runs as well: whoever measures the clock's offset wants no wait in it.
static void ping(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", call->app->tick);
    app_json_number(&call->json, call->result, "time", app_time(call->app));
    app_json_number(&call->json, call->result, "monotonic", (double)uv_hrtime() * 1e-9);
}

static void describe_server(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_put_hello(call->app, &call->json, call->result);
    app_put_inventory(call->app, &call->json, call->result);
}

static void server_stats(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    app_put_stats(call->app, &call->json, call->result);
}

const AppMethod app_session_methods[] = {
    {"session.open", open_session, true},
    {"session.ping", ping, true},
    {"server.describe", describe_server, false},
    {"server.stats", server_stats, false},
    {0},
};
