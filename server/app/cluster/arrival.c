// The new owner's part of a move.
#include "cluster/arrival.h"

#include "characters/transfer.h"
#include "cluster/forward.h"
#include "cluster/node/claims.h"
#include "cluster/node/publish.h"
#include "cluster/place.h"
#include "session/events.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATEST_NS   UINT64_C(3000000000) // from the first message to the end
#define BEHIND_NS   UINT64_C(500000000)  // that a node that is behind the old owner waits at most
#define MOST_LATE_S 0.5                  // from the old owner's tick to the first message
#define MOST_BYTES  ((size_t)48 << 20)   // of a state
#define MOST_ASKED  1024                 // requests that wait; those beyond are left out

typedef enum Phase {
    RECEIVING,
    CLAIMING, // the bridge has been asked for the name
    CLAIMED,
    HERE,   // the old owner still forwards requests that it has received
    YIELDED // the requests that arrived during the move have been served
} Phase;

struct AppArrival {
    AppArrival *next;
    char name[TEXT_NAME_BYTES + 1];
    char from[APP_NODE_BYTES + 1];
    char reply[APP_SUBJECT_SIZE];
    uint64_t process; // of the old owner, see app_forward_pose_owner
    uint64_t epoch;   // that the old owner has it with
    char script[SCRIPT_NAME_SIZE];
    size_t size;   // of the whole state
    uint64_t tick; // after which it was taken
    TextBuffer state;
    Phase phase;
    uint64_t since_ns;
    AppMessage *asked, **last_asked; // requests for the character on its way, in order
    AppMessage **passed_on;          // behind the last one that the old owner has passed on
    size_t asked_count;
    AppRequestList held; // of this node's clients, until the others have been served
};

static void begin(AppCluster *cluster, const AppMessage *message, const char *line, const char *end);
static void receive_request(AppCluster *cluster, AppArrival *arrival, const AppMessage *message);
static bool is_passed_on(const AppMessage *message);
static void take_out(AppArrival *arrival, AppMessage **place);
static void put_in(AppArrival *arrival, AppMessage *asked);
static bool is_same_request(const AppMessage *a, const AppMessage *b);
static void serve_asked(AppCluster *cluster, AppArrival *arrival);
static void add_part(AppCluster *cluster, AppArrival *arrival, const char *bytes, size_t size);
static AppArrival *find(const AppCluster *cluster, const char *name);
static void claim_name(AppCluster *cluster, AppArrival *arrival);
static void claim_again(AppCluster *cluster, AppArrival *arrival);
static double seconds_behind(const AppCluster *cluster, const AppArrival *arrival);
static void create(AppCluster *cluster, AppArrival *arrival);
static AppCharacter *create_character(AppCluster *cluster, const AppArrival *arrival, ScriptError *out_error);
static uint64_t most_late(const AppCluster *cluster, const AppArrival *arrival);
static uint64_t map_owner(void *context, uint64_t owner);
static void give_back(AppCluster *cluster, AppArrival *arrival, ScriptError *error);
static void answer(AppCluster *cluster, const AppArrival *arrival, uint64_t epoch, const char *error);
static void remove_arrival(AppCluster *cluster, AppArrival *arrival);

bool app_arrivals_receive(AppCluster *cluster, const AppMessage *message) {
    const char *body = message->body, *end = memchr(body, '\n', message->length);
    if (message->name[0] != '\0') { // of a character
        AppArrival *arrival = find(cluster, message->name);
        if (arrival) receive_request(cluster, arrival, message);
        return arrival || strcmp(body, APP_MOVE_YIELDED) == 0;
    }
    char name[TEXT_NAME_BYTES + 1] = "";
    if (strncmp(body, APP_MOVE_FIRST, strlen(APP_MOVE_FIRST)) == 0 && end) {
        begin(cluster, message, body + strlen(APP_MOVE_FIRST), end);
    } else if (strncmp(body, APP_MOVE_NEXT, strlen(APP_MOVE_NEXT)) == 0 && end) {
        const char *first = body + strlen(APP_MOVE_NEXT);
        snprintf(name, sizeof name, "%.*s", (int)(end - first), first);
        AppArrival *arrival = find(cluster, name);
        if (arrival && arrival->phase == RECEIVING)
            add_part(cluster, arrival, end + 1, message->length - (size_t)(end + 1 - body));
    } else {
        return false;
    }
    return true;
}

void app_arrivals_claimed(AppCluster *cluster, AppClaim *claim, const AppMessage *message) {
    AppArrival *arrival = claim->arrival;
    if (message->outcome == APP_MESSAGE_UNAVAILABLE) { // it may be stored: app_arrivals_update asks again
        claim->state = APP_CLAIM_DUE;
        return;
    }
    if (message->outcome != APP_MESSAGE_DONE) {
        claim->revision = 0;
        app_claims_release(cluster, claim);
        answer(cluster, arrival, 0, "its name could not be taken over");
        remove_arrival(cluster, arrival);
        return;
    }
    app_claims_set_owned(cluster, claim, message->revision);
    arrival->phase = CLAIMED;
    if (app_ticks_may_write(cluster->def.ticks)) create(cluster, arrival);
}

void app_arrivals_update(AppCluster *cluster, uint64_t now_ns) {
    AppArrival *next;
    for (AppArrival *arrival = cluster->arrivals; arrival; arrival = next) {
        next = arrival->next;
        const bool is_late = now_ns > arrival->since_ns + LATEST_NS,
                   is_left =
                       !cluster->is_connected || !app_directory_find_node(&cluster->directory, arrival->from);
        if (arrival->phase == CLAIMING)
            claim_again(cluster, arrival);
        else if (arrival->phase == CLAIMED)
            create(cluster, arrival);
        else if (arrival->phase == HERE && (is_late || is_left))
            serve_asked(cluster, arrival);
        else if (is_late)
            remove_arrival(cluster, arrival);
    }
}

bool app_arrivals_is_waiting(const AppCluster *cluster, const char *character) {
    const AppArrival *arrival = find(cluster, character);
    return arrival && arrival->phase == HERE;
}

bool app_arrivals_defer(AppCluster *cluster, AppCall *call, const char *character) {
    if (!app_arrivals_is_waiting(cluster, character)) return false;
    AppArrival *arrival = find(cluster, character);
    app_request_list_append(&arrival->held, app_call_defer(call, app_request_list_cancel, &arrival->held));
    return true;
}

void app_arrivals_finish(AppCluster *cluster) {
    while (cluster->arrivals) remove_arrival(cluster, cluster->arrivals);
}

static void begin(AppCluster *cluster, const AppMessage *message, const char *line, const char *end) {
    cJSON *header = cJSON_ParseWithLength(line, (size_t)(end - line));
    const char *name = app_json_get_text(header, "character"), *from = app_json_get_text(header, "from"),
               *process = app_json_get_text(header, "process");
    const double size = app_json_get_number(header, "bytes", 0),
                 epoch = app_json_get_number(header, "epoch", 0);
    AppArrival *arrival =
        name && from && process && size > 0 && epoch > 0 ? calloc(1, sizeof *arrival) : NULL;
    if (arrival) {
        AppArrival *before = find(cluster, name);
        if (before && before->phase == HERE) serve_asked(cluster, before);
        if (before && before->phase == YIELDED) remove_arrival(cluster, before);
        snprintf(arrival->name, sizeof arrival->name, "%s", name);
        snprintf(arrival->from, sizeof arrival->from, "%s", from);
        snprintf(arrival->reply, sizeof arrival->reply, "%s", message->reply);
        arrival->process = strtoull(process, NULL, 16);
        arrival->epoch = (uint64_t)epoch;
        arrival->since_ns = uv_hrtime();
        arrival->last_asked = arrival->passed_on = &arrival->asked;
        arrival->next = cluster->arrivals;
        cluster->arrivals = arrival;
        arrival->size = size < (double)MOST_BYTES ? (size_t)size : 0;
        add_part(cluster, arrival, end + 1, message->length - (size_t)(end + 1 - message->body));
    }
    cJSON_Delete(header);
}

// The old owner may have got the request, too, and pass it on: then it takes the answer.
static void receive_request(AppCluster *cluster, AppArrival *arrival, const AppMessage *message) {
    if (strcmp(message->body, APP_MOVE_YIELDED) == 0) {
        if (arrival->phase == HERE) serve_asked(cluster, arrival);
        return;
    }
    AppMessage **same = &arrival->asked;
    while (*same && !is_same_request(*same, message)) same = &(*same)->next;
    if (*same && (arrival->phase == YIELDED || !is_passed_on(message))) return;
    if (*same)
        take_out(arrival, same);
    else if (arrival->phase == YIELDED)
        app_place_serve(cluster, message);
    if (arrival->phase == YIELDED || arrival->asked_count == MOST_ASKED) return;
    AppMessage *copy = app_message_copy(message);
    if (copy) put_in(arrival, copy);
}

static bool is_passed_on(const AppMessage *message) {
    const size_t length = strlen(APP_FORWARD_PASSED_ON);
    return message->length > length &&
           memcmp(message->body + message->length - length, APP_FORWARD_PASSED_ON, length) == 0;
}

static void take_out(AppArrival *arrival, AppMessage **place) {
    AppMessage *asked = *place;
    *place = asked->next;
    if (arrival->last_asked == &asked->next) arrival->last_asked = place;
    if (arrival->passed_on == &asked->next) arrival->passed_on = place;
    free(asked);
    arrival->asked_count--;
}

// What the old owner passes on comes first, in its order: it has received all that was asked before this node
// was asked, too.
static void put_in(AppArrival *arrival, AppMessage *asked) {
    AppMessage **place = is_passed_on(asked) ? arrival->passed_on : arrival->last_asked;
    asked->next = *place;
    *place = asked;
    if (arrival->last_asked == place) arrival->last_asked = &asked->next;
    if (is_passed_on(asked)) arrival->passed_on = &asked->next;
    arrival->asked_count++;
}

// By the first member, APP_FORWARD_ASKED.
static bool is_same_request(const AppMessage *a, const AppMessage *b) {
    const char *end = strchr(a->body, ',');
    return end && strncmp(a->body, b->body, (size_t)(end + 1 - a->body)) == 0;
}

// They are kept: another copy of one may still be on its way.
static void serve_asked(AppCluster *cluster, AppArrival *arrival) {
    arrival->phase = YIELDED;
    arrival->since_ns = uv_hrtime();
    for (const AppMessage *asked = arrival->asked; asked; asked = asked->next)
        app_place_serve(cluster, asked);
    app_request_list_serve_here(&arrival->held);
}

static void add_part(AppCluster *cluster, AppArrival *arrival, const char *bytes, size_t size) {
    text_buffer_append(&arrival->state, bytes, size);
    if (arrival->state.length == arrival->size && !arrival->state.failed) {
        claim_name(cluster, arrival);
    } else if (arrival->state.length > arrival->size || arrival->state.failed) {
        answer(cluster, arrival, 0, "its state is too large");
        remove_arrival(cluster, arrival);
    }
}

static AppArrival *find(const AppCluster *cluster, const char *name) {
    AppArrival *arrival = cluster->arrivals;
    while (arrival && strcmp(arrival->name, name) != 0) arrival = arrival->next;
    return arrival;
}

// What can be checked is checked before the name changes hands.
static void claim_name(AppCluster *cluster, AppArrival *arrival) {
    AppTransfer transfer;
    ScriptError error = {0};
    bool is_good = app_transfer_read(&transfer, arrival->state.bytes, arrival->state.length, &error) &&
                   app_transfer_check(cluster->def.characters, &transfer, &error);
    if (is_good && app_claims_find(cluster, arrival->name)) {
        script_error_set(&error, "the node has a claim on its name");
        is_good = false;
    } else if (is_good && cluster->drain.is_on) {
        script_error_set(&error, "node %s is drained", cluster->node);
        is_good = false;
    }
    AppClaim *claim = is_good ? app_claims_create_from(cluster, arrival->name, app_transfer_script(&transfer),
                                                       arrival->from, arrival->epoch)
                              : NULL;
    if (claim && claim->state == APP_CLAIM_REQUESTED) {
        claim->arrival = arrival;
        arrival->phase = CLAIMING;
        arrival->tick = transfer.tick;
        snprintf(arrival->script, sizeof arrival->script, "%s", app_transfer_script(&transfer));
    } else {
        if (claim) app_claims_release(cluster, claim);
        answer(cluster, arrival, 0, error.message ? error.message : "too many requests to the broker wait");
        remove_arrival(cluster, arrival);
    }
    script_error_finish(&error);
    app_transfer_finish(&transfer);
}

// The broker did not answer: the character is this node's only if it says so.
static void claim_again(AppCluster *cluster, AppArrival *arrival) {
    AppClaim *claim = app_claims_find(cluster, arrival->name);
    if (claim->state == APP_CLAIM_REQUESTED || !cluster->is_connected) return;
    claim->replaces = arrival->epoch;
    app_claims_request(cluster, claim, arrival->script);
}

static double seconds_behind(const AppCluster *cluster, const AppArrival *arrival) {
    const double ticks = (double)arrival->tick - (double)sim_world_tick(cluster->def.characters->world);
    return ticks / cluster->def.ticks->rate;
}

// A node that is behind the old owner waits until it is at the same tick. Of one that is far behind, clients
// would get frames of ticks that they have seen.
static void create(AppCluster *cluster, AppArrival *arrival) {
    const double behind = seconds_behind(cluster, arrival);
    if (behind > 0.0 && uv_hrtime() < arrival->since_ns + BEHIND_NS) return;
    AppClaim *claim = app_claims_find(cluster, arrival->name);
    ScriptError error = {0};
    AppCharacter *character = NULL;
    if (claim->state == APP_CLAIM_LOST) {
        claim->revision = 0; // the old owner has lost it, too
        script_error_set(&error, "another node has its name");
    } else if (behind > APP_REPEATED_S) {
        script_error_set(&error, "it is %.1f s behind the cluster's ticks", behind);
    } else {
        character = create_character(cluster, arrival, &error);
    }
    if (!character) {
        give_back(cluster, arrival, &error);
        return;
    }
    claim->arrival = NULL;
    arrival->phase = HERE;
    arrival->since_ns = uv_hrtime();
    text_buffer_finish(&arrival->state);
    sim_character_map_pose_owners(cluster->def.characters->world, character->id, map_owner, arrival);
    app_streams_take_over(cluster->def.rpc->streams, character->slot);
    app_event_moved(cluster->def.sessions, character->name, arrival->from, cluster->node);
    answer(cluster, arrival, claim->revision, NULL);
    app_log(cluster->def.log, TEXT_LOG_INFO, "%s goes on here, from node %s", arrival->name, arrival->from);
}

// NULL, with the reason.
static AppCharacter *create_character(AppCluster *cluster, const AppArrival *arrival,
                                      ScriptError *out_error) {
    AppCharacters *characters = cluster->def.characters;
    AppRpc *rpc = cluster->def.rpc;
    const AppRequest *last = rpc->of_scripts.last;
    AppTransfer transfer;
    AppCharacter *character = NULL;
    script_name_table_remove(&characters->names, arrival->name);
    if (app_transfer_read(&transfer, arrival->state.bytes, arrival->state.length, out_error))
        character =
            app_transfer_create(characters, &transfer, arrival->name, most_late(cluster, arrival), out_error);
    app_script_requests_drop_after(rpc, last); // the old owner's script has asked for that
    app_transfer_finish(&transfer);
    if (!character) script_name_table_put(&characters->names, arrival->name, NULL);
    return character;
}

// The ticks that the way has taken, and some for the broker.
static uint64_t most_late(const AppCluster *cluster, const AppArrival *arrival) {
    const double seconds = (double)(uv_hrtime() - arrival->since_ns) * 1e-9 + MOST_LATE_S;
    return (uint64_t)(seconds * cluster->def.ticks->rate);
}

// A connection of the old owner's is another one here.
static uint64_t map_owner(void *context, uint64_t owner) {
    const AppArrival *arrival = context;
    return owner >> 63 ? owner : app_forward_pose_owner(arrival->from, arrival->process, owner);
}

// The name is the old owner's again, also where it waits for no answer any more.
static void give_back(AppCluster *cluster, AppArrival *arrival, ScriptError *error) {
    AppClaim *claim = app_claims_find(cluster, arrival->name);
    const uint64_t epoch = claim->revision;
    if (epoch > 0)
        app_claims_leave_to(cluster, claim, arrival->from, arrival->script);
    else
        app_claims_release(cluster, claim);
    answer(cluster, arrival, epoch, error->message ? error->message : "out of memory");
    remove_arrival(cluster, arrival);
    script_error_finish(error);
}

// epoch: of this node, 0: it has none. error: NULL where the character is here.
static void answer(AppCluster *cluster, const AppArrival *arrival, uint64_t epoch, const char *error) {
    TextBuffer text = {0};
    AppJson json = {0};
    cJSON *reply = app_json_root_object(&json);
    app_json_integer(&json, reply, "epoch", epoch);
    app_json_integer(&json, reply, "tick", cluster->def.ticks->newest);
    if (error) {
        char message[512];
        snprintf(message, sizeof message, "%s has stayed: node %s: %.300s", arrival->name, cluster->node,
                 error);
        app_json_string(&json, app_json_object(&json, reply, "error"), "message", message);
    }
    if (!json.failed) protocol_write_json(&text, reply);
    app_cluster_publish(cluster, arrival->reply, 0, &text);
    text_buffer_finish(&text);
    cJSON_Delete(reply);
}

static void remove_arrival(AppCluster *cluster, AppArrival *arrival) {
    AppArrival **place = &cluster->arrivals;
    while (*place != arrival) place = &(*place)->next;
    *place = arrival->next;
    while (arrival->asked) {
        AppMessage *asked = arrival->asked;
        arrival->asked = asked->next;
        free(asked);
    }
    app_request_list_drop(&arrival->held);
    text_buffer_finish(&arrival->state);
    free(arrival);
}
