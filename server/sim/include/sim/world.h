// The world: characters of rigs under one gravity and wind, advanced tick by tick.
//
// The ranges of what is set here are in sim/ranges.h.
//
// Not thread-safe, except that the tasks of one tick may run on several threads at once. The same calls in
// the same order give the same bits, on any number of threads and beside any other characters.
#pragma once

#include "sim/rig.h"
#include "sim/types.h"

typedef struct SimWorld SimWorld;

typedef struct SimWind {
    vec3 velocity_world; // m/s
    float turbulence;    // share of the speed: eddies of a metre or two, default 0
    float gust;          // share of the speed: swelling over seconds, default 0
} SimWind;

// A vertical column of turning air (a Lamb-Oseen vortex) that stands on its foot. At r from the axis the
// swirl is G / (2 pi r) (1 - e^(-r^2/radius^2)), greatest at 1.12 radii; the updraft is lift
// e^(-r^2/radius^2), and what it carries off is drawn in from all around, at 0.32 lift at most. Both the same
// at every height above the foot; within one radius below it they die out. On top of the wind.
typedef struct SimTornado {
    vec3 position_world; // m, foot of the axis
    float radius;        // m, of the core
    float strength;      // m/s, the greatest speed of the swirl; anticlockwise from above where positive
    float lift;          // m/s, on the axis; negative: air that comes down and flows out
    vec3 velocity_world; // m/s, how the foot moves; default 0
} SimTornado;

#define SIM_MAX_TORNADOS       16
#define SIM_TORNADO_NAME_BYTES 64

// What acts on all characters; may change at any time between ticks. In a world that has ticked, a change of
// wind takes place over 0.2 s, so that no cloth is jerked.
typedef struct SimEnvironment {
    vec3 gravity_world; // m/s^2, default 0, -9.81, 0
    SimWind wind;       // default still air
    bool has_ground;    // default false
    float ground;       // m, height of a horizontal plane that all cloth collides with
} SimEnvironment;

typedef struct SimWorldDef {
    int tick_rate; // Hz, 1..1000, default 60
    uint64_t seed; // of the wind, default 0
    bool settle; // default false: cloth that is held and left alone comes to rest, within 5 s if its damping
                 // is 2/s or more
    bool sleep;  // characters that lie still are not stepped until something acts on them; default false
    SimEnvironment environment;
} SimWorldDef;

SimWorldDef sim_default_world_def(void);
bool sim_validate_environment(const SimEnvironment *environment, SimIssue *out_issue);

// Returns NULL and fills issue when the definition is invalid or memory runs out.
SimWorld *sim_world_create(const SimWorldDef *def, SimIssue *out_issue);
void sim_world_destroy(SimWorld *world);

const SimEnvironment *sim_world_environment(const SimWorld *world);
void sim_world_set_environment(SimWorld *world, const SimEnvironment *environment); // validated by the caller

// Tornadoes have names of 1 to SIM_TORNADO_NAME_BYTES bytes and are kept in order of their beginning. In a
// world that has ticked they begin, change and end over 0.2 s; their position changes at once.
bool sim_validate_tornado(const SimTornado *tornado, SimIssue *out_issue);
// Begins a tornado, or changes the one of that name. Returns false when SIM_MAX_TORNADOS others blow. The
// caller validates it.
bool sim_world_set_tornado(SimWorld *world, const char *name, const SimTornado *tornado);
// Ends a tornado. Returns false when none has that name.
bool sim_world_remove_tornado(SimWorld *world, const char *name);
// Lists the names of tornadoes, valid until the next call that is not a getter.
int sim_world_tornado_names(const SimWorld *world, const char *out_names[SIM_MAX_TORNADOS]);
// Returns a tornado as it was set, at its present position. Returns false when none has that name.
bool sim_world_tornado(const SimWorld *world, const char *name, SimTornado *out_tornado);

// Gives the velocity of the air at a point in the last tick, m/s: wind, gusts, eddies and tornadoes, without
// the lee of bodies.
void sim_world_air(const SimWorld *world, const vec3 point_world, vec3 out_velocity_world);

// The wind while it changes, and how far the air has moved since the start, which places gusts and eddies.
typedef struct SimWindState {
    SimWind wind; // present; ramps to the environment's
    float left;   // s of the ramp
    double drift_world[3];
} SimWindState;

SimWindState sim_world_wind_state(const SimWorld *world);
// Two worlds of one seed have the same air at the same tick, if what changes it in one is repeated in the
// other: sets the wind's state of so many ticks ago, and advances it until now. After
// sim_world_set_environment.
void sim_world_repeat_wind(SimWorld *world, const SimWindState *state, uint64_t ticks);
// The same after sim_world_set_tornado: it was set so many ticks ago.
void sim_world_repeat_tornado(SimWorld *world, const char *name, uint64_t ticks);

uint64_t sim_world_tick(const SimWorld *world); // ticks simulated since creation
// Continues as if the world were at that tick: the air goes on to it, or back; characters stay as they are.
// Between ticks.
void sim_world_set_tick(SimWorld *world, uint64_t tick);
int sim_world_substeps(const SimWorld *world);                // per tick: those nearest to 1/240 s
const char *sim_world_instruction_set(const SimWorld *world); // "avx512", "avx2" or "baseline"
// Chooses the kernel of characters created from now on. "alone_avx512" and "alone_avx2" are the kernels that
// otherwise simulate groups of few characters; "scalar" has no vectors. All kernels give the same bits.
// Returns false when the processor lacks it. For tests and benchmarks.
bool sim_world_use_instruction_set(SimWorld *world, const char *name);

// Rigs
// ------------------------------------------------------------------------------------------------------------

// Returns a null id and fills issue when the definition is invalid or memory runs out.
SimRigId sim_rig_create(SimWorld *world, const SimRigDef *def, SimIssue *out_issue);
// The rig is freed when no character uses it any more.
void sim_rig_release(SimWorld *world, SimRigId rig);
// Keeps the rig until one more sim_rig_release.
void sim_rig_retain(SimWorld *world, SimRigId rig);
// Moves a rig without characters here from another world, in which its definition was compiled, and returns
// its id in this world. When memory runs out it returns a null id, and the rig stays where it was.
SimRigId sim_rig_move(SimWorld *world, SimWorld *from, SimRigId rig);
// Returns NULL for a stale id.
const SimRigInfo *sim_rig_info(const SimWorld *world, SimRigId rig);

// Characters
// ------------------------------------------------------------------------------------------------------

// A new character has no pose until sim_world_place or the next tick: a script may start a clip first.
SimCharacterId sim_character_create(SimWorld *world, SimRigId rig, const SimTransform *root_world,
                                    SimIssue *out_issue);
void sim_character_destroy(SimWorld *world, SimCharacterId character);
bool sim_character_exists(const SimWorld *world, SimCharacterId character);
SimRigId sim_character_rig(const SimWorld *world, SimCharacterId character);

// Creates a character of the same rig and level in the state that `other` had at its creation: root, no clip,
// the rig's fabrics, cloth not placed yet. Its bones and cloth read as those of `other` until it is placed.
// When memory runs out it returns a null id.
SimCharacterId sim_character_create_like(SimWorld *world, SimCharacterId other, SimIssue *out_issue);

// Carries the state of `from` over to a new character that is not placed yet, usually of a reloaded rig:
// - the root and its motion;
// - the clips that play, by name, below the clip that the new character plays if that is another one;
// - seams and colliders, by name;
// - cloth and fabric values of each garment with the same name, rows and columns.
// Other garments start at their references, and so does all cloth when memory runs out.
// `from` does not change.
void sim_character_adopt(SimWorld *world, SimCharacterId character, SimCharacterId from);

// A character's whole state as bytes, for a character of the same rig in another world, on any machine:
// - the root and its motion, the clips that play with their times and fades, posed bones and their sequence;
// - cloth, down to the last bit of what a tick reads, seams, fabric values and the level;
// - for how long it has been still, and whether it sleeps.
// In a world of the same tick rate, substeps, gravity and ground, whose air is the same in each tick, the
// restored character goes on to the bit as the saved one does. The air is not part of it: sim_weather_save.
// Returns NULL when memory runs out; the caller frees the bytes.
unsigned char *sim_character_save(SimWorld *world, SimCharacterId character, size_t *out_size);

// Puts a character into a saved state, whatever it was in before. Bytes that are malformed, of another
// version or of another rig (its skeleton, garments, seams, colliders and the clips that play have to be the
// same) are refused: the character does not change, and issue says why. The same when memory runs out.
bool sim_character_restore(SimWorld *world, SimCharacterId character, const void *bytes, size_t size,
                           SimIssue *out_issue);

// Whether a character of the rig could be restored from those bytes; fills issue when not.
bool sim_rig_accepts_state(const SimWorld *world, SimRigId rig, const void *bytes, size_t size,
                           SimIssue *out_issue);

// The same for the world's air: present wind, how far it has drifted, and its tornadoes. Restored `later`
// ticks after it was saved, both worlds have the same air in each tick until one of them is told another
// wind.
unsigned char *sim_weather_save(const SimWorld *world, size_t *out_size);
bool sim_weather_restore(SimWorld *world, const void *bytes, size_t size, uint64_t later,
                         SimIssue *out_issue);

// Steps one character alone `ticks` times, in the air of a saved weather: a character that is restored later
// than it was saved catches up with its world. before is called before each tick with its number, 0 the
// first; NULL: nothing is. Call it between ticks. Returns false and fills issue when the weather is malformed
// or memory runs out: then nothing has changed.
typedef void SimBeforeTick(void *context, int tick);
bool sim_character_catch_up(SimWorld *world, SimCharacterId character, int ticks, const void *weather,
                            size_t size, SimBeforeTick *before, void *context, SimIssue *out_issue);

// Poses new characters by their clips and puts their cloth at its references, at rest. The next
// tick does this as well; call it to read frames before that tick.
void sim_world_place(SimWorld *world);

// What a jump of the root does to the cloth, in order of strength. When a tick has several, the strongest
// counts.
typedef enum SimTeleport {
    SIM_TELEPORT_NONE,  // a motion: the cloth feels its share of it
    SIM_TELEPORT_KEEP,  // the cloth keeps its shape and velocity in model space
    SIM_TELEPORT_RESET, // the cloth restarts at its references, at rest
} SimTeleport;

// Moves the root; clips move it on from there. A jump faster than SIM_TELEPORT_SPEED or SIM_TELEPORT_SPIN
// counts as SIM_TELEPORT_KEEP at least.
void sim_character_move(SimWorld *world, SimCharacterId character, const SimTransform *root_world,
                        SimTeleport teleport);
SimTransform sim_character_root(const SimWorld *world, SimCharacterId character);

typedef struct SimPlay {
    bool loop;     // default false: stays on the last frame
    float speed;   // default 1; negative plays backwards
    float fade;    // s, default 0.2: from the present pose
    float at;      // s, where in the clip to start, default 0
    bool in_place; // the root stays where it is, whatever the clip's track says; default false
    // Adds each bone's change since the clip's first frame to what plays, in the parent's space; the root
    // stays. Default false. At most 4 clips are added at a time: one more ends the oldest.
    bool additive;
    float weight; // share of an additive clip, default 1
} SimPlay;

SimPlay sim_default_play(void);
// clip: index into the rig's clips.
void sim_character_play(SimWorld *world, SimCharacterId character, int clip, const SimPlay *play);
// Stops a clip (-1: any that plays): fades to the rest pose, or out when it was additive. Does nothing when
// the clip does not play.
void sim_character_stop(SimWorld *world, SimCharacterId character, int clip, float fade);
// Freezes clips and fades in their present pose until a clip is played or stopped.
void sim_character_pause_clips(SimWorld *world, SimCharacterId character);
// Returns the clip that plays and its time in s; -1 for none.
int sim_character_clip(const SimWorld *world, SimCharacterId character, float *out_time);
// The same, with how it is played from now on: sim_character_play of it goes on where it is.
int sim_character_playing(const SimWorld *world, SimCharacterId character, SimPlay *out_play);

typedef enum SimPoseSpace {
    SIM_POSE_PARENT, // its parent's, as posed; a root's is the model's
    SIM_POSE_MODEL,
} SimPoseSpace;

// One bone of a pose: its placement in the pose's space, not its change from rest.
typedef struct SimPoseBone {
    int bone; // of the skeleton or of the driven layer
    bool has_rotation, has_position;
    versor rotation; // need not be of unit length
    vec3 position;   // m
} SimPoseBone;

typedef struct SimPoseDef {
    const SimPoseBone *bones; // [bone_count]; the last one counts when a bone is listed twice
    int bone_count;
    SimPoseSpace space;
    bool teleport;     // the cloth moves along, keeping its shape on the body, and comes to rest
    uint64_t owner;    // id of the client or script that poses, for sim_world_release_pose_owner
    bool has_sequence; // without one the last sequence stays
    int64_t sequence;
} SimPoseDef;

// Poses bones in place of clips from the next tick on, until they are released; constraints are solved after
// the pose. A rotation or position that is not given keeps its value; bones that were never posed follow the
// clips. A bone posed in model space stays there when its parents move. A pose like the last one changes
// nothing but the sequence: the character may fall asleep and stay asleep.
void sim_character_set_pose(SimWorld *world, SimCharacterId character, const SimPoseDef *pose);
// Fades bones back to the clips within 0.2 s. NULL: all posed bones.
void sim_character_release_pose(SimWorld *world, SimCharacterId character, const int *bones, int bone_count);
// Releases the bones, of all characters, that this owner was the last to pose.
void sim_world_release_pose_owner(SimWorld *world, uint64_t owner);
// A bone that is posed, and who was the last to pose it.
typedef struct SimPosed {
    SimPoseBone value;
    SimPoseSpace rotation_space, position_space;
    uint64_t owner;
} SimPosed;
// Lists the posed bones that are not being released, [posed bones of the rig] at most. Returns how many.
int sim_character_posed(const SimWorld *world, SimCharacterId character, SimPosed *out_posed);
// Passes the owner of each posed bone of a character through `map`.
void sim_character_map_pose_owners(SimWorld *world, SimCharacterId character,
                                   uint64_t (*map)(void *context, uint64_t owner), void *context);
// Gives the sequence of the last pose with one that is in the last tick; returns false when there is none. It
// is forgotten when the last posed bone is released.
bool sim_character_sequence(const SimWorld *world, SimCharacterId character, int64_t *out_sequence);
// Predicts the skeleton and driven bones of the next tick from clips and pose: out_model [posed_bone_count],
// the first of the rig's bones.
void sim_character_next_bones_model(const SimWorld *world, SimCharacterId character, mat4 *out_model,
                                    SimTransform *out_root_world);

// Sets a garment's fabric: with ramp its values are reached within 0.2 s without a jump of the cloth, else at
// once.
void sim_garment_set_fabric(SimWorld *world, SimCharacterId character, int garment, const SimFabric *fabric,
                            bool ramp);
const SimFabric *sim_garment_fabric(const SimWorld *world, SimCharacterId character, int garment);
// How the garment's springs take part in a substep of this world with that fabric; 1 step without springs.
SimSpringPlan sim_garment_springs(const SimWorld *world, SimCharacterId character, int garment);

// Opens a seam at once or closes it within 0.2 s. seam: index into the rig's seams.
void sim_seam_set_closed(SimWorld *world, SimCharacterId character, int seam, bool closed);
bool sim_seam_closed(const SimWorld *world, SimCharacterId character, int seam); // or on its way there

// How much of its cloth is simulated.
typedef enum SimLevel {
    SIM_LEVEL_FULL,
    // Half the substeps, and no self-collision. A rig with springs, whose steps need the time, keeps its
    // substeps; so does a tick of one.
    SIM_LEVEL_REDUCED,
    SIM_LEVEL_SKINNED, // the cloth follows its references and meets nothing
    SIM_LEVELS,
} SimLevel;
extern const char *const sim_level_names[SIM_LEVELS]; // "full", "reduced", "skinned"

// Cloth that is no longer simulated reaches its references within 0.2 s; from there it is simulated again.
// A replacement that adopts the character keeps the level. Returns false when memory runs out: the level
// stays.
bool sim_character_set_level(SimWorld *world, SimCharacterId character, SimLevel level);
SimLevel sim_character_level(const SimWorld *world, SimCharacterId character);

// The getters below read the last finished tick, or the placing; before it, bones are at rest. Pointers live
// until the next call that is not a getter.

// The tick since whose end the character's state has not changed; the present tick while it is awake.
uint64_t sim_character_still_since(const SimWorld *world, SimCharacterId character);
const mat4 *sim_character_bones_model(const SimWorld *world, SimCharacterId character); // [bone_count]
void sim_garment_particles_model(const SimWorld *world, SimCharacterId character, int garment,
                                 float (*out_positions)[3]); // [particle_count]
void sim_garment_references_model(const SimWorld *world, SimCharacterId character, int garment,
                                  float (*out_positions)[3]); // [particle_count]
void sim_garment_max_distances(const SimWorld *world, SimCharacterId character, int garment,
                               float *out_distances); // [particle_count], m, edge factors included

// Of each bone of the garment, out [bone_count of the garment]: how much the cloth is folded at its particle
// along its column (warp) and along its row (weft), 0..1. A kink counts as far as it goes beyond the one at
// the bind pose: under 7 degrees is 0, 15 is 0.22, 30 0.45, 45 0.68, 60 0.94, and from 64 on it is 1. Weights
// rise with a time constant of 60 ms and fall with one of 250 ms. 0 as well where there is no cloth on both
// sides: warp on the first and last row, weft on the outer columns of a garment that is not closed.
void sim_garment_wrinkles(const SimWorld *world, SimCharacterId character, int garment, float *out_warp,
                          float *out_weft);
// How much the turn of each bone about its x can be trusted, 0..1: the share of the rest span of its
// neighbours that lies across x. 0 where the neighbours fall together or its link is too short to point
// anywhere. Low confidence turns slowly: 1 degree in 1/60 s at 0.05 or less, 59 at 0.35 or more.
void sim_garment_bone_confidence(const SimWorld *world, SimCharacterId character, int garment,
                                 float *out_confidence);

// Ticks
// -----------------------------------------------------------------------------------------------------------

// A tick is: begin; run each task once, in any order and on any threads; end. It allocates nothing while the
// set of characters stays the same.
void sim_world_begin_tick(SimWorld *world);
int sim_world_task_count(const SimWorld *world);
void sim_world_run_task(SimWorld *world, int task);
void sim_world_end_tick(SimWorld *world);
// Runs a whole tick on the calling thread.
void sim_world_step(SimWorld *world);

// A garment whose numbers went out of bounds in the last tick, and which was put back to its references.
#define SIM_CAUSE_SIZE 256
typedef struct SimUnstable {
    SimCharacterId character;
    int garment;
    char cause[SIM_CAUSE_SIZE]; // what of its state went out of bounds, and why as far as it is known
} SimUnstable;

typedef struct SimWorldStats {
    int characters;
    int garments;
    int particles;
    int asleep;                    // garments of characters that sleep
    uint64_t unstable;             // resets since creation
    uint64_t constraint_conflicts; // particles times substeps where length, collision and max distance had no
                                   // solution, or gave way so that a row of folded cloth did not tear
} SimWorldStats;

const SimUnstable *sim_world_unstable(const SimWorld *world, int *out_count); // of the last tick
SimWorldStats sim_world_stats(const SimWorld *world);
// The most by which a structural or shear spring is now longer than its fabric's limit allows, as a share of
// its length; 0 when all hold. Goes over all springs.
float sim_world_spring_excess(const SimWorld *world);
