// Subscriptions: an outbox that keeps the newest frame, and a backlog that keeps every frame.
#include "stream/streams.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

// What is due to a subscription next.
typedef struct Next {
    AppDue due;
    size_t slot;
    bool is_remote;
    bool is_blocked; // until the tick that runs has ended
} Next;

static AppSubscriber *subscriber_of(AppStreams *streams, AppClient *client);
static AppSubscription *find(AppSubscriber *subscriber, int view);
static void drop(AppSubscriber *subscriber, AppSubscription *subscription);
static void make_current(AppSubscriber *subscriber, AppSubscription *subscription);
static void offer(AppSubscriber *subscriber, AppSubscription *subscription);
static bool may_send(const AppStreams *streams);
static void queue_due(AppSubscriber *subscriber, AppSubscription *subscription);
static Next peek(AppSubscriber *subscriber, AppSubscription *subscription);
static NetBuffer *remote_line(const AppSubscription *subscription, const Next *next);
static void mark_sent(AppSubscription *subscription, const Next *next);
static void rewind_outboxes(AppSubscription *subscription);
static void update_source(AppStreams *streams, AppView *view, const cJSON *params);
static bool is_due(const AppStreams *streams, const ProtocolSubscription *options, uint64_t tick);
static void mark_remote(AppStreams *streams, AppView *view, size_t slot, AppDue due, uint64_t interval);
static bool is_repeated(const AppStreams *streams, const AppRemoteCharacter *character, uint64_t tick);
static void hold_back(AppStreams *streams, AppCharacter *character, uint64_t shown);
static void unmark_held_back(const AppStreams *streams, AppOutbox *outbox, uint64_t tick);
static void hand_over_frame(AppStreams *streams, AppView *view, size_t slot, size_t place);
static void mark_first_frame(AppStreams *streams, AppView *view, size_t slot);
static bool backlog_push(AppBacklog *backlog, AppBacklogLine line);
static void backlog_drop(AppBacklog *backlog, int view);
static NetBuffer *pull_backlog(AppSubscriber *subscriber);
static NetBuffer *pull_outbox(AppSubscriber *subscriber);

AppSubscription *app_streams_subscribe(AppStreams *streams, AppClient *client, ProtocolView *view,
                                       const ProtocolSubscription *options, const cJSON *params,
                                       ProtocolError *out_error) {
    AppView *opened = app_views_open(&streams->views, streams->characters, view, out_error);
    if (!opened) return NULL;
    AppSubscriber *subscriber = subscriber_of(streams, client);
    AppSubscription *subscription = subscriber ? find(subscriber, opened->id) : NULL;
    if (subscription) {
        app_views_close(&streams->views, opened); // the subscription holds it already
        backlog_drop(&subscriber->backlog, opened->id);
    } else if (subscriber && subscriber->count == APP_CLIENT_VIEWS) {
        app_views_close(&streams->views, opened);
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "this connection has %d views, the most it can have", APP_CLIENT_VIEWS);
        return NULL;
    } else {
        AppOutbox outbox = {0}, remote = {0};
        if (!subscriber || !app_outbox_reserve(&outbox, streams->characters->count) ||
            !app_outbox_reserve(&remote, opened->remote.count)) {
            app_outbox_finish(&outbox);
            app_outbox_finish(&remote);
            app_views_close(&streams->views, opened);
            protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
            return NULL;
        }
        subscription = &subscriber->subscriptions[subscriber->count++];
        *subscription = (AppSubscription){.view = opened, .outbox = outbox, .remote = remote};
    }
    subscription->options = *options;
    update_source(streams, opened, params);
    make_current(subscriber, subscription);
    return subscription;
}

bool app_streams_unsubscribe(AppClient *client, int view) {
    AppSubscription *subscription = client->subscriber ? find(client->subscriber, view) : NULL;
    if (subscription) drop(client->subscriber, subscription);
    return subscription != NULL;
}

void app_streams_end(AppClient *client) {
    AppSubscriber *subscriber = client->subscriber;
    if (!subscriber) return;
    subscriber->streams->frames_sent += subscriber->frames_sent;
    subscriber->streams->frames_skipped += subscriber->frames_skipped;
    while (subscriber->count > 0) drop(subscriber, &subscriber->subscriptions[subscriber->count - 1]);
    if (subscriber->previous)
        subscriber->previous->next = subscriber->next;
    else
        subscriber->streams->subscribers = subscriber->next;
    if (subscriber->next) subscriber->next->previous = subscriber->previous;
    free(subscriber->backlog.lines);
    free(subscriber);
    client->subscriber = NULL;
}

void app_streams_mark_frames(AppStreams *streams) {
    const uint64_t tick = sim_world_tick(streams->characters->world);
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next) {
        for (size_t i = 0; i < subscriber->count; i++) {
            AppSubscription *subscription = &subscriber->subscriptions[i];
            AppView *view = subscription->view;
            if (!is_due(streams, &subscription->options, tick)) continue;
            subscriber->frames_skipped +=
                app_outbox_mark_frames(&subscription->outbox, &view->members, &view->wanted);
            if (tick <= streams->held_back_until) unmark_held_back(streams, &subscription->outbox, tick);
        }
    }
}

void app_streams_offer(AppStreams *streams) {
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next) {
        for (size_t i = 0; i < subscriber->count; i++) offer(subscriber, &subscriber->subscriptions[i]);
        if (subscriber->count > 0) net_connection_wake(subscriber->connection);
    }
}

void app_streams_add_characters(AppStreams *streams, size_t first_slot) {
    const size_t count = streams->characters->count;
    bool added = true;
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++)
            added &= app_outbox_reserve(&subscriber->subscriptions[i].outbox, count);
    if (!added || !app_views_add_characters(&streams->views, streams->characters)) {
        app_log(streams->log, TEXT_LOG_ERROR, "out of memory: not all views show the new characters");
        return;
    }
    for (size_t slot = first_slot; slot < count; slot++) app_streams_mark_static(streams, slot);
    if (streams->ticks->phase == APP_TICK_BEGINS) return; // else there may be no tick for long
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        if (subscriber->count > 0) net_connection_wake(subscriber->connection);
}

void app_streams_remove_character(AppStreams *streams, size_t slot) {
    app_views_remove_character(&streams->views, slot);
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++)
            app_outbox_remove_slot(&subscriber->subscriptions[i].outbox, slot);
}

void app_streams_mark_static(AppStreams *streams, size_t slot) {
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++)
            if (app_bitset_has(&subscriber->subscriptions[i].view->members, slot))
                app_outbox_mark_static(&subscriber->subscriptions[i].outbox, slot);
}

void app_streams_put_remote(AppStreams *streams, AppView *view, const ProtocolRelay *line,
                            AppStaticKind kind) {
    AppRemoteCharacters *remote = &view->remote;
    int slot = app_remote_characters_find(remote, line->character);
    if (slot < 0) slot = app_remote_characters_add(remote, line->character);
    TextBuffer text = {0};
    protocol_relay_write(&text, line, view->id, PROTOCOL_RELAY_WHOLE);
    NetBuffer *buffer = net_buffer_create_text(&text);
    text_buffer_finish(&text);
    if (slot < 0 || !buffer) {
        net_buffer_release(buffer);
        return;
    }
    AppRemoteCharacter *character = &remote->items[slot];
    if (!line->is_static && is_repeated(streams, character, line->tick)) {
        net_buffer_release(buffer);
        return;
    }
    const uint64_t last = character->tick;
    if (!line->is_static) character->tick = line->tick;
    const bool is_known = line->is_static && character->whole && character->revision == line->revision;
    app_remote_characters_put(remote, (size_t)slot, line->is_static, buffer);
    if (line->is_static) {
        character->kind = (int)kind;
        character->revision = line->revision;
    }
    if (line->is_static)
        mark_remote(streams, view, (size_t)slot, is_known ? APP_DUE_NOTHING : APP_DUE_STATIC, 0);
    else
        mark_remote(streams, view, (size_t)slot, APP_DUE_FRAME,
                    last > 0 && last < line->tick ? line->tick - last : 1);
}

void app_streams_remove_remote(AppStreams *streams, AppView *view, const char *name) {
    const int slot = app_remote_characters_find(&view->remote, name);
    if (slot < 0) return;
    app_remote_characters_remove(&view->remote, (size_t)slot);
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++)
            if (subscriber->subscriptions[i].view == view)
                app_outbox_remove_slot(&subscriber->subscriptions[i].remote, (size_t)slot);
}

void app_streams_hand_over(AppStreams *streams, size_t slot) {
    const AppCharacter *character = streams->characters->items[slot];
    for (size_t i = 0; i < streams->views.count; i++) {
        AppView *view = streams->views.items[i];
        if (!app_bitset_has(&view->members, slot)) continue;
        int place = app_remote_characters_find(&view->remote, character->name);
        if (place < 0) place = app_remote_characters_add(&view->remote, character->name);
        if (place < 0) continue; // out of memory: it is described when its next line comes
        view->remote.items[place].tick = streams->ticks->newest;
        hand_over_frame(streams, view, slot, (size_t)place);
    }
    app_streams_remove_character(streams, slot);
}

void app_streams_take_over(AppStreams *streams, size_t slot) {
    AppCharacter *character = streams->characters->items[slot];
    const uint64_t newest = streams->ticks->newest;
    app_streams_add_characters(streams, slot);
    for (size_t i = 0; i < streams->views.count; i++) {
        AppView *view = streams->views.items[i];
        const int place = app_remote_characters_find(&view->remote, character->name);
        const uint64_t shown = place >= 0 ? view->remote.items[place].tick : 0;
        if (shown < newest)
            mark_first_frame(streams, view, slot);
        else if (is_repeated(streams, &view->remote.items[place], newest))
            hold_back(streams, character, shown);
        app_streams_remove_remote(streams, view, character->name);
    }
}

NetBuffer *app_streams_pull(AppClient *client) {
    if (!client->subscriber || !may_send(client->subscriber->streams)) return NULL;
    NetBuffer *line = pull_backlog(client->subscriber);
    return line ? line : pull_outbox(client->subscriber);
}

bool app_streams_has_due(const AppClient *client) {
    const AppSubscriber *subscriber = client->subscriber;
    if (!subscriber) return false;
    if (subscriber->backlog.count > 0) return true;
    for (size_t i = 0; i < subscriber->count; i++)
        if (app_outbox_any(&subscriber->subscriptions[i].outbox) ||
            app_outbox_any(&subscriber->subscriptions[i].remote))
            return true;
    return false;
}

// Returns NULL when memory runs out.
static AppSubscriber *subscriber_of(AppStreams *streams, AppClient *client) {
    if (client->subscriber) return client->subscriber;
    AppSubscriber *subscriber = calloc(1, sizeof *subscriber);
    if (!subscriber) return NULL;
    subscriber->streams = streams;
    subscriber->connection = client->connection;
    subscriber->next = streams->subscribers;
    if (subscriber->next) subscriber->next->previous = subscriber;
    streams->subscribers = subscriber;
    client->subscriber = subscriber;
    return subscriber;
}

static AppSubscription *find(AppSubscriber *subscriber, int view) {
    for (size_t i = 0; i < subscriber->count; i++)
        if (subscriber->subscriptions[i].view->id == view) return &subscriber->subscriptions[i];
    return NULL;
}

static void drop(AppSubscriber *subscriber, AppSubscription *subscription) {
    AppView *view = subscription->view;
    backlog_drop(&subscriber->backlog, view->id);
    app_outbox_finish(&subscription->outbox);
    app_outbox_finish(&subscription->remote);
    *subscription = subscriber->subscriptions[--subscriber->count];
    update_source(subscriber->streams, view, NULL);
    app_views_close(&subscriber->streams->views, view);
    if (subscriber->turn >= subscriber->count) subscriber->turn = 0;
}

static void make_current(AppSubscriber *subscriber, AppSubscription *subscription) {
    const size_t count = subscriber->streams->characters->count;
    for (size_t slot = 0; slot < count; slot++)
        if (app_bitset_has(&subscription->view->members, slot)) {
            app_outbox_mark_static(&subscription->outbox, slot);
            if (subscriber->streams->characters->items[slot]->first_tick <=
                subscriber->streams->ticks->newest)
                app_outbox_mark_frame(&subscription->outbox, slot);
        }
    const AppRemoteCharacters *remote = &subscription->view->remote;
    for (size_t slot = 0; slot < remote->count && !subscription->options.redirect; slot++) {
        app_outbox_mark_static(&subscription->remote, slot);
        app_outbox_mark_frame(&subscription->remote, slot);
    }
    rewind_outboxes(subscription);
    offer(subscriber, subscription);
    net_connection_wake(subscriber->connection);
}

// Under the policy queue lines go to the backlog, since newer frames would replace them in the outbox.
static void offer(AppSubscriber *subscriber, AppSubscription *subscription) {
    if (subscription->options.policy == PROTOCOL_POLICY_QUEUE && may_send(subscriber->streams))
        queue_due(subscriber, subscription);
}

static bool may_send(const AppStreams *streams) {
    return !streams->may_send || streams->may_send(streams->context);
}

static AppStaticKind static_kind(const AppSubscription *subscription) {
    if (!subscription->options.static_data) return APP_STATIC_BARE;
    return subscription->options.mesh ? APP_STATIC_MESHED : APP_STATIC_DESCRIBED;
}

static NetBuffer *line_of(AppSubscriber *subscriber, const AppSubscription *subscription, const Next *next) {
    AppView *view = subscription->view;
    if (next->is_remote) return remote_line(subscription, next);
    const AppStaticKind kind = static_kind(subscription);
    const bool is_new =
        !app_view_has(view, next->slot, next->due, kind); // a clock for each of many readers adds up
    const uint64_t begun_ns = is_new ? uv_hrtime() : 0;
    AppStreams *streams = subscriber->streams;
    NetBuffer *line = next->due == APP_DUE_STATIC
                          ? app_view_static(&streams->views, view, streams->characters, next->slot, kind)
                          : app_view_frame(&streams->views, view, streams->characters, next->slot);
    if (is_new) app_stats_add_work(streams->stats, uv_hrtime() - begun_ns);
    if (!line) net_connection_close(subscriber->connection, NET_CLOSE_OUT_OF_MEMORY);
    return line;
}

// All static data first, then all frames: two rounds. What cannot be encoded while a tick runs follows at its
// end.
static void queue_due(AppSubscriber *subscriber, AppSubscription *subscription) {
    for (int round = 0; round < 2; round++) {
        Next next;
        rewind_outboxes(subscription);
        while ((next = peek(subscriber, subscription)).due != APP_DUE_NOTHING && !next.is_blocked) {
            mark_sent(subscription, &next);
            NetBuffer *line = line_of(subscriber, subscription, &next);
            if (!line) return;
            if (subscriber->backlog.bytes > APP_BACKLOG_BYTES) { // one line may be longer
                net_connection_close(subscriber->connection, NET_CLOSE_SLOW_QUEUE);
                return;
            }
            if (!backlog_push(&subscriber->backlog,
                              (AppBacklogLine){line, subscription->view->id, next.due == APP_DUE_FRAME})) {
                net_connection_close(subscriber->connection, NET_CLOSE_OUT_OF_MEMORY);
                return;
            }
        }
    }
}

static bool backlog_push(AppBacklog *backlog, AppBacklogLine line) {
    if (backlog->count == backlog->capacity) {
        const size_t capacity = backlog->capacity > 0 ? 2 * backlog->capacity : 64;
        AppBacklogLine *grown = malloc(capacity * sizeof *grown);
        if (!grown) return false;
        for (size_t i = 0; i < backlog->count; i++)
            grown[i] = backlog->lines[(backlog->first + i) % backlog->capacity];
        free(backlog->lines);
        backlog->lines = grown;
        backlog->first = 0;
        backlog->capacity = capacity;
    }
    backlog->lines[(backlog->first + backlog->count++) % backlog->capacity] = line;
    backlog->bytes += net_buffer_length(net_buffer_retain(line.buffer));
    return true;
}

static void backlog_drop(AppBacklog *backlog, int view) {
    const size_t count = backlog->count;
    backlog->count = 0;
    for (size_t i = 0; i < count; i++) {
        const AppBacklogLine line = backlog->lines[(backlog->first + i) % backlog->capacity];
        if (line.view == view) {
            backlog->bytes -= net_buffer_length(line.buffer);
            net_buffer_release(line.buffer);
        } else {
            backlog->lines[(backlog->first + backlog->count++) % backlog->capacity] = line;
        }
    }
}

static NetBuffer *pull_backlog(AppSubscriber *subscriber) {
    AppBacklog *backlog = &subscriber->backlog;
    if (backlog->count == 0) return NULL;
    const AppBacklogLine line = backlog->lines[backlog->first];
    backlog->first = (backlog->first + 1) % backlog->capacity;
    backlog->count--;
    backlog->bytes -= net_buffer_length(line.buffer);
    if (line.is_frame) subscriber->frames_sent++;
    return line.buffer; // with the reference that the backlog had
}

// What is due next: of the world's characters, then of remote ones. A character whose meshes are not encoded
// yet is passed over, its frames with them; so is a remote one whose static data is on the way. While a tick
// runs only encoded lines can be given.
static Next peek(AppSubscriber *subscriber, AppSubscription *subscription) {
    AppStreams *streams = subscriber->streams;
    const AppStaticKind kind = static_kind(subscription);
    Next next = {0}, remote = {.is_remote = true};
    while ((next.due = app_outbox_peek(&subscription->outbox, &next.slot)) == APP_DUE_STATIC &&
           app_ticks_may_read(streams->ticks) &&
           app_view_waits(subscription->view, streams->characters, next.slot, kind))
        app_outbox_skip(&subscription->outbox, next.slot);
    next.is_blocked = next.due != APP_DUE_NOTHING && streams->ticks->phase == APP_TICK_IN_FLIGHT &&
                      !app_view_has(subscription->view, next.slot, next.due, kind);
    if (next.due != APP_DUE_NOTHING && !next.is_blocked) return next;
    while ((remote.due = app_outbox_peek(&subscription->remote, &remote.slot)) != APP_DUE_NOTHING &&
           !remote_line(subscription, &remote))
        app_outbox_skip(&subscription->remote, remote.slot);
    return remote.due != APP_DUE_NOTHING ? remote : next;
}

// NULL: it has not come yet.
static NetBuffer *remote_line(const AppSubscription *subscription, const Next *next) {
    AppView *view = subscription->view;
    const AppRemoteCharacter *character = &view->remote.items[next->slot];
    const AppStaticKind kind = static_kind(subscription);
    if (next->due == APP_DUE_FRAME) return character->frame;
    if (character->kind < (int)kind) return NULL;
    return app_remote_characters_static(&view->remote, next->slot, view->id,
                                        character->kind == (int)kind ? PROTOCOL_RELAY_WHOLE
                                        : kind == APP_STATIC_BARE    ? PROTOCOL_RELAY_BARE
                                                                     : PROTOCOL_RELAY_DESCRIBED);
}

static void mark_sent(AppSubscription *subscription, const Next *next) {
    app_outbox_take(next->is_remote ? &subscription->remote : &subscription->outbox, next->due, next->slot);
}

static void rewind_outboxes(AppSubscription *subscription) {
    app_outbox_rewind(&subscription->outbox);
    app_outbox_rewind(&subscription->remote);
}

// Goes round the outboxes of all subscriptions.
static NetBuffer *pull_outbox(AppSubscriber *subscriber) {
    for (size_t tried = 0; tried <= subscriber->count && subscriber->count > 0; tried++) {
        AppSubscription *subscription = &subscriber->subscriptions[subscriber->turn];
        const Next next = peek(subscriber, subscription);
        if (next.due == APP_DUE_NOTHING) {
            rewind_outboxes(subscription);
            subscriber->turn = (subscriber->turn + 1) % subscriber->count;
            continue;
        }
        if (next.is_blocked) return NULL;
        NetBuffer *line = line_of(subscriber, subscription, &next);
        if (!line) return NULL;
        mark_sent(subscription, &next);
        if (next.due == APP_DUE_FRAME) subscriber->frames_sent++;
        return net_buffer_retain(line);
    }
    return NULL;
}

// What all subscriptions of the view together want of other servers.
static void update_source(AppStreams *streams, AppView *view, const cJSON *params) {
    AppRemoteDemand demand = {0};
    if (!streams->source.update) return;
    for (const AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++) {
            const AppSubscription *subscription = &subscriber->subscriptions[i];
            if (subscription->view != view || subscription->options.redirect) continue;
            const double rate = subscription->options.rate;
            demand.rate = demand.subscriptions == 0 || demand.rate == rate ? rate : 0;
            if (static_kind(subscription) > demand.kind) demand.kind = static_kind(subscription);
            if (subscription->options.policy == PROTOCOL_POLICY_QUEUE) demand.policy = PROTOCOL_POLICY_QUEUE;
            demand.subscriptions++;
        }
    streams->source.update(streams->source.context, view, &demand, params);
}

// The subscriptions of a view that show remote characters, one after the other, with room for all slots.
// NULL: no more.
static AppSubscription *next_remote(AppStreams *streams, const AppView *view, AppSubscriber **subscriber,
                                    size_t *index) {
    for (; *subscriber; *subscriber = (*subscriber)->next, *index = 0)
        while (*index < (*subscriber)->count) {
            AppSubscription *subscription = &(*subscriber)->subscriptions[(*index)++];
            if (subscription->view != view || subscription->options.redirect) continue;
            if (app_outbox_reserve(&subscription->remote, view->remote.count)) return subscription;
            app_log(streams->log, TEXT_LOG_ERROR, "out of memory: not all views show the new characters");
        }
    return NULL;
}

// Both servers may send the frame of a tick in which a character changes over. A tick that is far behind is
// of a server that counts anew.
static bool is_repeated(const AppStreams *streams, const AppRemoteCharacter *character, uint64_t tick) {
    return tick <= character->tick &&
           character->tick - tick < (uint64_t)(APP_REPEATED_S * streams->ticks->rate);
}

// The server that had the character before is ahead: its clients have seen frames until that tick.
static void hold_back(AppStreams *streams, AppCharacter *character, uint64_t shown) {
    if (character->first_tick <= shown) character->first_tick = shown + 1;
    if (streams->held_back_until < shown) streams->held_back_until = shown;
}

static void unmark_held_back(const AppStreams *streams, AppOutbox *outbox, uint64_t tick) {
    const AppCharacters *characters = streams->characters;
    for (size_t slot = 0; slot < characters->count; slot++)
        if (characters->items[slot]->first_tick > tick) app_outbox_unmark_frame(outbox, slot);
}

// A frame that a subscription has not taken yet stays due to it.
static void hand_over_frame(AppStreams *streams, AppView *view, size_t slot, size_t place) {
    AppSubscriber *subscriber = streams->subscribers;
    size_t index = 0;
    bool is_due = false;
    for (AppSubscription *subscription; (subscription = next_remote(streams, view, &subscriber, &index));)
        if (app_bitset_has(&subscription->outbox.frames, slot)) {
            app_outbox_mark_frame(&subscription->remote, place);
            is_due = true;
        }
    NetBuffer *frame = is_due ? app_view_frame(&streams->views, view, streams->characters, slot) : NULL;
    if (frame) app_remote_characters_put(&view->remote, place, false, net_buffer_retain(frame));
}

static void mark_first_frame(AppStreams *streams, AppView *view, size_t slot) {
    if (!app_bitset_has(&view->members, slot)) return;
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next)
        for (size_t i = 0; i < subscriber->count; i++) {
            AppSubscription *subscription = &subscriber->subscriptions[i];
            if (subscription->view == view &&
                protocol_rate_is_due(subscription->options.rate, streams->ticks->newest, 1,
                                     streams->ticks->rate))
                app_outbox_mark_frame(&subscription->outbox, slot);
        }
}

// Whether the subscription gets the frames of this tick. Under the policy latest there are frames only every
// frame_interval ticks, but for steps, which have all the time they take.
static bool is_due(const AppStreams *streams, const ProtocolSubscription *options, uint64_t tick) {
    const bool is_shed = streams->frame_interval > 1 && options->policy == PROTOCOL_POLICY_LATEST &&
                         !app_ticks_are_held(streams->ticks);
    const uint64_t interval = is_shed ? (uint64_t)streams->frame_interval : 1;
    return tick % interval == 0 && protocol_rate_is_due(options->rate, tick, interval, streams->ticks->rate);
}

// APP_DUE_NOTHING: only those that have waited for it get it, since the others have it already.
// interval: ticks since the frame before.
static void mark_remote(AppStreams *streams, AppView *view, size_t slot, AppDue due, uint64_t interval) {
    AppSubscriber *subscriber = streams->subscribers;
    const uint64_t tick = view->remote.items[slot].tick;
    size_t index = 0;
    for (AppSubscription *subscription; (subscription = next_remote(streams, view, &subscriber, &index));) {
        AppOutbox *outbox = &subscription->remote;
        if (due == APP_DUE_STATIC) {
            app_outbox_mark_static(outbox, slot);
        } else if (due == APP_DUE_FRAME &&
                   protocol_rate_is_due(subscription->options.rate, tick, interval, streams->ticks->rate)) {
            subscriber->frames_skipped +=
                app_bitset_has(&outbox->frames, slot) && app_bitset_has(&outbox->begun, slot);
            app_outbox_mark_frame(outbox, slot);
        }
        offer(subscriber, subscription);
        net_connection_wake(subscriber->connection);
    }
}
