// The world: characters of rigs under one gravity and wind, advanced tick by tick.
//
// The ranges of what is set here are in sim/ranges.h.
//
// Not thread-safe, except that the tasks of one tick may run on several threads at once. The same calls in
// the same order give the same bits, on any number of threads and whatever other characters there are.
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

// NULL, with issue filled, for a bad definition or want of memory.
SimWorld *sim_world_create(const SimWorldDef *def, SimIssue *out_issue);
void sim_world_destroy(SimWorld *world);

const SimEnvironment *sim_world_environment(const SimWorld *world);
void sim_world_set_environment(SimWorld *world, const SimEnvironment *environment); // validated by the caller

// Tornadoes have names of 1 to SIM_TORNADO_NAME_BYTES bytes and are kept in order of their beginning. In a
// world that has ticked they begin, change and end over 0.2 s; their position changes at once.
bool sim_validate_tornado(const SimTornado *tornado, SimIssue *out_issue);
// Begins one, or changes the one of that name. False where SIM_MAX_TORNADOS others blow. Validated by the
// caller.
bool sim_world_set_tornado(SimWorld *world, const char *name, const SimTornado *tornado);
// Ends it. False if none has that name.
bool sim_world_remove_tornado(SimWorld *world, const char *name);
// Names of those that blow; they live until the next call that is not a getter.
int sim_world_tornado_names(const SimWorld *world, const char *out_names[SIM_MAX_TORNADOS]);
// As it was set, where it is now. False if none has that name.
bool sim_world_tornado(const SimWorld *world, const char *name, SimTornado *out_tornado);

// Velocity of the air at a point, in m/s: wind, gusts, eddies and tornadoes, as in the last tick; bodies are
// not in the way. For what else follows the wind, and for tests.
void sim_world_air(const SimWorld *world, const vec3 point_world, vec3 out_velocity_world);

uint64_t sim_world_tick(const SimWorld *world);               // ticks simulated since creation
int sim_world_substeps(const SimWorld *world);                // per tick: those nearest to 1/240 s
const char *sim_world_instruction_set(const SimWorld *world); // "avx512", "avx2" or "baseline"
// For characters created from now on, alone or many; "scalar" is the kernel without vectors that otherwise
// simulates the few. Results are the same bits with each; false if this processor lacks it. For tests and
// benchmarks.
bool sim_world_use_instruction_set(SimWorld *world, const char *name);

// Rigs
// ------------------------------------------------------------------------------------------------------------

// A null id, with issue filled, for a bad definition or want of memory.
SimRigId sim_rig_create(SimWorld *world, const SimRigDef *def, SimIssue *out_issue);
// The rig goes once no character uses it.
void sim_rig_release(SimWorld *world, SimRigId rig);
// Moves a rig that has no character yet from another world, where its definition was compiled meanwhile: this
// one's id of it. Null, and it stays where it was, for want of memory.
SimRigId sim_rig_move(SimWorld *world, SimWorld *from, SimRigId rig);
// NULL for a stale id.
const SimRigInfo *sim_rig_info(const SimWorld *world, SimRigId rig);

// Characters
// ------------------------------------------------------------------------------------------------------

// It has no pose until sim_world_place or the next tick, so that its script may start a clip first.
SimCharacterId sim_character_create(SimWorld *world, SimRigId rig, const SimTransform *root_world,
                                    SimIssue *out_issue);
void sim_character_destroy(SimWorld *world, SimCharacterId character);
bool sim_character_exists(const SimWorld *world, SimCharacterId character);
SimRigId sim_character_rig(const SimWorld *world, SimCharacterId character);

// As after its creation: the root where it was created, no clip, the rig's fabrics, cloth to be placed.
void sim_character_reset(SimWorld *world, SimCharacterId character);

// A new character, not placed yet, takes over from another one, of a rig that was defined anew: its place and
// the motion of its root; what it plays, by the clips' names, under what the new one plays if that is another
// clip; seams and colliders by name; and the cloth of each garment that has the same name, rows and columns,
// with the values of its fabric. Other garments begin at their references. The other one is left as it is.
// For want of memory all cloth begins at its references.
void sim_character_adopt(SimWorld *world, SimCharacterId character, SimCharacterId from);

// Puts characters that are new or reset where their clips have them, the cloth at its references and at rest.
// The next tick does this too; call it to have frames before.
void sim_world_place(SimWorld *world);

// What a jump of the root does to the cloth. Kinds in order of strength: of several in a tick the last
// counts.
typedef enum SimTeleport {
    SIM_TELEPORT_NONE,  // it is a motion: the cloth feels its share of it
    SIM_TELEPORT_KEEP,  // it goes along, keeping its shape and its velocity in model space
    SIM_TELEPORT_RESET, // it starts anew at its references, at rest
} SimTeleport;

// Moves the root; from there clips move it on. A jump that no motion explains (over 30 m/s or 94 rad/s) is a
// teleport that keeps.
void sim_character_move(SimWorld *world, SimCharacterId character, const SimTransform *root_world,
                        SimTeleport teleport);
SimTransform sim_character_root(const SimWorld *world, SimCharacterId character);

typedef struct SimPlay {
    bool loop;     // default false: stays on the last frame
    float speed;   // default 1; negative plays backwards
    float fade;    // s, default 0.2: from the present pose
    float at;      // s, where in the clip to start, default 0
    bool in_place; // the root stays where it is, whatever the clip's track says; default false
    // What each bone does from the clip's first frame on is added to what plays, in its parent's space; the
    // root stays. Default false. At most 4 are added at a time: one more ends the oldest.
    bool additive;
    float weight; // share of it that is added, default 1
} SimPlay;

SimPlay sim_default_play(void);
// clip: index into the rig's clips.
void sim_character_play(SimWorld *world, SimCharacterId character, int clip, const SimPlay *play);
// clip: index, or -1 for whatever plays. Fades to the rest pose, or out where it was added. Nothing happens
// where that clip does not play.
void sim_character_stop(SimWorld *world, SimCharacterId character, int clip, float fade);
// Its clips and fades stand still in their present pose, until one is played or stopped.
void sim_character_pause_clips(SimWorld *world, SimCharacterId character);
// The clip that plays, with its time in s; -1 for none.
int sim_character_clip(const SimWorld *world, SimCharacterId character, float *out_time);

typedef enum SimPoseSpace {
    SIM_POSE_PARENT, // its parent's, as posed; a root's is the model's
    SIM_POSE_MODEL,
} SimPoseSpace;

// What a pose says of one bone: where it is in that space, not how far from its rest.
typedef struct SimPoseBone {
    int bone; // of the skeleton or of the driven layer
    bool has_rotation, has_position;
    versor rotation; // need not be of unit length
    vec3 position;   // m
} SimPoseBone;

typedef struct SimPoseDef {
    const SimPoseBone *bones; // [bone_count]; of several of one bone the last counts
    int bone_count;
    SimPoseSpace space;
    bool teleport;     // no motion: the cloth goes along, keeping its shape on the body, at rest
    uint64_t owner;    // who poses, for sim_world_release_pose_owner
    bool has_sequence; // a pose without one leaves the last
    int64_t sequence;
} SimPoseDef;

// Poses bones in place of what plays, from the next tick on until they are released; constraints are solved
// after that. What a pose does not give of a bone keeps its value; a bone that was never posed is as clips
// have it. A bone posed in model space stays there however those above it move.
void sim_character_set_pose(SimWorld *world, SimCharacterId character, const SimPoseDef *pose);
// Gives bones back to what plays, within 0.2 s. NULL: all that are posed.
void sim_character_release_pose(SimWorld *world, SimCharacterId character, const int *bones, int bone_count);
// Those that this driver was the last to pose, of all characters.
void sim_world_release_pose_owner(SimWorld *world, uint64_t owner);
// The sequence of the last pose that had one and is in the last tick; false where there is none. It goes with
// the last posed bone.
bool sim_character_sequence(const SimWorld *world, SimCharacterId character, int64_t *out_sequence);
// Where the skeleton and driven bones are going to be in the next tick, as far as is known: out_model
// [posed_bone_count], the first of the rig's bones.
void sim_character_next_bones_model(const SimWorld *world, SimCharacterId character, mat4 *out_model,
                                    SimTransform *out_root_world);

// New values for one garment; live, they are reached within 0.2 s without a pop; otherwise at once.
void sim_garment_set_fabric(SimWorld *world, SimCharacterId character, int garment, const SimFabric *fabric,
                            bool ramp);
const SimFabric *sim_garment_fabric(const SimWorld *world, SimCharacterId character, int garment);

// Opens or closes a seam; it closes within 0.2 s, without a pop. seam: index into the rig's seams.
void sim_seam_set_closed(SimWorld *world, SimCharacterId character, int seam, bool closed);
bool sim_seam_closed(const SimWorld *world, SimCharacterId character, int seam); // or on its way there

// Of the last finished tick (or of the placing; before it, bones are at rest). Pointers live until the next
// call that is not a getter. What is read of a character below has been the same since the end of that tick;
// the present one while it is awake.
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

// One tick: begin, run each task once, in any order and on any threads, end. Nothing is allocated once the
// set of characters stays the same.
void sim_world_begin_tick(SimWorld *world);
int sim_world_task_count(const SimWorld *world);
void sim_world_run_task(SimWorld *world, int task);
void sim_world_end_tick(SimWorld *world);
// All of that on this thread.
void sim_world_step(SimWorld *world);

// A garment that went non-finite in the last tick, or would soon, and was put back to its references.
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
                                   // solution
} SimWorldStats;

const SimUnstable *sim_world_unstable(const SimWorld *world, int *out_count); // of the last tick
SimWorldStats sim_world_stats(const SimWorld *world);
