// The characters, by name: what each one is in the world and in scripts.
//
// Do not use them while a tick is in flight. Characters are kept in order of spawning; a character's slot is
// its index in that order.
#pragma once

#include "base/options.h"
#include "characters/mesh_texts.h"

#include <protocol/methods.h>
#include <script/character.h>
#include <script/fabrics.h>
#include <script/name_table.h>
#include <script/reload.h>
#include <script/scene.h>
#include <sim/world.h>

// Whether scripts have removed a character or a spawn request.
typedef enum AppRemoval {
    APP_REMOVAL_NONE,
    APP_REMOVAL_PROVISIONAL, // removed by a provisional script: one that is being reloaded, or whose on_spawn
                             // runs
    APP_REMOVAL_ACCEPTED     // once no script runs
} AppRemoval;

// What was set on one garment, over its fabric.
typedef struct AppOverride {
    uint64_t fields; // bit n: field n of sim_fabric_fields was set
    SimFabric values;
} AppOverride;

// Who wants less of a character's cloth simulated; the least detail counts.
typedef enum AppLevelSource {
    APP_LEVEL_ASKED,       // character.level
    APP_LEVEL_BY_DISTANCE, // the scene's rule
    APP_LEVEL_SHED,        // ticks take longer than their time
    APP_LEVEL_SOURCES,
} AppLevelSource;

typedef struct AppDescriptionCache AppDescriptionCache;

typedef struct AppCharacter {
    char name[TEXT_NAME_BYTES + 1];
    size_t slot;
    SimCharacterId id;
    ScriptCharacter *script;
    ScriptInstance *instance;
    AppOverride *overrides; // [garment_count]
    SimLevel levels[APP_LEVEL_SOURCES];
    SimTransform root_world; // as of the last finished tick
    uint32_t revision;       // of the static data, from 1
    uint64_t first_tick;     // that has a frame of it
    AppRemoval removal;
    bool fabric_changed; // static data, since the revision was raised
    uint64_t fabric_changed_tick;
    uint64_t revision_tick;                 // when the revision was raised last
    SimRigId livelink_rig;                  // whose bones JSON Live Link was sent last; all zero: none's
    uint64_t livelink_bones;                // the hash of their names and parents, 0: none were sent
    AppDescriptionCache *description_cache; // its static data as text; see describe.h
} AppCharacter;

typedef struct AppRequest AppRequest; // rpc/requests.h

// Who asks for a character, as a bit of a set.
typedef enum AppSpawnOrigin {
    APP_SPAWNS_OF_SCRIPTS = 1,         // tweed.spawn, and scenes: without an answer
    APP_SPAWNS_OF_SCRIPT_REQUESTS = 2, // a script's request of the protocol
    APP_SPAWNS_OF_CLIENTS = 4,
    APP_SPAWNS_OF_ALL = 7
} AppSpawnOrigin;

// A character that is to be created. Its name is reserved already.
typedef struct AppSpawnRequest {
    struct AppSpawnRequest *next;
    char *script;
    char *file; // the script's
    char name[TEXT_NAME_BYTES + 1];
    SimTransform root_world;
    ScriptParams *params;
    AppSpawnOrigin origin;
    AppRequest *requester; // gets the answer; NULL: of APP_SPAWNS_OF_SCRIPTS
    bool loading;          // of its script has been requested
    bool loads_only;       // no character is created
    bool is_adoption;      // on_spawn has run elsewhere: what it spawns is there already
    AppRemoval removal;
} AppSpawnRequest;

// Others wait for the next tick: creating a character takes up to milliseconds.
#define APP_SPAWNS_PER_TICK   16
#define APP_REMOVALS_PER_TICK 64

typedef struct AppCharacters {
    SimWorld *world;
    ScriptHost *host;
    ScriptScene **scenes; // [scene_count]
    size_t scene_count;
    AppCharacter **items; // [count]
    size_t count, capacity;
    uint64_t changes;                // grows with each character that comes or goes
    size_t most;                     // that there can be, requested ones included
    AppSpawnRequest *spawn_requests; // in order
    AppSpawnRequest **spawn_requests_end;
    size_t spawn_request_count;
    ScriptNameTable names;  // of characters, and of spawn requests: those have no owner yet
    AppCharacter *entering; // its on_spawn runs; NULL: none
    bool reloading;         // a script runs that is being reloaded
    bool resetting;         // the on_spawn of a character that is being reset runs
    bool any_removal;       // something may be APP_REMOVAL_ACCEPTED
    int spawns_left;        // spawn requests that may be completed before the next tick
    int removals_left;      // characters that scripts may remove before the next tick
    int tick_rate;
    size_t description_cache_bytes; // of the caches of all characters
    AppMeshTexts mesh_texts;
    TextBuffer mesh_description; // the newest description with meshes, which is too large to keep
} AppCharacters;

typedef struct AppCharactersDef {
    int tick_rate;
    uint64_t seed;
    size_t max_characters;
    const AppNames *scenes; // files
    const char *const *script_directories;
    int script_directory_count;
    const char *const *asset_directories;
    int asset_directory_count;
    const char *cache_directory; // "": none
    AssetImport import;          // how files are read
    size_t script_memory;        // bytes
    bool by_clock;               // ticks have a time to be done in
    bool allow_heavy;            // characters that are estimated to take more than a tick
    size_t total_script_memory;  // bytes
    uint64_t script_budget_ns;   // of processor time
    ScriptCallbacks callbacks;
} AppCharactersDef;

// Creates the world, and loads scripts, scenes and their characters, posed at tick 0. False: the reasons are
// in the findings or in out_error. Finish it in any case.
bool app_characters_init(AppCharacters *characters, const AppCharactersDef *def, ScriptFindings *findings,
                         ScriptError *out_error);
void app_characters_finish(AppCharacters *characters);

// NULL if there is none of that name.
AppCharacter *app_characters_find(const AppCharacters *characters, const char *name);
const AppCharacter *app_characters_find_id(const AppCharacters *characters, SimCharacterId id);

static inline const SimRigInfo *app_character_rig(const AppCharacters *characters,
                                                  const AppCharacter *character) {
    return sim_rig_info(characters->world, sim_character_rig(characters->world, character->id));
}
static inline const ScriptCharacterInfo *app_character_script(const AppCharacter *character) {
    return script_character_info(character->script);
}
// -1 if there is none of that name.
int app_character_garment(const AppCharacters *characters, const AppCharacter *character, const char *name);

// Puts all back as after its spawn: pose, clip time, cloth, fabrics, script instance, random numbers. False,
// with the error, if on_spawn raised, or without one if memory ran out: the character is as before, and the
// spawn requests of that on_spawn are dropped.
bool app_character_reset(AppCharacters *characters, AppCharacter *character, ScriptError *out_error);

// Returns false when memory runs out; the character's level may stay as it was.
bool app_character_set_level(AppCharacters *characters, AppCharacter *character, AppLevelSource source,
                             SimLevel level);

// Creates a character of that script and calls on_spawn. wanted->name is free, or the caller has reserved it.
// NULL with the error: nothing has changed.
AppCharacter *app_characters_spawn(AppCharacters *characters, ScriptCharacter *script,
                                   const ScriptSpawn *wanted, ScriptError *out_error);
// The characters behind it move up by one slot. Do not call while a script runs.
void app_characters_remove(AppCharacters *characters, AppCharacter *character);

// The message of APP_REFUSAL_FULL; %zu is AppCharacters.most.
#define APP_CHARACTERS_FULL "there are %zu characters already, the most there can be"

typedef enum AppRefusal {
    APP_REFUSAL_NONE,
    APP_REFUSAL_FULL,           // there are as many characters as there can be
    APP_REFUSAL_NAME_TAKEN,     // another one has the name
    APP_REFUSAL_NO_SCRIPT,      // there is no such script
    APP_REFUSAL_NO_SCRIPT_NAME, // the name is not a valid script name
    APP_REFUSAL_NO_MEMORY,
} AppRefusal;

// Adds a spawn request, with a name that it makes up where none is given. Unless it is refused, *out_request
// is the list's; else out_message says why. May be called while scripts run.
AppRefusal app_characters_request_spawn(AppCharacters *characters, const ScriptSpawn *spawn,
                                        AppSpawnOrigin origin, AppRequest *requester,
                                        AppSpawnRequest **out_request,
                                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// The callback of ScriptCallbacks. A script that is reloaded adds nothing: what it spawned at its first load
// is there already.
bool app_characters_request_script_spawn(AppCharacters *characters, const ScriptSpawn *spawn,
                                         char out_name[TEXT_NAME_BYTES + 1],
                                         char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// Whether there is a request for the file's script; origins: a set of AppSpawnOrigin.
bool app_characters_has_spawn_request(const AppCharacters *characters, const char *file, unsigned origins);
// NULL: none of that name.
AppSpawnRequest *app_characters_find_spawn_request(const AppCharacters *characters, const char *name);

// Whether what the running script does is provisional: it is being reloaded, or its on_spawn runs.
bool app_characters_are_provisional(const AppCharacters *characters);
// The provisional run is over. Characters that it removed leave if it was accepted, and stay otherwise.
void app_characters_end_provisional(AppCharacters *characters, bool accepted);

// The outcome of a spawn request, which is freed afterwards. character: NULL with the error.
typedef void (*AppSpawnDone)(void *context, const AppSpawnRequest *request, AppCharacter *character,
                             ScriptError *error);
// Creates the characters of the requests whose scripts are loaded, in order, as long as spawns_left and the
// scripts' time allow it. Requests that are added meanwhile wait for the next call; those of an on_spawn that
// raised are dropped. False: there were none.
bool app_characters_complete_spawns(AppCharacters *characters, unsigned origins, AppSpawnDone done,
                                    void *context);
// Fails all requests for the file's script with that error.
void app_characters_fail_spawns(AppCharacters *characters, const char *file, const ScriptError *error,
                                AppSpawnDone done, void *context);
// Without an answer.
void app_characters_drop_spawn_request(AppCharacters *characters, AppSpawnRequest *request);
// Drops the requests from that place in the list on: spawn_requests_end of an earlier time.
void app_characters_drop_spawn_requests(AppCharacters *characters, AppSpawnRequest **first);

// The characters of a script that was suspended stay in their pose.
void app_characters_pause_clips(AppCharacters *characters, const char *script);

// Replaces a script by its reloaded version, for all of its characters: they keep their names, their places,
// what they play and their cloth, see sim_character_adopt; fabrics ramp. on_spawn is called for each. False,
// with the error and nothing changed, if one of them raised. Frees `old`, or `fresh` on failure.
bool app_characters_replace(AppCharacters *characters, ScriptCharacter *old, ScriptCharacter *fresh,
                            ScriptError *out_error);

// The scripts' part of a tick: events, coroutines and on_tick, in order of spawning.
void app_characters_run_scripts(AppCharacters *characters);

// After a tick: copies the roots, and raises the revision of characters whose fabrics changed.
void app_characters_end_tick(AppCharacters *characters);

// Continues as if the world were at that tick. Between ticks, while nobody streams the characters.
void app_characters_set_tick(AppCharacters *characters, uint64_t tick);
