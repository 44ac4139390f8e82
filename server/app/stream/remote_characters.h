// Characters that other servers simulate, as one view shows them: lines that were written elsewhere.
#pragma once

#include <net/buffer.h>
#include <protocol/relay.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppRemoteCharacter {
    char name[TEXT_NAME_BYTES + 1];
    NetBuffer *frame;   // the newest; NULL: none yet
    uint64_t tick;      // of the newest frame that was given to clients; 0: none was
    NetBuffer *whole;   // the newest static line, with what the server was asked for; NULL: none yet
    NetBuffer *derived; // of it, with less, for subscriptions that want less; NULL: not written yet
    ProtocolRelayPart derived_part;
    int kind;          // AppStaticKind of `whole`
    uint64_t revision; // of `whole`
} AppRemoteCharacter;

// By slot. All zero is empty.
typedef struct AppRemoteCharacters {
    AppRemoteCharacter *items; // [count]
    size_t count, capacity;
} AppRemoteCharacters;

void app_remote_characters_finish(AppRemoteCharacters *remote);

// -1: there is none of that name.
int app_remote_characters_find(const AppRemoteCharacters *remote, const char *name);
// A new one; -1 when memory runs out.
int app_remote_characters_add(AppRemoteCharacters *remote, const char *name);
// The slots behind it move up by one.
void app_remote_characters_remove(AppRemoteCharacters *remote, size_t slot);

// Takes a line over, NULL too.
void app_remote_characters_put(AppRemoteCharacters *remote, size_t slot, bool is_static, NetBuffer *line);

// The static line with that part; of `whole` as it is where part is PROTOCOL_RELAY_WHOLE. NULL: there is none
// yet, or memory ran out. The view's number is `view`.
NetBuffer *app_remote_characters_static(AppRemoteCharacters *remote, size_t slot, int view,
                                        ProtocolRelayPart part);
