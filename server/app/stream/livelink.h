// --jsonlivelink: all characters to Unreal's JSON Live Link plug-in, a datagram for each, after a tick.
#pragma once

#include "base/log.h"
#include "base/options.h"
#include "characters/characters.h"
#include "ticks/tick_phase.h"

#include <net/datagram.h>
#include <protocol/livelink.h>

typedef struct AppLiveLink {
    bool is_open;
    AppCharacters *characters;
    const AppTicks *ticks;
    AppLog *log;
    double rate; // Hz; 0: every tick
    NetDatagrams datagrams;
    TextBuffer text;
    ProtocolLiveLinkBone *bones; // [bone_capacity]
    size_t bone_capacity;
    uint64_t sent, dropped;    // datagrams
    uint64_t reported_dropped; // that the log has reported
    uint64_t reported_ns;
    uint64_t offered_ns; // when the newest tick was sent last
} AppLiveLink;

// Opens the socket of --jsonlivelink, if given. characters, ticks and log are set already. False:
// `out_message` says what is wrong.
bool app_livelink_open(AppLiveLink *livelink, const AppOptions *options, uv_loop_t *loop, char *out_message,
                       size_t capacity);
// The loop closes the socket.
void app_livelink_finish(AppLiveLink *livelink);

// Room for the bones of the next subject, which app_livelink_send sends. Returns NULL when memory runs out,
// which is counted.
ProtocolLiveLinkBone *app_livelink_reserve(AppLiveLink *livelink, size_t count);
// last_bones: where the hash of the subject's names and parents is kept, 0 at first; NULL: they are those
// that were sent last.
void app_livelink_send(AppLiveLink *livelink, const char *name, size_t bone_count, uint64_t *last_bones);

// After a tick: sends it, if the rate asks for it.
void app_livelink_offer(AppLiveLink *livelink);

// While the simulation is paused: sends the newest tick again once a second, for a plug-in that has just
// begun to listen.
void app_livelink_remind(AppLiveLink *livelink, uint64_t now_ns);
