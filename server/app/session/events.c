// Builds each event once, and only when somebody takes events.
#include "session/events.h"

#include "base/findings.h"
#include "base/values.h"
#include "server/app.h"

typedef struct Event {
    App *app;
    const char *method;
    AppJson json;
    cJSON *params;
} Event;

static bool begin(Event *event, App *app, const char *method);
static bool begin_at(Event *event, App *app, const char *method, uint64_t tick);
static void fill(Event *event, uint64_t tick);
static NetBuffer *line_of(const Event *event);
static void broadcast(Event *event);
static void tell_scripts(Event *event);
static void put_tornado(AppJson *json, cJSON *object, const SimWorld *world, const char *name);

void app_event_spawned(App *app, const AppCharacter *character) {
    Event event;
    if (!begin(&event, app, "character.spawned")) return;
    app_json_string(&event.json, event.params, "character", character->name);
    app_json_string(&event.json, event.params, "script", app_character_script(character)->script);
    app_json_integer(&event.json, event.params, "revision", character->revision);
    broadcast(&event);
}

void app_event_removed(App *app, const char *character) {
    Event event;
    if (!begin(&event, app, "character.removed")) return;
    app_json_string(&event.json, event.params, "character", character);
    broadcast(&event);
}

void app_event_changed(App *app, const AppCharacter *character) {
    Event event;
    if (!begin(&event, app, "character.changed")) return;
    app_json_string(&event.json, event.params, "character", character->name);
    app_json_integer(&event.json, event.params, "revision", character->revision);
    broadcast(&event);
}

void app_event_unstable(App *app, const SimUnstable *unstable) {
    const AppCharacter *character = app_characters_find_id(&app->characters, unstable->character);
    if (!character) return;
    const char *garment = app_character_rig(&app->characters, character)->garments[unstable->garment].name;
    app_log(&app->log, TEXT_LOG_WARNING, "%s: %s became unstable (%s) and was put back", character->name,
            garment, unstable->cause);
    Event event;
    if (!begin(&event, app, "character.unstable")) return;
    app_json_string(&event.json, event.params, "character", character->name);
    app_json_string(&event.json, event.params, "garment", garment);
    app_json_string(&event.json, event.params, "cause", unstable->cause);
    broadcast(&event);
}

void app_event_script_loaded(App *app, const char *script) {
    app_log(&app->log, TEXT_LOG_INFO, "%s is loaded", script);
    Event event;
    if (!begin(&event, app, "script.loaded")) return;
    app_json_string(&event.json, event.params, "script", script);
    broadcast(&event);
}

void app_event_script_failed(App *app, const char *script, const ScriptError *error) {
    app_log_error(&app->log, error);
    Event event;
    if (!begin(&event, app, "script.failed")) return;
    app_json_string(&event.json, event.params, "script", script);
    app_json_string(&event.json, event.params, "message", error->message);
    app_json_string(&event.json, event.params, "traceback", error->traceback ? error->traceback : "");
    broadcast(&event);
}

void app_event_script_suspended(App *app, const char *script, const ScriptError *error) {
    app_log_error(&app->log, error);
    app_log(&app->log, TEXT_LOG_ERROR, "%s is suspended until it is reloaded", script);
    Event event;
    if (!begin(&event, app, "script.suspended")) return;
    app_json_string(&event.json, event.params, "script", script);
    app_json_string(&event.json, event.params, "message", error->message);
    broadcast(&event);
}

void app_event_fabric(App *app, const char *fabric, const AppOverride *values) {
    Event event;
    if (!begin(&event, app, "fabric.changed")) return;
    app_json_string(&event.json, event.params, "fabric", fabric);
    app_fabrics_put_values(&event.json, event.params, "values", values);
    broadcast(&event);
}

void app_event_garment(App *app, const char *character, const char *garment, const AppOverride *values) {
    Event event;
    if (!begin(&event, app, "fabric.changed")) return;
    app_json_string(&event.json, event.params, "character", character);
    app_json_string(&event.json, event.params, "garment", garment);
    app_fabrics_put_values(&event.json, event.params, "values", values);
    broadcast(&event);
}

void app_event_world(App *app) {
    Event event;
    if (!begin(&event, app, "world.changed")) return;
    app_put_world(&event.json, event.params, app->characters.world);
    broadcast(&event);
}

void app_event_world_of_scripts(App *app) {
    if (!app->scripts_changed_world) return;
    app->scripts_changed_world = false;
    app_event_world(app);
}

void app_event_paused(App *app) {
    Event event;
    // A pause takes hold before the next tick: that one is not going to be.
    if (!begin_at(&event, app, "simulation.paused", app->tick)) return;
    app_json_integer(&event.json, event.params, "holds", (uint64_t)app_pause_locks_count(&app->pause_locks));
    broadcast(&event);
}

void app_event_resumed(App *app) {
    Event event;
    if (begin(&event, app, "simulation.resumed")) broadcast(&event);
}

void app_event_log(App *app, TextLogLevel level, const char *message) {
    app_log(&app->log, level, "%s", message);
    Event event;
    if (!app_log_takes(&app->log, level) || !begin(&event, app, "log")) return;
    app_json_string(&event.json, event.params, "level", text_log_level_names[level]);
    app_json_string(&event.json, event.params, "message", message);
    broadcast(&event);
}

void app_event_log_to(AppClient *client, TextLogLevel level, const char *message) {
    Event event = {.app = client->app, .method = "log"};
    if (!client->takes_events) return;
    fill(&event, app_effect_tick(client->app));
    app_json_string(&event.json, event.params, "level", text_log_level_names[level]);
    app_json_string(&event.json, event.params, "message", message);
    NetBuffer *line = line_of(&event);
    net_connection_send(client->connection, line);
    net_buffer_release(line);
    cJSON_Delete(event.params);
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

static bool begin(Event *event, App *app, const char *method) {
    return begin_at(event, app, method, app_effect_tick(app));
}

static bool begin_at(Event *event, App *app, const char *method, uint64_t tick) {
    bool wanted = script_host_has_listeners(app->characters.host, method);
    for (const AppClient *client = app->clients; client && !wanted; client = client->next)
        wanted = client->takes_events;
    if (!wanted) return false;
    *event = (Event){.app = app, .method = method};
    fill(event, tick);
    return true;
}

static void fill(Event *event, uint64_t tick) {
    event->params = app_json_root_object(&event->json);
    app_json_integer(&event->json, event->params, "tick", tick);
}

static void tell_scripts(Event *event) {
    ScriptHost *host = event->app->characters.host;
    ScriptValue params;
    if (!event->json.failed && script_host_has_listeners(host, event->method) &&
        app_value_from_json(&params, event->params))
        script_host_queue_event(host, event->method, params);
}

// NULL where memory ran out: connections are told by being closed (net takes a NULL so), since they would
// miss it.
static NetBuffer *line_of(const Event *event) {
    TextBuffer text;
    text_buffer_init(&text);
    if (!event->json.failed) protocol_write_notification(&text, event->method, event->params);
    NetBuffer *line =
        event->json.failed || text.failed ? NULL : net_buffer_create_copy(text.bytes, text.length);
    text_buffer_finish(&text);
    return line;
}

static void broadcast(Event *event) {
    NetBuffer *line = line_of(event);
    tell_scripts(event);
    cJSON_Delete(event->params);
    for (AppClient *client = event->app->clients; client; client = client->next)
        if (client->takes_events) net_connection_send(client->connection, line);
    net_buffer_release(line);
}
