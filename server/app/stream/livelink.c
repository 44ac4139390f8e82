// Characters as the plug-in's subjects: bones in their parents' space, roots in the world.
#include "stream/livelink.h"

#include "stream/views.h"

#include <stdlib.h>
#include <string.h>
#include <text/hash.h>

#define REMIND_EVERY_NS 1000000000ULL
#define REPORT_EVERY_NS 60000000000ULL

static void send_all(AppLiveLink *livelink);
static void send_character(AppLiveLink *livelink, AppCharacter *character);
static void send_document(AppLiveLink *livelink, int *out_status);
static void report_skeleton(AppLiveLink *livelink, const ProtocolLiveLink *subject, uint64_t *last_bones);
static uint64_t hash_bones(const ProtocolLiveLink *subject);
static void report_dropped(AppLiveLink *livelink, int status);

bool app_livelink_open(AppLiveLink *livelink, const AppOptions *options, uv_loop_t *loop, char *out_message,
                       size_t capacity) {
    const AppAddress *to = &options->jsonlivelink;
    NetError error;
    livelink->rate = (double)options->jsonlivelink_rate;
    if (!to->host[0]) return true;
    livelink->is_open = net_datagrams_open(&livelink->datagrams, loop, to->host, (uint16_t)to->port,
                                           !options->jsonlivelink_remote, &error);
    if (!livelink->is_open) snprintf(out_message, capacity, "--jsonlivelink: %s", error.text);
    return livelink->is_open;
}

void app_livelink_finish(AppLiveLink *livelink) {
    text_buffer_finish(&livelink->text);
    free(livelink->bones);
    *livelink = (AppLiveLink){0};
}

ProtocolLiveLinkBone *app_livelink_reserve(AppLiveLink *livelink, size_t count) {
    if (count > livelink->bone_capacity) {
        ProtocolLiveLinkBone *grown = realloc(livelink->bones, count * sizeof *grown);
        if (!grown) {
            livelink->dropped++;
            report_dropped(livelink, UV_ENOMEM);
            return NULL;
        }
        livelink->bones = grown;
        livelink->bone_capacity = count;
    }
    return livelink->bones;
}

void app_livelink_send(AppLiveLink *livelink, const char *name, size_t bone_count, uint64_t *last_bones) {
    int status = 0;
    ProtocolLiveLink subject = {.character = name, .bones = livelink->bones, .bone_count = bone_count};
    while (protocol_livelink_write(&subject, &livelink->text)) send_document(livelink, &status);
    if (last_bones) report_skeleton(livelink, &subject, last_bones);
    if (status != 0) report_dropped(livelink, status);
}

void app_livelink_offer(AppLiveLink *livelink) {
    if (livelink->is_open &&
        protocol_rate_is_due(livelink->rate, livelink->ticks->newest, 1, livelink->ticks->rate))
        send_all(livelink);
}

void app_livelink_remind(AppLiveLink *livelink, uint64_t now_ns) {
    if (livelink->is_open && now_ns >= livelink->offered_ns + REMIND_EVERY_NS) send_all(livelink);
}

// Skips characters spawned during a pause: they have no pose before their first tick.
static void send_all(AppLiveLink *livelink) {
    for (size_t slot = 0; slot < livelink->characters->count; slot++) {
        AppCharacter *character = livelink->characters->items[slot];
        if (character->first_tick <= livelink->ticks->newest) send_character(livelink, character);
    }
    livelink->offered_ns = uv_hrtime();
}

static void send_character(AppLiveLink *livelink, AppCharacter *character) {
    AppSkeleton skeleton;
    app_skeleton_init(&skeleton, livelink->characters, character);
    const size_t count = (size_t)skeleton.rig->bone_count;
    ProtocolLiveLinkBone *bones = app_livelink_reserve(livelink, count);
    if (!bones) return;
    for (size_t i = 0; i < count; i++) {
        const SimBoneInfo *bone = &skeleton.rig->bones[i];
        bones[i] = (ProtocolLiveLinkBone){.name = bone->name, .parent = bone->parent};
        app_skeleton_place(&skeleton, bone->parent < 0 ? PROTOCOL_SPACE_WORLD : PROTOCOL_SPACE_PARENT, i,
                           bones[i].matrix);
    }
    const SimRigId rig = sim_character_rig(livelink->characters->world, character->id),
                   last = character->livelink_rig;
    const bool is_same = rig.index == last.index && rig.generation == last.generation;
    character->livelink_rig = rig;
    app_livelink_send(livelink, character->name, count, is_same ? NULL : &character->livelink_bones);
}

static void send_document(AppLiveLink *livelink, int *out_status) {
    const TextBuffer *text = &livelink->text;
    int status = UV_ENOMEM;
    if (!text->failed && text->length > PROTOCOL_LIVELINK_BYTES)
        status = UV_EMSGSIZE;
    else if (!text->failed)
        status = net_datagrams_send(&livelink->datagrams, text->bytes, text->length);
    if (status == 0) {
        livelink->sent++;
    } else {
        livelink->dropped++;
        *out_status = status;
    }
}

// What Unreal will make of a skeleton that it sees for the first time.
static void report_skeleton(AppLiveLink *livelink, const ProtocolLiveLink *subject, uint64_t *last_bones) {
    const uint64_t bones = hash_bones(subject);
    const char *name = subject->character;
    if (*last_bones != 0 && bones != *last_bones)
        app_log(
            livelink->log, TEXT_LOG_WARNING,
            "%s: its bones changed; JSON Live Link uses the old ones until you remove its source and add it "
            "again",
            name);
    *last_bones = bones;
    if (subject->parts > 1)
        app_log(
            livelink->log, TEXT_LOG_WARNING,
            "%s: its %zu bones exceed one JSON Live Link datagram and are sent as %d subjects: %s, %s[2]%s",
            name, subject->bone_count, subject->parts, name, name, subject->parts > 2 ? ", …" : "");
    if (subject->left_out > 0)
        app_log(livelink->log, TEXT_LOG_WARNING,
                "%s: %zu bone%s left out of JSON Live Link: its chain of parents does not fit one datagram",
                name, subject->left_out, subject->left_out == 1 ? " is" : "s are");
}

static uint64_t hash_bones(const ProtocolLiveLink *subject) {
    uint64_t hash = TEXT_HASH_BEGIN;
    for (size_t i = 0; i < subject->bone_count; i++) {
        const ProtocolLiveLinkBone *bone = &subject->bones[i];
        hash = text_hash(hash, bone->name, strlen(bone->name) + 1);
        hash = text_hash(hash, &bone->parent, sizeof bone->parent);
    }
    return hash;
}

static void report_dropped(AppLiveLink *livelink, int status) {
    const uint64_t now_ns = uv_hrtime();
    if (livelink->reported_ns > 0 && now_ns < livelink->reported_ns + REPORT_EVERY_NS) return;
    const uint64_t dropped = livelink->dropped - livelink->reported_dropped;
    app_log(livelink->log, TEXT_LOG_WARNING, "%llu datagram%s of JSON Live Link dropped: %s",
            (unsigned long long)dropped, dropped == 1 ? "" : "s", uv_strerror(status));
    livelink->reported_dropped = livelink->dropped;
    livelink->reported_ns = now_ns;
}
