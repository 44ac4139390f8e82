// The table of one view's remote characters.
#include "stream/remote_characters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/array.h>

static void empty(AppRemoteCharacter *character);

void app_remote_characters_finish(AppRemoteCharacters *remote) {
    for (size_t i = 0; i < remote->count; i++) empty(&remote->items[i]);
    free(remote->items);
    *remote = (AppRemoteCharacters){0};
}

int app_remote_characters_find(const AppRemoteCharacters *remote, const char *name) {
    for (size_t i = 0; i < remote->count; i++)
        if (strcmp(remote->items[i].name, name) == 0) return (int)i;
    return -1;
}

int app_remote_characters_add(AppRemoteCharacters *remote, const char *name) {
    if (!TEXT_ARRAY_GROW(remote->items, remote->count, remote->capacity)) return -1;
    remote->items[remote->count] = (AppRemoteCharacter){0};
    snprintf(remote->items[remote->count].name, sizeof remote->items->name, "%s", name);
    return (int)remote->count++;
}

void app_remote_characters_remove(AppRemoteCharacters *remote, size_t slot) {
    empty(&remote->items[slot]);
    remote->count--;
    memmove(&remote->items[slot], &remote->items[slot + 1], (remote->count - slot) * sizeof *remote->items);
}

void app_remote_characters_put(AppRemoteCharacters *remote, size_t slot, bool is_static, NetBuffer *line) {
    AppRemoteCharacter *character = &remote->items[slot];
    NetBuffer **place = is_static ? &character->whole : &character->frame;
    if (!line) return;
    net_buffer_release(*place);
    *place = line;
    if (!is_static) return;
    net_buffer_release(character->derived);
    character->derived = NULL;
}

NetBuffer *app_remote_characters_static(AppRemoteCharacters *remote, size_t slot, int view,
                                        ProtocolRelayPart part) {
    AppRemoteCharacter *character = &remote->items[slot];
    if (!character->whole || part == PROTOCOL_RELAY_WHOLE) return character->whole;
    if (character->derived && character->derived_part == part) return character->derived;
    ProtocolRelay relay;
    TextBuffer text = {0};
    if (protocol_relay_read(&relay, net_buffer_data(character->whole),
                            net_buffer_length(character->whole) - 1))
        protocol_relay_write(&text, &relay, view, part);
    net_buffer_release(character->derived);
    character->derived = text.length == 0 ? NULL : net_buffer_create_text(&text);
    character->derived_part = part;
    text_buffer_finish(&text);
    return character->derived;
}

static void empty(AppRemoteCharacter *character) {
    net_buffer_release(character->frame);
    net_buffer_release(character->whole);
    net_buffer_release(character->derived);
    *character = (AppRemoteCharacter){0};
}
