// The old owner's part of a move.
#include "cluster/move.h"

#include "characters/transfer.h"
#include "cluster/entries.h"
#include "cluster/feeds.h"
#include "cluster/forward.h"
#include "cluster/node/claims.h"
#include "cluster/node/publish.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_NS UINT64_C(9000000000) // for the other node to load the script
#define TAKE_NS UINT64_C(2000000000) // and to take the state over

typedef enum Phase {
    PREPARING,   // the other node loads the script
    READY,       // the state is to be sent
    HANDED_OVER, // until the other node confirms that it has the character
    TAKEN,       // the other node has it: the character is to be dropped here
    YIELDING     // until no request for it can come here any more
} Phase;

struct AppMove {
    AppMove *next;
    char name[TEXT_NAME_BYTES + 1];
    char node[APP_NODE_BYTES + 1];
    Phase phase;
    uint64_t number; // of the answer that is awaited
    uint64_t since_ns;
    uint64_t epoch, tick; // from TAKEN on: of the other node
    AppRequestList held;  // requests for the character
    AppMoveDone *done;
    void *context; // NULL: `done` is not called
};

static void on_requested(void *context, const char *character, const ProtocolError *error, uint64_t tick);
static void on_client_gone(void *context, AppRequest *request);
static bool check_node(const AppCluster *cluster, const char *node, ProtocolError *out_error);
static bool ask_to_prepare(AppCluster *cluster, AppMove *move, const char *script);
static AppMove *find(const AppCluster *cluster, const char *character);
static void on_prepared(AppCluster *cluster, AppMove *move, const AppMessage *message);
static bool read_error(const AppMessage *message, const cJSON *reply, ProtocolError *out_error);
static void hand_over(AppCluster *cluster, AppMove *move);
static bool send_state(AppCluster *cluster, AppMove *move, const AppClaim *claim, const TextBuffer *state);
static void on_taken(AppCluster *cluster, AppMove *move, const AppMessage *message);
static void drop_character(AppCluster *cluster, AppMove *move);
static void take_back(AppCluster *cluster, AppMove *move, uint64_t epoch);
static void stay(AppCluster *cluster, AppMove *move, const ProtocolError *error);
static void end(AppCluster *cluster, AppMove *move, const ProtocolError *error, uint64_t tick);

void app_moves_request(AppCluster *cluster, AppCall *call) {
    const char *character = protocol_param_string(call->params, "character"),
               *node = protocol_param_string(call->params, "node");
    if (strcmp(node, cluster->node) == 0) return; // it is there
    if (app_moves_begin(cluster, character, node, on_requested, call->request, &call->error))
        app_call_defer(call, on_client_gone, cluster);
}

bool app_moves_begin(AppCluster *cluster, const char *character, const char *node, AppMoveDone *done,
                     void *context, ProtocolError *out_error) {
    AppClaim *claim = app_claims_find(cluster, character);
    const AppCharacter *here = app_characters_find(cluster->def.characters, character);
    if (!check_node(cluster, node, out_error)) return false;
    if (!here || !claim || claim->state != APP_CLAIM_OWNED || claim->spawn || claim->move) {
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params.character",
                           claim && claim->move ? "%s is on its way to another node already"
                                                : "%s is not this node's yet: ask again",
                           character);
        return false;
    }
    AppMove *move = calloc(1, sizeof *move);
    if (move) snprintf(move->name, sizeof move->name, "%s", character);
    if (move) snprintf(move->node, sizeof move->node, "%s", node);
    if (!move || !ask_to_prepare(cluster, move, app_character_script(here)->script)) {
        free(move);
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "method", "too many requests to other nodes wait");
        return false;
    }
    move->done = done;
    move->context = context;
    move->next = cluster->moves;
    cluster->moves = move;
    claim->move = move;
    return true;
}

bool app_moves_is_handing_over(const AppCluster *cluster, const char *character) {
    const AppMove *move = cluster->moves ? find(cluster, character) : NULL;
    return move && move->phase >= HANDED_OVER;
}

bool app_moves_defer(AppCluster *cluster, AppCall *call, const char *character) {
    if (!app_moves_is_handing_over(cluster, character)) return false;
    AppMove *move = find(cluster, character);
    app_request_list_append(&move->held, app_call_defer(call, app_request_list_cancel, &move->held));
    return true;
}

bool app_moves_reply(AppCluster *cluster, const AppMessage *message) {
    AppMove *move = cluster->moves;
    while (move && move->number != message->number) move = move->next;
    if (!move) return false;
    if (move->phase == PREPARING)
        on_prepared(cluster, move, message);
    else if (move->phase == HANDED_OVER)
        on_taken(cluster, move, message);
    return true;
}

void app_moves_note_yielded(AppCluster *cluster, const char *character) {
    AppMove *move = find(cluster, character);
    if (move && move->phase == YIELDING) end(cluster, move, NULL, move->tick);
}

// Of a character that has been handed over the other node may have the name: that is asked later.
void app_moves_note_disconnected(AppCluster *cluster) {
    AppMove *next;
    for (AppMove *move = cluster->moves; move; move = next) {
        next = move->next;
        if (move->phase != PREPARING && move->phase != READY) continue;
        ProtocolError error;
        protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.node",
                           "the broker of the cluster went away: %s has stayed", move->name);
        stay(cluster, move, &error);
    }
}

void app_moves_update(AppCluster *cluster, uint64_t now_ns) {
    AppMove *next;
    for (AppMove *move = cluster->moves; move; move = next) {
        next = move->next;
        if (move->phase >= TAKEN) {
            if (move->phase == TAKEN)
                drop_character(cluster, move);
            else if (now_ns > move->since_ns + TAKE_NS)
                end(cluster, move, NULL, move->tick);
            continue;
        }
        const bool is_there = app_directory_find_node(&cluster->directory, move->node) != NULL;
        const uint64_t most_ns = move->phase == PREPARING ? LOAD_NS : TAKE_NS;
        ProtocolError error;
        protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.node",
                           is_there ? "node %s does not answer: %s has stayed"
                                    : "node %s has gone: %s has stayed",
                           move->node, move->name);
        if (is_there && now_ns < move->since_ns + most_ns) {
            if (move->phase == READY) hand_over(cluster, move);
        } else {
            if (move->phase == HANDED_OVER) take_back(cluster, move, 0);
            stay(cluster, move, &error);
        }
    }
}

void app_moves_finish(AppCluster *cluster) {
    while (cluster->moves) {
        AppMove *move = cluster->moves;
        cluster->moves = move->next;
        app_request_list_drop(&move->held);
        free(move);
    }
}

static void on_requested(void *context, const char *character, const ProtocolError *error, uint64_t tick) {
    AppCall call = app_call(context);
    (void)character;
    if (error)
        call.error = *error;
    else
        call.tick = tick;
    app_request_complete(context, &call);
}

static void on_client_gone(void *context, AppRequest *request) {
    for (AppMove *move = ((AppCluster *)context)->moves; move; move = move->next)
        if (move->context == request) move->context = NULL;
}

static bool check_node(const AppCluster *cluster, const char *node, ProtocolError *out_error) {
    const AppDirectory *directory = &cluster->directory;
    const AppDirectoryNode *member = app_directory_find_node(directory, node);
    if (!cluster->is_connected)
        app_cluster_set_unreachable(out_error);
    else if (member && app_directory_node_is_drained(member))
        app_directory_set_drained(node, out_error);
    else if (member)
        return true;
    else
        app_directory_set_unknown(directory, node, out_error);
    return false;
}

// As a request for character.spawn that stops before the character is created.
static bool ask_to_prepare(AppCluster *cluster, AppMove *move, const char *script) {
    char subject[APP_SUBJECT_SIZE];
    TextBuffer body = {0};
    text_buffer_append_string(&body, "{\"prepare\":true,\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"character."
                                     "spawn\",\"params\":{\"script\":");
    text_buffer_append_quoted(&body, script);
    text_buffer_append_string(&body, "}}");
    snprintf(subject, sizeof subject, "tweed.%s.node.%s", cluster->name, move->node);
    move->number = app_cluster_new_number(cluster);
    move->since_ns = uv_hrtime();
    const bool is_sent = app_cluster_publish(cluster, subject, move->number, &body);
    text_buffer_finish(&body);
    return is_sent;
}

static AppMove *find(const AppCluster *cluster, const char *character) {
    AppMove *move = cluster->moves;
    while (move && strcmp(move->name, character) != 0) move = move->next;
    return move;
}

static void on_prepared(AppCluster *cluster, AppMove *move, const AppMessage *message) {
    cJSON *reply = message->length > 0 ? cJSON_Parse(message->body + 1) : NULL;
    ProtocolError error = {0};
    if (read_error(message, reply, &error)) {
        ProtocolError refused;
        protocol_error_set(&refused, PROTOCOL_NOT_NOW, "params.node", "%s has stayed: node %s: %.400s",
                           move->name, move->node, error.message);
        stay(cluster, move, &refused);
    } else {
        move->phase = READY;
        move->since_ns = uv_hrtime();
        if (app_ticks_may_write(cluster->def.ticks)) hand_over(cluster, move);
    }
    cJSON_Delete(reply);
}

// False: there is none.
static bool read_error(const AppMessage *message, const cJSON *reply, ProtocolError *out_error) {
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(reply, "error"),
                *code = cJSON_GetObjectItemCaseSensitive(error, "code"),
                *text = cJSON_GetObjectItemCaseSensitive(error, "message");
    if (message->outcome == APP_MESSAGE_UNSERVED)
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params.node", "the node has left the cluster");
    else if (message->outcome == APP_MESSAGE_UNAVAILABLE)
        app_cluster_set_unreachable(out_error);
    else if (!reply || (error && !cJSON_IsString(text)))
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params.node", "the node's answer is malformed");
    else if (error)
        protocol_error_set(out_error, cJSON_IsNumber(code) ? code->valueint : PROTOCOL_NOT_NOW, "params.node",
                           "%.400s", text->valuestring);
    else
        return false;
    return true;
}

// Call between ticks. Earlier requests have been served; those that wait go to the other node.
static void hand_over(AppCluster *cluster, AppMove *move) {
    AppCharacters *characters = cluster->def.characters;
    const AppCharacter *character = app_characters_find(characters, move->name);
    const AppClaim *claim = app_claims_find(cluster, move->name);
    TextBuffer state = {0};
    ProtocolError error;
    ScriptError reason = {0};
    if (!character || !claim || claim->move != move) { // there may be a new one of that name
        protocol_error_set(&error, PROTOCOL_NOT_FOUND, "params.character", "%s has been removed", move->name);
        stay(cluster, move, &error);
    } else if (app_transfer_write(characters, character, &state, &reason) &&
               send_state(cluster, move, claim, &state)) {
        move->phase = HANDED_OVER;
        move->since_ns = uv_hrtime();
    } else {
        protocol_error_set(&error, PROTOCOL_NOT_NOW, "params.character", "%s has stayed: %.400s", move->name,
                           reason.message ? reason.message : "the queue to the broker is full");
        stay(cluster, move, &error);
    }
    script_error_finish(&reason);
    text_buffer_finish(&state);
}

// Sends the state in parts. The first one begins with a header.
static bool send_state(AppCluster *cluster, AppMove *move, const AppClaim *claim, const TextBuffer *state) {
    char subject[APP_SUBJECT_SIZE];
    TextBuffer part = {0};
    AppJson json = {0};
    cJSON *header = app_json_root_object(&json);
    app_json_string(&json, header, "character", move->name);
    app_json_string(&json, header, "from", cluster->node);
    app_json_integer(&json, header, "epoch", claim->revision);
    app_json_integer(&json, header, "bytes", state->length);
    app_json_string(&json, header, "process", cluster->process);
    snprintf(subject, sizeof subject, "tweed.%s.node.%s", cluster->name, move->node);
    bool is_sent = !json.failed && app_mailbox_has_room(&cluster->bridge.out, state->length);
    for (size_t begin = 0; begin < state->length && is_sent; begin += APP_PART_BYTES) {
        const size_t left = state->length - begin, length = left < APP_PART_BYTES ? left : APP_PART_BYTES;
        text_buffer_clear(&part);
        text_buffer_append_string(&part, begin == 0 ? APP_MOVE_FIRST : APP_MOVE_NEXT);
        if (begin == 0)
            protocol_write_json(&part, header);
        else
            text_buffer_append_string(&part, move->name);
        text_buffer_append_char(&part, '\n');
        text_buffer_append(&part, state->bytes + begin, length);
        if (begin == 0) move->number = app_cluster_new_number(cluster);
        is_sent = app_cluster_publish(cluster, subject, begin == 0 ? move->number : 0, &part);
    }
    text_buffer_finish(&part);
    cJSON_Delete(header);
    return is_sent;
}

static void on_taken(AppCluster *cluster, AppMove *move, const AppMessage *message) {
    cJSON *reply = message->length > 0 ? cJSON_ParseWithLength(message->body, message->length) : NULL;
    const uint64_t epoch = app_json_get_integer(reply, "epoch");
    ProtocolError error = {0};
    if (read_error(message, reply, &error)) {
        if (epoch > 0) take_back(cluster, move, epoch);
        stay(cluster, move, &error);
    } else {
        move->phase = TAKEN;
        move->epoch = epoch;
        move->tick = app_json_get_integer(reply, "tick");
        if (app_ticks_may_write(cluster->def.ticks)) drop_character(cluster, move);
    }
    cJSON_Delete(reply);
}

// Call between ticks, when the other node has the character. Requests that wait go there once no more of them
// can arrive here.
static void drop_character(AppCluster *cluster, AppMove *move) {
    AppClaim *claim = app_claims_find(cluster, move->name);
    AppCharacter *character = app_characters_find(cluster->def.characters, move->name);
    if (claim && claim->move != move) claim = NULL, character = NULL; // of a new one of that name
    char script[SCRIPT_NAME_SIZE] = "";
    if (character) snprintf(script, sizeof script, "%s", app_character_script(character)->script);
    if (claim) {
        claim->revision = 0; // nothing to give back
        app_claims_release(cluster, claim);
    }
    move->phase = YIELDING;
    move->since_ns = uv_hrtime();
    if (!character) return;
    cluster->def.hand_over(cluster->def.context, character);
    app_entries_put(cluster, move->name, move->node, script, cluster->node, move->epoch);
    app_feeds_note_gone(cluster, move->name, move->node);
    app_log(cluster->def.log, TEXT_LOG_INFO, "%s goes on at node %s", move->name, move->node);
}

// Goes to the subject of the character's requests, so that it arrives after the last of them.
static void send_yielded(AppCluster *cluster, const char *character) {
    char key[APP_SUBJECT_SIZE], subject[APP_SUBJECT_SIZE + 64];
    const TextBuffer body = {.bytes = (char[]){APP_MOVE_YIELDED}, .length = strlen(APP_MOVE_YIELDED)};
    app_bridge_escape(character, key);
    snprintf(subject, sizeof subject, "tweed.%s.character.%s", cluster->name, key);
    app_cluster_publish(cluster, subject, 0, &body);
}

// The other node may have the name by now: it is this one's again only if the broker says so. epoch: that the
// other node gives back; 0: it has not said anything.
static void take_back(AppCluster *cluster, AppMove *move, uint64_t epoch) {
    AppClaim *claim = app_claims_find(cluster, move->name);
    const AppCharacter *character = app_characters_find(cluster->def.characters, move->name);
    if (!claim || !character || claim->move != move) return;
    claim->replaces = epoch;
    app_claims_request(cluster, claim, app_character_script(character)->script);
}

// Serves the requests that have waited, in order.
static void stay(AppCluster *cluster, AppMove *move, const ProtocolError *error) {
    app_request_list_serve_here(&move->held);
    end(cluster, move, error, 0);
}

static void end(AppCluster *cluster, AppMove *move, const ProtocolError *error, uint64_t tick) {
    if (error) app_log(cluster->def.log, TEXT_LOG_INFO, "%s", error->message);
    AppMove **place = &cluster->moves;
    while (*place != move) place = &(*place)->next;
    *place = move->next;
    AppClaim *claim = app_claims_find(cluster, move->name);
    if (claim && claim->move == move) claim->move = NULL;
    while (move->held.first) {
        AppRequest *request = move->held.first;
        app_request_list_remove(&move->held, request);
        AppCall call = app_call(request);
        app_forward_pass_on(cluster, &call, move->name);
        if (!call.deferred) app_request_complete(request, &call);
    }
    if (move->phase == YIELDING) send_yielded(cluster, move->name);
    if (move->context) move->done(move->context, move->name, error, tick);
    free(move);
}
