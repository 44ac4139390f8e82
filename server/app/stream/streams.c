// Subscriptions: an outbox that keeps the newest frame, and a backlog that keeps every frame.
#include "stream/streams.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

static AppSubscriber *subscriber_of(AppStreams *streams, AppClient *client);
static AppSubscription *find(AppSubscriber *subscriber, int view);
static void drop(AppSubscriber *subscriber, AppSubscription *subscription);
static void make_current(AppSubscriber *subscriber, AppSubscription *subscription);
static void offer(AppSubscriber *subscriber, AppSubscription *subscription);
static AppStaticKind static_kind(const AppSubscription *subscription);
static NetBuffer *encode(AppSubscriber *subscriber, const AppSubscription *subscription, AppDue due,
                         size_t slot);
static void queue_due(AppSubscriber *subscriber, AppSubscription *subscription);
static AppDue peek(AppSubscriber *subscriber, AppSubscription *subscription, size_t *out_slot);
static bool backlog_push(AppBacklog *backlog, AppBacklogLine line);
static void backlog_drop(AppBacklog *backlog, int view);
static NetBuffer *pull_backlog(AppSubscriber *subscriber);
static NetBuffer *pull_outbox(AppSubscriber *subscriber);

AppSubscription *app_streams_subscribe(AppStreams *streams, AppClient *client, ProtocolView *view,
                                       const ProtocolSubscription *options, ProtocolError *out_error) {
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
        AppOutbox outbox = {0};
        if (!subscriber || !app_outbox_reserve(&outbox, streams->characters->count)) {
            app_outbox_finish(&outbox);
            app_views_close(&streams->views, opened);
            protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
            return NULL;
        }
        subscription = &subscriber->subscriptions[subscriber->count++];
        *subscription = (AppSubscription){.view = opened, .outbox = outbox};
    }
    subscription->options = *options;
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
    const bool left_out = streams->frame_interval > 1 && tick % (uint64_t)streams->frame_interval != 0;
    for (AppSubscriber *subscriber = streams->subscribers; subscriber; subscriber = subscriber->next) {
        for (size_t i = 0; i < subscriber->count; i++) {
            AppSubscription *subscription = &subscriber->subscriptions[i];
            AppView *view = subscription->view;
            if (!protocol_rate_is_due(subscription->options.rate, tick, streams->ticks->rate)) continue;
            if (left_out && subscription->options.policy == PROTOCOL_POLICY_LATEST) continue;
            subscriber->frames_skipped +=
                app_outbox_mark_frames(&subscription->outbox, &view->members, &view->wanted);
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

NetBuffer *app_streams_pull(AppClient *client) {
    if (!client->subscriber) return NULL;
    NetBuffer *line = pull_backlog(client->subscriber);
    return line ? line : pull_outbox(client->subscriber);
}

bool app_streams_has_due(const AppClient *client) {
    const AppSubscriber *subscriber = client->subscriber;
    if (!subscriber) return false;
    if (subscriber->backlog.count > 0) return true;
    for (size_t i = 0; i < subscriber->count; i++)
        if (app_outbox_any(&subscriber->subscriptions[i].outbox)) return true;
    return false;
}

// NULL: out of memory.
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
    backlog_drop(&subscriber->backlog, subscription->view->id);
    app_outbox_finish(&subscription->outbox);
    app_views_close(&subscriber->streams->views, subscription->view);
    *subscription = subscriber->subscriptions[--subscriber->count];
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
    app_outbox_rewind(&subscription->outbox);
    offer(subscriber, subscription);
    net_connection_wake(subscriber->connection);
}

// Under the policy queue lines go to the backlog, since newer frames would replace them in the outbox.
static void offer(AppSubscriber *subscriber, AppSubscription *subscription) {
    if (subscription->options.policy == PROTOCOL_POLICY_QUEUE) queue_due(subscriber, subscription);
}

static AppStaticKind static_kind(const AppSubscription *subscription) {
    if (!subscription->options.static_data) return APP_STATIC_BARE;
    return subscription->options.mesh ? APP_STATIC_MESHED : APP_STATIC_DESCRIBED;
}

static NetBuffer *encode(AppSubscriber *subscriber, const AppSubscription *subscription, AppDue due,
                         size_t slot) {
    AppView *view = subscription->view;
    const AppStaticKind kind = static_kind(subscription);
    const bool is_new = !app_view_has(view, slot, due, kind); // a clock for each of many readers adds up
    const uint64_t begun_ns = is_new ? uv_hrtime() : 0;
    NetBuffer *line =
        due == APP_DUE_STATIC
            ? app_view_static(&subscriber->streams->views, view, subscriber->streams->characters, slot, kind)
            : app_view_frame(&subscriber->streams->views, view, subscriber->streams->characters, slot);
    if (is_new) app_stats_add_work(subscriber->streams->stats, uv_hrtime() - begun_ns);
    if (!line) net_connection_close(subscriber->connection, NET_CLOSE_OUT_OF_MEMORY);
    return line;
}

// All static data first, then all frames: two rounds.
static void queue_due(AppSubscriber *subscriber, AppSubscription *subscription) {
    for (int round = 0; round < 2; round++) {
        size_t slot;
        AppDue due;
        app_outbox_rewind(&subscription->outbox);
        while ((due = peek(subscriber, subscription, &slot)) != APP_DUE_NOTHING) {
            app_outbox_take(&subscription->outbox, due, slot);
            NetBuffer *line = encode(subscriber, subscription, due, slot);
            if (!line) return;
            if (subscriber->backlog.bytes + net_buffer_length(line) > APP_BACKLOG_BYTES) {
                net_connection_close(subscriber->connection, NET_CLOSE_SLOW_QUEUE);
                return;
            }
            if (!backlog_push(&subscriber->backlog,
                              (AppBacklogLine){line, subscription->view->id, due == APP_DUE_FRAME})) {
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

// What is due next. A character whose meshes are not encoded yet is passed over, its frames with them.
static AppDue peek(AppSubscriber *subscriber, AppSubscription *subscription, size_t *out_slot) {
    AppStreams *streams = subscriber->streams;
    AppDue due;
    while ((due = app_outbox_peek(&subscription->outbox, out_slot)) == APP_DUE_STATIC &&
           app_ticks_may_read(streams->ticks) &&
           app_view_waits(subscription->view, streams->characters, *out_slot, static_kind(subscription)))
        app_outbox_skip(&subscription->outbox, *out_slot);
    return due;
}

// Goes round the outboxes of all subscriptions. While a tick runs only encoded lines can be given.
static NetBuffer *pull_outbox(AppSubscriber *subscriber) {
    for (size_t tried = 0; tried <= subscriber->count && subscriber->count > 0; tried++) {
        AppSubscription *subscription = &subscriber->subscriptions[subscriber->turn];
        size_t slot;
        const AppDue due = peek(subscriber, subscription, &slot);
        if (due == APP_DUE_NOTHING) {
            app_outbox_rewind(&subscription->outbox);
            subscriber->turn = (subscriber->turn + 1) % subscriber->count;
            continue;
        }
        if (subscriber->streams->ticks->phase == APP_TICK_IN_FLIGHT &&
            !app_view_has(subscription->view, slot, due, static_kind(subscription)))
            return NULL;
        NetBuffer *line = encode(subscriber, subscription, due, slot);
        if (!line) return NULL;
        app_outbox_take(&subscription->outbox, due, slot);
        if (due == APP_DUE_FRAME) subscriber->frames_sent++;
        return net_buffer_retain(line);
    }
    return NULL;
}
