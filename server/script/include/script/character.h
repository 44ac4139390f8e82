// Characters that scripts define, and an instance of the script for each character in the world.
#pragma once

#include "script/host.h"

typedef struct ScriptCharacter ScriptCharacter;
typedef struct ScriptInstance ScriptInstance;

typedef struct ScriptCommand {
    const char *name;
    const char *help; // may be ""
} ScriptCommand;

// One garment, in the rig's order.
typedef struct ScriptGarment {
    const char *fabric; // name
    const char *solver; // "verlet" or "mass_spring"
} ScriptGarment;

// Which parts of a mesh's material its definition gives; the others are those of its garment's fabric.
typedef struct ScriptMeshMaterial {
    bool color, roughness, pattern;
} ScriptMeshMaterial;

typedef struct ScriptCharacterInfo {
    const char *script;            // "characters/wake"
    SimRigId rig;                  // null if the host has no world
    const ScriptGarment *garments; // [garment_count]
    int garment_count;
    const ScriptMeshMaterial *meshes; // [mesh_count], in the rig's order
    int mesh_count;
    const ScriptCommand *commands; // [command_count], sorted by name
    int command_count;
    uint32_t revision; // 1 at first, counts the reloads of the script
} ScriptCharacterInfo;

// Loads the character's script of that name, or returns the loaded one. It lives as long as the host. NULL if
// it has errors; they are added to the findings.
ScriptCharacter *script_character_load(ScriptHost *host, const char *script, ScriptFindings *findings);
const ScriptCharacterInfo *script_character_info(const ScriptCharacter *character);
// The material of one of the rig's meshes, by the fabrics as they are loaded now.
SimMaterial script_character_material(const ScriptCharacter *character, const SimRenderMesh *mesh, int index);
size_t script_character_memory(const ScriptCharacter *character); // bytes of its Lua state

// Creates the instance of a script for a character in the world: creates `self` and calls on_spawn. name: 1
// to 64 bytes, copied. params: a table, or NULL. NULL with the error if on_spawn raises; the caller then
// destroys the character.
ScriptInstance *script_instance_create(ScriptCharacter *character, SimCharacterId id, const char *name,
                                       ScriptParams *params, ScriptError *out_error);
ScriptParams *script_instance_params(const ScriptInstance *instance);
void script_instance_destroy(ScriptInstance *instance);

// Resets the instance, from now on for the character `id`: ends its coroutines, restarts its random numbers,
// creates a new `self` and calls on_spawn with the same params. False with the error if on_spawn raises: the
// instance stays as it was, for its character of before.
bool script_instance_reset(ScriptInstance *instance, SimCharacterId id, ScriptError *out_error);

// Where the instance is in its random numbers.
typedef struct ScriptRandomState {
    uint64_t words[4];
} ScriptRandomState;
ScriptRandomState script_instance_random(const ScriptInstance *instance);
void script_instance_set_random(ScriptInstance *instance, const ScriptRandomState *state);

// Calls on_save, between ticks: what the script wants to know where the character goes on. The caller
// finishes out_saved, which is null where the script has no on_save. False, with the error, if it raises or
// returns no table of plain data.
bool script_instance_save(ScriptInstance *instance, ScriptValue *out_saved, ScriptError *out_error);
// Calls on_restore where the script has one. False, with the error, if it raises.
bool script_instance_restore(ScriptInstance *instance, const ScriptValue *saved, ScriptError *out_error);

// Call at the start of a tick: resumes the coroutines that are due, then calls on_tick. Errors go to the
// callback `failed`.
void script_instance_tick(ScriptInstance *instance);

// The time of the simulation jumps by so many seconds: coroutines wait as long as before.
void script_instance_shift_time(ScriptInstance *instance, double seconds);
// The same for a tick that is over, at that time in s, of a character that catches up: without events.
void script_instance_run_late_tick(ScriptInstance *instance, double time);

typedef enum ScriptCallStatus {
    SCRIPT_CALL_DONE,
    SCRIPT_CALL_UNKNOWN, // no such command; the error's message has the nearest name
    SCRIPT_CALL_FAILED,  // the command raised an error, or its result is no plain data
} ScriptCallStatus;

// Calls one of the script's commands. arguments: a table, or NULL. The caller finishes out_result, which is
// null unless the call succeeds.
ScriptCallStatus script_instance_call(ScriptInstance *instance, const char *command,
                                      const ScriptValue *arguments, ScriptValue *out_result,
                                      ScriptError *out_error);
