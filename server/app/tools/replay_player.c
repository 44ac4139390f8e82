// Lines in their time: a tick is played when it is due, its events and lines go to the subscriptions.
#include "tools/replay_player.h"

#include <math.h>
#include <protocol/reply.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 1e9 // until a line is due

static void begin_playing(AppReplay *replay);
static void send_livelink(AppReplay *replay);
static bool is_watched(const AppReplay *replay);
static void play_tick(AppReplay *replay);
static void play_again(AppReplay *replay);
static uint64_t due_ns(const AppReplay *replay, uint64_t ticks);
static void play(AppReplay *replay, const AppRecordedLine *line);
static void play_event(AppReplay *replay, const AppRecordedLine *line);
static void send_to_all(AppReplay *replay);
static void offer(AppReplayClient *client, const AppRecordedLine *line);
static void offer_to(AppReplayClient *client, AppReplaySubscription *subscription,
                     const AppRecordedLine *line);
static void mark_frame(AppReplayClient *client, AppReplaySubscription *subscription, size_t slot);
static NetBuffer *encode(const AppReplayClient *client, const AppReplaySubscription *subscription, AppDue due,
                         size_t slot);
static void drop(AppReplayClient *client, AppReplaySubscription *subscription);

bool app_replay_init(AppReplay *replay) {
    const AppRecording *recording = &replay->recording;
    if (!app_replay_views_init(&replay->views, recording, &replay->log)) return false;
    replay->is_at_start = calloc(recording->character_count + 1, sizeof *replay->is_at_start);
    replay->subjects = calloc(recording->character_count + 1, sizeof *replay->subjects);
    if (!replay->is_at_start || !replay->subjects) return false;
    play_tick(replay);
    for (size_t slot = 0; slot < recording->character_count; slot++) {
        const AppReplayCharacter *newest = &replay->views.newest[slot];
        replay->is_at_start[slot] = newest->static_line || newest->frame_line;
    }
    replay->next = 0;
    return true;
}

void app_replay_finish(AppReplay *replay) {
    app_replay_views_finish(&replay->views);
    free(replay->is_at_start);
    free(replay->subjects);
    app_livelink_finish(&replay->livelink);
    text_buffer_finish(&replay->text);
}

void app_replay_start(AppReplay *replay) {
    app_replay_views_clear(&replay->views);
    replay->began_ns = uv_hrtime();
    app_replay_on_due(replay);
}

void app_replay_on_due(void *context) {
    AppReplay *replay = context;
    const AppRecording *recording = &replay->recording;
    if (replay->next == recording->line_count) play_again(replay);
    play_tick(replay);
    if (replay->livelink.is_open) send_livelink(replay);
    for (AppReplayClient *client = replay->clients; client; client = client->next)
        if (client->count > 0) net_connection_wake(client->connection);
    const bool is_over = replay->next == recording->line_count;
    const uint64_t first = recording->lines[0].tick, last = recording->lines[recording->line_count - 1].tick;
    if (!is_over)
        app_deadline_timer_arm(&replay->tick_timer,
                               due_ns(replay, recording->lines[replay->next].tick - first));
    else if (replay->options->loop && is_watched(replay))
        app_deadline_timer_arm(&replay->tick_timer, due_ns(replay, last - first + 1));
    // else the last frames stay
}

double app_replay_time(const AppReplay *replay) {
    return (double)replay->tick / replay->recording.tick_rate;
}

AppReplaySubscription *app_replay_subscribe(AppReplayClient *client, ProtocolView *view,
                                            const ProtocolSubscription *options, ProtocolError *out_error) {
    AppReplay *replay = client->replay;
    const AppReplayView *held = NULL;
    AppReplaySubscription *subscription = NULL;
    for (size_t i = 0; i < client->count; i++)
        if (client->subscriptions[i].view->is_recorded) held = client->subscriptions[i].view;
    AppReplayView *opened = app_replay_views_open(&replay->views, view, held, out_error);
    for (size_t i = 0; opened && i < client->count; i++)
        if (client->subscriptions[i].view == opened) subscription = &client->subscriptions[i];
    if (!opened) return NULL;
    if (subscription) {
        app_replay_views_close(&replay->views, opened); // the subscription holds it already
    } else if (client->count == APP_CLIENT_VIEWS) {
        app_replay_views_close(&replay->views, opened);
        protocol_error_set(out_error, PROTOCOL_NOT_NOW, "params",
                           "this connection has %d views, the most it can have", APP_CLIENT_VIEWS);
        return NULL;
    } else {
        AppOutbox outbox = {0};
        if (!app_outbox_reserve(&outbox, replay->recording.character_count)) {
            app_outbox_finish(&outbox);
            app_replay_views_close(&replay->views, opened);
            protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
            return NULL;
        }
        begin_playing(replay);
        subscription = &client->subscriptions[client->count++];
        *subscription = (AppReplaySubscription){.view = opened, .outbox = outbox};
    }
    subscription->options = *options;
    subscription->is_new = true;
    return subscription;
}

bool app_replay_unsubscribe(AppReplayClient *client, int view) {
    for (size_t i = 0; i < client->count; i++) {
        if (client->subscriptions[i].view->id != view) continue;
        drop(client, &client->subscriptions[i]);
        return true;
    }
    return false;
}

void app_replay_unsubscribe_all(AppReplayClient *client) {
    while (client->count > 0) drop(client, &client->subscriptions[client->count - 1]);
}

void app_replay_catch_up(AppReplayClient *client) {
    const AppReplayViews *views = &client->replay->views;
    for (size_t i = 0; i < client->count; i++) {
        AppReplaySubscription *subscription = &client->subscriptions[i];
        if (!subscription->is_new) continue;
        subscription->is_new = false;
        for (size_t slot = 0; slot < views->recording->character_count; slot++) {
            const AppReplayCharacter *newest = &views->newest[slot];
            if (!app_replay_view_shows(views, subscription->view, slot)) continue;
            const AppRecordedLine *lines[] = {newest->static_line, newest->frame_line};
            for (int k = 0; k < 2; k++)
                if (lines[k]) offer_to(client, subscription, lines[k]);
        }
    }
    net_connection_wake(client->connection);
}

NetBuffer *app_replay_pull(AppReplayClient *client) {
    size_t idle = 0; // subscriptions without anything due, one after the other
    while (client->count > 0 && idle <= client->count) {
        AppReplaySubscription *subscription = &client->subscriptions[client->turn];
        size_t slot;
        const AppDue due = app_outbox_peek(&subscription->outbox, &slot);
        if (due == APP_DUE_NOTHING) {
            app_outbox_rewind(&subscription->outbox);
            client->turn = (client->turn + 1) % client->count;
            idle++;
            continue;
        }
        idle = 0;
        app_outbox_take(&subscription->outbox, due, slot);
        NetBuffer *line = encode(client, subscription, due, slot);
        if (!line) continue; // it was removed in the meantime, or cannot be read
        if (due == APP_DUE_FRAME) client->frames_sent++;
        return net_buffer_retain(line);
    }
    return NULL;
}

void app_replay_send(AppReplayClient *client, const TextBuffer *text) {
    NetBuffer *buffer = net_buffer_create_text(text);
    net_connection_send(client->connection, buffer);
    net_buffer_release(buffer);
}

// From the first line, unless it plays already.
static void begin_playing(AppReplay *replay) {
    const bool is_over = replay->next == replay->recording.line_count;
    if (is_watched(replay)) return;
    if (replay->next > 0 && !is_over) return; // it runs, watched or not
    replay->world = NULL;
    replay->next = 0;
    replay->shift = 0;
    app_replay_start(replay);
}

// Characters that have a new frame.
static void send_livelink(AppReplay *replay) {
    AppReplayViews *views = &replay->views;
    if (!protocol_rate_is_due(replay->livelink.rate, replay->tick, 1, replay->recording.tick_rate)) return;
    for (size_t slot = 0; slot < replay->recording.character_count; slot++) {
        const AppReplayCharacter *newest = &views->newest[slot];
        AppReplaySubject *subject = &replay->subjects[slot];
        if (!newest->frame_line || newest->frame_line == subject->frame_line) continue;
        subject->frame_line = newest->frame_line;
        const float(*matrices)[16] = app_replay_parent_bones(views, slot);
        const ProtocolCharacter *character = &newest->description.character;
        ProtocolLiveLinkBone *bones =
            matrices ? app_livelink_reserve(&replay->livelink, character->bone_count) : NULL;
        if (!bones) continue;
        for (size_t i = 0; i < character->bone_count; i++) {
            bones[i] = (ProtocolLiveLinkBone){.name = character->bones[i].name,
                                              .parent = character->bones[i].parent};
            memcpy(bones[i].matrix, matrices[i], sizeof bones[i].matrix);
        }
        const bool is_same = subject->description_line == newest->description_line;
        subject->description_line = newest->description_line;
        app_livelink_send(&replay->livelink, replay->recording.characters[slot], character->bone_count,
                          is_same ? NULL : &subject->bones);
    }
}

static bool is_watched(const AppReplay *replay) {
    if (replay->livelink.is_open) return true;
    for (const AppReplayClient *client = replay->clients; client; client = client->next)
        if (client->count > 0) return true;
    return false;
}

static void play_tick(AppReplay *replay) {
    const AppRecording *recording = &replay->recording;
    const uint64_t now = recording->lines[replay->next].tick;
    while (replay->next < recording->line_count && recording->lines[replay->next].tick == now)
        play(replay, &recording->lines[replay->next++]);
}

// The first tick follows the last one. Characters that are not there at the start go.
static void play_again(AppReplay *replay) {
    const AppRecording *recording = &replay->recording;
    const uint64_t first = recording->lines[0].tick, last = recording->lines[recording->line_count - 1].tick;
    replay->began_ns = due_ns(replay, last - first + 1);
    replay->shift += last - first + 1;
    replay->next = 0;
    replay->world = NULL;
    for (size_t slot = 0; slot < recording->character_count; slot++) {
        const AppReplayCharacter *newest = &replay->views.newest[slot];
        if (replay->is_at_start[slot] || (!newest->static_line && !newest->frame_line)) continue;
        app_replay_views_remove_character(&replay->views, slot);
        text_buffer_clear(&replay->text);
        cJSON *params = cJSON_CreateObject();
        cJSON_AddNumberToObject(params, "tick", (double)(first + replay->shift));
        cJSON_AddStringToObject(params, "character", recording->characters[slot]);
        protocol_write_notification(&replay->text, "character.removed", params);
        cJSON_Delete(params);
        send_to_all(replay);
    }
}

// When a line is due that comes so many ticks after the first one.
static uint64_t due_ns(const AppReplay *replay, uint64_t ticks) {
    const double seconds = (double)ticks / replay->recording.tick_rate / replay->options->speed;
    return replay->began_ns + (uint64_t)(fmin(seconds, MOST_SECONDS) * 1e9);
}

// A round that begins anew sends no description that is the newest one already.
static void play(AppReplay *replay, const AppRecordedLine *line) {
    replay->tick = line->tick + replay->shift;
    if (line->kind == APP_RECORDED_STATIC && replay->views.newest[line->slot].static_line == line) return;
    if (line->kind != APP_RECORDED_EVENT)
        app_replay_views_set_line(&replay->views, line, replay->shift);
    else if (line->slot != SIZE_MAX)
        app_replay_views_remove_character(&replay->views, line->slot);
    if (line->is_world) replay->world = line;
    if (line->kind == APP_RECORDED_EVENT)
        play_event(replay, line);
    else
        for (AppReplayClient *client = replay->clients; client; client = client->next) offer(client, line);
}

static void play_event(AppReplay *replay, const AppRecordedLine *line) {
    text_buffer_clear(&replay->text);
    app_replay_write_shifted(line, replay->shift, replay->recording.tick_rate, &replay->text);
    send_to_all(replay);
}

// Sends replay->text to all that take events.
static void send_to_all(AppReplay *replay) {
    NetBuffer *buffer = net_buffer_create_text(&replay->text);
    for (AppReplayClient *client = replay->clients; client; client = client->next)
        if (client->takes_events) net_connection_send(client->connection, buffer);
    net_buffer_release(buffer);
}

static void offer(AppReplayClient *client, const AppRecordedLine *line) {
    const AppReplay *replay = client->replay;
    for (size_t i = 0; i < client->count; i++) {
        AppReplaySubscription *subscription = &client->subscriptions[i];
        if (subscription->is_new || !app_replay_view_shows(&replay->views, subscription->view, line->slot))
            continue;
        if (line->kind == APP_RECORDED_STATIC ||
            protocol_rate_is_due(subscription->options.rate, replay->tick, 1, replay->recording.tick_rate))
            offer_to(client, subscription, line);
    }
}

// Under the policy queue lines are sent at once, since newer ones would replace them in the outbox.
static void offer_to(AppReplayClient *client, AppReplaySubscription *subscription,
                     const AppRecordedLine *line) {
    const bool is_frame = line->kind == APP_RECORDED_FRAME;
    if (subscription->options.policy == PROTOCOL_POLICY_QUEUE) {
        NetBuffer *buffer =
            encode(client, subscription, is_frame ? APP_DUE_FRAME : APP_DUE_STATIC, line->slot);
        if (buffer) net_connection_send(client->connection, buffer);
        if (buffer && is_frame) client->frames_sent++;
    } else if (is_frame) {
        mark_frame(client, subscription, line->slot);
    } else {
        app_outbox_mark_static(&subscription->outbox, line->slot);
    }
}

static void mark_frame(AppReplayClient *client, AppReplaySubscription *subscription, size_t slot) {
    AppOutbox *outbox = &subscription->outbox;
    client->frames_skipped += app_bitset_has(&outbox->frames, slot) && app_bitset_has(&outbox->begun, slot);
    app_outbox_mark_frame(outbox, slot);
}

static NetBuffer *encode(const AppReplayClient *client, const AppReplaySubscription *subscription, AppDue due,
                         size_t slot) {
    AppReplayViews *views = &client->replay->views;
    const ProtocolSubscription *options = &subscription->options;
    if (due == APP_DUE_FRAME) return app_replay_view_frame(views, subscription->view, slot);
    return app_replay_view_static(views, subscription->view, slot,
                                  !options->static_data ? APP_STATIC_BARE
                                  : options->mesh       ? APP_STATIC_MESHED
                                                        : APP_STATIC_DESCRIBED);
}

static void drop(AppReplayClient *client, AppReplaySubscription *subscription) {
    app_outbox_finish(&subscription->outbox);
    app_replay_views_close(&client->replay->views, subscription->view);
    *subscription = client->subscriptions[--client->count];
    if (client->turn >= client->count) client->turn = 0;
}
