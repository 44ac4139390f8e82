// The reference is the node that has been in the cluster for longest. Each node keeps the cluster's timeline
// by its own clock, so nothing changes for it while the reference does not answer, or when another node
// becomes the reference.
#include "cluster/node/timing.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_PROBE_NS  UINT64_C(20000000)  // between questions, until there are ENOUGH_ANSWERS
#define PROBE_NS       UINT64_C(500000000) // between questions from then on
#define FAR_SECONDS    0.5                 // that a node without characters does not make up for slowly
#define ENOUGH_ANSWERS 4                   // to begin with

static const AppDirectoryNode *choose(const AppCluster *cluster);
static bool comes_before(const AppDirectoryNode *member, const AppDirectoryNode *than);
static double joined_of(const AppDirectoryNode *member);
static const char *reference_of(const AppDirectoryNode *member);
static void set_reference(AppCluster *cluster, const char *reference);
static void probe(AppCluster *cluster);
static void publish(AppCluster *cluster);
static void jump(AppCluster *cluster, uint64_t tick);

bool app_timing_is_known(AppCluster *cluster) {
    AppTiming *timing = &cluster->timing;
    const AppDirectoryNode *reference = choose(cluster);
    if (!reference || strcmp(reference->name, cluster->node) == 0) return true;
    set_reference(cluster, reference->name);
    if (uv_hrtime() > timing->probed_ns + JOIN_PROBE_NS) probe(cluster);
    return timing->offset.count >= ENOUGH_ANSWERS;
}

void app_timing_begin(AppCluster *cluster, AppTickClock *clock) {
    AppTicks *ticks = cluster->def.ticks;
    if (ticks->timeline.rate == 0)
        ticks->timeline = (AppTimeline){.tick = ticks->newest + 1,
                                        .due_ns = (int64_t)app_tick_clock_deadline_ns(clock),
                                        .rate = ticks->rate};
    else
        jump(cluster,
             ticks->is_halting ? ticks->last : app_timeline_tick(&ticks->timeline, (int64_t)uv_hrtime()));
    if (!ticks->is_halting) app_tick_clock_align(clock, &ticks->timeline, ticks->newest + 1);
    cluster->timing.has_begun = true;
    app_timing_update(cluster);
}

void app_timing_update(AppCluster *cluster) {
    AppTiming *timing = &cluster->timing;
    const AppTicks *ticks = cluster->def.ticks;
    const AppDirectoryNode *reference = choose(cluster);
    set_reference(cluster, reference ? reference->name : cluster->node);
    const bool is_own = strcmp(timing->reference, cluster->node) == 0;
    const uint64_t interval_ns = timing->offset.count < APP_CLOCK_SAMPLES ? 0 : PROBE_NS;
    if (!is_own && uv_hrtime() >= timing->probed_ns + interval_ns) probe(cluster);
    const double far = FAR_SECONDS * ticks->rate;
    const int64_t behind = app_timing_ticks_behind(cluster);
    const bool is_far = (double)behind > far || (double)behind < (ticks->is_halting ? 0 : -far);
    if (cluster->def.characters->count == 0 && is_far && !ticks->is_hurrying)
        jump(cluster, ticks->newest + (uint64_t)behind);
    publish(cluster);
}

void app_timing_receive(AppCluster *cluster, const AppMessage *answer) {
    AppTiming *timing = &cluster->timing;
    AppClockProbe times = {.returned_ns = answer->time_ns};
    AppTicks *ticks = cluster->def.ticks;
    AppTimeline timeline = {.rate = ticks->rate};
    char node[APP_NODE_BYTES + 1];
    int64_t run;
    const int read = sscanf(
        answer->body,
        "%" APP_NODE_WIDTH "s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64, node,
        &times.asked_ns, &times.received_ns, &times.answered_ns, &timeline.tick, &timeline.due_ns, &run);
    if (read != 7 || strcmp(node, timing->reference) != 0) return; // of one that was the reference
    app_clock_offset_add(&timing->offset, &times);
    timeline.due_ns -= app_clock_offset_ns(&timing->offset, uv_hrtime(), &timing->error_ns);
    if (!timing->has_begun && run < 0) { // as the entry will say in a moment
        ticks->is_halting = true;
        ticks->last = timeline.tick;
    }
    // After a pause the timeline is another one, which nodes hear of at different times.
    if (!timing->has_begun || (!ticks->is_halting && run == (int64_t)cluster->pause.run))
        ticks->timeline = timeline;
}

void app_timing_restart(AppCluster *cluster) {
    cluster->timing.probed_ns = 0;
    cluster->status_ns = 0;
    publish(cluster);
}

// Half a period of tolerance: a tick may begin a little before its time.
int64_t app_timing_ticks_behind(const AppCluster *cluster) {
    const AppTicks *ticks = cluster->def.ticks;
    if (ticks->timeline.rate == 0) return 0;
    if (ticks->is_halting) return (int64_t)(ticks->last - ticks->newest);
    const int64_t now_ns = (int64_t)uv_hrtime() + 500000000 / ticks->rate;
    return (int64_t)(app_timeline_tick(&ticks->timeline, now_ns) - ticks->newest) -
           (ticks->phase == APP_BETWEEN_TICKS ? 0 : 1);
}

double app_timing_error_ms(const AppCluster *cluster) {
    return strcmp(cluster->timing.reference, cluster->node) == 0 ? 0
                                                                 : (double)cluster->timing.error_ns * 1e-6;
}

// A node that has just come is no reference while there is another. NULL: no status has come yet.
static const AppDirectoryNode *choose(const AppCluster *cluster) {
    const AppDirectoryNode *best = NULL;
    const uint64_t now_ns = uv_hrtime();
    for (size_t i = 0; i < cluster->directory.node_count; i++) {
        const AppDirectoryNode *member = &cluster->directory.nodes[i];
        const bool is_own = strcmp(member->name, cluster->node) == 0;
        if (!is_own && now_ns > member->seen_ns + APP_NODE_TIMEOUT_NS) continue;
        if (!best || comes_before(member, best)) best = member;
    }
    return best;
}

static bool comes_before(const AppDirectoryNode *member, const AppDirectoryNode *than) {
    const bool has_time = reference_of(member) != NULL, has_other = reference_of(than) != NULL;
    if (has_time != has_other) return has_time;
    const double joined = joined_of(member), other = joined_of(than);
    return joined < other || (!(joined > other) && strcmp(member->name, than->name) < 0);
}

// The first status of a node has no "joined" yet.
static double joined_of(const AppDirectoryNode *member) {
    return app_json_get_number(member->status, "joined", (double)INFINITY);
}

// NULL: it has no time yet.
static const char *reference_of(const AppDirectoryNode *member) {
    return app_json_get_text(member->status, "reference");
}

// Answers of the former reference are dropped: they are times of another clock.
static void set_reference(AppCluster *cluster, const char *reference) {
    AppTiming *timing = &cluster->timing;
    if (strcmp(timing->reference, reference) == 0) return;
    snprintf(timing->reference, sizeof timing->reference, "%s", reference);
    timing->offset = (AppClockOffset){0};
    timing->probed_ns = 0;
}

static void probe(AppCluster *cluster) {
    AppMessage *message = app_message_create(APP_MESSAGE_PROBE, NULL, 0);
    if (message) memcpy(message->name, cluster->timing.reference, sizeof cluster->timing.reference);
    cluster->timing.probed_ns = uv_hrtime();
    app_mailbox_put(&cluster->bridge.out, message);
}

// The bridge answers probes by itself, also while the loop is busy.
static void publish(AppCluster *cluster) {
    const AppTicks *ticks = cluster->def.ticks;
    char text[64];
    if (ticks->is_halting)
        snprintf(text, sizeof text, "%" PRIu64 " %" PRId64 " -1", ticks->last, (int64_t)uv_hrtime());
    else
        snprintf(text, sizeof text, "%" PRIu64 " %" PRId64 " %" PRIu64, ticks->timeline.tick,
                 ticks->timeline.due_ns, cluster->pause.run);
    app_bridge_set_time(&cluster->bridge, text);
}

static void jump(AppCluster *cluster, uint64_t tick) {
    app_log(cluster->def.log, TEXT_LOG_INFO, "tick set to %" PRIu64 ", the cluster's", tick);
    app_characters_set_tick(cluster->def.characters, tick);
    cluster->def.ticks->newest = cluster->def.ticks->begun = tick;
}
