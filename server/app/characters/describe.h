// A character's static data: as protocol wants it, and as text that is written once for all who ask.
#pragma once

#include "characters/characters.h"

#include <protocol/static.h>

typedef struct AppDescription {
    ProtocolCharacter character;
    ProtocolBone *bones;
    ProtocolGarment *garments;
    ProtocolCollider *colliders;
    ProtocolClip *clips;
    ProtocolCommand *commands;
    float *distances; // of all garments, one after the other
} AppDescription;

// Between ticks only. Lives as long as the character stays as it is. False: out of memory, nothing to finish.
bool app_description_init(AppDescription *description, const AppCharacters *characters,
                          const AppCharacter *character);
void app_description_finish(AppDescription *description);

// The result of character.describe. Lives until the next call, or the character's end. NULL: out of memory.
const TextBuffer *app_description_text(AppCharacters *characters, AppCharacter *character,
                                       const AppDescription *description, ProtocolAxes axes, bool mesh);

void app_description_drop(AppCharacters *characters, AppCharacter *character);
