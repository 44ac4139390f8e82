// The characters: what a name on the wire stands for, in the world and in scripts.
//
// Not to be touched while a tick's tasks run. Characters are kept in order of spawning; a character's slot is
// its place in that order.
#pragma once

#include "app/options.h"

#include <protocol/methods.h>
#include <script/character.h>
#include <script/fabrics.h>
#include <script/name_table.h>
#include <script/reload.h>
#include <script/scene.h>
#include <sim/world.h>

#define APP_MAX_CHARACTERS 4096

// What was set on one garment, over its fabric.
typedef struct AppOverride {
    uint64_t fields; // bit n: field n of sim_fabric_fields was set
    SimFabric values;
} AppOverride;

typedef struct AppDescribed AppDescribed;

typedef struct AppCharacter {
    char name[PROTOCOL_NAME_BYTES + 1];
    size_t slot;
    SimCharacterId id;
    ScriptCharacter *script;
    ScriptInstance *instance;
    AppOverride *overrides;  // [garment_count]
    SimTransform root_world; // as of the last finished tick
    uint32_t revision;       // of the static data, from 1
    bool fabric_changed;     // static data that the revision does not tell of yet
    uint64_t fabric_changed_tick;
    uint64_t revision_tick;  // when the revision was raised last
    bool livelink_told;      // that it does not fit one datagram
    AppDescribed *described; // its static data as text; see descriptions.h
} AppCharacter;

typedef struct AppWish AppWish;

typedef struct AppFleet {
    SimWorld *world;
    ScriptHost *host;
    ScriptScene **scenes; // [scene_count]
    size_t scene_count;
    AppCharacter **characters; // [count]
    size_t count, capacity;
    AppWish *wishes; // of scripts, for characters; in order, created before the next tick
    AppWish **wishes_end;
    size_t wish_count;
    ScriptNameTable names; // of characters, and of wishes: those have no owner yet
    bool reloading;        // what a script spawned when it was new is there already
    int tick_rate;
    size_t described_bytes; // of all characters' described
} AppFleet;

// Why a start failed has been told through `findings`, or stands in `out_error`.
typedef struct AppFleetDef {
    int tick_rate;
    uint64_t seed;
    const AppNames *scenes; // files
    const char *const *script_directories;
    int script_directory_count;
    const char *const *asset_directories;
    int asset_directory_count;
    size_t script_memory;      // bytes
    uint64_t script_budget_ns; // of processor time
    ScriptCallbacks callbacks;
} AppFleetDef;

// World, scripts, scenes and their characters, posed at tick 0. False: findings with errors, or an error.
// Finish it in any case.
bool app_fleet_init(AppFleet *fleet, const AppFleetDef *def, ScriptFindings *findings,
                    ScriptError *out_error);
void app_fleet_finish(AppFleet *fleet);

// NULL if there is none of that name.
AppCharacter *app_fleet_find(const AppFleet *fleet, const char *name);
const AppCharacter *app_fleet_find_id(const AppFleet *fleet, SimCharacterId id);

const SimRigInfo *app_character_rig(const AppFleet *fleet, const AppCharacter *character);
const ScriptCharacterInfo *app_character_script(const AppCharacter *character);
// -1 if there is none of that name.
int app_character_garment(const AppFleet *fleet, const AppCharacter *character, const char *name);

// As after its spawn: pose, clip time, cloth, fabrics, script instance, random numbers. False, with the
// error, if on_spawn raised; the rest is done.
bool app_character_reset(AppFleet *fleet, AppCharacter *character, ScriptError *out_error);

// A script's wish for a character; the callback of ScriptCallbacks. Created by app_fleet_grant_wishes.
bool app_fleet_wish(AppFleet *fleet, const ScriptSpawn *spawn, char out_name[PROTOCOL_NAME_BYTES + 1],
                    char out_message[256]);

// Creates what was wished for until now; wishes made meanwhile wait for the next call. Calls `failed` for
// each that could not be had.
typedef void (*AppWishFailed)(void *context, const char *script, const char *name, const ScriptError *error);
void app_fleet_grant_wishes(AppFleet *fleet, AppWishFailed failed, void *context);

// The characters of a script that was suspended stay in their pose.
void app_fleet_hold(AppFleet *fleet, const char *script);

// Puts a script that was loaded anew in place of the old one, which is gone then, with all of its characters:
// they keep their names and places, what they play and their cloth, see sim_character_adopt; fabrics ramp.
// on_spawn is called for each. False, with the error and nothing changed, if one of them raised; `fresh` is
// gone then.
bool app_fleet_replace(AppFleet *fleet, ScriptCharacter *old, ScriptCharacter *fresh, ScriptError *out_error);

// The scripts' part of a tick: events, coroutines and on_tick, in order of spawning.
void app_fleet_run_scripts(AppFleet *fleet);

// After a tick: notes where the roots are, and raises the revision of characters whose fabrics changed.
void app_fleet_end_tick(AppFleet *fleet);
