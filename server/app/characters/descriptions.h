// Characters' static data as text, written once for all who ask: by revision, axes and mesh.
#pragma once

#include "characters/describe.h"

// The result of character.describe. Lives until the next call, or the character's end. NULL: out of memory.
const TextBuffer *app_description_text(AppCharacters *characters, AppCharacter *character,
                                       const AppDescription *description, ProtocolAxes axes, bool mesh);

void app_description_drop(AppCharacters *characters, AppCharacter *character);
