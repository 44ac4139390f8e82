// Builds each event once, and only when a connection or a script takes it.
#include "session/events.h"

#include "base/json.h"

#include <protocol/reply.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

#define REPEAT_NS 1000000000ULL // between two reports of one error

typedef struct Event {
    AppSessions *sessions;
    const char *method;
    AppJson json;
    cJSON *params;
} Event;

// A parameter of an event.
typedef struct Text {
    const char *key; // NULL: the list ends
    const char *text;
} Text;

static bool is_recent(uint64_t reported_ns, uint64_t now_ns);
static void send_log_to_all(AppSessions *sessions, TextLogLevel level, const char *message);
static void report_notifications(AppClient *client, uint64_t now_ns);
static void send_log(AppClient *client, TextLogLevel level, const char *message);
static AppRepeatedError *find_repeated(AppSessions *sessions, const char *script, const char *message,
                                       uint64_t now_ns);
static void report_repeated(AppSessions *sessions, AppRepeatedError *repeated, uint64_t now_ns);
static void report_failed(AppSessions *sessions, const char *script, const ScriptError *error);
static bool begin(Event *event, AppSessions *sessions, const char *method);
static bool begin_at(Event *event, AppSessions *sessions, const char *method, uint64_t tick);
static void fill(Event *event, uint64_t tick);
static NetBuffer *line_of(const Event *event);
static void broadcast(Event *event);
static void broadcast_texts(AppSessions *sessions, const char *method, const Text *texts);
static void put_tornado(AppJson *json, cJSON *object, const SimWorld *world, const char *name);

void app_event_spawned(AppSessions *sessions, const AppCharacter *character) {
    Event event;
    if (!begin(&event, sessions, "character.spawned")) return;
    app_json_string(&event.json, event.params, "character", character->name);
    app_json_string(&event.json, event.params, "script", app_character_script(character)->script);
    app_json_integer(&event.json, event.params, "revision", character->revision);
    broadcast(&event);
}

void app_event_removed(AppSessions *sessions, const char *character) {
    broadcast_texts(sessions, "character.removed", (const Text[]){{"character", character}, {0}});
}

void app_event_moved(AppSessions *sessions, const char *character, const char *from, const char *node) {
    broadcast_texts(sessions, "character.moved",
                    (const Text[]){{"character", character}, {"from", from}, {"node", node}, {0}});
}

void app_event_changed(AppSessions *sessions, const AppCharacter *character) {
    Event event;
    if (!begin(&event, sessions, "character.changed")) return;
    app_json_string(&event.json, event.params, "character", character->name);
    app_json_integer(&event.json, event.params, "revision", character->revision);
    broadcast(&event);
}

void app_event_unstable(AppSessions *sessions, const SimUnstable *unstable) {
    const AppCharacter *character = app_characters_find_id(sessions->characters, unstable->character);
    if (!character) return;
    const char *garment =
        app_character_rig(sessions->characters, character)->garments[unstable->garment].name;
    app_log_about(sessions->log, TEXT_LOG_WARNING, &(AppLogFields){.character = character->name},
                  "%s: %s became unstable (%s) and was put back", character->name, garment, unstable->cause);
    const Text texts[] = {
        {"character", character->name}, {"garment", garment}, {"cause", unstable->cause}, {0}};
    broadcast_texts(sessions, "character.unstable", texts);
}

void app_event_script_loaded(AppSessions *sessions, const char *script) {
    app_log_about(sessions->log, TEXT_LOG_INFO, &(AppLogFields){.script = script}, "%s is loaded", script);
    broadcast_texts(sessions, "script.loaded", (const Text[]){{"script", script}, {0}});
}

void app_event_script_failed(AppSessions *sessions, const char *script, const ScriptError *error) {
    sessions->script_errors++;
    report_failed(sessions, script, error);
}

void app_event_script_raised(AppSessions *sessions, const char *script, const ScriptError *error) {
    const uint64_t now_ns = uv_hrtime();
    sessions->script_errors++;
    AppRepeatedError *found =
        find_repeated(sessions, script, error->message ? error->message : "out of memory", now_ns);
    const bool is_early = is_recent(found->reported_ns, now_ns);
    if (is_early || found->count > 0) {
        found->count++;
        if (!is_early) report_repeated(sessions, found, now_ns);
        return;
    }
    found->reported_ns = now_ns;
    report_failed(sessions, script, error);
}

void app_event_script_suspended(AppSessions *sessions, const char *script, const ScriptError *error) {
    sessions->script_errors++;
    app_log_error(sessions->log, script, error);
    app_log_about(sessions->log, TEXT_LOG_ERROR, &(AppLogFields){.script = script},
                  "%s is suspended until it is reloaded", script);
    broadcast_texts(sessions, "script.suspended",
                    (const Text[]){{"script", script}, {"message", error->message}, {0}});
}

void app_event_fabric(AppSessions *sessions, const char *fabric, const AppOverride *values) {
    Event event;
    if (!begin(&event, sessions, "fabric.changed")) return;
    app_json_string(&event.json, event.params, "fabric", fabric);
    app_fabrics_put_values(&event.json, event.params, "values", values);
    broadcast(&event);
}

void app_event_garment(AppSessions *sessions, const char *character, const char *garment,
                       const AppOverride *values) {
    Event event;
    if (!begin(&event, sessions, "fabric.changed")) return;
    app_json_string(&event.json, event.params, "character", character);
    app_json_string(&event.json, event.params, "garment", garment);
    app_fabrics_put_values(&event.json, event.params, "values", values);
    broadcast(&event);
}

void app_event_world(AppSessions *sessions) {
    Event event;
    if (!begin(&event, sessions, "world.changed")) return;
    app_put_world(&event.json, event.params, sessions->characters->world);
    broadcast(&event);
}

void app_event_world_of_scripts(AppSessions *sessions) {
    if (!sessions->scripts_changed_world) return;
    sessions->scripts_changed_world = false;
    app_event_world(sessions);
}

void app_event_paused(AppSessions *sessions) {
    Event event;
    if (!begin_at(&event, sessions, "simulation.paused", sessions->ticks->begun)) return;
    app_json_integer(&event.json, event.params, "holds",
                     (uint64_t)app_pause_locks_count(&sessions->ticks->pause_locks));
    broadcast(&event);
}

void app_event_resumed(AppSessions *sessions) {
    Event event;
    if (begin(&event, sessions, "simulation.resumed")) broadcast(&event);
}

void app_event_shed(AppSessions *sessions, float load, int reduced, int skinned, int frame_interval) {
    Event event;
    if (!begin(&event, sessions, "simulation.shed")) return;
    app_json_float(&event.json, event.params, "load", load);
    app_json_integer(&event.json, event.params, "reduced", (uint64_t)reduced);
    app_json_integer(&event.json, event.params, "skinned", (uint64_t)skinned);
    app_json_integer(&event.json, event.params, "frame_interval", (uint64_t)frame_interval);
    broadcast(&event);
}

void app_event_log(AppSessions *sessions, TextLogLevel level, const char *message) {
    app_log(sessions->log, level, "%s", message);
    send_log_to_all(sessions, level, message);
}

void app_event_script_log(AppSessions *sessions, TextLogLevel level, const char *script,
                          const char *character, const char *message) {
    char text[4096];
    snprintf(text, sizeof text, "%s: %s", character ? character : script, message);
    app_log_about(sessions->log, level, &(AppLogFields){.script = script, .character = character}, "%s",
                  text);
    send_log_to_all(sessions, level, text);
}

void app_event_notification_failed(AppClient *client, const ProtocolMethod *method,
                                   const ProtocolError *error) {
    AppNotificationErrors *errors = &client->errors;
    const bool is_named = !method || strncmp(error->message, method->name, strlen(method->name)) == 0;
    errors->count++;
    snprintf(errors->last, sizeof errors->last, "%s%s%s", is_named ? "" : method->name, is_named ? "" : ": ",
             error->message);
    report_notifications(client, uv_hrtime());
}

void app_events_report_repeated(AppSessions *sessions) {
    const uint64_t now_ns = uv_hrtime();
    for (AppClient *client = sessions->clients; client; client = client->next)
        report_notifications(client, now_ns);
    for (int i = 0; i <= APP_REPEATED_ERRORS; i++)
        if (!is_recent(sessions->errors[i].reported_ns, now_ns))
            report_repeated(sessions, &sessions->errors[i], now_ns);
}

void app_event_send(AppSessions *sessions, NetBuffer *line) {
    for (AppClient *client = sessions->clients; client; client = client->next)
        if (client->takes_events) net_connection_send(client->connection, line);
}

void app_log_error(AppLog *log, const char *script, const ScriptError *error) {
    app_log_about(log, TEXT_LOG_ERROR, &(AppLogFields){.script = script, .traceback = error->traceback}, "%s",
                  error->message);
}

void app_put_world(AppJson *json, cJSON *object, const SimWorld *world) {
    const SimEnvironment *environment = sim_world_environment(world);
    app_json_vector(json, object, "gravity", environment->gravity_world, 3);
    cJSON *wind = app_json_object(json, object, "wind");
    app_json_vector(json, wind, "velocity", environment->wind.velocity_world, 3);
    app_json_float(json, wind, "turbulence", environment->wind.turbulence);
    app_json_float(json, wind, "gust", environment->wind.gust);
    if (environment->has_ground)
        app_json_float(json, object, "ground", environment->ground);
    else
        app_json_bool(json, object, "ground", false);
    cJSON *tornados = app_json_list(json, object, "tornados");
    const char *names[SIM_MAX_TORNADOS];
    const int count = sim_world_tornado_names(world, names);
    for (int i = 0; i < count; i++) put_tornado(json, app_json_object(json, tornados, NULL), world, names[i]);
}

static void put_tornado(AppJson *json, cJSON *object, const SimWorld *world, const char *name) {
    SimTornado tornado;
    if (!sim_world_tornado(world, name, &tornado)) return;
    app_json_string(json, object, "name", name);
    app_json_vector(json, object, "position", tornado.position_world, 3);
    app_json_float(json, object, "radius", tornado.radius);
    app_json_float(json, object, "strength", tornado.strength);
    app_json_float(json, object, "lift", tornado.lift);
    app_json_vector(json, object, "velocity", tornado.velocity_world, 3);
}

// reported_ns: 0 is never.
static bool is_recent(uint64_t reported_ns, uint64_t now_ns) {
    return reported_ns != 0 && now_ns < reported_ns + REPEAT_NS;
}

// The entry of that error. A new one replaces the one reported longest ago, unless that one still repeats:
// then the last entry counts it together with the other errors that have no entry.
static AppRepeatedError *find_repeated(AppSessions *sessions, const char *script, const char *message,
                                       uint64_t now_ns) {
    AppRepeatedError *oldest = &sessions->errors[0], *others = &sessions->errors[APP_REPEATED_ERRORS];
    for (int i = 0; i < APP_REPEATED_ERRORS; i++) {
        AppRepeatedError *known = &sessions->errors[i];
        if (known->reported_ns != 0 && strcmp(known->script, script) == 0 &&
            strncmp(known->message, message, sizeof known->message - 1) == 0)
            return known;
        if (known->reported_ns < oldest->reported_ns) oldest = known;
    }
    const bool repeats = is_recent(oldest->reported_ns, now_ns);
    AppRepeatedError *entry = repeats || oldest->count > 0 ? others : oldest;
    if (entry == oldest) *entry = (AppRepeatedError){0};
    snprintf(entry->script, sizeof entry->script, "%s", script);
    snprintf(entry->message, sizeof entry->message, "%s", message);
    return entry;
}

static void report_repeated(AppSessions *sessions, AppRepeatedError *repeated, uint64_t now_ns) {
    if (repeated->count == 0) return;
    const bool is_of_others = repeated == &sessions->errors[APP_REPEATED_ERRORS];
    char message[sizeof repeated->message + 64];
    char times[32];
    snprintf(times, sizeof times, repeated->count == 1 ? "once" : "%u times", repeated->count);
    snprintf(message, sizeof message, "%s (%s more%s)", repeated->message, times,
             is_of_others ? ", other errors included" : "");
    repeated->count = 0;
    repeated->reported_ns = now_ns;
    report_failed(sessions, repeated->script, &(ScriptError){.message = message});
}

static void report_failed(AppSessions *sessions, const char *script, const ScriptError *error) {
    app_log_error(sessions->log, script, error);
    const char *traceback = error->traceback ? error->traceback : "";
    const Text texts[] = {{"script", script}, {"message", error->message}, {"traceback", traceback}, {0}};
    broadcast_texts(sessions, "script.failed", texts);
}

static void send_log_to_all(AppSessions *sessions, TextLogLevel level, const char *message) {
    if (!app_log_is_enabled(sessions->log, level)) return;
    broadcast_texts(sessions, "log",
                    (const Text[]){{"level", text_log_level_names[level]}, {"message", message}, {0}});
}

static void report_notifications(AppClient *client, uint64_t now_ns) {
    AppNotificationErrors *errors = &client->errors;
    if (errors->count == 0 || is_recent(errors->reported_ns, now_ns)) return;
    char message[sizeof errors->last + 64];
    snprintf(message, sizeof message,
             errors->count == 1 ? "%u notification dropped: %s" : "%u notifications dropped, the last: %s",
             errors->count, errors->last);
    errors->count = 0;
    errors->reported_ns = now_ns;
    send_log(client, TEXT_LOG_ERROR, message);
}

// To that connection alone.
static void send_log(AppClient *client, TextLogLevel level, const char *message) {
    Event event = {.sessions = client->sessions, .method = "log"};
    if (!client->takes_events) return;
    fill(&event, app_ticks_effective(client->sessions->ticks));
    app_json_string(&event.json, event.params, "level", text_log_level_names[level]);
    app_json_string(&event.json, event.params, "message", message);
    NetBuffer *line = line_of(&event);
    net_connection_send(client->connection, line);
    net_buffer_release(line);
    cJSON_Delete(event.params);
}

static bool begin(Event *event, AppSessions *sessions, const char *method) {
    return begin_at(event, sessions, method, app_ticks_effective(sessions->ticks));
}

static bool begin_at(Event *event, AppSessions *sessions, const char *method, uint64_t tick) {
    bool has_receivers =
        sessions->observer.event || script_host_has_listeners(sessions->characters->host, method);
    for (const AppClient *client = sessions->clients; client && !has_receivers; client = client->next)
        has_receivers = client->takes_events;
    if (!has_receivers) return false;
    *event = (Event){.sessions = sessions, .method = method};
    fill(event, tick);
    return true;
}

static void fill(Event *event, uint64_t tick) {
    event->params = app_json_root_object(&event->json);
    app_json_integer(&event->json, event->params, "tick", tick);
}

static void notify_scripts(Event *event) {
    ScriptHost *host = event->sessions->characters->host;
    ScriptValue params;
    if (!event->json.failed && script_host_has_listeners(host, event->method) &&
        app_value_from_json(&params, event->params))
        script_host_queue_event(host, event->method, params);
}

// Returns NULL when memory runs out; sending it closes a connection, which would miss the event.
static NetBuffer *line_of(const Event *event) {
    TextBuffer text = {0};
    if (!event->json.failed) protocol_write_notification(&text, event->method, event->params);
    NetBuffer *line = event->json.failed ? NULL : net_buffer_create_text(&text);
    text_buffer_finish(&text);
    return line;
}

static void broadcast(Event *event) {
    NetBuffer *line = line_of(event);
    const AppObserver *observer = &event->sessions->observer;
    notify_scripts(event);
    if (observer->event && line) observer->event(observer->context, event->method, event->params, line);
    cJSON_Delete(event->params);
    app_event_send(event->sessions, line);
    net_buffer_release(line);
}

static void broadcast_texts(AppSessions *sessions, const char *method, const Text *texts) {
    Event event;
    if (!begin(&event, sessions, method)) return;
    for (; texts->key; texts++) app_json_string(&event.json, event.params, texts->key, texts->text);
    broadcast(&event);
}
