// Characters that other servers simulate, as one view shows them: lines that were written elsewhere.
#pragma once

#include <net/buffer.h>
#include <protocol/relay.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct AppForeignCharacter {
    char name[TEXT_NAME_BYTES + 1];
    NetBuffer *frame;   // the newest; NULL: none yet
    uint64_t tick;      // of the newest frame that was given to clients; 0: none was
    NetBuffer *whole;   // the newest static line, with what the server was asked for; NULL: none yet
    NetBuffer *derived; // of it, with less, for subscriptions that want less; NULL: not written yet
    ProtocolRelayPart derived_part;
    int kind;          // AppStaticKind of `whole`
    uint64_t revision; // of `whole`
} AppForeignCharacter;

// By slot. All zero is empty.
typedef struct AppForeign {
    AppForeignCharacter *items; // [count]
    size_t count, capacity;
} AppForeign;

void app_foreign_finish(AppForeign *remote);

// -1: there is none of that name.
int app_foreign_find(const AppForeign *remote, const char *name);
// A new one; -1: out of memory.
int app_foreign_add(AppForeign *remote, const char *name);
// The slots behind it move up by one.
void app_foreign_remove(AppForeign *remote, size_t slot);

// Takes a line over, NULL too.
void app_foreign_put(AppForeign *remote, size_t slot, bool is_static, NetBuffer *line);

// The static line with that part; of `whole` as it is where part is PROTOCOL_RELAY_WHOLE. NULL: there is none
// yet, or memory ran out. The view's number is `view`.
NetBuffer *app_foreign_static(AppForeign *remote, size_t slot, int view, ProtocolRelayPart part);
