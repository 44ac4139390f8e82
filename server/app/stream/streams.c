// Subscriptions: places that newest frames fill, and the backlog of those who want every frame.
#include "stream/streams.h"

#include "server/app.h"

#include <stdlib.h>
#include <string.h>

static AppSubscription *find(AppClient *client, int view);
static void drop(AppClient *client, AppSubscription *subscription);
static void make_current(AppClient *client, AppSubscription *subscription);
static void offer(AppClient *client, AppSubscription *subscription);
static AppStaticKind static_kind(const AppSubscription *subscription);
static NetBuffer *encode(AppClient *client, const AppSubscription *subscription, AppDue due, size_t slot);
static void queue_due(AppClient *client, AppSubscription *subscription);
static bool backlog_push(AppBacklog *backlog, AppBacklogLine line);
static void backlog_drop(AppClient *client, int view);
static NetBuffer *pull_backlog(AppClient *client);
static NetBuffer *pull_place(AppClient *client);

AppSubscription *app_streams_subscribe(AppClient *client, ProtocolView *view,
                                       const ProtocolSubscription *wish, ProtocolError *out_error) {
    App *app = client->app;
    AppView *opened = app_views_open(&app->views, &app->characters, view, out_error);
    if (!opened) return NULL;
    AppSubscription *subscription = find(client, opened->id);
    if (subscription) {
        app_views_close(&app->views, opened); // the subscription holds it already
        backlog_drop(client, opened->id);
    } else if (client->subscription_count == APP_CLIENT_VIEWS) {
        app_views_close(&app->views, opened);
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "this connection has %d views, the most it can have", APP_CLIENT_VIEWS);
        return NULL;
    } else {
        subscription = &client->subscriptions[client->subscription_count];
        *subscription = (AppSubscription){.view = opened};
        if (!app_outbox_reserve(&subscription->outbox, app->characters.count)) {
            app_outbox_finish(&subscription->outbox);
            app_views_close(&app->views, opened);
            protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
            return NULL;
        }
        client->subscription_count++;
    }
    subscription->wish = *wish;
    make_current(client, subscription);
    return subscription;
}

bool app_streams_unsubscribe(AppClient *client, int view) {
    AppSubscription *subscription = find(client, view);
    if (!subscription) return false;
    drop(client, subscription);
    return true;
}

void app_streams_end(AppClient *client) {
    while (client->subscription_count > 0)
        drop(client, &client->subscriptions[client->subscription_count - 1]);
    free(client->backlog.lines);
    client->backlog = (AppBacklog){0};
}

void app_streams_offer(App *app) {
    const uint64_t tick = sim_world_tick(app->characters.world);
    for (AppClient *client = app->clients; client; client = client->next) {
        for (size_t i = 0; i < client->subscription_count; i++) {
            AppSubscription *subscription = &client->subscriptions[i];
            if (!protocol_rate_is_due(subscription->wish.rate, tick, app->characters.tick_rate)) continue;
            const size_t skipped =
                app_outbox_mark_frames(&subscription->outbox, &subscription->view->members);
            client->frames_skipped += skipped;
            offer(client, subscription);
        }
        if (client->subscription_count > 0) net_connection_wake(client->connection);
    }
}

void app_streams_add_characters(App *app, size_t first_slot) {
    const size_t count = app->characters.count;
    bool followed = true;
    for (AppClient *client = app->clients; client; client = client->next)
        for (size_t i = 0; i < client->subscription_count; i++)
            followed &= app_outbox_reserve(&client->subscriptions[i].outbox, count);
    if (!followed || !app_views_add_characters(&app->views, &app->characters)) {
        app_log(&app->log, TEXT_LOG_ERROR, "out of memory: not all views show the new characters");
        return;
    }
    for (size_t slot = first_slot; slot < count; slot++) app_streams_mark_static(app, slot);
    if (app->beginning) return; // else there may be no tick for long
    for (AppClient *client = app->clients; client; client = client->next)
        if (client->subscription_count > 0) net_connection_wake(client->connection);
}

void app_streams_remove_character(App *app, size_t slot) {
    app_views_remove_character(&app->views, slot);
    for (AppClient *client = app->clients; client; client = client->next)
        for (size_t i = 0; i < client->subscription_count; i++)
            app_outbox_remove_slot(&client->subscriptions[i].outbox, slot);
}

void app_streams_mark_static(App *app, size_t slot) {
    for (AppClient *client = app->clients; client; client = client->next)
        for (size_t i = 0; i < client->subscription_count; i++)
            if (app_bitset_has(&client->subscriptions[i].view->members, slot))
                app_outbox_mark_static(&client->subscriptions[i].outbox, slot);
}

NetBuffer *app_streams_pull(AppClient *client) {
    NetBuffer *line = pull_backlog(client);
    return line ? line : pull_place(client);
}

bool app_streams_owe(const AppClient *client) {
    if (client->backlog.count > 0) return true;
    for (size_t i = 0; i < client->subscription_count; i++)
        if (app_outbox_any(&client->subscriptions[i].outbox)) return true;
    return false;
}

static AppSubscription *find(AppClient *client, int view) {
    for (size_t i = 0; i < client->subscription_count; i++)
        if (client->subscriptions[i].view->id == view) return &client->subscriptions[i];
    return NULL;
}

static void drop(AppClient *client, AppSubscription *subscription) {
    backlog_drop(client, subscription->view->id);
    app_outbox_finish(&subscription->outbox);
    app_views_close(&client->app->views, subscription->view);
    *subscription = client->subscriptions[--client->subscription_count];
    if (client->turn >= client->subscription_count) client->turn = 0;
}

static void make_current(AppClient *client, AppSubscription *subscription) {
    const size_t count = client->app->characters.count;
    for (size_t slot = 0; slot < count; slot++)
        if (app_bitset_has(&subscription->view->members, slot)) {
            app_outbox_mark_static(&subscription->outbox, slot);
            if (client->app->characters.items[slot]->first_tick <= client->app->tick)
                app_outbox_mark_frame(&subscription->outbox, slot);
        }
    app_outbox_rewind(&subscription->outbox);
    offer(client, subscription);
    net_connection_wake(client->connection);
}

// Under the policy queue what is due does not wait in its places, where newer frames would replace it.
static void offer(AppClient *client, AppSubscription *subscription) {
    if (subscription->wish.policy == PROTOCOL_POLICY_QUEUE) queue_due(client, subscription);
}

static AppStaticKind static_kind(const AppSubscription *subscription) {
    if (!subscription->wish.static_data) return APP_STATIC_BARE;
    return subscription->wish.mesh ? APP_STATIC_MESHED : APP_STATIC_DESCRIBED;
}

static NetBuffer *encode(AppClient *client, const AppSubscription *subscription, AppDue due, size_t slot) {
    App *app = client->app;
    AppView *view = subscription->view;
    const AppStaticKind kind = static_kind(subscription);
    const bool is_new = !app_view_has(view, slot, due, kind); // a clock for each of many readers adds up
    const uint64_t begun_ns = is_new ? uv_hrtime() : 0;
    NetBuffer *line = due == APP_DUE_STATIC ? app_view_static(&app->views, view, &app->characters, slot, kind)
                                            : app_view_frame(&app->views, view, &app->characters, slot);
    if (is_new) app_stats_add_work(&app->stats, uv_hrtime() - begun_ns);
    if (!line) net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
    return line;
}

// All static data first, then all frames: two rounds.
static void queue_due(AppClient *client, AppSubscription *subscription) {
    for (int round = 0; round < 2; round++) {
        size_t slot;
        AppDue due;
        app_outbox_rewind(&subscription->outbox);
        while ((due = app_outbox_peek(&subscription->outbox, &slot)) != APP_DUE_NOTHING) {
            app_outbox_take(&subscription->outbox, due, slot);
            NetBuffer *line = encode(client, subscription, due, slot);
            if (!line) return;
            if (client->backlog.bytes + net_buffer_length(line) > APP_BACKLOG_BYTES) {
                net_connection_close(client->connection, NET_CLOSE_SLOW_QUEUE);
                return;
            }
            if (!backlog_push(&client->backlog,
                              (AppBacklogLine){line, subscription->view->id, due == APP_DUE_FRAME})) {
                net_connection_close(client->connection, NET_CLOSE_OUT_OF_MEMORY);
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

static void backlog_drop(AppClient *client, int view) {
    AppBacklog *backlog = &client->backlog;
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

static NetBuffer *pull_backlog(AppClient *client) {
    AppBacklog *backlog = &client->backlog;
    if (backlog->count == 0) return NULL;
    const AppBacklogLine line = backlog->lines[backlog->first];
    backlog->first = (backlog->first + 1) % backlog->capacity;
    backlog->count--;
    backlog->bytes -= net_buffer_length(line.buffer);
    if (line.is_frame) client->frames_sent++;
    return line.buffer; // with the reference that the backlog had
}

// Goes round the places of all subscriptions. While a tick runs only what is encoded already can be given.
static NetBuffer *pull_place(AppClient *client) {
    for (size_t tried = 0; tried <= client->subscription_count && client->subscription_count > 0; tried++) {
        AppSubscription *subscription = &client->subscriptions[client->turn];
        size_t slot;
        const AppDue due = app_outbox_peek(&subscription->outbox, &slot);
        if (due == APP_DUE_NOTHING) {
            app_outbox_rewind(&subscription->outbox);
            client->turn = (client->turn + 1) % client->subscription_count;
            continue;
        }
        if (client->app->in_flight && !app_view_has(subscription->view, slot, due, static_kind(subscription)))
            return NULL;
        NetBuffer *line = encode(client, subscription, due, slot);
        if (!line) return NULL;
        app_outbox_take(&subscription->outbox, due, slot);
        if (due == APP_DUE_FRAME) client->frames_sent++;
        return net_buffer_retain(line);
    }
    return NULL;
}
