// Prometheus' text format, version 0.0.4, with names and units by its rules: base units, counters end with
// _total.
#include "server/metrics.h"

#include "cluster/cluster.h"
#include "server/levels.h"

#include <net/server.h>
#include <stdio.h>
#include <uv.h>

typedef struct Metrics {
    TextBuffer *text;
    const AppCluster *cluster; // whose node it is, which each sample says; NULL: none
} Metrics;

static void write_process(const App *app, const Metrics *metrics);
static void write_ticks(const App *app, const Metrics *metrics);
static void write_world(App *app, const Metrics *metrics);
static void write_connections(const App *app, const Metrics *metrics);
static void write_traffic(const App *app, const Metrics *metrics);
static void write_livelink(const App *app, const Metrics *metrics);
static void write_cluster(const Metrics *metrics);
static void counter(const Metrics *metrics, const char *name, const char *help, uint64_t value);
static void gauge(const Metrics *metrics, const char *name, const char *help, double value);
static void histogram(const Metrics *metrics, const char *name, const char *help, const AppHistogram *values);
static void describe(const Metrics *metrics, const char *name, const char *type, const char *help);
static void sample(const Metrics *metrics, const char *name, const char *suffix, const char *label,
                   const char *label_value, double value);
static void append_label(TextBuffer *text, char *separator, const char *label, const char *value);

void app_metrics_write(App *app, TextBuffer *text) {
    const Metrics metrics = {text, app->cluster};
    write_process(app, &metrics);
    write_ticks(app, &metrics);
    write_world(app, &metrics);
    write_connections(app, &metrics);
    write_traffic(app, &metrics);
    if (app->livelink.is_open) write_livelink(app, &metrics);
    if (app->cluster) write_cluster(&metrics);
}

static void write_process(const App *app, const Metrics *metrics) {
    size_t entry = 0;
    describe(metrics, "tweed_build_info", "gauge", "Always 1; the label tells the version.");
    sample(metrics, "tweed_build_info", "", "version", TWEED_VERSION, 1);
    gauge(metrics, "process_start_time_seconds", "Start of the server, since the Unix epoch.",
          app->stats.start_time);
    if (uv_resident_set_memory(&entry) == 0)
        gauge(metrics, "process_resident_memory_bytes", "Resident memory.", (double)entry);
    gauge(metrics, "tweed_scripts_memory_bytes", "Memory of all scripts.",
          (double)script_host_memory(app->characters.host));
}

static void write_ticks(const App *app, const Metrics *metrics) {
    counter(metrics, "tweed_ticks_total", "Simulated ticks.", app->ticks.newest);
    counter(metrics, "tweed_ticks_skipped_total", "Ticks that were left out because the server was late.",
            app->clock.skipped);
    gauge(metrics, "tweed_tick_rate_hertz", "Ticks a second when none is left out.", app->ticks.rate);
    gauge(metrics, "tweed_paused", "1 while the simulation is paused.", app_ticks_are_held(&app->ticks));
    histogram(metrics, "tweed_tick_lateness_seconds", "How late ticks begin.", &app->stats.lateness);
    histogram(metrics, "tweed_tick_work_seconds",
              "Work of a tick, from its beginning to its last frame encoded.", &app->stats.work);
}

static void write_world(App *app, const Metrics *metrics) {
    if (app_ticks_may_read(&app->ticks)) app->world_stats = sim_world_stats(app->characters.world);
    const SimWorldStats *stats = &app->world_stats;
    gauge(metrics, "tweed_characters", "Characters.", stats->characters);
    gauge(metrics, "tweed_garments", "Garments of all characters.", stats->garments);
    gauge(metrics, "tweed_garments_asleep", "Garments at rest, which cost no work.", stats->asleep);
    gauge(metrics, "tweed_particles", "Particles of all garments.", stats->particles);
    const AppLevelCounts levels = app_levels_count(app);
    describe(metrics, "tweed_characters_by_level", "gauge",
             "Characters by how much of their cloth is simulated.");
    for (SimLevel level = 0; level < SIM_LEVELS; level++)
        sample(metrics, "tweed_characters_by_level", "", "level", sim_level_names[level],
               levels.characters[level]);
    gauge(metrics, "tweed_frame_interval_ticks", "Ticks from one frame to the next under the policy latest.",
          app_shedding_frame_interval(&app->levels.shedding));
    counter(metrics, "tweed_garments_unstable_total", "Garments put back because they went non-finite.",
            stats->unstable);
    counter(metrics, "tweed_constraint_conflicts_total",
            "Particles times substeps in which length, collision and max distance had no common solution.",
            stats->constraint_conflicts);
    counter(metrics, "tweed_script_errors_total", "Errors of scripts, while loading or running.",
            app->sessions.script_errors);
}

static void write_connections(const App *app, const Metrics *metrics) {
    unsigned counts[NET_CARRIER_COUNT] = {0};
    uint64_t queued = 0, longest = 0;
    for (const AppClient *client = app->sessions.clients; client; client = client->next) {
        const size_t backlog = client->subscriber ? client->subscriber->backlog.bytes : 0;
        const uint64_t bytes = net_connection_queued_bytes(client->connection) + backlog;
        counts[net_connection_carrier(client->connection)]++;
        queued += bytes;
        if (bytes > longest) longest = bytes;
    }
    describe(metrics, "tweed_clients", "gauge", "Clients by the transport that they connect with.");
    for (int i = 0; i < NET_CARRIER_COUNT; i++)
        sample(metrics, "tweed_clients", "", "transport", net_carrier_names[i], counts[i]);
    gauge(metrics, "tweed_clients_limit", "The most clients there can be.", net_server_max_clients(app->net));
    describe(metrics, "tweed_refusals_total", "counter",
             "Connections and HTTP requests refused, by the reason.");
    for (NetRefusal reason = 0; reason < NET_REFUSAL_COUNT; reason++)
        sample(metrics, "tweed_refusals_total", "", "reason", net_refusal_names[reason],
               (double)net_server_refusals(app->net, reason));
    gauge(metrics, "tweed_queues_bytes", "Bytes that wait for clients to read.", (double)queued);
    gauge(metrics, "tweed_longest_queue_bytes", "Bytes that wait for the slowest client.", (double)longest);
}

static void write_traffic(const App *app, const Metrics *metrics) {
    uint64_t sent = app->streams.frames_sent, skipped = app->streams.frames_skipped;
    for (const AppSubscriber *subscriber = app->streams.subscribers; subscriber;
         subscriber = subscriber->next) {
        sent += subscriber->frames_sent;
        skipped += subscriber->frames_skipped;
    }
    const NetCounters traffic = net_server_counters(app->net);
    counter(metrics, "tweed_frames_sent_total", "Frames of characters handed to connections.", sent);
    counter(metrics, "tweed_frames_skipped_total",
            "Frames that a newer one replaced before the client took them.", skipped);
    counter(metrics, "tweed_messages_received_total", "Messages of clients.", traffic.messages_received);
    counter(metrics, "tweed_received_bytes_total", "Bytes received from clients.", traffic.bytes_received);
    counter(metrics, "tweed_sent_bytes_total", "Bytes sent to clients.", traffic.bytes_sent);
}

static void write_livelink(const App *app, const Metrics *metrics) {
    counter(metrics, "tweed_jsonlivelink_datagrams_sent_total", "Datagrams sent to JSON Live Link.",
            app->livelink.sent);
    counter(metrics, "tweed_jsonlivelink_datagrams_dropped_total",
            "Datagrams to JSON Live Link that the system did not take.", app->livelink.dropped);
}

static void write_cluster(const Metrics *metrics) {
    const AppCluster *cluster = metrics->cluster;
    gauge(metrics, "tweed_cluster_connected", "1 while the cluster's NATS server can be reached.",
          cluster->is_connected);
    gauge(metrics, "tweed_cluster_nodes", "Nodes of the cluster, as this one knows them.",
          (double)cluster->directory.node_count);
    gauge(metrics, "tweed_cluster_characters", "Characters of all nodes, as this one knows them.",
          (double)cluster->directory.characters.count);
    counter(metrics, "tweed_cluster_forwarded_requests_total", "Requests of clients sent to other nodes.",
            cluster->forwarded);
}

static void counter(const Metrics *metrics, const char *name, const char *help, uint64_t value) {
    describe(metrics, name, "counter", help);
    sample(metrics, name, "", NULL, NULL, (double)value);
}

static void gauge(const Metrics *metrics, const char *name, const char *help, double value) {
    describe(metrics, name, "gauge", help);
    sample(metrics, name, "", NULL, NULL, value);
}

static void histogram(const Metrics *metrics, const char *name, const char *help,
                      const AppHistogram *values) {
    uint64_t count = 0;
    describe(metrics, name, "histogram", help);
    for (int i = 0; i <= APP_BUCKETS; i++) {
        char limit[32] = "+Inf";
        if (i < APP_BUCKETS) snprintf(limit, sizeof limit, "%g", app_bucket_limits[i]);
        count += values->counts[i]; // buckets are cumulative
        sample(metrics, name, "_bucket", "le", limit, (double)count);
    }
    sample(metrics, name, "_sum", NULL, NULL, values->sum);
    sample(metrics, name, "_count", NULL, NULL, (double)count);
}

static void describe(const Metrics *metrics, const char *name, const char *type, const char *help) {
    const char *const parts[] = {"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        text_buffer_append_string(metrics->text, parts[i]);
}

static void sample(const Metrics *metrics, const char *name, const char *suffix, const char *label,
                   const char *label_value, double value) {
    const AppCluster *cluster = metrics->cluster;
    TextBuffer *text = metrics->text;
    char separator = '{';
    text_buffer_append_string(text, name);
    text_buffer_append_string(text, suffix);
    if (cluster) append_label(text, &separator, "cluster", cluster->name);
    if (cluster) append_label(text, &separator, "node", cluster->node);
    if (label) append_label(text, &separator, label, label_value);
    if (separator == ',') text_buffer_append_char(text, '}');
    text_buffer_append_char(text, ' ');
    text_buffer_append_double(text, value);
    text_buffer_append_char(text, '\n');
}

// The values have no character that would have to be escaped.
static void append_label(TextBuffer *text, char *separator, const char *label, const char *value) {
    text_buffer_append_char(text, *separator);
    const char *const parts[] = {label, "=\"", value, "\""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) text_buffer_append_string(text, parts[i]);
    *separator = ',';
}
