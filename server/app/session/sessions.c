// The list of connections.
#include "session/sessions.h"

#include <protocol/reply.h>
#include <stdlib.h>

AppClient *app_sessions_add(AppSessions *sessions, NetConnection *connection) {
    AppClient *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->sessions = sessions;
    client->connection = connection;
    client->id = net_connection_id(connection);
    client->access = app_access_begin(sessions->tokens);
    client->takes_events = client->access.role != PROTOCOL_ROLE_NONE;
    client->credit_ns = 1000000; // the next interval gives more
    client->next = sessions->clients;
    if (client->next) client->next->previous = client;
    sessions->clients = client;
    net_connection_set_user(connection, client);
    return client;
}

void app_sessions_remove(AppClient *client) {
    if (client->previous)
        client->previous->next = client->next;
    else
        client->sessions->clients = client->next;
    if (client->next) client->next->previous = client->previous;
    net_connection_set_user(client->connection, NULL);
    free(client);
}

void app_client_send(AppClient *client, const TextBuffer *text) {
    NetBuffer *line = net_buffer_create_text(text);
    net_connection_send(client->connection, line); // NULL closes it
    net_buffer_release(line);
}

void app_client_send_error(AppClient *client, const ProtocolError *error) {
    TextBuffer *text = &client->sessions->text;
    text_buffer_clear(text);
    protocol_write_error(text, NULL, error);
    app_client_send(client, text);
}
