// Connections to other nodes' TCP ports.
#include "cluster/feeds.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_NS   UINT64_C(500000000)
#define MISSING_NS UINT64_C(3000000000) // a node that dies is in the directory for a shorter time
#define SILENT_NS  UINT64_C(9000000000) // without a word of why; busy machines answer late
#define MOST_EARLY 256
#define EARLY_NS   UINT64_C(2000000000) // older ones are of an earlier time that the node had the character
#define ASK_NS     UINT64_C(2000000000) // from one request for missing static data to the next

// The ids of a feed's requests.
typedef enum RequestId { GREETING, IDENTITY, SUBSCRIPTION } RequestId;

// The newest lines of a character that is not known to be that node's: its entry may be on the way.
typedef struct Early {
    struct Early *next;
    char name[TEXT_NAME_BYTES + 1];
    NetBuffer *lines[2]; // static data and frame; NULL: none
    uint64_t kept_ns;    // when the newer one was
} Early;

// One view's subscription at one node.
struct AppFeed {
    AppFeed *next;
    AppCluster *cluster;
    AppWatchedView *watched;
    char node[APP_NODE_BYTES + 1], address[300];
    NetLink *link; // NULL: it has ended
    uint64_t ended_ns;
    uint64_t missing_ns;     // since when there are no frames; 0: there are
    char why[200];           // there are none; "": not known
    int view;                // its number there; 0: not known yet
    AppStaticKind kind;      // of the static lines that come
    AppStaticKind requested; // of those that come after the reply
    uint64_t subscribed_ns;  // when that was requested
    bool has_failed;         // the log has said so
    Early *early;            // [early_count]
    size_t early_count;
};

static AppWatchedView *find(AppCluster *cluster, const AppView *view);
static AppWatchedView *add(AppCluster *cluster, AppView *view, const cJSON *params);
static void remove_watched(AppCluster *cluster, AppWatchedView *watched);
static bool has_feed(const AppWatchedView *watched, const char *node, const char *address);
static void open_feed(AppCluster *cluster, AppWatchedView *watched, const AppDirectoryNode *member);
static const char *address_of(const AppDirectoryNode *member);
static void report_missing(const AppFeed *feed);
static void connect_feed(AppFeed *feed);
static void greet(AppFeed *feed);
static void subscribe(AppFeed *feed);
static void send_request(AppFeed *feed, RequestId id, const char *method, cJSON *params);
static void on_line(void *user, char *line, size_t length);
static void put(AppFeed *feed, const ProtocolRelay *relay);
static bool is_line_of(const AppFeed *feed, const AppDirectoryCharacter *entry);
static void keep(AppFeed *feed, const ProtocolRelay *relay);
static void drop_early(AppFeed *feed, bool all);
static void replay(AppFeed *feed, const char *character);
static void finish_early(Early *early);
static void take_reply(AppFeed *feed, const char *line, size_t length);
static void check_identity(AppFeed *feed, const cJSON *described);
static void note_subscribed(AppFeed *feed, int view);
static void on_end(void *user, const char *why);
static void give_up(AppFeed *feed, const char *why);
static void close_feed(AppFeed *feed);

static const NetLinkCallbacks callbacks = {on_line, on_end};

void app_feeds_update_view(void *context, AppView *view, const AppRemoteDemand *demand, const cJSON *params) {
    AppCluster *cluster = context;
    AppWatchedView *watched = find(cluster, view);
    if (demand->subscriptions == 0) {
        if (watched) remove_watched(cluster, watched);
        return;
    }
    if (!watched && params) watched = add(cluster, view, params);
    if (!watched) return; // out of memory
    const AppStaticKind kind =
        demand->kind > watched->demand.kind ? demand->kind : watched->demand.kind; // never less
    const AppRemoteDemand wanted = {demand->subscriptions, kind, demand->policy, demand->rate};
    const bool is_other = watched->demand.kind != kind || watched->demand.policy != wanted.policy ||
                          watched->demand.rate != wanted.rate;
    watched->demand = wanted;
    for (AppFeed *feed = watched->feeds; feed && is_other; feed = feed->next)
        if (feed->link) subscribe(feed);
    app_feeds_reconcile(cluster);
}

void app_feeds_list(void *context, const AppView *view, AppJson *json, cJSON *names) {
    const AppCluster *cluster = context;
    size_t count;
    AppDirectoryCharacter **entries = app_directory_list(&cluster->directory, &count);
    for (size_t i = 0; entries && i < count; i++)
        if (strcmp(entries[i]->node, cluster->node) != 0 &&
            app_directory_find_node(&cluster->directory, entries[i]->node) &&
            protocol_view_has_character(&view->view, entries[i]->name))
            app_json_string(json, names, NULL, entries[i]->name);
    free(entries);
}

void app_feeds_redirect(void *context, const AppView *view, AppJson *json, cJSON *servers) {
    const AppCluster *cluster = context;
    size_t count;
    AppDirectoryCharacter **entries = app_directory_list(&cluster->directory, &count);
    for (size_t m = 0; entries && m < cluster->directory.node_count; m++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[m];
        cJSON *names = NULL;
        for (size_t i = 0; i < count && strcmp(member->name, cluster->node) != 0; i++) {
            if (strcmp(entries[i]->node, member->name) != 0 ||
                !protocol_view_has_character(&view->view, entries[i]->name))
                continue;
            if (!names) {
                cJSON *server = app_json_object(json, servers, NULL);
                app_json_string(json, server, "node", member->name);
                app_json_string(json, server, "address", address_of(member));
                names = app_json_list(json, server, "characters");
            }
            app_json_string(json, names, NULL, entries[i]->name);
        }
    }
    free(entries);
}

void app_feeds_reconcile(AppCluster *cluster) {
    const uint64_t now_ns = uv_hrtime();
    for (AppWatchedView *watched = cluster->watched; watched; watched = watched->next) {
        for (AppFeed **place = &watched->feeds; *place;) {
            AppFeed *feed = *place;
            const AppDirectoryNode *member = app_directory_find_node(&cluster->directory, feed->node);
            if (!member || strcmp(address_of(member), feed->address) != 0) {
                *place = feed->next;
                close_feed(feed);
                continue;
            }
            if (!feed->link && now_ns > feed->ended_ns + RETRY_NS) connect_feed(feed);
            const uint64_t patience = feed->why[0] ? MISSING_NS : SILENT_NS;
            if (feed->missing_ns > 0 && now_ns > feed->missing_ns + patience) report_missing(feed);
            place = &feed->next;
        }
        for (size_t i = 0; i < cluster->directory.node_count; i++) {
            const AppDirectoryNode *member = &cluster->directory.nodes[i];
            if (strcmp(member->name, cluster->node) != 0 &&
                !has_feed(watched, member->name, address_of(member)))
                open_feed(cluster, watched, member);
        }
    }
}

void app_feeds_close(AppCluster *cluster) {
    while (cluster->watched) remove_watched(cluster, cluster->watched);
}

// Lines of the former owner are dropped. Lines that the new owner has sent already are shown.
void app_feeds_note_owner(AppCluster *cluster, const char *character, const char *before, const char *owner) {
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, character);
    if (strcmp(before, owner) == 0) return;
    const bool goes_on = before[0] && entry && strcmp(entry->from, before) == 0;
    for (AppWatchedView *watched = cluster->watched; watched && !goes_on; watched = watched->next)
        app_streams_remove_remote(cluster->def.rpc->streams, watched->view, character);
    if (!app_characters_find(cluster->def.characters, character))
        app_feeds_note_gone(cluster, character, owner);
}

void app_feeds_note_gone(AppCluster *cluster, const char *character, const char *owner) {
    for (AppWatchedView *watched = cluster->watched; watched; watched = watched->next)
        for (AppFeed *feed = watched->feeds; feed; feed = feed->next)
            if (strcmp(feed->node, owner) == 0) replay(feed, character);
}

static AppWatchedView *find(AppCluster *cluster, const AppView *view) {
    AppWatchedView *watched = cluster->watched;
    while (watched && watched->view != view) watched = watched->next;
    return watched;
}

// The parameters of the first subscription say what the view is; what belongs to a subscription is left out.
static AppWatchedView *add(AppCluster *cluster, AppView *view, const cJSON *params) {
    static const char *const own[] = {"rate", "policy", "static", "mesh", "redirect", NULL};
    AppWatchedView *watched = calloc(1, sizeof *watched);
    cJSON *copy = cJSON_Duplicate(params, 1);
    if (!watched || !copy) {
        free(watched);
        cJSON_Delete(copy);
        return NULL;
    }
    for (const char *const *name = own; *name; name++) cJSON_DeleteItemFromObjectCaseSensitive(copy, *name);
    *watched = (AppWatchedView){.next = cluster->watched, .view = view, .params = copy};
    cluster->watched = watched;
    return watched;
}

static void remove_watched(AppCluster *cluster, AppWatchedView *watched) {
    AppWatchedView **place = &cluster->watched;
    while (*place != watched) place = &(*place)->next;
    *place = watched->next;
    while (watched->feeds) {
        AppFeed *feed = watched->feeds;
        watched->feeds = feed->next;
        close_feed(feed);
    }
    app_remote_characters_finish(&watched->view->remote);
    cJSON_Delete(watched->params);
    free(watched);
}

static bool has_feed(const AppWatchedView *watched, const char *node, const char *address) {
    for (const AppFeed *feed = watched->feeds; feed; feed = feed->next)
        if (strcmp(feed->node, node) == 0 && strcmp(feed->address, address) == 0) return true;
    return false;
}

static void open_feed(AppCluster *cluster, AppWatchedView *watched, const AppDirectoryNode *member) {
    AppFeed *feed = calloc(1, sizeof *feed);
    if (!feed) return;
    *feed =
        (AppFeed){.next = watched->feeds, .cluster = cluster, .watched = watched, .missing_ns = uv_hrtime()};
    snprintf(feed->node, sizeof feed->node, "%s", member->name);
    snprintf(feed->address, sizeof feed->address, "%s", address_of(member));
    watched->feeds = feed;
    connect_feed(feed);
}

static const char *address_of(const AppDirectoryNode *member) {
    const char *address = app_json_get_text(member->status, "address");
    return address ? address : "";
}

// Once, until the node is reached: whatever its address, it is in the directory, and so it is there.
static void report_missing(const AppFeed *feed) {
    AppDirectoryNode *member = app_directory_find_node(&feed->cluster->directory, feed->node);
    if (!member || member->is_unreachable) return;
    member->is_unreachable = true;
    app_log(feed->cluster->def.log, TEXT_LOG_WARNING,
            "node %s cannot be reached at %s (%s): frames of its characters are missing here; is its "
            "--advertise right?",
            feed->node, feed->address, feed->why[0] ? feed->why : "no answer");
}

static void connect_feed(AppFeed *feed) {
    AppAddress address;
    feed->ended_ns = uv_hrtime();
    if (!app_address_read(feed->address, &address)) return;
    feed->view = 0;
    feed->link =
        net_link_open(feed->cluster->def.loop, address.host, (uint16_t)address.port, &callbacks, feed);
    if (!feed->link) return;
    greet(feed);
    cJSON *params = cJSON_CreateObject();
    cJSON_AddTrueToObject(params, "cluster");
    send_request(feed, IDENTITY, "server.describe", params);
    subscribe(feed);
}

// The nodes share a token file.
static void greet(AppFeed *feed) {
    const AppTokens *tokens = feed->cluster->def.sessions->tokens;
    char name[64];
    cJSON *params = cJSON_CreateObject();
    snprintf(name, sizeof name, "node %s", feed->cluster->node);
    cJSON_AddStringToObject(params, "client", name);
    cJSON_AddFalseToObject(params, "events");
    if (tokens->count > 0) {
        char token[APP_TOKEN_BYTES + 1] = {0};
        memcpy(token, tokens->items[0].bytes, app_token_length(&tokens->items[0]));
        cJSON_AddStringToObject(params, "token", token);
    }
    send_request(feed, GREETING, "session.open", params);
}

static void subscribe(AppFeed *feed) {
    const AppRemoteDemand *demand = &feed->watched->demand;
    cJSON *params = cJSON_Duplicate(feed->watched->params, 1);
    cJSON_AddTrueToObject(params, "redirect");
    cJSON_AddBoolToObject(params, "static", demand->kind != APP_STATIC_BARE);
    cJSON_AddBoolToObject(params, "mesh", demand->kind == APP_STATIC_MESHED);
    if (demand->rate > 0) cJSON_AddNumberToObject(params, "rate", demand->rate);
    if (demand->policy == PROTOCOL_POLICY_QUEUE) cJSON_AddStringToObject(params, "policy", "queue");
    send_request(feed, SUBSCRIPTION, "stream.subscribe", params);
    feed->requested = demand->kind;
    feed->subscribed_ns = uv_hrtime();
}

// Takes `params` over.
static void send_request(AppFeed *feed, RequestId id, const char *method, cJSON *params) {
    TextBuffer json = {0}, line = {0};
    char number[12];
    snprintf(number, sizeof number, "%d", (int)id);
    protocol_write_json(&json, params);
    protocol_write_request(&line, number, method, text_buffer_string(&json));
    if (!json.failed && !line.failed) net_link_send(feed->link, line.bytes, line.length);
    text_buffer_finish(&json);
    text_buffer_finish(&line);
    cJSON_Delete(params);
}

static void on_line(void *user, char *line, size_t length) {
    AppFeed *feed = user;
    AppCluster *cluster = feed->cluster;
    ProtocolRelay relay;
    if (!protocol_relay_read(&relay, line, length)) {
        take_reply(feed, line, length);
        return;
    }
    if (relay.view != feed->view) return;
    const AppDirectoryCharacter *entry = app_directory_find(&cluster->directory, relay.character);
    const bool is_here = app_characters_find(cluster->def.characters, relay.character) != NULL;
    if (!is_here && entry && is_line_of(feed, entry))
        put(feed, &relay);
    else
        keep(feed, &relay);
}

// A frame waits for its static data. Where that was lost, as where more characters came at once than could be
// kept, the feed asks for it again.
static void put(AppFeed *feed, const ProtocolRelay *relay) {
    AppView *view = feed->watched->view;
    const int slot = app_remote_characters_find(&view->remote, relay->character);
    const bool has_static = slot >= 0 && view->remote.items[slot].whole;
    if (relay->is_static || has_static || feed->kind == APP_STATIC_BARE)
        app_streams_put_remote(feed->cluster->def.rpc->streams, view, relay, feed->kind);
    else if (feed->link && uv_hrtime() > feed->subscribed_ns + ASK_NS)
        subscribe(feed);
}

// The former owner may still send its last frames of a character that it has handed over.
static bool is_line_of(const AppFeed *feed, const AppDirectoryCharacter *entry) {
    return strcmp(entry->node, feed->node) == 0 ||
           (strcmp(entry->from, feed->node) == 0 && uv_hrtime() < entry->moved_ns + EARLY_NS);
}

static void keep(AppFeed *feed, const ProtocolRelay *relay) {
    Early *early = feed->early;
    while (early && strcmp(early->name, relay->character) != 0) early = early->next;
    if (!early && feed->early_count == MOST_EARLY) drop_early(feed, false);
    if (!early && feed->early_count < MOST_EARLY && (early = calloc(1, sizeof *early))) {
        snprintf(early->name, sizeof early->name, "%s", relay->character);
        early->next = feed->early;
        feed->early = early;
        feed->early_count++;
    }
    if (!early) return;
    const int i = relay->is_static ? 0 : 1;
    net_buffer_release(early->lines[i]);
    early->lines[i] = net_buffer_create_copy(relay->line, relay->length);
    early->kept_ns = uv_hrtime();
}

// Static data is as old as the frames that came after it.
static bool is_fresh(const Early *early) {
    return uv_hrtime() < early->kept_ns + EARLY_NS;
}

static void drop_early(AppFeed *feed, bool all) {
    for (Early **place = &feed->early; *place;) {
        Early *early = *place;
        if (!all && is_fresh(early)) {
            place = &early->next;
            continue;
        }
        *place = early->next;
        feed->early_count--;
        finish_early(early);
    }
}

static void replay(AppFeed *feed, const char *character) {
    Early **place = &feed->early;
    while (*place && strcmp((*place)->name, character) != 0) place = &(*place)->next;
    Early *early = *place;
    if (!early) return;
    *place = early->next;
    feed->early_count--;
    for (int i = 0; i < 2 && is_fresh(early); i++) {
        ProtocolRelay relay;
        if (early->lines[i] &&
            protocol_relay_read(&relay, net_buffer_data(early->lines[i]), net_buffer_length(early->lines[i])))
            put(feed, &relay);
    }
    finish_early(early);
}

static void finish_early(Early *early) {
    net_buffer_release(early->lines[0]);
    net_buffer_release(early->lines[1]);
    free(early);
}

static void take_reply(AppFeed *feed, const char *line, size_t length) {
    cJSON *message = cJSON_ParseWithLength(line, length);
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id"),
                *view = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(message, "result"),
                                                         "view"),
                *error = cJSON_GetObjectItemCaseSensitive(message, "error"),
                *text = cJSON_GetObjectItemCaseSensitive(error, "message");
    if (cJSON_IsNumber(id) && id->valueint == IDENTITY && !error) {
        check_identity(feed, cJSON_GetObjectItemCaseSensitive(message, "result"));
    } else if (cJSON_IsNumber(id) && id->valueint == SUBSCRIPTION && cJSON_IsNumber(view)) {
        note_subscribed(feed, view->valueint);
    } else if (cJSON_IsString(text)) {
        give_up(feed, text->valuestring);
    }
    cJSON_Delete(message);
}

// The address may be that of another node, whose frames are not wanted here.
static void check_identity(AppFeed *feed, const cJSON *described) {
    const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(described, "cluster");
    const char *name = app_json_get_text(cluster, "name"), *node = app_json_get_text(cluster, "node");
    const bool is_known = name && node;
    if (is_known && strcmp(node, feed->node) == 0 && strcmp(name, feed->cluster->name) == 0) return;
    char why[128];
    snprintf(why, sizeof why, "node %.32s of cluster %.32s answers there", is_known ? node : "?",
             is_known ? name : "?");
    give_up(feed, why);
}

static void note_subscribed(AppFeed *feed, int view) {
    AppDirectoryNode *member = app_directory_find_node(&feed->cluster->directory, feed->node);
    if (member) member->is_unreachable = false;
    feed->view = view;
    feed->kind = feed->requested;
    feed->has_failed = false;
    feed->missing_ns = 0;
    feed->why[0] = '\0';
}

// The feed connects again as long as the node is in the directory.
static void on_end(void *user, const char *why) {
    AppFeed *feed = user;
    if (!feed->has_failed)
        app_log(feed->cluster->def.log, TEXT_LOG_INFO, "the connection to node %s at %s has ended: %s",
                feed->node, feed->address, why);
    feed->has_failed = true;
    give_up(feed, why);
}

static void give_up(AppFeed *feed, const char *why) {
    feed->ended_ns = uv_hrtime();
    if (feed->missing_ns == 0) feed->missing_ns = feed->ended_ns;
    snprintf(feed->why, sizeof feed->why, "%s", why);
    net_link_close(feed->link);
    feed->link = NULL;
    drop_early(feed, true);
    AppRemoteCharacters *remote = &feed->watched->view->remote;
    for (size_t slot = remote->count; slot-- > 0;) { // their next lines begin with static data
        const AppDirectoryCharacter *entry =
            app_directory_find(&feed->cluster->directory, remote->items[slot].name);
        if (entry && strcmp(entry->node, feed->node) == 0)
            app_streams_remove_remote(feed->cluster->def.rpc->streams, feed->watched->view, entry->name);
    }
}

static void close_feed(AppFeed *feed) {
    net_link_close(feed->link);
    drop_early(feed, true);
    free(feed);
}
