// server.describe, server.stats and the fields of server.hello.
#include "base/version.h"
#include "cluster/node/status.h"
#include "server/handler_table.h"
#include "server/levels.h"

static void put_inventory(const App *app, AppJson *json, cJSON *object);
static void put_scripts(const App *app, AppJson *json, cJSON *object);
static void put_scene(const App *app, AppJson *json, cJSON *object);
static void put_stats(const App *app, AppJson *json, cJSON *object);
static void put_percentiles(AppJson *json, cJSON *object, const char *key, const AppSamples *samples);
static void put_world_stats(const App *app, AppJson *json, cJSON *object);
static void put_levels(const App *app, AppJson *json, cJSON *object);
static void put_client(AppJson *json, cJSON *list, const AppClient *client);
static uint64_t resident_bytes(void);

void app_handle_server_describe(AppCall *call) {
    const App *app = call->context;
    const bool wants_cluster = protocol_param_bool(call->params, "cluster");
    if (wants_cluster && !app->cluster) {
        app_call_fail_no_cluster(call, "params.cluster");
        return;
    }
    call->result = app_json_root_object(&call->json);
    app_put_hello(app, &call->json, call->result);
    put_inventory(app, &call->json, call->result);
    if (wants_cluster) app_status_describe(app->cluster, &call->json, call->result);
}

void app_handle_server_stats(AppCall *call) {
    call->result = app_json_root_object(&call->json);
    put_stats(call->context, &call->json, call->result);
}

void app_put_hello(const App *app, AppJson *json, cJSON *object) {
    app_json_string(json, object, "name", "tweed");
    app_json_string(json, object, "version", TWEED_VERSION);
    app_json_string(json, object, "commit", app_commit);
    app_json_string(json, object, "build", app_build);
    app_json_integer(json, object, "protocol", PROTOCOL_VERSION);
    app_json_integer(json, object, "tick_rate", (uint64_t)app->ticks.rate);
    app_json_integer(json, object, "tick", app->ticks.newest);
    app_json_number(json, object, "time", app_ticks_time(&app->ticks));
    app_json_bool(json, object, "paused", app_ticks_are_held(&app->ticks));
    app_json_string(json, object, "authentication", app->token_watch.tokens.count > 0 ? "token" : "none");
    cJSON *limits = app_json_object(json, object, "limits");
    app_json_integer(json, limits, "message_bytes", (uint64_t)app->options->max_message);
    app_json_integer(json, limits, "views", APP_CLIENT_VIEWS);
    app_json_integer(json, limits, "clients",
                     app->net ? net_server_max_clients(app->net) : (uint64_t)app->options->max_clients);
}

static void put_inventory(const App *app, AppJson *json, cJSON *object) {
    cJSON *axes = app_json_list(json, object, "axes");
    for (const char *const *name = protocol_axes_names; *name; name++)
        app_json_string(json, axes, NULL, *name);
    cJSON *names = app_json_list(json, object, "methods");
    for (int i = 0; i < PROTOCOL_METHOD_COUNT; i++)
        app_json_string(json, names, NULL, protocol_methods[i].name);
    put_scripts(app, json, object);
    int fabric_count;
    const ScriptFabric *fabrics = script_fabrics(app->characters.host, &fabric_count);
    cJSON *fabric_names = app_json_list(json, object, "fabrics");
    for (int i = 0; i < fabric_count; i++) app_json_string(json, fabric_names, NULL, fabrics[i].name);
    put_scene(app, json, object);
    app_json_bool(json, object, "allow_save", app->options->allow_save);
}

static void put_stats(const App *app, AppJson *json, cJSON *object) {
    app_json_number(json, object, "uptime", (double)(uv_hrtime() - app->stats.start_ns) * 1e-9);
    app_json_integer(json, object, "tick", app->ticks.newest);
    app_json_number(json, object, "time", app_ticks_time(&app->ticks));
    app_json_integer(json, object, "tick_rate", (uint64_t)app->ticks.rate);
    app_json_bool(json, object, "paused", app_ticks_are_held(&app->ticks));
    app_json_integer(json, object, "holds", (uint64_t)app_pause_locks_count(&app->ticks.pause_locks));
    app_json_integer(json, object, "ticks_skipped", app->clock.skipped);
    put_percentiles(json, object, "lateness_ms", &app->stats.lateness_ms);
    put_percentiles(json, object, "work_ms", &app->stats.work_ms);
    put_world_stats(app, json, object);
    put_levels(app, json, object);
    cJSON *memory = app_json_object(json, object, "memory");
    app_json_integer(json, memory, "resident_bytes", resident_bytes());
    app_json_integer(json, memory, "scripts_bytes", script_host_memory(app->characters.host));
    if (app->livelink.is_open) {
        cJSON *livelink = app_json_object(json, object, "jsonlivelink");
        app_json_integer(json, livelink, "sent", app->livelink.sent);
        app_json_integer(json, livelink, "dropped", app->livelink.dropped);
    }
    if (app->cluster) app_status_describe(app->cluster, json, object);
    cJSON *clients = app_json_list(json, object, "clients");
    const AppClient *client = app->sessions.clients;
    while (client && client->next) client = client->next; // the oldest first
    for (; client; client = client->previous) put_client(json, clients, client);
}

static void put_scripts(const App *app, AppJson *json, cJSON *object) {
    cJSON *names = app_json_list(json, object, "scripts");
    ScriptValue list = SCRIPT_NULL;
    if (!script_host_list(app->characters.host, &list)) json->failed = true;
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].kind == SCRIPT_VALUE_STRING)
            app_json_string(json, names, NULL, list.items[i].string);
    script_value_finish(&list);
}

static void put_scene(const App *app, AppJson *json, cJSON *object) {
    const ScriptSceneInfo *scene = script_scene_info(app->characters.scenes[0]);
    cJSON *described = app_json_object(json, object, "scene");
    app_json_string(json, described, "name", scene->name);
    if (!scene->has_camera) return;
    cJSON *camera = app_json_object(json, described, "camera");
    if (scene->camera.target[0]) app_json_string(json, camera, "target", scene->camera.target);
    if (scene->camera.distance > 0.0f) app_json_float(json, camera, "distance", scene->camera.distance);
    if (scene->camera.height > 0.0f) app_json_float(json, camera, "height", scene->camera.height);
}

static void put_percentiles(AppJson *json, cJSON *object, const char *key, const AppSamples *samples) {
    const AppPercentiles percentiles = app_samples_percentiles(samples);
    cJSON *values = app_json_object(json, object, key);
    app_json_float(json, values, "p50", percentiles.p50);
    app_json_float(json, values, "p95", percentiles.p95);
    app_json_float(json, values, "p99", percentiles.p99);
    app_json_float(json, values, "max", percentiles.max);
}

static void put_world_stats(const App *app, AppJson *json, cJSON *object) {
    const SimWorldStats stats = sim_world_stats(app->characters.world);
    app_json_integer(json, object, "characters", (uint64_t)stats.characters);
    app_json_integer(json, object, "garments", (uint64_t)stats.garments);
    app_json_integer(json, object, "particles", (uint64_t)stats.particles);
    app_json_integer(json, object, "asleep", (uint64_t)stats.asleep);
    app_json_integer(json, object, "unstable", stats.unstable);
    app_json_integer(json, object, "constraint_conflicts", stats.constraint_conflicts);
    app_json_float(json, object, "spring_excess", sim_world_spring_excess(app->characters.world));
}

static void put_levels(const App *app, AppJson *json, cJSON *object) {
    const AppLevelCounts counts = app_levels_count(app);
    cJSON *levels = app_json_object(json, object, "levels");
    for (SimLevel level = 0; level < SIM_LEVELS; level++)
        app_json_integer(json, levels, sim_level_names[level], (uint64_t)counts.characters[level]);
    app_json_integer(json, object, "frame_interval",
                     (uint64_t)app_shedding_frame_interval(&app->levels.shedding));
}

static void put_client(AppJson *json, cJSON *list, const AppClient *client) {
    cJSON *described = app_json_object(json, list, NULL);
    app_json_integer(json, described, "id", client->id);
    app_json_string(json, described, "address", net_connection_address(client->connection));
    app_json_string(json, described, "role", protocol_role_name(client->access.role));
    app_json_string(json, described, "client", client->name);
    static const AppSubscriber none;
    const AppSubscriber *subscriber = client->subscriber ? client->subscriber : &none;
    app_json_integer(json, described, "views", subscriber->count);
    app_json_integer(json, described, "queued_bytes",
                     net_connection_queued_bytes(client->connection) + subscriber->backlog.bytes);
    app_json_integer(json, described, "frames_sent", subscriber->frames_sent);
    app_json_integer(json, described, "frames_skipped", subscriber->frames_skipped);
}

// 0 where the system does not say.
static uint64_t resident_bytes(void) {
    size_t bytes = 0;
    return uv_resident_set_memory(&bytes) == 0 ? bytes : 0;
}
