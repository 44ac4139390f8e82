// Lines: each is whole and JSON; answers come once each, in order; events are the witness' events.
#include "session.h"

#include <stdlib.h>
#include <string.h>

static void check_first(Client *client, const cJSON *message, const char *line, size_t length);
static void check_batch(Client *client, const cJSON *replies);
static void check_null_error(Client *client, const cJSON *message);
static Request *find_owed(Client *client, const cJSON *message, bool in_batch);
static void check_answer(Client *client, Request *request, const cJSON *message);
static void check_command(Client *client, const Request *request, uint64_t tick);
static void add_event(Client *client, uint64_t hash);
static void check_pauses(Session *session, const char *method, const cJSON *params);
static int code_of(const cJSON *message);

void check_line(Client *client, const char *line, size_t length) {
    const char *end = NULL;
    cJSON *message = cJSON_ParseWithLengthOpts(line, length, &end, false);
    if (!message || end != line + length) {
        session_fail(client->session, "client %d: expected a line of JSON, found %.*s", client->number,
                     (int)(length < 300 ? length : 300), line);
        cJSON_Delete(message);
        return;
    }
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "method"));
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
    if (!client->is_first_line_read)
        check_first(client, message, line, length);
    else if (cJSON_IsArray(message))
        check_batch(client, message);
    else if (!method)
        check_reply(client, message);
    else if (strcmp(method, "stream.static") == 0)
        check_static(client, params);
    else if (strcmp(method, "stream.frame") == 0)
        check_frame(client, params, line, length);
    else
        check_event(client, method, params, line, length);
    cJSON_Delete(message);
}

void check_reply(Client *client, const cJSON *message) {
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
    if (cJSON_IsNull(id)) {
        check_null_error(client, message);
        return;
    }
    Request *request = find_owed(client, message, false);
    if (request) check_answer(client, request, message);
}

void check_event(Client *client, const char *method, const cJSON *params, const char *line, size_t length) {
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "message"));
    const bool is_own = strcmp(method, "log") == 0 && text && strstr(text, " dropped");
    if (!client->gets_events) {
        session_fail(client->session, "client %d: expected no event, found %.*s", client->number,
                     (int)(length < 300 ? length : 300), line);
        return;
    }
    if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(params, "tick")))
        session_fail(client->session, "client %d: an event without its tick: %.*s", client->number,
                     (int)length, line);
    if (is_own) return;
    add_event(client, hash_bytes(line, length));
    if (client->slot == 0) check_pauses(client->session, method, params);
}

static void check_first(Client *client, const cJSON *message, const char *line, size_t length) {
    const char *method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(message, "method"));
    Session *session = client->session;
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
    client->is_first_line_read = true;
    if (method && strcmp(method, "server.hello") == 0) {
        if (client->slot > 0 || !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(params, "paused"))) return;
        session->is_paused = true;
        session->base = session->paused_tick =
            (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(params, "tick"));
        return;
    }
    if (session->setup.max_clients < SESSION_CLIENTS && code_of(message) == -32003 &&
        cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(message, "id"))) {
        client->is_refused = true;
        client->reasons |= 1u << REASON_TOO_MANY;
        return;
    }
    session_fail(session, "client %d: expected server.hello first, found %.*s", client->number,
                 (int)(length < 300 ? length : 300), line);
}

// The answers to one message: as many as it has requests, each to one of them.
static void check_batch(Client *client, const cJSON *replies) {
    const cJSON *reply;
    int batch = 0, count = 0, owed = 0;
    cJSON_ArrayForEach(reply, replies) {
        Request *request = find_owed(client, reply, true);
        if (!request) return;
        if (batch != 0 && request->batch != batch)
            session_fail(client->session, "client %d: one array answers two batches", client->number);
        batch = request->batch;
        count++;
        check_answer(client, request, reply);
    }
    for (int i = 0; i < client->request_count; i++) owed += client->requests[i].batch == batch;
    if (count != owed)
        session_fail(client->session, "client %d: expected %d answers to a batch, found %d", client->number,
                     owed, count);
}

// Also in place of a greeting, where a client with a token needs the room.
static void check_null_error(Client *client, const cJSON *message) {
    const Setup *setup = &client->session->setup;
    const int code = code_of(message);
    if (code == -32003 && setup->with_tokens && setup->max_clients < SESSION_CLIENTS && !client->is_trusted) {
        client->is_refused = true;
        client->reasons |= 1u << REASON_TOO_MANY;
        return;
    }
    if (client->null_errors == 0 || (code != -32700 && code != -32600))
        session_fail(client->session, "client %d: expected no error without an id, found %d", client->number,
                     code);
    client->null_errors--;
}

// The request that the message answers. All before it are answered, but those of its batch; what is no
// request at all is answered out of turn.
static Request *find_owed(Client *client, const cJSON *message, bool in_batch) {
    char id[32] = "?";
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(message, "id");
    if (cJSON_IsNumber(given)) snprintf(id, sizeof id, "%.0f", given->valuedouble);
    while (client->next_request < client->request_count && client->requests[client->next_request].is_answered)
        client->next_request++;
    Request *found = NULL;
    for (int i = client->next_request; i < client->request_count && !found; i++) {
        Request *request = &client->requests[i];
        if (!request->is_answered && (request->batch != 0) == in_batch && strcmp(request->id, id) == 0)
            found = request;
    }
    if (!found)
        session_fail(client->session, "client %d: an answer to %s that is not owed", client->number, id);
    for (const Request *other = &client->requests[client->next_request]; found && other < found; other++)
        if (!other->is_answered && !other->is_early && !found->is_early &&
            (other->batch == 0 || other->batch != found->batch))
            session_fail(client->session, "client %d: %s (%s) is answered before %s (%s)", client->number,
                         found->method, found->id, other->method, other->id);
    return found;
}

static void check_answer(Client *client, Request *request, const cJSON *message) {
    const cJSON *result = cJSON_GetObjectItemCaseSensitive(message, "result");
    const int code = code_of(message);
    bool is_allowed = false;
    for (int i = 0; i < request->code_count; i++) is_allowed |= request->codes[i] == code;
    request->is_answered = true;
    if (request->kind == REQUEST_STEP) client->session->steps_answered++;
    if (!is_allowed || (code == 0) != (result != NULL)) {
        char *text = cJSON_PrintUnformatted(message);
        session_fail(client->session, "client %d: %s (%s) is answered with %.400s", client->number,
                     request->method, request->id, text);
        free(text);
        return;
    }
    if (code != 0) return;
    const cJSON *tick = cJSON_GetObjectItemCaseSensitive(result, "tick");
    switch (request->kind) {
    case REQUEST_OPEN:
        client->is_trusted = true;
        if (client->gets_events && !request->has_events) add_event(client, 0);
        client->gets_events = request->has_events;
        break;
    case REQUEST_SUBSCRIBE:
        check_subscribed(client, request, result);
        break;
    case REQUEST_UNSUBSCRIBE:
        check_unsubscribed(client, request);
        break;
    case REQUEST_STEP:
        check_stepped(client, request, (uint64_t)cJSON_GetNumberValue(tick));
        check_command(client, request, (uint64_t)cJSON_GetNumberValue(tick));
        break;
    case REQUEST_STATS:
        check_stats(client, result);
        break;
    case REQUEST_POSE:
        if (request->sequence < SESSION_POSES)
            client->session->pose_ticks[request->sequence] = (uint64_t)cJSON_GetNumberValue(tick) + 1;
        check_command(client, request, (uint64_t)cJSON_GetNumberValue(tick));
        break;
    case REQUEST_PAUSE:
    case REQUEST_RESUME:
        client->has_hold = request->kind == REQUEST_PAUSE;
        if (request->kind == REQUEST_RESUME) client->session->is_unowned = false;
        check_command(client, request, (uint64_t)cJSON_GetNumberValue(tick));
        break;
    case REQUEST_COMMAND:
        if (!cJSON_IsNumber(tick))
            session_fail(client->session, "client %d: the answer to %s has no tick", client->number,
                         request->method);
        else
            check_command(client, request, (uint64_t)tick->valuedouble);
        break;
    case REQUEST_OTHER:
        break;
    }
}

// Commands take effect in the order in which they are answered. Those that come right before a pause do in
// the tick that is next, those after it in the one before.
static void check_command(Client *client, const Request *request, uint64_t tick) {
    if (tick + 1 < client->command_tick)
        session_fail(client->session, "client %d: %s took effect in tick %llu, one before it in %llu",
                     client->number, request->method, (unsigned long long)tick,
                     (unsigned long long)client->command_tick);
    client->command_tick = tick;
}

static void add_event(Client *client, uint64_t hash) {
    if (client->event_count == client->event_capacity) {
        client->event_capacity = client->event_capacity ? 2 * client->event_capacity : 64;
        client->events = realloc(client->events, (size_t)client->event_capacity * sizeof *client->events);
        if (!client->events) abort();
    }
    client->events[client->event_count++] = hash;
}

static void check_pauses(Session *session, const char *method, const cJSON *params) {
    const uint64_t tick = (uint64_t)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(params, "tick"));
    if (strcmp(method, "simulation.paused") == 0 && !session->is_paused) {
        session->is_paused = true;
        session->paused_tick = session->base = tick;
        session->pause_epoch++;
    } else if (strcmp(method, "simulation.resumed") == 0) {
        session->is_paused = false;
        session->base = UINT64_MAX;
        session->pause_epoch++;
    }
}

static int code_of(const cJSON *message) {
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(message, "error");
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(error, "code");
    return cJSON_IsNumber(code) ? code->valueint : 0;
}
