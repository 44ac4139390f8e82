// What the solver's kernel works on, and its entry points. A lane is a garment: garments of one topology,
// each in its own lane, are computed by the same instructions, so the bits of one do not depend on the
// others.
//
// The kernel is compiled once per instruction set, as wide as its registers (wider vectors are taken apart by
// way of memory), and once for a single lane: a garment alone is computed by the same formulas without
// vectors. All get the same bits.
//
// A large grid has the lanes to itself: it is cut into SIM_LANES vertical strips of equal width, and lane i
// is strip i. For that the kernel is compiled once more per instruction set, with SIM_STRIPS: what garments
// share (rest lengths, areas) differs between strips.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_LANES 16 // the most lanes that a kernel has
#ifndef SIM_WIDTH
#define SIM_WIDTH SIM_LANES // lanes of this copy of the kernel
#endif
#define SIM_MOST_ROWS 128

#if SIM_WIDTH == 1
typedef float SimLanes;
#else
typedef float SimLanes __attribute__((vector_size(SIM_WIDTH * sizeof(float))));
#endif

typedef struct SimLanes3 {
    SimLanes x, y, z;
} SimLanes3;

// A number of the topology: one for all garments, but one for each strip.
#ifdef SIM_STRIPS
typedef SimLanes SimShared;
#else
typedef float SimShared;
#endif

// A particle of the strip on the right or on the left is named by its place there and one of these.
#define SIM_RIGHT (1 << 29)
#define SIM_LEFT  (1 << 30)

// A rotation (columns 0..2) and a position (column 3) per lane.
typedef struct SimLanesPose {
    SimLanes3 column[4];
} SimLanesPose;

// One lane of what the kernel reads as lanes. Only the kernel knows the types below at its width; other
// code reaches the numbers of a lane one by one: number i is first[i * width].
typedef struct SimLane {
    float *first;
    int width;
} SimLane;

// Which number of a type a member is: SIM_NUMBER(SimLaneFabric, limit).
#define SIM_NUMBER(type, member) (offsetof(type, member) / sizeof(SimLanes))
// How many numbers a type has.
#define SIM_NUMBERS(type) (sizeof(type) / sizeof(SimLanes))

typedef enum SimLinkKind { SIM_LINK_STRETCH, SIM_LINK_SHEAR, SIM_LINK_BEND, SIM_LINK_KINDS } SimLinkKind;

// Links that are swept one after another: shear, the second neighbours of bend = "article", and with hard =
// "article" stretch as well. Row by row, so that what a link needs is still in the nearest cache.
typedef struct SimLinks {
    int count;
    int (*ends)[2];
    uint8_t *kind;
    SimShared *length;     // m, at rest
    SimShared *compliance; // times the lane's softness of the kind
} SimLinks;

// Bending elements x0 - 2 x1 + x2, each with its rest curvature in the cloth's frame at x1.
typedef struct SimBends {
    int count;
    int (*particles)[5];   // x0, x1, x2; the way across at x1 runs from the fourth to the fifth, equal where
                           // there is none (a chain)
    SimShared *compliance; // a^3 / b, times the lane's 1 / (B h^2)
    SimShared (*curvature)[3]; // m; along x0 -> x2, along the normal, along normal x tangent
} SimBends;

// A point of the cloth between its particles, their mean: the middle of an edge (2) or of a quad (4).
typedef struct SimVirtual {
    int particles[4];
    int count;
} SimVirtual;

typedef enum SimKernelShape {
    SIM_KERNEL_ELLIPSOID,
    SIM_KERNEL_CONE, // hull of two spheres, along the pose's y axis from its origin; a sphere has length 0
    SIM_KERNEL_PLANE // normal: the pose's y axis, through its origin
} SimKernelShape;

typedef struct SimKernelCollider {
    SimKernelShape shape;
    int pose; // index into a substep's collider poses
    // ELLIPSOID
    float radii[3];     // m
    float inverse[3];   // 1 / radii
    float least_square; // of the smallest radius, m^2
    float excess[3];    // radii^2 beyond that
    // CONE: radius at the pose's origin, radius_end at length, the smaller
    float radius, radius_end, length;
    float sine, cosine, tangent; // of the angle by which its wall leans to the axis
    float thread;                // m; nearer to the axis no direction from it is to be trusted
} SimKernelCollider;

// The cloth across a particle, one way: between the particles before and after it. Equal: there is none.
typedef struct SimFold {
    int before, after;
    float arc;   // m, the way between them along the cloth, at rest
    float ratio; // chord over arc at the bind pose, 0..1: cosine of half the kink there
    float kink;  // and its sine
} SimFold;

// A bone that the cloth drives.
typedef struct SimClothBone {
    int pivot;       // particle
    int from, to;    // x points along this vertical link
    float length;    // m, its rest length
    int left, right; // y points from the one to the other; equal: it has no neighbours
    float span;      // m, between them at rest; 1 without neighbours
    int side_bone;   // without neighbours: y turns with this skin pose
    int above;       // or, where it is not negative, with the frame of this bone
    float ahead[3];  // x and
    float side[3];   // y at the bind pose in that frame, of unit length
    SimFold warp, weft;
} SimClothBone;

// Edge particles have fewer than four stretch links. In strips, an outer column is an edge in one lane only.
typedef enum SimEdge { SIM_EDGE_NO, SIM_EDGE_YES, SIM_EDGE_FIRST_STRIP, SIM_EDGE_LAST_STRIP } SimEdge;

// Immutable, shared by all garments of one kind.
typedef struct SimTopology {
    int rows, columns, particle_count;
    bool closed;
    bool alan_wake_collision, alan_wake_hard;
    bool has_max_distance;
    SimShared *inverse_area;      // [particle] 1/m^2 of cloth that it carries; 0: pinned
    uint8_t *pinned;              // [particle]
    uint8_t *edge;                // [particle]: a SimEdge
    float (*rest)[3];             // [particle] m, model space at the bind pose
    SimShared *row_length;        // [rows * row_links] m; link k of a row joins columns k and k + 1 (wrapped)
    SimShared *row_compliance;    // [rows * row_links] length / width
    SimShared *column_length;     // [(rows - 1) * columns] m; link (r, c) joins rows r and r + 1
    SimShared *column_compliance; // [(rows - 1) * columns] length / width
    SimShared *quad_area;         // [(rows - 1) * row_links] m^2
    SimShared *quad_edge;         // [(rows - 1) * row_links] share of its corners that are edge particles
    SimLinks links;
    int sweeps;                     // over the links, a substep
    SimBends bends;                 // none with bend = "article"
    SimShared *max_distance_fixed;  // [particle] m
    SimShared *max_distance_scaled; // [particle] times the fabric's max_distance
    int *skin_bones;                // [particle * 4] indices into the job's skin poses
    float *skin_weights;            // [particle * 4]
    SimClothBone *bones;
    int bone_count;
    bool has_pose, has_angle_limit; // chains only; what follows is of the link above a particle
    float pose_damping;             // ratio to the critical
    float *pose_frequency;          // [particle] rad/s
    float *pose_inertia;  // [particle] m^2: sum over the particles below of area times way from the top,
                          // over the link's length
    float *limit_cosine;  // [particle] of the angle limit
    float *limit_sine;    // [particle]
    SimVirtual *virtuals; // they collide as well; none with collision = "article"
    int virtual_count;
    SimKernelCollider *colliders;
    SimKernelCollider *virtual_colliders; // the same, a margin thicker: what the virtual points meet
    int collider_count;
    int seam_gap_count; // pairs of the seams that begin at this garment
} SimTopology;

// A seam: pairs of particles, one of each side. Immutable.
typedef struct SimSeam {
    int garments[2], columns[2];
    int pair_count;
    int (*pairs)[2]; // [pair_count]
    int first_gap;   // of the first garment's gaps
} SimSeam;

// A fabric in each lane, in the form the kernel needs. [0] interior, [1] edge particles.
typedef struct SimLaneFabric {
    SimLanes inverse_density;          // m^2/kg
    SimLanes softness[SIM_LINK_KINDS]; // of swept links: 1 / (stretch h^2), 1 / (shear h^2), 1 / (B h^2)
    SimLanes column_softness;          // the same where limit > 0, else 0: exact
    SimLanes limit;                    // 0: vertical links are exact
    SimLanes damping[2];               // 1/s
    SimLanes contact_damping;          // 1/s
    SimLanes friction;                 // Coulomb's coefficient
    SimLanes wind[2];                  // times 1/2 rho_air / density: 1/m
    SimLanes max_distance;             // m
    SimLanes max_distance_edge;        // factor on edge particles
    SimLanes settling;                 // 1/s, 0: does not; how cloth that is left alone is slowed
} SimLaneFabric;

// Where a collider is at the end of a substep, in model space, and how its surface moves in the frame of the
// state.
typedef struct SimColliderPose {
    SimLanesPose pose;
    SimLanes3 velocity; // m/s of its origin in model space
    SimLanes3 spin;     // rad/s
} SimColliderPose;

// How the root turns, as far as the cloth may feel it, and what changes of the shares do. [0] interior, [1]
// edge particles.
typedef struct SimInertialShare {
    SimLanes3 spin;          // rad/s, model space
    SimLanes3 boost[2];      // m/s, by how much the velocity of the state's frame changes without a motion
    SimLanes3 boost_spin[2]; // rad/s, likewise
    SimLanes centrifugal[2]; // square of that share less that of the angular one
} SimInertialShare;

// A place on a lattice of noise, in cells. Cell and way into it are apart, so that it is as exact far from
// the origin and after days of wind as here and now; the lattice repeats after its period.
#define SIM_LATTICE_PERIOD 1048576
typedef struct SimLattice {
    SimLanes3 cell;     // whole numbers of 0..period - 1
    SimLanes3 fraction; // 0..1
} SimLattice;

#define SIM_KERNEL_TORNADOS 24 // those of the world, and some that die down

typedef struct SimKernelTornado {
    float inverse_radius; // 1/m, of the core
    float swirl;          // 1/s: the air's speed over the distance from the axis, near the axis
    float inflow;         // 1/s, likewise
    float lift;           // m/s, on the axis
} SimKernelTornado;

// The air of the world in this tick, the same for all lanes.
typedef struct SimKernelAir {
    bool still;                   // it does not move anywhere
    float velocity[3];            // m/s, mean wind in the world
    float gust;                   // share of it
    float eddy;                   // m/s
    float gust_scale, eddy_scale; // cells per m
    uint32_t seed;
    SimKernelTornado tornados[SIM_KERNEL_TORNADOS];
    int tornado_count;
} SimKernelAir;

// Where a root is in it, at the start of the tick.
typedef struct SimLaneAir {
    SimLanesPose root; // turns model space into the world's axes; no position
    SimLattice gusts, eddies;
    SimLanes3 from_tornado[SIM_KERNEL_TORNADOS]; // m, from the foot of the axis to the root, in the world
} SimLaneAir;

// What drives one substep.
typedef struct SimSubstep {
    SimLanes3 *gravity;       // m/s^2, model space
    SimLanesPose *root_world; // turns model space into the world's axes; no position
    SimLanesPose *root; // [2] x <- root x: the share of the root's motion that the cloth does not follow; [1]
                        // edge
    SimInertialShare *inertia;  // [1]
    SimColliderPose *colliders; // [collider], the ground last
} SimSubstep;

// A bone's frame at the end of the tick, and what else is known there.
typedef struct SimBoneFrame {
    SimLanes3 x, y, z;   // orthonormal, model space
    SimLanes confidence; // 0..1: how much of the rest span lies across x; 0 where x has no direction, either
    SimLanes warp, weft; // 0..1: how much the cloth is folded along the column and along the row
} SimBoneFrame;

// A particle farther from the root, m, or faster, m/s, is out of bounds: it would soon be no number.
#define SIM_FARTHEST 1e4f

// Mutable, the garments of all lanes. Positions and velocities in model space; velocities relative to the
// frame of the state.
typedef struct SimGarmentState {
    SimLanes3 *position;    // [particle]
    SimLanes3 *velocity;    // [particle]
    SimLanes3 *predicted;   // [particle] scratch: where forces alone would have put it
    SimLanes3 *reference0;  // [particle] skinned reference at the start of the tick
    SimLanes3 *reference1;  // [particle] and at its end
    SimLanes3 *reference;   // [particle] scratch: at the end of the substep
    SimLanes3 *surface;     // [particle] velocity of the surface it touches
    SimLanes *contact;      // [particle] 1 while it touches, 0 free
    SimLanes3 *wind;        // [particle] m/s, of the air there, in the world's axes; of this tick
    SimLanes3 *air;         // [particle] scratch: change of velocity by the air
    SimBoneFrame *frames;   // [bone]
    SimLanes *line;         // scratch of the row and column solves: 8 * (max(rows, columns) + 1)
    SimLanes *seam_gap;     // [seam_gap_count] m, of each pair when its seam began to close
    SimLanes3 *seam_column; // [rows] scratch of the seams
    SimLanes *conflicts;    // [1] particles times substeps without a solution, in this tick
    SimLanes *sewn;         // [1] 1 where one of its seams is closed, in this tick
    SimLanes *recovery;     // [1] s for which cloth that gave way is still drawn to its references; negative
                            // while it gives way: for so long it will be
    SimLanes *unstable;     // [1] 1 where some number went out of all bounds in this tick
    SimLanes *top_speed_squared; // [1] (m/s)^2: square of the greatest speed at the end of the tick, of
                                 // particles and of what stands out 0.1 m from a bone; a change of a fold's
                                 // weight by 1 counts like 0.1 m
} SimGarmentState;

typedef struct SimKernelJob {
    const SimTopology *topology;
    const SimLaneFabric *fabric;
    SimGarmentState *state;
    const SimLanesPose *skin_poses;
    const SimKernelAir *air;
    const SimLaneAir *lane_air;
    const SimSubstep *substeps; // [substep_count]
    int substep_count;
    float h;              // s, length of a substep
    const SimLanes *calm; // 1 in lanes that a part leaves as they are; NULL: none
} SimKernelJob;

// A seam at work.
typedef struct SimKernelSeam {
    const SimSeam *seam;
    const SimKernelJob *jobs[2];
    const SimLanes *allowed; // [substep_count] share of the gap at first that may be left; 0: closed,
                             // negative: open
} SimKernelSeam;

// One step of the substep.
typedef struct SimKernelPart {
    const char *name;
    void (*run)(const SimKernelJob *job, int substep);
} SimKernelPart;

typedef struct SimKernel {
    const char *name;
    int width; // lanes
    // reference1 of all particles from the bones' skin poses (bone matrix times inverse bind); the old one
    // becomes reference0.
    void (*skin)(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state);
    // A tick: begin, then for each substep all soft parts and all hard parts in order, then end. Between soft
    // and hard parts garments are sewn.
    void (*begin)(const SimKernelJob *job);
    const SimKernelPart *soft;
    int soft_count;
    const SimKernelPart *hard;
    int hard_count;
    void (*end)(const SimKernelJob *job);
    void (*sew)(const SimKernelSeam *seam, int substep);
    // The bones' frames and folds from the positions, after the end of a tick; dt is the time since the last
    // ones, s, 0 where there are none to go on from.
    void (*bones)(const SimKernelJob *job, float dt);
    // The air's velocity in m/s at a point in m from the root, both in the world's axes; bodies aside.
    void (*air)(const SimKernelAir *air, const SimLaneAir *lanes, const SimLanes3 *point,
                SimLanes3 *out_velocity);
    // Puts the cloth at its references and at rest, out of the colliders of the first substep, and its bones
    // with it.
    void (*place)(const SimKernelJob *job);
    // Cloth that is placed and sewn goes on from there, without time: relax, sew at substep 0 and the hard
    // parts by turns; then it comes to rest.
    void (*relax)(const SimKernelJob *job);
    void (*come_to_rest)(const SimKernelJob *job);
} SimKernel;

// The kernel of one lane, the same for every processor.
extern const SimKernel sim_kernel_scalar;

// The fastest kernel that this processor runs, or the one of that name (NULL if it can't).
const SimKernel *sim_kernel_best(void);
const SimKernel *sim_kernel_named(const char *name);
// The kernel of strips for the same processor.
const SimKernel *sim_kernel_strips(const char *name);
