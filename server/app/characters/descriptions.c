// A character keeps what was asked for; where that gets too much in all, everything is forgotten.
#include "characters/descriptions.h"

#include <stdlib.h>

#define MOST_BYTES ((size_t)64 << 20)

struct AppDescribed {
    uint32_t revision;
    TextBuffer texts[PROTOCOL_AXES_COUNT][2]; // [axes][mesh]; empty: not asked for
};

static AppDescribed *of_revision(AppCharacters *characters, AppCharacter *character);

const TextBuffer *app_description_text(AppCharacters *characters, AppCharacter *character,
                                       const AppDescription *description, ProtocolAxes axes, bool mesh) {
    AppDescribed *described = of_revision(characters, character);
    if (!described) return NULL;
    TextBuffer *text = &described->texts[axes][mesh];
    if (text->length > 0) return text;
    protocol_write_description(text, &description->character, axes, mesh);
    if (text->failed) {
        text_buffer_finish(text);
        return NULL;
    }
    characters->described_bytes += text->length;
    return text;
}

void app_description_drop(AppCharacters *characters, AppCharacter *character) {
    AppDescribed *described = character->described;
    if (!described) return;
    for (int axes = 0; axes < PROTOCOL_AXES_COUNT; axes++)
        for (int mesh = 0; mesh < 2; mesh++) {
            characters->described_bytes -= described->texts[axes][mesh].length;
            text_buffer_finish(&described->texts[axes][mesh]);
        }
    free(described);
    character->described = NULL;
}

static AppDescribed *of_revision(AppCharacters *characters, AppCharacter *character) {
    if (character->described && character->described->revision != character->revision)
        app_description_drop(characters, character);
    if (characters->described_bytes > MOST_BYTES)
        for (size_t slot = 0; slot < characters->count; slot++)
            app_description_drop(characters, characters->items[slot]);
    if (!character->described) {
        character->described = calloc(1, sizeof *character->described); // all zero is an empty text
        if (character->described) character->described->revision = character->revision;
    }
    return character->described;
}
