// --jsonlivelink: all characters to Unreal's JSON Live Link plug-in, a datagram for each, after a tick.
#pragma once

#include "base/log.h"
#include "base/options.h"
#include "base/ticks.h"
#include "characters/characters.h"

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

// With characters, ticks and log set: as the options say, nothing without --jsonlivelink. False:
// `out_message` says what is wrong.
bool app_livelink_open(AppLiveLink *livelink, const AppOptions *options, uv_loop_t *loop, char *out_message,
                       size_t capacity);
// The socket is the loop's to close.
void app_livelink_finish(AppLiveLink *livelink);

// A tick has ended: sends it, if one is due.
void app_livelink_offer(AppLiveLink *livelink);

// While the simulation is paused: once a second sends what stands, for a plug-in that has just begun to
// listen.
void app_livelink_remind(AppLiveLink *livelink, uint64_t now_ns);
