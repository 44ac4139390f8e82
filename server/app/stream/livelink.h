// --jsonlivelink: all characters to Unreal's JSON Live Link plug-in, a datagram for each, after a tick.
#pragma once

#include <net/datagram.h>
#include <protocol/livelink.h>

typedef struct App App;

typedef struct AppLiveLink {
    bool is_open;
    NetDatagrams datagrams;
    TextBuffer text;
    ProtocolLiveLinkBone *bones; // [bone_capacity]
    size_t bone_capacity;
    uint64_t sent, dropped; // datagrams
    uint64_t told_dropped;  // that the log has told of
    uint64_t told_ns;
    uint64_t offered_ns; // when the newest tick was sent last
} AppLiveLink;

// As the options say; nothing without --jsonlivelink. False: `out_message` says what is wrong.
bool app_livelink_open(App *app, char *out_message, size_t capacity);
// The socket is the loop's to close.
void app_livelink_finish(AppLiveLink *livelink);

// A tick has ended: sends it, if one is due.
void app_livelink_offer(App *app);

// While the simulation is paused: once a second sends what stands, for a plug-in that has just begun to
// listen.
void app_livelink_remind(App *app, uint64_t now_ns);
