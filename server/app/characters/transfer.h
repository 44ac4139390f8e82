// A character on its way from one server to another: all that it is, as one line of JSON and the bytes of its
// state in the simulation behind it.
#pragma once

#include "characters/characters.h"

typedef struct AppTransfer {
    cJSON *header;
    uint64_t tick;              // after which the state was taken
    const unsigned char *state; // [state_size], see sim_character_save
    const unsigned char *air;   // [air_size], see sim_weather_save
    size_t state_size, air_size;
} AppTransfer;

// Appends a character as it is after the newest tick. False, with the reason.
bool app_transfer_write(AppCharacters *characters, const AppCharacter *character, TextBuffer *out,
                        ScriptError *out_error);

// Reads what was written; the bytes outlive the transfer. False, with the reason, for anything else. Finish
// it in any case.
bool app_transfer_read(AppTransfer *transfer, const char *bytes, size_t size, ScriptError *out_error);
const char *app_transfer_script(const AppTransfer *transfer);
void app_transfer_finish(AppTransfer *transfer);

// Whether the character can be created here: its script is loaded and has the same rig. False, with the
// reason.
bool app_transfer_check(AppCharacters *characters, const AppTransfer *transfer, ScriptError *out_error);

// Creates the character: on_spawn and on_restore are called, then all is as it was, and it catches up with
// the ticks since; what its script asks of others meanwhile is left out. It goes on where it was if there
// were more than most_late ticks: then the other server counts others. The name is free. NULL, with the
// reason, and nothing has changed. Between ticks.
AppCharacter *app_transfer_create(AppCharacters *characters, const AppTransfer *transfer, const char *name,
                                  uint64_t most_late, ScriptError *out_error);
