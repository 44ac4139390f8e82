// A connection's record.
#include "session/client.h"

#include "server/app.h"
#include "server/pose_owners.h"
#include "server/simulation.h"
#include "stream/streams.h"

#include <stdlib.h>

AppClient *app_client_create(App *app, NetConnection *connection) {
    AppClient *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->app = app;
    client->connection = connection;
    client->id = net_connection_id(connection);
    client->access = app_access_begin(&app->tokens);
    client->takes_events = client->access.role != PROTOCOL_ROLE_NONE;
    client->credit_ns = 1000000; // the next interval gives more
    client->next = app->clients;
    if (client->next) client->next->previous = client;
    app->clients = client;
    net_connection_set_user(connection, client);
    return client;
}

void app_client_destroy(AppClient *client) {
    if (!client) return;
    App *app = client->app;
    if (client->previous)
        client->previous->next = client->next;
    else
        app->clients = client->next;
    if (client->next) client->next->previous = client->previous;
    app_requests_forget(client);
    app_pose_owners_remove(app, client);
    app_release_hold(app, client);
    app_streams_end(client);
    net_connection_set_user(client->connection, NULL);
    free(client);
}

void app_client_dismiss(AppClient *client) {
    client->is_dismissed = true;
    client->takes_events = false;
    app_streams_end(client);
}

void app_client_send(AppClient *client, const TextBuffer *text) {
    NetBuffer *line = text->failed ? NULL : net_buffer_create_copy(text->bytes, text->length);
    net_connection_send(client->connection, line); // NULL closes it
    net_buffer_release(line);
}

void app_client_send_error(AppClient *client, const ProtocolError *error) {
    TextBuffer *text = &client->app->text;
    text_buffer_clear(text);
    protocol_write_error(text, NULL, error);
    app_client_send(client, text);
}
