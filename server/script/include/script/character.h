// Kinds of characters as scripts define them, and the script's side of each character in the world.
#pragma once

#include "script/host.h"

typedef struct ScriptCharacter ScriptCharacter;
typedef struct ScriptInstance ScriptInstance;

typedef struct ScriptCommand {
    const char *name;
    const char *help; // may be ""
} ScriptCommand;

// Of one garment, in the order of the rig's.
typedef struct ScriptGarment {
    const char *fabric; // name
    const char *solver; // "verlet"
} ScriptGarment;

typedef struct ScriptCharacterInfo {
    const char *script;            // "characters/wake"
    SimRigId rig;                  // null where the host has no world
    const ScriptGarment *garments; // [garment_count]
    int garment_count;
    const ScriptCommand *commands; // [command_count], sorted by name
    int command_count;
    uint32_t revision; // 1; grows when the script is loaded anew
} ScriptCharacterInfo;

// The character's script of that name, loaded on first use: it lives until the host's end, and asking again
// gives the same one. NULL, with the findings, if it cannot be had. Findings are added to.
ScriptCharacter *script_character_load(ScriptHost *host, const char *script, ScriptFindings *findings);
const ScriptCharacterInfo *script_character_info(const ScriptCharacter *character);
size_t script_character_memory(const ScriptCharacter *character); // bytes of its Lua state

// The script's side of a character that exists in the world: makes `self`, calls on_spawn. name: 1 to 64
// bytes, copied. params: a table, or NULL. NULL, with the error, if on_spawn raised; the caller then destroys
// the character.
ScriptInstance *script_instance_create(ScriptCharacter *character, SimCharacterId id, const char *name,
                                       const ScriptValue *params, ScriptError *out_error);
const ScriptValue *script_instance_params(const ScriptInstance *instance);
void script_instance_destroy(ScriptInstance *instance);

// As after its creation: coroutines end, random numbers begin again, a new `self`, on_spawn with the same
// params. Call after sim_character_reset. False, with the error, if on_spawn raised.
bool script_instance_reset(ScriptInstance *instance, ScriptError *out_error);

// At the start of a tick: goes on with coroutines whose time has come, then calls on_tick. Returns at once
// where there is nothing to do. Errors go to the callback `failed`.
void script_instance_tick(ScriptInstance *instance);

typedef enum ScriptCallStatus {
    SCRIPT_CALL_DONE,
    SCRIPT_CALL_UNKNOWN, // no such command; the error's message has the nearest name
    SCRIPT_CALL_FAILED,  // the command raised, or its result is no plain data
} ScriptCallStatus;

// Calls one of the script's commands. arguments: a table, or NULL. out_result is the caller's to finish, null
// unless the call was done.
ScriptCallStatus script_instance_call(ScriptInstance *instance, const char *command,
                                      const ScriptValue *arguments, ScriptValue *out_result,
                                      ScriptError *out_error);
