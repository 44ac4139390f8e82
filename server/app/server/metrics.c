// Prometheus' text format, version 0.0.4, with names and units by its rules: base units, counters end with
// _total.
#include "server/metrics.h"

#include "server/levels.h"

#include <net/server.h>
#include <stdio.h>
#include <time.h>
#include <uv.h>

static void write_process(const App *app, TextBuffer *text);
static void write_ticks(const App *app, TextBuffer *text);
static void write_world(App *app, TextBuffer *text);
static void write_connections(const App *app, TextBuffer *text);
static void write_traffic(const App *app, TextBuffer *text);
static void write_livelink(const App *app, TextBuffer *text);
static void counter(TextBuffer *text, const char *name, const char *help, uint64_t value);
static void gauge(TextBuffer *text, const char *name, const char *help, double value);
static void histogram(TextBuffer *text, const char *name, const char *help, const AppHistogram *values);
static void describe(TextBuffer *text, const char *name, const char *type, const char *help);
static void sample(TextBuffer *text, const char *name, const char *suffix, const char *label,
                   const char *label_value, double value);

void app_metrics_write(App *app, TextBuffer *text) {
    write_process(app, text);
    write_ticks(app, text);
    write_world(app, text);
    write_connections(app, text);
    write_traffic(app, text);
    if (app->livelink.is_open) write_livelink(app, text);
}

static void write_process(const App *app, TextBuffer *text) {
    size_t resident = 0;
    const double uptime = (double)(uv_hrtime() - app->stats.start_ns) * 1e-9;
    describe(text, "tweed_build_info", "gauge", "Always 1; the label tells the version.");
    sample(text, "tweed_build_info", "", "version", TWEED_VERSION, 1);
    gauge(text, "process_start_time_seconds", "Start of the server, since the Unix epoch.",
          (double)time(NULL) - uptime);
    if (uv_resident_set_memory(&resident) == 0)
        gauge(text, "process_resident_memory_bytes", "Resident memory.", (double)resident);
    gauge(text, "tweed_scripts_memory_bytes", "Memory of all scripts.",
          (double)script_host_memory(app->characters.host));
}

static void write_ticks(const App *app, TextBuffer *text) {
    counter(text, "tweed_ticks_total", "Simulated ticks.", app->ticks.newest);
    counter(text, "tweed_ticks_skipped_total", "Ticks that were left out because the server was late.",
            app->clock.skipped);
    gauge(text, "tweed_tick_rate_hertz", "Ticks a second when none is left out.", app->ticks.rate);
    gauge(text, "tweed_paused", "1 while the simulation is paused.", app_ticks_are_paused(&app->ticks));
    histogram(text, "tweed_tick_lateness_seconds", "How late ticks begin.", &app->stats.lateness);
    histogram(text, "tweed_tick_work_seconds",
              "Work of a tick, from its beginning to its last frame encoded.", &app->stats.work);
}

static void write_world(App *app, TextBuffer *text) {
    if (app_ticks_may_read(&app->ticks)) app->world_stats = sim_world_stats(app->characters.world);
    const SimWorldStats *stats = &app->world_stats;
    gauge(text, "tweed_characters", "Characters.", stats->characters);
    gauge(text, "tweed_garments", "Garments of all characters.", stats->garments);
    gauge(text, "tweed_garments_asleep", "Garments at rest, which cost no work.", stats->asleep);
    gauge(text, "tweed_particles", "Particles of all garments.", stats->particles);
    const AppLevelCounts levels = app_levels_count(app);
    describe(text, "tweed_characters_by_level", "gauge",
             "Characters by how much of their cloth is simulated.");
    for (SimLevel level = 0; level < SIM_LEVELS; level++)
        sample(text, "tweed_characters_by_level", "", "level", sim_level_names[level],
               levels.characters[level]);
    gauge(text, "tweed_frame_interval_ticks", "Ticks from one frame to the next under the policy latest.",
          app_shedding_frame_interval(&app->levels.shedding));
    counter(text, "tweed_garments_unstable_total", "Garments put back because they went non-finite.",
            stats->unstable);
    counter(text, "tweed_constraint_conflicts_total",
            "Particles times substeps in which length, collision and max distance had no common solution.",
            stats->constraint_conflicts);
    counter(text, "tweed_script_errors_total", "Errors of scripts, while loading or running.",
            app->sessions.script_errors);
}

static void write_connections(const App *app, TextBuffer *text) {
    unsigned counts[NET_CARRIER_COUNT] = {0};
    uint64_t queued = 0, longest = 0;
    for (const AppClient *client = app->sessions.clients; client; client = client->next) {
        const size_t backlog = client->subscriber ? client->subscriber->backlog.bytes : 0;
        const uint64_t bytes = net_connection_queued_bytes(client->connection) + backlog;
        counts[net_connection_carrier(client->connection)]++;
        queued += bytes;
        if (bytes > longest) longest = bytes;
    }
    describe(text, "tweed_clients", "gauge", "Clients by the transport that they connect with.");
    for (int i = 0; i < NET_CARRIER_COUNT; i++)
        sample(text, "tweed_clients", "", "transport", net_carrier_names[i], counts[i]);
    gauge(text, "tweed_clients_limit", "The most clients there can be.", net_server_max_clients(app->net));
    describe(text, "tweed_refusals_total", "counter",
             "Connections and HTTP requests refused, by the reason.");
    for (NetRefusal reason = 0; reason < NET_REFUSAL_COUNT; reason++)
        sample(text, "tweed_refusals_total", "", "reason", net_refusal_names[reason],
               (double)net_server_refusals(app->net, reason));
    gauge(text, "tweed_queues_bytes", "Bytes that wait for clients to read.", (double)queued);
    gauge(text, "tweed_longest_queue_bytes", "Bytes that wait for the slowest client.", (double)longest);
}

static void write_traffic(const App *app, TextBuffer *text) {
    uint64_t sent = app->streams.frames_sent, skipped = app->streams.frames_skipped;
    for (const AppSubscriber *subscriber = app->streams.subscribers; subscriber;
         subscriber = subscriber->next) {
        sent += subscriber->frames_sent;
        skipped += subscriber->frames_skipped;
    }
    const NetCounters traffic = net_server_counters(app->net);
    counter(text, "tweed_frames_sent_total", "Frames of characters handed to connections.", sent);
    counter(text, "tweed_frames_skipped_total",
            "Frames that a newer one replaced before the client took them.", skipped);
    counter(text, "tweed_messages_received_total", "Messages of clients.", traffic.messages_received);
    counter(text, "tweed_received_bytes_total", "Bytes received from clients.", traffic.bytes_received);
    counter(text, "tweed_sent_bytes_total", "Bytes sent to clients.", traffic.bytes_sent);
}

static void write_livelink(const App *app, TextBuffer *text) {
    counter(text, "tweed_jsonlivelink_datagrams_sent_total", "Datagrams sent to JSON Live Link.",
            app->livelink.sent);
    counter(text, "tweed_jsonlivelink_datagrams_dropped_total",
            "Datagrams to JSON Live Link that the system did not take.", app->livelink.dropped);
}

static void counter(TextBuffer *text, const char *name, const char *help, uint64_t value) {
    describe(text, name, "counter", help);
    sample(text, name, "", NULL, NULL, (double)value);
}

static void gauge(TextBuffer *text, const char *name, const char *help, double value) {
    describe(text, name, "gauge", help);
    sample(text, name, "", NULL, NULL, value);
}

static void histogram(TextBuffer *text, const char *name, const char *help, const AppHistogram *values) {
    uint64_t count = 0;
    describe(text, name, "histogram", help);
    for (int i = 0; i <= APP_BUCKETS; i++) {
        char limit[32] = "+Inf";
        if (i < APP_BUCKETS) snprintf(limit, sizeof limit, "%g", app_bucket_limits[i]);
        count += values->counts[i]; // buckets are cumulative
        sample(text, name, "_bucket", "le", limit, (double)count);
    }
    sample(text, name, "_sum", NULL, NULL, values->sum);
    sample(text, name, "_count", NULL, NULL, (double)count);
}

static void describe(TextBuffer *text, const char *name, const char *type, const char *help) {
    const char *const parts[] = {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) text_buffer_append_string(text, parts[i]);
}

static void sample(TextBuffer *text, const char *name, const char *suffix, const char *label,
                   const char *label_value, double value) {
    text_buffer_append_string(text, name);
    text_buffer_append_string(text, suffix);
    if (label) {
        const char *const parts[] = {"{", label, "=\"", label_value, "\"}"};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) text_buffer_append_string(text, parts[i]);
    }
    text_buffer_append_char(text, ' ');
    text_buffer_append_double(text, value);
    text_buffer_append_char(text, '\n');
}
