// `tweed stats`: server.stats for people; `tweed call server.stats` prints the same for programs.

#include "base/safe_text.h"
#include "tools/remote.h"
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

static void print_stats(const AppRemote *remote, const cJSON *stats);
static void print_detail(const cJSON *stats);
static void print_time(const cJSON *stats);
static void print_percentiles(const char *label, const cJSON *percentiles);
static void print_clients(const cJSON *clients);
static void print_cluster(const cJSON *cluster);
static double number(const cJSON *object, const char *key);
static void print_text(const cJSON *object, const char *key, size_t width);
static const char *plural(double count);

int app_tool_stats(const AppOptions *options) {
    AppRemote remote;
    cJSON *stats = NULL;
    AppExit status = app_remote_open(&remote, options);
    if (status == APP_EXIT_OK) status = app_remote_request(&remote, "server.stats", NULL, &stats);
    if (status == APP_EXIT_OK) {
        print_stats(&remote, stats);
        status = app_flush_output() ? APP_EXIT_OK : APP_EXIT_OUTPUT;
    }
    cJSON_Delete(stats);
    app_remote_finish(&remote);
    return (int)status;
}

static void print_stats(const AppRemote *remote, const cJSON *stats) {
    printf("server    %s, up %.0f s\n", remote->where, number(stats, "uptime"));
    print_time(stats);
    print_percentiles("lateness", cJSON_GetObjectItemCaseSensitive(stats, "lateness_ms"));
    print_percentiles("work", cJSON_GetObjectItemCaseSensitive(stats, "work_ms"));
    const double characters = number(stats, "characters"), garments = number(stats, "garments");
    const double particles = number(stats, "particles");
    printf("world     %.0f character%s, %.0f garment%s (%.0f asleep), %.0f particle%s\n", characters,
           plural(characters), garments, plural(garments), number(stats, "asleep"), particles,
           plural(particles));
    print_detail(stats);
    const double unstable = number(stats, "unstable"), conflicts = number(stats, "constraint_conflicts");
    printf("trouble   %.0f unstable, %.0f constraint conflict%s\n", unstable, conflicts, plural(conflicts));
    const cJSON *memory = cJSON_GetObjectItemCaseSensitive(stats, "memory");
    printf("memory    %.1f MiB, %.1f MiB of it the scripts'\n", number(memory, "resident_bytes") / 1048576,
           number(memory, "scripts_bytes") / 1048576);
    const cJSON *livelink = cJSON_GetObjectItemCaseSensitive(stats, "jsonlivelink");
    if (livelink)
        printf("live link %.0f datagrams sent, %.0f dropped\n", number(livelink, "sent"),
               number(livelink, "dropped"));
    print_clients(cJSON_GetObjectItemCaseSensitive(stats, "clients"));
    const cJSON *cluster = cJSON_GetObjectItemCaseSensitive(stats, "cluster");
    if (cluster) print_cluster(cluster);
}

// Only what is left out.
static void print_detail(const cJSON *stats) {
    const cJSON *levels = cJSON_GetObjectItemCaseSensitive(stats, "levels");
    const double reduced = number(levels, "reduced"), skinned = number(levels, "skinned");
    const double interval = number(stats, "frame_interval");
    if (reduced + skinned > 0.0)
        printf("detail    %.0f character%s reduced, %.0f skinned\n", reduced, plural(reduced), skinned);
    if (interval > 1.0) printf("frames    every %.0f ticks under the policy latest\n", interval);
}

static void print_time(const cJSON *stats) {
    const double holds = number(stats, "holds");
    printf("tick      %.0f (%.3f s), %.0f a second, ", number(stats, "tick"), number(stats, "time"),
           number(stats, "tick_rate"));
    if (app_json_get_bool(stats, "paused")) printf("paused by %.0f hold%s; ", holds, plural(holds));
    printf("%.0f skipped\n", number(stats, "ticks_skipped"));
}

static void print_percentiles(const char *label, const cJSON *percentiles) {
    printf("%-9s half below %.2f ms, 95 %% below %.2f, 99 %% below %.2f, at most %.2f\n", label,
           number(percentiles, "p50"), number(percentiles, "p95"), number(percentiles, "p99"),
           number(percentiles, "max"));
}

static void print_clients(const cJSON *clients) {
    printf("\n%4s  %-21s %-8s %5s %12s %10s %10s  %s\n", "id", "client", "role", "views", "queued bytes",
           "frames", "skipped", "name");
    const cJSON *client;
    cJSON_ArrayForEach(client, clients) {
        printf("%4.0f  ", number(client, "id"));
        print_text(client, "address", 21);
        putchar(' ');
        print_text(client, "role", 8);
        printf(" %5.0f %12.0f %10.0f %10.0f  ", number(client, "views"), number(client, "queued_bytes"),
               number(client, "frames_sent"), number(client, "frames_skipped"));
        print_text(client, "client", 0);
        putchar('\n');
    }
}

static void print_cluster(const cJSON *cluster) {
    const cJSON *node;
    printf("\ncluster ");
    print_text(cluster, "name", 0);
    printf(", asked at node ");
    print_text(cluster, "node", 0);
    if (!app_json_get_bool(cluster, "connected")) printf(", which does not reach the NATS server");
    printf("\n%-16s %-21s %-8s %10s %6s %10s %7s %10s  %s\n", "node", "address", "state", "characters",
           "load", "tick", "behind", "skipped", "version");
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(cluster, "nodes")) {
        print_text(node, "node", 16);
        putchar(' ');
        print_text(node, "address", 21);
        const char *state = app_json_get_bool(node, "drained")  ? "drained"
                            : app_json_get_bool(node, "paused") ? "paused"
                                                                : "runs";
        printf(" %-8s %10.0f %4.0f %% %10.0f %7.0f %10.0f  ", state, number(node, "characters"),
               100 * number(node, "load"), number(node, "tick"), number(node, "ticks_behind"),
               number(node, "ticks_skipped"));
        print_text(node, "version", 0);
        putchar('\n');
    }
}

static double number(const cJSON *object, const char *key) {
    return app_json_get_number(object, key, 0.0);
}

// Pads to the width.
static void print_text(const cJSON *object, const char *key, size_t width) {
    const char *text = app_json_get_text(object, key);
    for (size_t used = app_print_safe(stdout, text ? text : "", SIZE_MAX); used < width; used++) putchar(' ');
}

static const char *plural(double count) {
    return count == 1.0 ? "" : "s";
}
