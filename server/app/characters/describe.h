// A character's static data, as protocol's structure and as text. The text is written once and shared.
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
    ProtocolMeshText *meshes; // [mesh_count], still without their texts
    size_t mesh_count;
    float *distances;  // of all garments, one after the other
    TextBuffer params; // as JSON; empty: none
} AppDescription;

// Between ticks only. It is valid until the character changes. Returns false when memory runs out; there is
// nothing to finish then.
bool app_description_init(AppDescription *description, const AppCharacters *characters,
                          const AppCharacter *character);
void app_description_finish(AppDescription *description);

// The result of character.describe, without meshes. It is valid until the next call. Returns NULL when memory
// runs out.
const TextBuffer *app_description_text(AppCharacters *characters, AppCharacter *character,
                                       const AppDescription *description, ProtocolAxes axes);

// Whether the result with meshes can be written, or has failed. Otherwise it is requested: ask again after
// app_mesh_texts_update.
bool app_meshes_are_ready(AppCharacters *characters, const AppCharacter *character, ProtocolAxes axes);
// The result with meshes, where they are ready. It is valid until the next call. Returns NULL when memory
// runs out.
const TextBuffer *app_meshed_description_text(AppCharacters *characters, AppCharacter *character,
                                              AppDescription *description, ProtocolAxes axes);

void app_description_drop(AppCharacters *characters, AppCharacter *character);
