// Requests are JSON as they came in, with an `owner` for poses; replies are whole lines, copied.
#include "cluster/forward.h"

#include "cluster/announce.h"
#include "cluster/node/claims.h"
#include "cluster/node/cluster_pause.h"
#include "cluster/node/publish.h"
#include "session/events.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>
#include <text/hash.h>

#define NOTIFICATION (UINT64_C(1) << 63) // as a number: bits 8 to 62 are the client, the lowest 8 the method
#define GONE         "#gone "            // the event of a client that has posed
#define CANCEL       "#cancel "          // a request whose client is gone: followed by the reply's subject
#define ORPHANED     "the character's node is gone: another node is taking it over; ask again"
#define BETWEEN                                                                                              \
    "no node has the character at this moment: it is being spawned, moved, removed or taken over; ask again"
#define TAKEN_OVER_NS     UINT64_C(5000000000) // after which an orphan waits for a node that can take it
#define UNKNOWN_NS        UINT64_C(2000000000) // after the broker is back: until all have claimed theirs
#define ANSWER_TIMEOUT_NS UINT64_C(10000000000)

// A request that waits for its answer.
struct AppForward {
    uint64_t number;
    AppRequest *request;
    bool is_of_character;
    char node[APP_NODE_BYTES + 1]; // that is expected to answer; "": not known
    TextBuffer reply;              // the parts so far
    bool may_take_long;            // as long as the node is there
    uint64_t heard_ns;             // when it was sent, or its newest part came
};

static bool is_for_all_nodes(const char *method, const cJSON *params);
static cJSON *read_event(const AppMessage *message);
static void to_owner(AppCluster *cluster, AppCall *call, const char *character, bool passes_on);
static bool takes_long(const ProtocolMethod *method, const char *node);
static void send_to(AppCluster *cluster, AppCall *call, const char *subject, const char *node,
                    bool is_of_character, bool passes_on);
static void notify(AppCluster *cluster, const AppCall *call, const char *subject, const TextBuffer *body);
static void write_request(AppCluster *cluster, const AppCall *call, uint64_t number, TextBuffer *body);
static uint64_t pose_owner(const AppCluster *cluster, uint64_t client);
static void fail(AppCall *call, const char *text);
static void give_up(AppCluster *cluster, struct AppForward *forward, const char *why);
static struct AppForward *add(AppCluster *cluster);
static void cancel(void *context, AppRequest *request);
static void send_cancel(AppCluster *cluster, const struct AppForward *forward);
static AppRequest *remove_forward(AppCluster *cluster, struct AppForward *forward);
static void complete(AppCluster *cluster, struct AppForward *forward, const AppMessage *message);
static void report_notification(AppCluster *cluster, const AppMessage *message);
static bool is_orphan(const AppCluster *cluster, const AppCall *call);
static void fail_orphan(const AppCluster *cluster, AppCall *call);
static void set_not_found(AppCluster *cluster, AppCall *call);
static bool is_allowed(const AppRequest *request, const AppMessage *message);

void app_forward_to_owner(AppCluster *cluster, AppCall *call, const char *character) {
    to_owner(cluster, call, character, false);
}

void app_forward_pass_on(AppCluster *cluster, AppCall *call, const char *character) {
    to_owner(cluster, call, character, true);
}

void app_forward_to_node(AppCluster *cluster, AppCall *call, const char *node) {
    char subject[APP_SUBJECT_SIZE];
    snprintf(subject, sizeof subject, "tweed.%s.node.%s", cluster->name, node);
    send_to(cluster, call, subject, node, false, false);
}

void app_forward_reply(AppCluster *cluster, const AppMessage *message) {
    if (message->number & NOTIFICATION) {
        report_notification(cluster, message);
        return;
    }
    struct AppForward *forward = NULL;
    for (size_t i = 0; i < cluster->forward_count; i++)
        if (cluster->forwards[i].number == message->number) forward = &cluster->forwards[i];
    if (!forward) return; // its client is gone
    const bool has_part = message->outcome == APP_MESSAGE_DONE && message->length > 0;
    forward->heard_ns = uv_hrtime();
    if (has_part) text_buffer_append(&forward->reply, message->body + 1, message->length - 1);
    if (!has_part || message->body[0] != '+') complete(cluster, forward, message);
}

void app_forward_fail(AppCluster *cluster, const char *node, const char *why) {
    for (size_t i = cluster->forward_count; i-- > 0;) {
        struct AppForward *forward = &cluster->forwards[i];
        if (!node || strcmp(forward->node, node) == 0) give_up(cluster, forward, why);
    }
}

void app_forward_amend(void *context, AppCall *call) {
    const AppCluster *cluster = context;
    const char *name = protocol_param_string(call->params, "character");
    const AppClaim *claim = app_claims_find(cluster, name);
    if (app_call_is_of_script(call)) return; // scripts see this node's characters only
    if (is_orphan(cluster, call) || claim)
        fail(call, BETWEEN);
    else if (uv_hrtime() < cluster->connected_ns + UNKNOWN_NS)
        fail(call,
             "the broker of the cluster has just come back: the nodes have not told yet which characters "
             "they have; ask again");
}

void app_forward_expire(AppCluster *cluster, uint64_t now_ns) {
    for (size_t i = cluster->forward_count; i-- > 0;) {
        struct AppForward *forward = &cluster->forwards[i];
        if (!forward->may_take_long && now_ns > forward->heard_ns + ANSWER_TIMEOUT_NS)
            give_up(cluster, forward,
                    "no node has answered for 10 s: the request may have taken effect or not");
    }
}

void app_forward_finish(AppCluster *cluster) {
    while (cluster->forward_count > 0) remove_forward(cluster, &cluster->forwards[0]);
    free(cluster->forwards);
}

AppRequest *app_forward_create(AppCluster *cluster, ProtocolMethodId method, cJSON *params) {
    AppRequest *request = calloc(1, sizeof *request);
    char *nobody = strdup("");
    cJSON *object = cJSON_CreateObject();
    if (request && nobody && cJSON_AddItemToObject(object, "params", params)) {
        *request = (AppRequest){.rpc = cluster->def.rpc,
                                .method = &protocol_methods[method],
                                .reply_to = nobody,
                                .request = {.object = object, .params = params, .notification = true}};
        return request;
    }
    free(request);
    free(nobody);
    cJSON_Delete(object);
    cJSON_Delete(params);
    return NULL;
}

AppRequest *app_forward_receive(AppCluster *cluster, const AppMessage *message) {
    if (strncmp(message->body, CANCEL, strlen(CANCEL)) == 0) {
        app_rpc_cancel_from_node(cluster->def.rpc, message->body + strlen(CANCEL));
        return NULL;
    }
    ProtocolMessage parsed;
    ProtocolError error = {0};
    AppRequest *request = calloc(1, sizeof *request);
    char *reply_to = strdup(message->reply);
    if (!request || !reply_to || !protocol_message_read(&parsed, message->body, message->length, &error)) {
        free(request);
        free(reply_to);
        return NULL;
    }
    const bool is_whole = protocol_message_next(&parsed, &request->request, &error) == PROTOCOL_NEXT_REQUEST;
    protocol_message_finish(&parsed);
    request->rpc = cluster->def.rpc;
    request->reply_to = reply_to;
    const cJSON *first = request->request.object ? request->request.object->child : NULL;
    request->loads_only = first && first->string && strcmp(first->string, "prepare") == 0; // no client's
    if (is_whole) request->method = protocol_find_method(request->request.method, &error);
    if (!is_whole || !request->method) { // another version's
        app_request_destroy(request);
        return NULL;
    }
    free(request->request.id);
    request->request.id = NULL; // the asking node knows it
    const cJSON *owner = cJSON_GetObjectItemCaseSensitive(request->request.object, "owner");
    if (cJSON_IsString(owner)) request->owner = strtoull(owner->valuestring, NULL, 16);
    AppCall call = app_call(request);
    if (!is_allowed(request, message))
        protocol_error_set(&call.error, PROTOCOL_NOT_ALLOWED, "method", "%s is not for other nodes",
                           request->method->name);
    else if (protocol_validate_params(request->method, request->request.params, &call.error))
        return request;
    app_request_complete(request, &call);
    return NULL;
}

void app_forward_serve_here(AppCluster *cluster, AppRequest *request) {
    if (app_rpc_receive_from_node(cluster->def.rpc, request)) return;
    AppCall call = app_call(request);
    protocol_error_set(&call.error, PROTOCOL_NOT_NOW, "method", "node %s has too many requests",
                       cluster->node);
    app_request_complete(request, &call);
}

void app_forward_answer(void *context, const AppRequest *request, const TextBuffer *reply) {
    AppCluster *cluster = context;
    TextBuffer part = {0};
    // A reply whose parts do not all fit is replaced by an error.
    if (!app_mailbox_has_room(&cluster->bridge.out, reply->length)) {
        ProtocolError error;
        protocol_error_set(&error, PROTOCOL_NOT_NOW, "method",
                           "node %s has too many answers to send: ask again", cluster->node);
        text_buffer_append_char(&part, '.');
        protocol_write_error(&part, NULL, &error);
        app_cluster_publish(cluster, request->reply_to, 0, &part);
        text_buffer_finish(&part);
        return;
    }
    for (size_t begin = 0; begin < reply->length; begin += APP_PART_BYTES) {
        const size_t left = reply->length - begin, length = left < APP_PART_BYTES ? left : APP_PART_BYTES;
        text_buffer_clear(&part);
        text_buffer_append_char(&part, length < left ? '+' : '.');
        text_buffer_append(&part, reply->bytes + begin, length);
        app_cluster_publish(cluster, request->reply_to, 0, &part);
    }
    text_buffer_finish(&part);
}

void app_forward_event(AppCluster *cluster, const char *method, const cJSON *params, uint64_t epoch,
                       const NetBuffer *line) {
    if (!is_for_all_nodes(method, params)) return;
    const TextBuffer body = {.bytes = (char *)(uintptr_t)net_buffer_data(line),
                             .length = net_buffer_length(line)};
    app_cluster_publish_event(cluster, epoch, &body);
}

void app_forward_receive_event(AppCluster *cluster, const AppMessage *message) {
    if (strncmp(message->body, GONE, strlen(GONE)) == 0) {
        app_pose_owners_add(cluster->def.pose_owners, strtoull(message->body + strlen(GONE), NULL, 16),
                            cluster->def.ticks->newest);
        return;
    }
    if (app_announce_receive(cluster, message) || app_cluster_pause_receive_halted(cluster, message)) return;
    cJSON *event = read_event(message);
    if (!event) return;
    char node[APP_NODE_BYTES + 1] = "";
    uint64_t epoch;
    app_announce_read_origin(message, node, &epoch);
    app_announce_note_event(cluster, node, epoch, app_json_get_text(event, "method"),
                            cJSON_GetObjectItemCaseSensitive(event, "params"));
    cJSON_Delete(event);
    NetBuffer *line = net_buffer_create_copy(message->body, message->length);
    if (line) app_event_send(cluster->def.sessions, line);
    net_buffer_release(line);
}

void app_forward_end_pose_owner(AppCluster *cluster, uint64_t client) {
    char text[64];
    const int length =
        snprintf(text, sizeof text, GONE "%llx", (unsigned long long)pose_owner(cluster, client));
    app_cluster_publish_event(cluster, 0, &(TextBuffer){.bytes = text, .length = (size_t)length});
}

// The highest bit tells these owners from this server's own connections.
uint64_t app_forward_pose_owner(const char *node, uint64_t process, uint64_t client) {
    uint64_t hash = text_hash(TEXT_HASH_BEGIN, node, strlen(node));
    hash = text_hash(hash, &process, sizeof process);
    return text_hash(hash, &client, sizeof client) | UINT64_C(1) << 63;
}

// Events about characters, and about scripts that their characters cannot go on with. What is set on a fabric
// or on the world takes effect on each node, which has its own event of it.
static bool is_for_all_nodes(const char *method, const cJSON *params) {
    return strncmp(method, "character.", 10) == 0 || strcmp(method, "script.failed") == 0 ||
           strcmp(method, "script.suspended") == 0 ||
           (strcmp(method, "fabric.changed") == 0 && cJSON_HasObjectItem(params, "character"));
}

// Parses an event of another node. NULL: it is not exactly one line with an event that nodes share. Clients
// get the line unchanged.
static cJSON *read_event(const AppMessage *message) {
    const size_t length = message->length;
    if (length == 0 || memchr(message->body, '\n', length) != message->body + length - 1) return NULL;
    ProtocolMessage parsed;
    ProtocolError error;
    if (!protocol_message_read(&parsed, message->body, length - 1, &error)) return NULL;
    protocol_message_finish(&parsed);
    cJSON *event = cJSON_ParseWithLength(message->body, length);
    const char *method = app_json_get_text(event, "method");
    const bool is_event = method && !cJSON_GetObjectItemCaseSensitive(event, "id") &&
                          is_for_all_nodes(method, cJSON_GetObjectItemCaseSensitive(event, "params"));
    if (!is_event) cJSON_Delete(event);
    return is_event ? event : NULL;
}

static void to_owner(AppCluster *cluster, AppCall *call, const char *character, bool passes_on) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, character);
    if (entry && app_directory_is_orphan(&cluster->directory, entry)) {
        fail_orphan(cluster, call); // a node that is frozen may still subscribe to the subject
        return;
    }
    app_bridge_escape(character, key);
    snprintf(subject, sizeof subject, "tweed.%s.character.%s", cluster->name, key);
    send_to(cluster, call, subject, entry ? entry->node : "", true, passes_on);
}

// Imports of scripts, and moves in several steps, have limits of their own.
static bool takes_long(const ProtocolMethod *method, const char *node) {
    const ProtocolMethodId id = protocol_method_id(method);
    return id == PROTOCOL_CLUSTER_DRAIN ||
           (node[0] && (id == PROTOCOL_CLUSTER_MOVE || id == PROTOCOL_CHARACTER_SPAWN));
}

static void send_to(AppCluster *cluster, AppCall *call, const char *subject, const char *node,
                    bool is_of_character, bool passes_on) {
    TextBuffer body = {0};
    const uint64_t number = app_cluster_new_number(cluster);
    write_request(cluster, call, number, &body);
    if (passes_on && !body.failed && body.length > 0) { // in place of the last brace
        body.length--;
        text_buffer_append_string(&body, APP_FORWARD_PASSED_ON);
    }
    struct AppForward *forward = NULL;
    if (!cluster->is_connected) {
        app_cluster_set_unreachable(&call->error);
    } else if (call->request->request.notification) {
        notify(cluster, call, subject, &body);
    } else if (body.failed || !(forward = add(cluster))) {
        app_call_fail_memory(call);
    } else {
        *forward = (struct AppForward){.number = number,
                                       .heard_ns = uv_hrtime(),
                                       .request = call->request,
                                       .may_take_long = takes_long(call->request->method, node),
                                       .is_of_character = is_of_character};
        snprintf(forward->node, sizeof forward->node, "%s", node);
        if (app_cluster_publish(cluster, subject, forward->number, &body)) {
            app_call_defer(call, cancel, cluster);
            cluster->forwarded++;
        } else {
            remove_forward(cluster, forward);
            fail(call, "too many requests to other nodes wait");
        }
    }
    text_buffer_finish(&body);
}

// A notification is answered only by an error.
static void notify(AppCluster *cluster, const AppCall *call, const char *subject, const TextBuffer *body) {
    const uint64_t method = protocol_method_id(call->request->method),
                   number = call->client ? NOTIFICATION | call->client->id << 8 | method : 0;
    if (app_cluster_publish(cluster, subject, number, body)) cluster->forwarded++;
}

// Writes the client's request with "asked" and "owner" in front: its number, and the pose owner that stands
// for the client. A request of another node already has both, and is passed on unchanged.
static void write_request(AppCluster *cluster, const AppCall *call, uint64_t number, TextBuffer *body) {
    TextBuffer object = {0};
    protocol_write_json(&object, call->request->request.object);
    size_t begin = 0;
    if (!call->request->reply_to) {
        char text[128];
        const uint64_t owner = call->client ? pose_owner(cluster, call->client->id) : call->request->owner;
        snprintf(text, sizeof text, APP_FORWARD_ASKED "%s.%llu\",\"owner\":\"%llx\",", cluster->node,
                 (unsigned long long)number, (unsigned long long)owner);
        text_buffer_append_string(body, text);
        begin = 1;
    }
    if (call->client && call->request->method == &protocol_methods[PROTOCOL_CHARACTER_POSE])
        call->client->has_posed = true;
    if (object.length > begin) text_buffer_append(body, object.bytes + begin, object.length - begin);
    body->failed |= object.failed;
    text_buffer_finish(&object);
}

static uint64_t pose_owner(const AppCluster *cluster, uint64_t client) {
    return app_forward_pose_owner(cluster->node, cluster->first_number, client);
}

static void fail(AppCall *call, const char *text) {
    protocol_error_set(&call->error, PROTOCOL_NOT_NOW, "method", "%s", text);
}

static void give_up(AppCluster *cluster, struct AppForward *forward, const char *why) {
    AppCall call = app_call(remove_forward(cluster, forward));
    fail(&call, why);
    app_request_complete(call.request, &call);
}

// Returns NULL when memory runs out.
static struct AppForward *add(AppCluster *cluster) {
    if (!TEXT_ARRAY_EXTEND(cluster->forwards, cluster->forward_count)) return NULL; // few wait at a time
    return &cluster->forwards[cluster->forward_count++];
}

// The client's connection has ended.
static void cancel(void *context, AppRequest *request) {
    AppCluster *cluster = context;
    for (size_t i = 0; i < cluster->forward_count; i++) {
        if (cluster->forwards[i].request != request) continue;
        send_cancel(cluster, &cluster->forwards[i]);
        remove_forward(cluster, &cluster->forwards[i]);
        return;
    }
}

// Without a cancellation the owner would still serve a request that nobody waits for.
static void send_cancel(AppCluster *cluster, const struct AppForward *forward) {
    char subject[APP_SUBJECT_SIZE], text[APP_SUBJECT_SIZE];
    if (!forward->node[0]) return;
    snprintf(subject, sizeof subject, "tweed.%s.node.%s", cluster->name, forward->node);
    const int length = snprintf(text, sizeof text, CANCEL "tweed.%s.reply.%s.%llu", cluster->name,
                                cluster->node, (unsigned long long)forward->number);
    app_cluster_publish(cluster, subject, 0, &(TextBuffer){.bytes = text, .length = (size_t)length});
}

static AppRequest *remove_forward(AppCluster *cluster, struct AppForward *forward) {
    AppRequest *request = forward->request;
    text_buffer_finish(&forward->reply);
    *forward = cluster->forwards[--cluster->forward_count];
    return request;
}

static void complete(AppCluster *cluster, struct AppForward *forward, const AppMessage *message) {
    const bool is_of_character = forward->is_of_character;
    TextBuffer reply = forward->reply;
    forward->reply = (TextBuffer){0};
    AppCall call = app_call(remove_forward(cluster, forward));
    if (message->outcome == APP_MESSAGE_UNAVAILABLE)
        app_cluster_set_unreachable(&call.error);
    else if (message->outcome == APP_MESSAGE_UNSERVED && is_of_character && is_orphan(cluster, &call))
        fail_orphan(cluster, &call);
    else if (message->outcome == APP_MESSAGE_UNSERVED && is_of_character)
        set_not_found(cluster, &call);
    else if (message->outcome == APP_MESSAGE_UNSERVED)
        fail(&call, "the node has left the cluster");
    else if (reply.failed || reply.length == 0)
        app_call_fail_memory(&call);
    call.reply = reply.bytes;
    call.reply_length = reply.length;
    app_request_complete(call.request, &call);
    text_buffer_finish(&reply);
}

static void report_notification(AppCluster *cluster, const AppMessage *message) {
    const uint64_t id = (message->number & ~NOTIFICATION) >> 8;
    const ProtocolMethod *method = &protocol_methods[(message->number & 0xff) % PROTOCOL_METHOD_COUNT];
    AppClient *client = cluster->def.sessions->clients;
    while (client && client->id != id) client = client->next;
    if (!client) return;
    cJSON *reply = message->length > 0 ? cJSON_Parse(message->body + 1) : NULL;
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(reply, "error"),
                *text = cJSON_GetObjectItemCaseSensitive(given, "message");
    ProtocolError error;
    if (!cJSON_IsString(text) && message->outcome == APP_MESSAGE_UNAVAILABLE)
        app_cluster_set_unreachable(&error);
    else
        protocol_error_set(&error, PROTOCOL_NOT_NOW, NULL, "%s",
                           cJSON_IsString(text) ? text->valuestring : "no node has that character");
    app_event_notification_failed(client, method, &error);
    cJSON_Delete(reply);
}

static bool is_orphan(const AppCluster *cluster, const AppCall *call) {
    const char *name = protocol_param_string(call->params, "character");
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, name);
    const bool is_removed = entry && strcmp(entry->node, cluster->node) == 0 &&
                            !app_claims_find(cluster, name); // from here: its entry goes in a moment
    return entry && !is_removed;
}

// The entry says where the character is. Its node may be well, but not receive the character's requests yet,
// or no longer.
static void fail_orphan(const AppCluster *cluster, AppCall *call) {
    const AppDirectoryCharacter *entry =
        app_directory_find(&cluster->directory, protocol_param_string(call->params, "character"));
    const bool waits = entry->orphaned_ns > 0 && uv_hrtime() > entry->orphaned_ns + TAKEN_OVER_NS;
    const char *orphaned =
        entry->node[0] && !waits ? ORPHANED : "no node can take the character over at present";
    fail(call, app_directory_is_orphan(&cluster->directory, entry) ? orphaned : BETWEEN);
}

// -32001 with the nearest name of all characters of the cluster.
static void set_not_found(AppCluster *cluster, AppCall *call) {
    size_t count = 0;
    AppDirectoryCharacter **entries = app_directory_list(&cluster->directory, &count);
    TextNearest nearest = text_nearest_to(protocol_param_string(call->params, "character"));
    for (size_t i = 0; i < count; i++) text_nearest_offer(&nearest, entries[i]->name);
    protocol_error_not_found(&call->error, "params.character", "character", &nearest);
    free(entries);
}

// On a character's subject only requests about that character are allowed, on a node's subject only those
// that another node is asked to serve.
static bool is_allowed(const AppRequest *request, const AppMessage *message) {
    const ProtocolMethodId method = protocol_method_id(request->method);
    if (message->name[0] == '\0')
        return method == PROTOCOL_CHARACTER_SPAWN || method == PROTOCOL_CHARACTER_LIST ||
               method == PROTOCOL_CLUSTER_DRAIN;
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(request->request.params, "character");
    return cJSON_IsString(name) && strcmp(name->valuestring, message->name) == 0;
}
