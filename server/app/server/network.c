// The callbacks of net: they parse, enqueue and give lines.
#include "server/network.h"

#include "base/port_file.h"
#include "cluster/forward.h"
#include "server/handler_table.h"
#include "server/http.h"
#include "server/pause.h"
#include "server/simulation.h"

#include <stdio.h>
#include <string.h>

static void add_pose_owner(App *app, const AppClient *client);
static void on_open(NetConnection *connection);
static void on_message(NetConnection *connection, char *message, size_t length);
static void on_too_long(NetConnection *connection);
static void on_refused(NetConnection *connection);
static NetBuffer *on_pull(NetConnection *connection);
static void on_drained(NetConnection *connection);
static void on_end(NetConnection *connection);
static void on_close(NetConnection *connection, NetCloseReason reason);
static void on_log(NetServer *server, TextLogLevel level, const char *text);
static App *app_of(NetConnection *connection);

static const NetCallbacks callbacks = {.on_open = on_open,
                                       .on_message = on_message,
                                       .on_too_long = on_too_long,
                                       .on_refused = on_refused,
                                       .on_pull = on_pull,
                                       .on_drained = on_drained,
                                       .on_end = on_end,
                                       .on_close = on_close,
                                       .on_request = app_http_answer,
                                       .on_log = on_log};

bool app_network_listen(App *app, char *out_message, size_t capacity) {
    const NetServerOptions options = app_access_server_options(app->options, &app->token_watch.tokens);
    if (options.http_host) app_web_init(&app->web, app->options, &app->log);
    app->net = net_server_create(&app->loop, &options, &callbacks, app);
    NetError error = {"out of memory"};
    if (!app->net || !net_server_listen(app->net, &error)) {
        snprintf(out_message, capacity, "%s", error.text);
        return false;
    }
    return true;
}

bool app_network_tell_ports(const App *app, char *out_message, size_t capacity) {
    const AppPorts ports = {net_server_port(app->net), net_server_http_port(app->net)};
    return app_port_file_write(app->options, ports, out_message, capacity);
}

void app_disconnect(App *app, AppClient *client) {
    app_rpc_remove_client(&app->rpc, client);
    add_pose_owner(app, client);
    if (app->cluster && client->has_posed) app_forward_end_pose_owner(app->cluster, client->id);
    app_pause_remove_client(app, client);
    app_streams_end(client);
    app_sessions_remove(client);
}

static void add_pose_owner(App *app, const AppClient *client) {
    if (client->has_posed && !app_pose_owners_add(&app->pose_owners, client->id, app->ticks.newest))
        app_log(&app->log, TEXT_LOG_ERROR,
                "out of memory: the bones that client %llu posed will not be released",
                (unsigned long long)client->id);
}

static void on_open(NetConnection *connection) {
    App *app = app_of(connection);
    AppClient *client = app_sessions_add(&app->sessions, connection);
    if (!client) {
        net_connection_close(connection, NET_CLOSE_OUT_OF_MEMORY);
        return;
    }
    AppJson json = {0};
    cJSON *hello = app_json_root_object(&json);
    app_put_hello(app, &json, hello);
    text_buffer_clear(&app->sessions.text);
    if (!json.failed) protocol_write_notification(&app->sessions.text, "server.hello", hello);
    app->sessions.text.failed |= json.failed;
    cJSON_Delete(hello);
    app_client_send(client, &app->sessions.text);
    const AppLogFields fields = {.client = client->id, .address = net_connection_address(connection)};
    app_log_about(&app->log, TEXT_LOG_DEBUG, &fields, "client %llu: connected from %s",
                  (unsigned long long)client->id, fields.address);
}

static void on_message(NetConnection *connection, char *message, size_t length) {
    AppClient *client = net_connection_user(connection);
    if (client) app_rpc_receive(&app_of(connection)->rpc, client, message, length);
}

static void on_too_long(NetConnection *connection) {
    AppClient *client = net_connection_user(connection);
    if (!client) return;
    ProtocolError error;
    app_access_refuse_message(app_of(connection)->options, &error);
    app_client_send_error(client, &error);
}

static void on_refused(NetConnection *connection) {
    App *app = app_of(connection);
    ProtocolError error;
    app_access_refuse_connection(app->net, &error);
    text_buffer_clear(&app->sessions.text);
    protocol_write_error(&app->sessions.text, NULL, &error);
    NetBuffer *line = net_buffer_create_text(&app->sessions.text);
    net_connection_send(connection, line);
    net_buffer_release(line);
}

static NetBuffer *on_pull(NetConnection *connection) {
    AppClient *client = net_connection_user(connection);
    return client ? app_streams_pull(client) : NULL;
}

static void on_drained(NetConnection *connection) {
    AppClient *client = net_connection_user(connection);
    if (client) app_step_on_drained(app_of(connection), client);
}

// Its requests are still answered.
static void on_end(NetConnection *connection) {
    AppClient *client = net_connection_user(connection);
    if (!client) return;
    client->has_ended = true;
    app_client_finish_ended(client);
}

static void on_close(NetConnection *connection, NetCloseReason reason) {
    AppClient *client = net_connection_user(connection);
    App *app = app_of(connection);
    const bool expected = app->ticks.stopping || reason == NET_CLOSE_BY_PEER || reason == NET_CLOSE_RESET ||
                          net_refusal_of(reason) != NET_REFUSAL_COUNT; // net logs those
    const char *name = client && client->name[0] ? client->name : "no name given";
    const AppLogFields fields = {.client = net_connection_id(connection),
                                 .address = net_connection_address(connection)};
    app_log_about(&app->log, expected ? TEXT_LOG_DEBUG : TEXT_LOG_INFO, &fields,
                  "client %llu (%s, %s) closed: %s", (unsigned long long)fields.client, name, fields.address,
                  net_connection_close_text(connection));
    if (client) app_disconnect(app, client);
}

static void on_log(NetServer *server, TextLogLevel level, const char *text) {
    App *app = net_server_user(server);
    app_log(&app->log, level, "%s", text);
}

static App *app_of(NetConnection *connection) {
    return net_server_user(net_connection_server(connection));
}
