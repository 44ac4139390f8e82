// session.* and stream.*: a connection and its subscriptions.
#include "rpc/handlers.h"

#include <stdio.h>
#include <uv.h>

void app_handle_cluster(AppCall *call) {
    app_call_fail_no_cluster(call, "method");
}

// Served while a tick runs as well, so that measuring the clock's offset involves no wait.
void app_handle_session_ping(AppCall *call) {
    const AppTicks *ticks = call->rpc->ticks;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "tick", ticks->newest);
    app_json_number(&call->json, call->result, "time", app_ticks_time(ticks));
    app_json_number(&call->json, call->result, "monotonic", (double)uv_hrtime() * 1e-9);
}

void app_handle_session_look(AppCall *call) {
    call->client->has_viewpoint = protocol_param_given(call->params, "position");
    protocol_param_vec3(call->params, "position", call->client->viewpoint);
    call->result = app_json_root_object(&call->json);
}

void app_handle_session_open(AppCall *call) {
    AppClient *client = call->client;
    const AppAccessResult result =
        app_access_open(&client->access, client->sessions->tokens, call->params, &call->error);
    if (result == APP_ACCESS_WRONG_TOKEN) { // it gets nothing more but this answer, and is closed
        client->is_dismissed = true;
        client->takes_events = false;
        app_streams_end(client);
    }
    if (result != APP_ACCESS_OPENED) return;
    net_connection_trust(client->connection);
    client->takes_events = protocol_param_bool(call->params, "events");
    if (protocol_param_given(call->params, "client"))
        snprintf(client->name, sizeof client->name, "%s", protocol_param_string(call->params, "client"));
    for (char *c = client->name; *c; c++) // one line of the log shows it
        if (*c == '\n' || *c == '\t') *c = ' ';
    call->result = app_json_root_object(&call->json);
    app_json_string(&call->json, call->result, "role", protocol_role_name(client->access.role));
}

void app_handle_stream_subscribe(AppCall *call) {
    ProtocolView view;
    ProtocolSubscription options;
    const cJSON *params = call->request->request.params;
    if (!protocol_view_read(params, &view, &options, &call->error)) return;
    const AppSubscription *subscription =
        app_streams_subscribe(call->rpc->streams, call->client, &view, &options, params, &call->error);
    if (!subscription) return;
    const AppCharacters *characters = call->rpc->characters;
    call->result = app_json_root_object(&call->json);
    app_json_integer(&call->json, call->result, "view", (uint64_t)subscription->view->id);
    cJSON *names = app_json_list(&call->json, call->result, "characters");
    for (size_t slot = 0; slot < characters->count; slot++)
        if (app_bitset_has(&subscription->view->members, slot))
            app_json_string(&call->json, names, NULL, characters->items[slot]->name);
    const AppStreamSource *source = &call->rpc->streams->source;
    if (source->list && !options.redirect)
        source->list(source->context, subscription->view, &call->json, names);
    if (!options.redirect) return;
    cJSON *servers = app_json_list(&call->json, call->result, "redirect");
    if (source->redirect) source->redirect(source->context, subscription->view, &call->json, servers);
}

void app_handle_stream_unsubscribe(AppCall *call) {
    const int view = (int)protocol_param_integer(call->params, "view");
    if (!app_streams_unsubscribe(call->client, view))
        protocol_error_set(&call->error, PROTOCOL_NOT_FOUND, "params.view", "this connection has no view %d",
                           view);
}
