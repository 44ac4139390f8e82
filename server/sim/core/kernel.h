// The data that the solver's kernel works on, and its entry points. A lane is a garment: garments of one
// topology, each in its own lane, are computed by the same instructions, so the bits of one do not depend on
// the others.
//
// The kernel is compiled once per instruction set, as wide as its registers (the compiler splits wider
// vectors through memory), and once for a single lane, without vectors. All give the same bits.
//
// A garment alone uses all lanes, too: a lane is one of its particles, rows, columns, quads or links, and
// batches of those that do not wait for each other are computed together. For this the kernel is compiled
// once more per instruction set, with SIM_ALONE lanes in registers. Its memory is that of a single lane.
//
// A large grid uses all lanes: it is cut into SIM_LANES vertical strips of equal width, and lane i is strip
// i. For this the kernel is compiled once more per instruction set, with SIM_STRIPS: numbers that garments
// share (rest lengths, areas) differ between strips.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_LANES 16 // most lanes of a kernel
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

// A number of the topology: one for all garments, or one for each strip.
#ifdef SIM_STRIPS
typedef SimLanes SimShared;
#else
typedef float SimShared;
#endif

// Added to the index of a particle in the strip on the right or on the left.
#define SIM_RIGHT (1 << 29)
#define SIM_LEFT  (1 << 30)

// A rotation (columns 0..2) and a position (column 3) per lane.
typedef struct SimLanesPose {
    SimLanes3 column[4];
} SimLanesPose;

// One lane of the kernel's memory. Only the kernel knows the types below at its width; other code reads
// single numbers of a lane: number i is first[i * width].
typedef struct SimLane {
    float *first;
    int width;
} SimLane;

// Index of a member among the numbers of a type: SIM_NUMBER(SimLaneFabric, limit).
#define SIM_NUMBER(type, member) (offsetof(type, member) / sizeof(SimLanes))
// Count of the numbers of a type.
#define SIM_NUMBERS(type) (sizeof(type) / sizeof(SimLanes))

// Between direct neighbours, along the diagonals, between second neighbours. As springs they are called
// structural, shear and flexion.
typedef enum SimLinkKind { SIM_LINK_STRETCH, SIM_LINK_SHEAR, SIM_LINK_BEND, SIM_LINK_KINDS } SimLinkKind;

// Links that are swept one after another: shear links, with SIM_BEND_ALAN_WAKE second neighbours, and with
// SIM_HARD_ALAN_WAKE stretch links; or the springs of mass-spring cloth. They are ordered by row, so that
// their particles are still in the nearest cache.
typedef struct SimLinks {
    int count;
    int (*ends)[2];
    uint8_t *kind;
    SimShared *length; // m, at rest
    SimShared *factor; // of a link its compliance, times the lane's softness of the kind; of a spring a
                       // factor on the lane's stiffness of the kind
} SimLinks;

// Bending elements x0 - 2 x1 + x2, each with its rest curvature in the cloth's frame at x1.
typedef struct SimBends {
    int count;
    int (*particles)[5];   // x0, x1, x2; the direction across at x1 runs from the fourth to the fifth; these
                           // are equal in a chain
    SimShared *compliance; // a^3 / b, times the lane's 1 / (B h^2)
    SimShared (*curvature)[3]; // m; along x0 -> x2, along the normal, along normal x tangent
} SimBends;

// A point between particles, their mean: the middle of an edge (2) or of a quad (4).
typedef struct SimVirtual {
    int particles[4];
    int count;
} SimVirtual;

// Lines of particles that each begin at a pinned one, or at one of an earlier path, and lead down from it:
// the columns of cloth that is no grid.
typedef struct SimPaths {
    int count;
    int *first;     // [count + 1] path i has the particles first[i] to first[i + 1] - 1 of the list
    int *particles; // each that is not pinned is in one path after its first particle
} SimPaths;

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
    float most_inverse; // the largest of these
    float least_square; // square of the smallest radius, m^2
    float excess[3];    // radii^2 - least_square
    // CONE: radius at the pose's origin, radius_end at length, the smaller
    float radius, radius_end, length;
    float sine, cosine, tangent; // of the angle between its wall and the axis
    float thread;                // m; closer to the axis the direction from it is unreliable
} SimKernelCollider;

// The cloth across a particle in one direction, between the particles before and after it. None if these are
// equal.
typedef struct SimFold {
    int before, after;
    float arc;   // m, distance between them along the cloth, at rest
    float ratio; // chord over arc at the bind pose, 0..1: cosine of half the kink there
    float kink;  // sine of half the kink
} SimFold;

// A bone that the cloth drives.
typedef struct SimClothBone {
    int pivot;               // particle
    int from, to;            // x points along this vertical link
    float length;            // m, its rest length
    int left, right;         // neighbours in the row; equal: none
    int far_left, far_right; // the next ones; y points along the line that fits all five best
    float span;              // m, see wanted_side, at rest; 1 without neighbours
    int side_bone;           // without neighbours: y turns with this skin pose
    int above;               // without neighbours: y turns with the frame of this bone; -1: with side_bone
    float ahead[3];          // x at the bind pose in that frame, of unit length
    float side[3];           // y at the bind pose in that frame, of unit length
    SimFold warp, weft;
} SimClothBone;

// Edge particles have fewer than four stretch links. In strips, an outer column is an edge in one lane only.
typedef enum SimEdge { SIM_EDGE_NO, SIM_EDGE_YES, SIM_EDGE_FIRST_STRIP, SIM_EDGE_LAST_STRIP } SimEdge;

// The longest row or column of a garment that can have all lanes.
#define SIM_ALONE_LONGEST 64

// Batches of particles, or of operations, that the lanes of one garment alone work on at the same time. The
// last lanes of a batch that is not full repeat the one before.
typedef struct SimBatches {
    int count;
    int32_t *indices; // [count][lanes]
} SimBatches;

// The order in which a garment alone is worked on, so that the results are those of one particle after
// another. Operations of a batch share no particle that one of them moves.
typedef struct SimAloneOrder {
    SimBatches particles; // those that are not pinned, then the pinned
    int quad_count;
    SimBatches corners[4];        // of quads, in their order
    SimBatches particle_quads[4]; // of all particles, in order; quad_count: none
    SimBatches links, link_ends[2];
    SimBatches bends, bend_particles[5];         // 4 lanes only: more elements that may be together are rare
    SimBatches points[2], point_particles[2][4]; // points between two particles, and between four
    SimBatches waves;                            // particles of the fused pass
    SimBatches inner; // of each its neighbour in the row that is nearer to the middle; itself in the middle
    SimBatches inner_links; // the link of the row to that neighbour
    int32_t *edges;         // [particle] all bits set of an edge particle
    bool has_bones;         // and all of them have neighbours
} SimAloneOrder;

#define SIM_FLAP_COLUMNS 5 // of a side of a slit that are held off the other side, at most

// The two sides of a slit: [0] the left one, seen from outside.
typedef struct SimFlaps {
    int row;                                     // the first that is cut
    int over;                                    // the side that lies over the other
    int counts[2], columns[2][SIM_FLAP_COLUMNS]; // from the edge inwards, 2 at least
    int beside[2];                               // columns a bit away from the edges
} SimFlaps;

// Immutable, shared by all garments of one kind.
typedef struct SimTopology {
    int rows, columns, particle_count; // cloth that is no grid: 1 row of all particles
    bool closed;
    int (*faces)[4]; // [face_count] of cloth that is no grid, which has no row and column links; the fourth
                     // of a triangle is -1
    int face_count;  // 0: a grid
    SimPaths paths;  // none of a grid
    int edge_rounds; // over the paths and the edges beside them, a substep at most
    bool alan_wake_collision, alan_wake_hard;
    bool has_max_distance;
    bool max_distances_given;  // particle by particle, edges too: the fabric's factor does not count
    bool mass_spring;          // springs take the place of links, bends, rows and columns
    SimShared *inverse_area;   // [particle] 1/m^2 of cloth that it carries; 0: pinned
    uint8_t *pinned;           // [particle]
    uint8_t *edge;             // [particle]: a SimEdge
    float (*rest)[3];          // [particle] m, model space at the bind pose
    SimShared *row_length;     // [rows * row_links] m; link k of a row joins columns k and k + 1 (wrapped);
                               // 0 where a slit cuts it
    SimShared *row_compliance; // [rows * row_links] length / width
    SimShared *column_length;  // [(rows - 1) * columns] m; link (r, c) joins rows r and r + 1. Of paths: link
                               // k joins the particles k and k + 1 of their list
    SimShared *column_compliance; // the same: length / width
    SimShared *quad_area;         // [(rows - 1) * row_links], of faces [face_count]: m^2; 0 in a slit
    SimShared *quad_edge;         // the same: share of its corners that are edge particles
    SimShared *quad_wind;         // the same: factor on the fabric's wind; NULL: 1
    SimShared *damping_scaled;    // [particle] times the fabric's damping; NULL: 1
    SimShared *thickness_fixed;   // [particle] m, and
    SimShared *thickness_scaled;  // [particle] times the fabric's thickness; NULL: 0 m and 1
    float most_thickness_fixed, most_thickness_scaled; // of all particles
    SimLinks links;
    int sweeps;                     // over the links, a substep
    SimLinks springs;               // of mass-spring cloth
    int limit_sweeps;               // over the springs for their limit, a substep at most
    SimBends bends;                 // none with SIM_BEND_ALAN_WAKE
    SimShared *max_distance_fixed;  // [particle] m
    SimShared *max_distance_scaled; // [particle] times the fabric's max_distance
    int *skin_bones;                // [particle * 4] indices into the job's skin poses
    float *skin_weights;            // [particle * 4]
    SimClothBone *bones;
    int bone_count;
    SimShared *backstop;       // [particle] m that it may be behind its reference; NULL: any
    bool has_pose;             // pose stiffness
    float pose_damping;        // ratio to critical damping
    SimShared *pose_frequency; // [particle] rad/s; NULL: none
    bool has_angle_limit;      // chains only, as the arrays below, which are of the link above a particle
    float *pose_inertia;       // [particle] m^2: sum over the particles below of area times distance from the
                               // top, over the link's length
    float *limit_cosine;       // [particle] of the angle limit
    float *limit_sine;         // [particle]
    SimFlaps *flaps;           // of its slits
    int flaps_count;
    SimVirtual *virtuals; // they collide too; none with SIM_COLLISION_ALAN_WAKE
    int virtual_count;
    SimKernelCollider *colliders;
    SimKernelCollider *virtual_colliders; // the colliders, a margin thicker, for virtual points
    int collider_count;
    int seam_gap_count;         // pairs of the seams whose first garment is this one
    const SimAloneOrder *alone; // [3] for 4, 8 and 16 lanes; NULL: a garment alone has one lane
} SimTopology;

// Whether a substep is kept from adding energy to the cloth (kernel/passive.h, garment/self_collision.c).
static inline bool sim_is_passive(const SimTopology *topology) {
    return topology->columns > 1 && !topology->mass_spring && !topology->alan_wake_hard;
}

// A body that moves does work: a passive step may be longer by so many times its way. Cloth that a turning
// body carries is farther out, and so much faster.
#define SIM_SPEEDS_OF_BODY 4.0f
#define SIM_HOLDING_SPEED  0.1f // m/s of the body, below which it holds its pose, and breathes
#define SIM_SHARE_OF_AIR   0.5f // of its speed: it moves cloth, too

// A seam: pairs of particles, one on each side. Immutable.
typedef struct SimSeam {
    int garments[2], columns[2];
    int pair_count;
    int (*pairs)[2]; // [pair_count]
    int first_gap;   // index into the first garment's gaps
} SimSeam;

// A fabric per lane, in the form that the kernel needs. [0] interior, [1] edge particles.
typedef struct SimLaneFabric {
    SimLanes inverse_density;          // m^2/kg
    SimLanes softness[SIM_LINK_KINDS]; // of swept links: 1 / (stretch h^2), 1 / (shear h^2), 1 / (B h^2)
    SimLanes column_softness;          // softness of stretch links if limit > 0, else 0: exact
    SimLanes limit;                    // 0: vertical links are exact
    SimLanes weft_most; // of a general mesh: the greatest length of edges beside its paths, over that at rest
    SimLanes shortest;  // share of its rest length to which a vertical link may shrink
    SimLanes stiffness[SIM_LINK_KINDS]; // N/m, of springs
    SimLanes spring_damping;            // N s/m
    SimLanes spring_steps;              // steps into which springs divide a substep
    SimLanes damping[2];                // 1/s
    SimLanes contact_damping;           // 1/s
    SimLanes friction;                  // Coulomb's coefficient
    SimLanes internal_friction;         // m/s^2
    SimLanes thickness;                 // m
    SimLanes wind[2];                   // times 1/2 rho_air / density: 1/m
    SimLanes max_distance;              // m
    SimLanes max_distance_edge;         // factor on edge particles
    SimLanes pose;                      // factor on the pose frequency of cloth
    SimLanes settling;                  // 1/s, rate that slows cloth on which nothing acts; 0: off
} SimLaneFabric;

// The pose of a collider at the end of a substep, in model space, and its surface's motion in the frame of
// the state.
typedef struct SimColliderPose {
    SimLanesPose pose;
    SimLanes3 velocity; // m/s of its origin in model space
    SimLanes3 spin;     // rad/s
} SimColliderPose;

// The turn of the root as the cloth feels it, and the effects of changed shares. [0] interior, [1] edge
// particles.
typedef struct SimInertialShare {
    SimLanes3 spin;          // rad/s, model space
    SimLanes3 boost[2];      // m/s, change of the velocity of the state's frame by changed shares
    SimLanes3 boost_spin[2]; // rad/s, change of its spin
    SimLanes centrifugal[2]; // square of the centrifugal share minus that of the angular share
} SimInertialShare;

// A point on a lattice of noise, in cells. Cell and fraction are separate, so that precision does not drop
// far from the origin or after days of wind. The lattice repeats after its period.
#define SIM_LATTICE_PERIOD 1048576
typedef struct SimLattice {
    SimLanes3 cell;     // whole numbers of 0..period - 1
    SimLanes3 fraction; // 0..1
} SimLattice;

#define SIM_KERNEL_TORNADOS 24 // those of the world and some that are ending

typedef struct SimKernelTornado {
    float inverse_radius; // 1/m, of the core
    float swirl;          // 1/s: speed around the axis over distance from it, near the axis
    float inflow;         // 1/s: speed towards the axis over distance from it
    float lift;           // m/s, on the axis
} SimKernelTornado;

// The air of the world in this tick, the same for all lanes.
typedef struct SimKernelAir {
    bool still;                   // velocity is 0 everywhere
    float velocity[3];            // m/s, mean wind in the world
    float gust;                   // share of the mean wind
    float eddy;                   // m/s
    float gust_scale, eddy_scale; // cells per m
    uint32_t seed;
    SimKernelTornado tornados[SIM_KERNEL_TORNADOS];
    int tornado_count;
} SimKernelAir;

// The root of a lane in the air, at the start of the tick.
typedef struct SimLaneAir {
    SimLanesPose root; // turns model space into the world's axes; no position
    SimLattice gusts, eddies;
    SimLanes3 from_tornado[SIM_KERNEL_TORNADOS]; // m, from the foot of the axis to the root, in the world
} SimLaneAir;

// Inputs of one substep.
typedef struct SimSubstep {
    SimLanes3 *gravity;       // m/s^2, model space
    SimLanesPose *root_world; // turns model space into the world's axes; no position
    SimLanesPose *root; // [2] x <- root x: the share of the root's motion that the cloth does not follow;
                        // [0] interior, [1] edge
    SimInertialShare *inertia;  // [1]
    SimColliderPose *colliders; // [collider], the ground last
} SimSubstep;

// A bone's frame, confidence and fold weights at the end of the tick.
typedef struct SimBoneFrame {
    SimLanes3 x, y, z;   // orthonormal, model space
    SimLanes confidence; // 0..1: share of the rest span across x; 0 if x has no direction
    SimLanes warp, weft; // 0..1: fold weights along the column and along the row
} SimBoneFrame;

// Bounds of a particle's distance from the root, m, and speed, m/s. Beyond them numbers would soon overflow.
#define SIM_FARTHEST 1e4f

// A ball about a stretch of cloth, and the colliders that may touch what is in it: see
// kernel/collide/broadphase.h.
typedef struct SimNearBall {
    SimLanes3 centre;   // m, model space
    SimLanes reach;     // m, its radius and the cloth's thickness; 0: not found yet
    SimLanes colliders; // a bit each, in the first lane
} SimNearBall;

// Mutable state of the garments of all lanes. Positions and velocities are in model space; velocities are
// relative to the frame of the state.
typedef struct SimGarmentState {
    SimLanes3 *position;    // [particle]
    SimLanes3 *velocity;    // [particle]
    SimLanes3 *predicted;   // [particle] scratch: position after the forces, before constraints
    SimLanes3 *start;       // [particle] scratch: position before the substep
    SimLanes3 *reference0;  // [particle] skinned reference at the start of the tick
    SimLanes3 *reference1;  // [particle] skinned reference at the end of the tick
    SimLanes3 *reference;   // [particle] scratch: reference at the end of the substep
    SimLanes3 *normal;      // [particle] scratch of the tick: outward, of the references at its end; only
                            // of cloth with a backstop
    SimLanes3 *damped_to;   // [particle] velocity towards which contact damping goes
    SimLanes *contact;      // [particle] 1 while it touches, 0 free
    SimLanes3 *wind;        // [particle] m/s, the air's velocity in this tick, in the world's axes
    SimLanes3 *air;         // [particle] scratch: change of velocity by the air
    SimBoneFrame *frames;   // [bone]
    SimLanes *line;         // scratch of the row and column solves: 8 * (max(rows, columns) + 1)
    SimNearBall *near;      // [sim_stretch_count] scratch of the tick
    SimLanes *seam_gap;     // [seam_gap_count] m, of each pair when its seam began to close
    SimLanes3 *seam_column; // [rows] scratch of the seams
    SimLanes *conflicts;    // [1] particles times substeps without a solution, in this tick
    SimLanes *slowed;       // [1] scratch: the conflicts in which opening slowly left it (kernel/recover.h)
    SimLanes *crowded;      // [1] scratch: 1 if limit and bodies left springs no room in this substep
    SimLanes *body_speed;   // [1] scratch: m/s, greatest of the body in this tick (kernel/passive.h)
    SimLanes *credit;       // [1] kg m^2: that constraints may give back (kernel/passive.h)
    SimLanes *sewn;         // [1] 1 if one of the garment's seams is closed in this tick
    SimLanes *folded;       // [1] 1 if the garment folds in this tick (kernel/collide/mend.h)
    SimLanes *recovery;     // [1] s of recovery left (kernel/recover.h); negative during conflicts
    SimLanes *opening;      // [1] s left in which the cloth opens slowly (kernel/recover.h)
    SimLanes *unstable;     // [1] 1 if a number went out of bounds in this tick
    SimLanes *top_speed_squared; // [1] (m/s)^2: square of the greatest speed at the end of the tick, of
                                 // particles and of points 0.1 m from a bone; a change of a fold's weight
                                 // by 1 counts like 0.1 m
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
    float h;               // s, length of a substep
    const SimLanes *calm;  // 1 in lanes that a part does not change; NULL: none
    const SimLanes *stays; // [particle] 1 in lanes in which it stays where it is; NULL: none. For finish
    bool keeps_order;      // of the sides of a slit: self-collision does, where nothing drives the cloth
    bool held;             // columns are held back where they were: weft links may be longer than else
} SimKernelJob;

// Stretches of a grid that are tested together against colliders: particles of one row, except in garments of
// fewer columns.
#define SIM_STRETCH 3
static inline int sim_stretch_line(const SimTopology *topology) {
    return topology->columns < SIM_STRETCH ? topology->particle_count : topology->columns;
}
static inline int sim_stretch_of(const SimTopology *topology, int particle) {
    const int line = sim_stretch_line(topology);
    return particle / line * ((line + SIM_STRETCH - 1) / SIM_STRETCH) + particle % line / SIM_STRETCH;
}
static inline int sim_stretch_count(const SimTopology *topology) {
    return topology->face_count > 0 ? 0 : sim_stretch_of(topology, topology->particle_count - 1) + 1;
}

// Inputs of one seam.
typedef struct SimKernelSeam {
    const SimSeam *seam;
    const SimKernelJob *jobs[2];
    const SimLanes *allowed; // [substep_count] largest share of the first gap; 0: closed, negative: open
} SimKernelSeam;

// One step of the substep.
typedef struct SimKernelPart {
    const char *name;
    void (*run)(const SimKernelJob *job, int substep);
} SimKernelPart;

// Seams are sewn between the soft and the hard parts of a substep.
typedef enum SimPhase { SIM_PHASE_SOFT, SIM_PHASE_HARD, SIM_PHASES } SimPhase;

// The parts of a phase, in order.
typedef struct SimKernelParts {
    const SimKernelPart *parts;
    int count;
} SimKernelParts;

typedef struct SimKernel {
    const char *name;
    int width;  // lanes in memory
    bool alone; // one garment has all lanes: its topology must have an order for that
    // Computes reference1 of all particles from the bones' skin poses (bone matrix times inverse bind). The
    // old reference1 becomes reference0.
    void (*skin)(const SimTopology *topology, const SimLanesPose *skin_poses, SimGarmentState *state);
    // A tick calls begin, for each substep the phases of the garment's solver, and end.
    void (*begin)(const SimKernelJob *job);
    SimKernelParts solvers[2][SIM_PHASES]; // [topology->mass_spring]
    void (*end)(const SimKernelJob *job);
    void (*sew)(const SimKernelSeam *seam, int substep);
    // After the hard parts, for positions that were changed since: lengths, colliders and max distances hold
    // again, and unless job->held colliders between particles and the limit of weft links. What job->calm and
    // job->stays mark is left as it is; velocities do not follow, and conflicts are not counted again.
    void (*finish)(const SimKernelJob *job, int substep);
    // Computes the bones' frames and folds from the positions, after the end of a tick. dt is the time since
    // the last call in s, 0 without previous frames.
    void (*bones)(const SimKernelJob *job, float dt);
    // Returns the air's velocity in m/s at a point in m from the root, both in the world's axes, without the
    // lee of bodies.
    void (*air)(const SimKernelAir *air, const SimLaneAir *lanes, const SimLanes3 *point,
                SimLanes3 *out_velocity);
    // Puts the cloth at its references and at rest, out of the colliders of the first substep, and computes
    // its bones.
    void (*place)(const SimKernelJob *job);
    // Relaxes placed cloth outside time: call relax, sew at substep 0 and the hard parts in turns, then
    // come_to_rest.
    void (*relax)(const SimKernelJob *job);
    void (*come_to_rest)(const SimKernelJob *job);
} SimKernel;

// The kernel of one lane, for all processors.
extern const SimKernel sim_kernel_scalar;

// Returns the fastest kernel for this processor, or the one of that name (NULL if it cannot run here).
const SimKernel *sim_kernel_best(void);
const SimKernel *sim_kernel_named(const char *name);
// Returns the kernel of a garment alone for the same instruction set. Its memory is that of one lane.
const SimKernel *sim_kernel_alone(const char *name);
// Returns the kernel of strips for the same instruction set.
const SimKernel *sim_kernel_strips(const char *name);
