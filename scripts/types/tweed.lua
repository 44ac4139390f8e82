---@meta tweed
-- What scripts can say, for the Lua language server. Printed by `tweed types`: do not edit.
-- luacheck: ignore 241

---{x, y, z}: +Y is up, +Z is where a character faces, +X is its left.
---@alias tweed.Vector number[]

---{x, y, z, w}: a unit quaternion.
---@alias tweed.Rotation number[]

---A direction; of a vector the length is of no matter.
---@alias tweed.Axis "x"|"y"|"z"|"-x"|"-y"|"-z"|tweed.Vector

---An event of the protocol.
---@alias tweed.Event
---| "character.spawned" | "character.removed" | "character.changed" | "character.unstable"
---| "script.loaded" | "script.failed" | "script.suspended"
---| "fabric.changed" | "world.changed" | "simulation.paused" | "simulation.resumed" | "log"

---What tweed.clip gives, for a character's clips.
---@class (exact) tweed.Clip

---@class (exact) tweed.Command
---What it does, in a line, for whoever calls it. Default: none.
---@field help? string
---What is called; its result goes to the caller.
---@field run fun(self: tweed.Self, arguments: table): any

---A kind of character: any number of it may be in the world.
---@class (exact) tweed.Character
---The bones that clips move.
---@field skeleton tweed.Skeleton
---Motions, by the names that self:play takes. Default: none.
---@field clips? table<string, tweed.Clip>
---Shapes of its body, that cloth stays out of. Default: none.
---@field colliders? (tweed.Ellipsoid|tweed.Sphere|tweed.Capsule|tweed.Plane)[]
---Bones over the skeleton, and what moves them. Default: none.
---@field driven? (tweed.Bone|tweed.Aim|tweed.Position|tweed.Twist)[]
---Render meshes; none can be given yet. Default: none.
---@field meshes? table
---What it wears: all that is simulated. Default: none.
---@field garments? (tweed.Cloth|tweed.Pendulum|tweed.Chain)[]
---Columns of garments that are sewn together. Default: none.
---@field seams? tweed.Seam[]
---Called when it comes into the world, and when it is reset. Default: none.
---@field on_spawn? fun(self: tweed.Self, params: table)
---Called at the start of each tick, with its length and the time, both in s. Default: none.
---@field on_tick? fun(self: tweed.Self, dt: number, time: number)
---What clients may call, by name. Default: none.
---@field commands? table<string, tweed.Command>

---A skeleton out of a file.
---@class (exact) tweed.ImportOptions
---Sought beside the script, below the assets' folders, and among assimp's test models.
---@field file string
---Metres per unit of the file. 1e-06 to 1000000, default: as the format says or the height suggests.
---@field scale? number

---A bone of a skeleton that is written down.
---@class (exact) tweed.SkeletonBone
---Unique in the skeleton.
---@field name string
---The bone that it hangs on. Default: none: a root.
---@field parent? string
---Where it is at rest, in the parent's space; a root's in model space. -100 to 100 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---How it is turned at rest, in the parent's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation

---A motion.
---@class (exact) tweed.ClipOptions
---A file with motion, found as by tweed.import. Default: sample gives the motion.
---@field file? string
---The clip's name within the file. Default: the first.
---@field clip? string
---Metres per unit of the file. 1e-06 to 1000000, default: as the format says or the height suggests.
---@field scale? number
---Where in the file's motion the clip begins. 0 to 100000 s, default: the motion's beginning.
---@field from? number
---Where in the file's motion the clip ends. 0 to 100000 s, default: the motion's end.
---@field to? number
---How long a computed clip lasts. 0.01 to 600 s, default: file gives the motion.
---@field duration? number
---How many frames are computed. 1 to 240 frames/s, default: 60 frames/s.
---@field rate? number
---Called with the time in s; returns the pose at that time. Default: file gives the motion.
---@field sample? fun(t: number): tweed.Pose
---How long the end fades into the beginning where it is looped. 0 to 10 s, default: 0.3 s.
---@field loop_blend? number

---@class (exact) tweed.BonePose
---How it is turned in the parent's space. Default: as at rest.
---@field rotation? tweed.Rotation
---Where it is in the parent's space. -100 to 100 m, default: as at rest.
---@field position? tweed.Vector

---@class (exact) tweed.RootPose
---The way to the left. -100000 to 100000 m, default: 0.
---@field x? number
---The way forwards. -100000 to 100000 m, default: 0.
---@field z? number
---The turn about +Y; more than a whole turn goes on counting. -100000 to 100000 rad, default: 0.
---@field heading? number

---An ellipsoid, which suits chests, hips and heads.
---@class (exact) tweed.Ellipsoid
---Its centre, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field center? tweed.Vector
---How its axes are turned in the bone's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation
---Its radii along its own x, y and z. 0.001 to 10 m.
---@field radii tweed.Vector
---Makes two rounder ones of it, named with _a and _b behind, if its longest radius is over 2.5 times the middle one;
---they differ from it by a tenth of the middle radius at most. Default: false.
---@field split? boolean
---The bone that carries it.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A capsule with ends of different size, if you like, which suits limbs.
---@class (exact) tweed.Capsule
---The centre of one end, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field from? tweed.Vector
---The centre of the other end, in the bone's space. -100 to 100 m.
---@field to tweed.Vector
---The radius at from. 0.001 to 10 m.
---@field radius number
---The radius at to. 0.001 to 10 m, default: as radius.
---@field radius_end? number
---The bone that carries it.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A sphere.
---@class (exact) tweed.Sphere
---Its centre, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field center? tweed.Vector
---Its radius. 0.001 to 10 m.
---@field radius number
---The bone that carries it.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A plane that stands still in the world, such as a floor or a wall.
---@class (exact) tweed.Plane
---Its normal in the world; cloth stays on the side that it points to. Default: {0, 1, 0}.
---@field normal? tweed.Axis
---Its distance from the world's origin, along the normal. -1000 to 1000 m, default: 0.
---@field offset? number
---Unique among the character's colliders.
---@field name string

---A bone over the skeleton, such as a shoulder pad.
---@class (exact) tweed.Bone
---Unique among all the character's bones.
---@field name string
---The bone that it hangs on, of the skeleton or driven.
---@field parent string
---Where it is at rest, in the parent's space. -100 to 100 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---How it is turned at rest, in the parent's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation

---@class (exact) tweed.AimAt
---The bone that carries the spot.
---@field bone string
---The spot, in that bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field offset? tweed.Vector

---Turns a bone by the smallest rotation that makes its axis look at a spot.
---@class (exact) tweed.Aim
---The bone that is turned.
---@field bone string
---The spot that it looks at. Default: direction.
---@field at? tweed.AimAt
---In place of a spot, the direction in model space that it looks in; {0, -1, 0} is down. Default: at.
---@field direction? tweed.Vector
---The bone's own axis that looks there. Default: {1, 0, 0}.
---@field axis? tweed.Axis
---The share of the turn that is made. 0 to 1, default: 1.
---@field weight? number

---Moves two bones, half each, so that they keep their distance.
---@class (exact) tweed.Position
---The two bones.
---@field between string[]
---What stays as it is at rest. Default: "distance".
---@field keep? "distance"
---The share of the correction that is made. 0 to 1, default: 1.
---@field weight? number

---Turns a bone about its axis by a share of the twist of another.
---@class (exact) tweed.Twist
---The bone that is turned.
---@field bone string
---The bone whose twist it shares.
---@field follows string
---The bone's own axis that it turns about. Default: {1, 0, 0}.
---@field axis? tweed.Axis
---The share of the twist that it takes. 0 to 1, default: 0.5.
---@field share? number

---@class (exact) tweed.GarmentBones
---The beginning of the bones' names: row, _ and column follow. Default: the garment's name and "_".
---@field prefix? string
---The first column that has bones, from 0. 0 to 127, default: 0.
---@field first_column? integer
---Columns from one that has bones to the next. 1 to 127, default: 2.
---@field every? integer
---The last row has no bones, or bones that go on the way of the link above. Default: "none".
---@field last_row? "none"|"follow"

---@class (exact) tweed.MaxDistance
---The limit of the top row. 0 to 10 m, default: 0.
---@field top? number
---The limit of the lowest row. 0 to 10 m, default: the fabric's max_distance.
---@field bottom? number
---How the limit grows on the way down: the exponent of its share; 1 is linear. 0.1 to 1, default: 1.
---@field curve? number

---A grid of cloth that hangs from its top row.
---@class (exact) tweed.Cloth
---Rows of particles; row 0 is on top. 2 to 128.
---@field rows integer
---Columns of particles. They run so that the bones' z points away from the body: in front towards +X. 2 to 128.
---@field columns integer
---Whether it is a ring: the last column is the first one's neighbour. Default: false.
---@field closed? boolean
---The particles in model space at the bind pose, row by row.
---@field positions tweed.Vector[]
---The bones that the top row is skinned to.
---@field attach string|table<string, number>[]
---The place that max_distance is measured from follows a smooth blend of the near bones, or those that the top is
---attached to. Default: "blend".
---@field references? "blend"|"attach"
---Which of its particles have bones.
---@field bones? tweed.GarmentBones
---Unique among the character's garments.
---@field name string
---What it is made of.
---@field fabric string
---The method of simulation. Default: "verlet".
---@field solver? "verlet"
---The colliders that it meets. Default: all of the character's.
---@field colliders? string[]
---How far each particle may leave the place that skinning gives it. Default: of cloth 0 at the top to the fabric's
---max_distance at the bottom, else none.
---@field max_distance? tweed.MaxDistance|number[]
---Particles are pushed to the exact nearest point of a collider, or as in the article of Alan Wake. Default: "exact".
---@field collision? "exact"|"article"
---Vertical links keep their lengths by a solver that keeps momentum, or by the article's pass from the top down.
---Default: "exact".
---@field hard? "exact"|"article"
---How far its particles keep apart, unless they are nearer at rest; 0 is off. From 0.7 of the distance between
---neighbours on, cloth does not slip through itself. 0 to 0.5 m, default: 0.
---@field self_collision? number
---It resists bending by its curvature, or by the article's links to second neighbours. Default: "curvature".
---@field bend? "curvature"|"article"

---@class (exact) tweed.PoseStiffness
---That of the first link. 0 to 30 Hz, default: 0.
---@field base? number
---That of the last link; between them it changes evenly. 0 to 30 Hz, default: 0.
---@field tip? number

---@class (exact) tweed.AngleLimit
---That of the first link. 0 to 180 degrees, default: 180 degrees.
---@field base? number
---That of the last link; between them it changes evenly. 0 to 180 degrees, default: 180 degrees.
---@field tip? number

---Particles in a row, such as a tie or a tail.
---@class (exact) tweed.Chain
---The bone that the first point is fixed to.
---@field bone string
---The points at the bind pose, in the bone's space.
---@field points tweed.Vector[]
---Which of its particles have bones.
---@field bones? tweed.GarmentBones
---How strongly each link is drawn to its direction at rest: the frequency at which it swings about it. Default: 0:
---none.
---@field pose_stiffness? tweed.PoseStiffness|number
---The damping of these swings; 1 is critical. 0 to 10, default: 0.
---@field pose_damping? number
---How far each link may turn from its direction at rest, seen from the link above it; the first, from the bone.
---Default: 180 degrees: none.
---@field angle_limit? tweed.AngleLimit|number
---What max_distance, pose_stiffness and angle_limit are measured from goes with the bone that it hangs on, or with a
---smooth blend of those whose colliders are near. Default: "attach".
---@field references? "blend"|"attach"
---Unique among the character's garments.
---@field name string
---What it is made of.
---@field fabric string
---The method of simulation. Default: "verlet".
---@field solver? "verlet"
---The colliders that it meets. Default: all of the character's.
---@field colliders? string[]
---How far each particle may leave the place that skinning gives it. Default: of cloth 0 at the top to the fabric's
---max_distance at the bottom, else none.
---@field max_distance? tweed.MaxDistance|number[]
---Particles are pushed to the exact nearest point of a collider, or as in the article of Alan Wake. Default: "exact".
---@field collision? "exact"|"article"
---Vertical links keep their lengths by a solver that keeps momentum, or by the article's pass from the top down.
---Default: "exact".
---@field hard? "exact"|"article"
---How far its particles keep apart, unless they are nearer at rest; 0 is off. From 0.7 of the distance between
---neighbours on, cloth does not slip through itself. 0 to 0.5 m, default: 0.
---@field self_collision? number
---It resists bending by its curvature, or by the article's links to second neighbours. Default: "curvature".
---@field bend? "curvature"|"article"

---A bob on a string, and a bone that aims at it: for what hangs as a whole, such as a hood.
---@class (exact) tweed.Pendulum
---The bone that it hangs on.
---@field bone string
---The way from the bone to the bob at the bind pose, in the bone's space; its length is the string's. -100 to 100 m.
---@field rest tweed.Vector
---How strongly each link is drawn to its direction at rest: the frequency at which it swings about it. Default: 0:
---none.
---@field pose_stiffness? tweed.PoseStiffness|number
---The damping of these swings; 1 is critical. 0 to 10, default: 0.
---@field pose_damping? number
---How far each link may turn from its direction at rest, seen from the link above it; the first, from the bone.
---Default: 180 degrees: none.
---@field angle_limit? tweed.AngleLimit|number
---What max_distance, pose_stiffness and angle_limit are measured from goes with the bone that it hangs on, or with a
---smooth blend of those whose colliders are near. Default: "attach".
---@field references? "blend"|"attach"
---Unique among the character's garments.
---@field name string
---What it is made of.
---@field fabric string
---The method of simulation. Default: "verlet".
---@field solver? "verlet"
---The colliders that it meets. Default: all of the character's.
---@field colliders? string[]
---How far each particle may leave the place that skinning gives it. Default: of cloth 0 at the top to the fabric's
---max_distance at the bottom, else none.
---@field max_distance? tweed.MaxDistance|number[]
---Particles are pushed to the exact nearest point of a collider, or as in the article of Alan Wake. Default: "exact".
---@field collision? "exact"|"article"
---Vertical links keep their lengths by a solver that keeps momentum, or by the article's pass from the top down.
---Default: "exact".
---@field hard? "exact"|"article"
---How far its particles keep apart, unless they are nearer at rest; 0 is off. From 0.7 of the distance between
---neighbours on, cloth does not slip through itself. 0 to 0.5 m, default: 0.
---@field self_collision? number
---It resists bending by its curvature, or by the article's links to second neighbours. Default: "curvature".
---@field bend? "curvature"|"article"

---@class (exact) tweed.SeamTo
---The garment of the other side, which may be the same.
---@field [1] string
---The column of the other side, from 0. 0 to 127.
---@field column integer
---The row of the other side that the first one is sewn to. 0 to 127, default: the first of rows.
---@field row? integer

---Sews a column of a garment to a column of the same or of another, row by row.
---@class (exact) tweed.Seam
---The garment, without a key.
---@field [1] string
---Its name for self:open_seam and self:close_seam, unique among the character's seams. Default: the garment's.
---@field name? string
---The column that is sewn, from 0; of a chain or pendulum 0. 0 to 127.
---@field column integer
---What it is sewn to.
---@field to tweed.SeamTo
---The first and the last row that are sewn; rows that are held on both sides are not. Default: all that both columns
---have.
---@field rows? integer[]
---Whether it is closed at the beginning. Default: true.
---@field closed? boolean

---@class (exact) tweed.Fabric.Edge
---Factor on damping at the edges. 0 to 10, default: 0.6.
---@field damping? number
---Factor on wind at the edges. 0 to 10, default: 1.8.
---@field wind? number
---Factor on the shares of the root's motion at the edges. 0 to 10, default: 1.4.
---@field world_motion? number
---Factor on max_distance at the edges. 0 to 10, default: 1.25.
---@field max_distance? number

---@class (exact) tweed.Fabric.Spring
---Springs between direct neighbours. 0 to 1000000 N/m, default: 200 N/m.
---@field structural? number
---Springs along the diagonals. 0 to 1000000 N/m, default: 60 N/m.
---@field shear? number
---Springs between second neighbours. 0 to 1000000 N/m, default: 20 N/m.
---@field flexion? number
---Damping along each spring. 0 to 100 N s/m, default: 0.02 N s/m.
---@field damping? number
---Elongation at which a spring is cut back. 0 to 1, default: 0.1.
---@field limit? number

---@class (exact) tweed.Fabric.Trail
---The angle from the vertical by which the cloth hangs back. 0 to 89 degrees.
---@field angle number
---The steady speed of the root at which it does. 0.01 to 30 m/s.
---@field speed number

---@class (exact) tweed.Fabric.Article
---Iterations in a step, in each of which the factors of stiffness act. 1 to 100, default: 1.
---@field iterations? integer
---The side of a cell of the grid that the factors are for. 0.001 to 1 m, default: 0.06 m.
---@field cell? number
---Share of the error that an iteration takes out, between direct neighbours; for stretch. 0 to 1, default: not used.
---@field stretch? number
---The same across a cell; for shear. 0 to 1, default: not used.
---@field shear? number
---The same between second neighbours; for drape. 0 to 1, default: not used.
---@field bend? number
---Share of its velocity that a particle loses in a step; for damping. 0 to 1, default: not used.
---@field damping? number

---A cloth by its numbers. Where it gives none it has its base's, else the default: that of a mid-weight wool.
---@class (exact) tweed.Fabric
---The name by which garments know it, unique among all fabrics.
---@field name string
---The fabric whose values it has where it gives none. Default: none.
---@field base? string
---Mass of a square metre. 0.005 to 20 kg/m^2, default: 0.4 kg/m^2.
---@field density? number
---Membrane stiffness: force per width and strain. 1 to 1000000 N/m, default: 15000 N/m.
---@field stretch? number
---Stiffness against shearing. 0 to 1000000 N/m, default: 35 N/m.
---@field shear? number
---Drape length: how far a strip stands out before it hangs. 0 to 1 m, default: 0.03 m.
---@field drape? number
---Rate at which motion relative to the character dies away. 0 to 100 1/s, default: 3 1/s.
---@field damping? number
---Added to damping where the cloth touches a collider. 0 to 500 1/s, default: 25 1/s.
---@field contact_damping? number
---Coulomb's coefficient: the share of the force along the normal that friction holds. 0 to 10, default: 0.
---@field friction? number
---Share of the root's motion that the cloth feels. 0 to 1, default: 0.2.
---@field world_motion? number
---Share of the root's turns that the cloth feels; below 0: as world_motion. -1 to 1, default: -1.
---@field world_angular? number
---Share of the root's rate of turning at which the cloth flies out; below 0: as world_angular. -1 to 1, default: -1.
---@field world_centrifugal? number
---Fastest motion of the root that the cloth feels. 0 to 30 m/s, default: 30 m/s.
---@field world_speed? number
---Fastest turn of the root that the cloth feels. 0 to 94 rad/s, default: 94 rad/s.
---@field world_spin? number
---How fast the motion that the cloth feels follows the root's. 0 to 100000 m/s^2, default: 100000 m/s^2.
---@field world_acceleration? number
---How fast the turn that the cloth feels follows the root's. 0 to 100000 rad/s^2, default: 100000 rad/s^2.
---@field world_spin_acceleration? number
---How far the lowest row may leave the place that skinning gives it. 0 to 10 m, default: 0.4 m.
---@field max_distance? number
---Factor on the force of the air. 0 to 10, default: 1.
---@field wind? number
---How far vertical links may stretch; 0 keeps them exact. 0 to 0.5, default: 0.
---@field limit? number
---Factors at the edges: on particles with fewer than four neighbours.
---@field edge? tweed.Fabric.Edge
---Numbers for a mass-spring solver, which cannot be chosen yet.
---@field spring? tweed.Fabric.Spring
---How far the cloth hangs back at a speed, in place of world_motion. Default: not used.
---@field trail? tweed.Fabric.Trail
---The article's factors of a 60 Hz step, in place of stretch, shear, drape and damping. Default: not used.
---@field article? tweed.Fabric.Article

---A wish for a character.
---@class (exact) tweed.Spawn
---The character's script, by its name below the script folders.
---@field script string
---Its name in the world, unique. Default: the script's, numbered.
---@field name? string
---Where its root is in the world. -1000000 to 1000000 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---How its root is turned in the world. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation
---What its on_spawn gets. Default: none.
---@field params? table

---@class (exact) tweed.Camera
---The name of the character in spawn that it looks at. Default: none.
---@field target? string
---Its distance from the target. 0.1 to 1000 m, default: the viewer's choice.
---@field distance? number
---Its height above the target's root. -1000 to 1000 m, default: the viewer's choice.
---@field height? number

---Who is where, in what weather.
---@class (exact) tweed.Scene
---The height of a floor that all cloth meets. -1000000 to 1000000 m, default: none.
---@field ground? number|false
---Gravity in the world. -300 to 300 m/s^2, default: {0, -9.81, 0} m/s^2.
---@field gravity? tweed.Vector
---The air, which a client may change. Default: still air.
---@field wind? tweed.Wind
---The characters that are there from the start. Default: none.
---@field spawn? tweed.Spawn[]
---A hint to viewers.
---@field camera? tweed.Camera
---Called once, when all of them are there. Default: none.
---@field on_start? fun(scene: { name: string, script: string })

---The motion of the air.
---@class (exact) tweed.Wind
---Its mean velocity in the world. -300 to 300 m/s, default: {0, 0, 0}.
---@field velocity? tweed.Vector
---How strong eddies of a metre or two are, as a share of the speed. 0 to 2, default: 0.
---@field turbulence? number
---How strongly it swells over seconds, as a share of the speed. 0 to 2, default: 0.
---@field gust? number

---How a clip is played.
---@class (exact) tweed.PlayOptions
---Whether it begins anew at the end; else the last frame stays. Default: false.
---@field loop? boolean
---Factor on its speed; below 0 it plays backwards. -10 to 10, default: 1.
---@field speed? number
---How long it fades in from the present pose. 0 to 10 s, default: 0.2 s.
---@field fade? number
---Where in the clip it begins. 0 to 86400 s, default: 0.
---@field at? number
---Whether the root stays where it is, though the clip would move it. Default: false.
---@field in_place? boolean
---Whether it is added to what plays: what each bone does from the clip's first frame on, in its parent's space, the
---root aside. Four at a time; one more ends the oldest. Default: false.
---@field additive? boolean
---Share of it that is added. 0 to 1, default: 1.
---@field weight? number

---How a clip is stopped.
---@class (exact) tweed.StopOptions
---How long it fades to the rest pose, or out where it was added. 0 to 10 s, default: 0.2 s.
---@field fade? number

---Where a character goes.
---@class (exact) tweed.MoveOptions
---Where the root goes in the world. -1000000 to 1000000 m, default: as it is.
---@field position? tweed.Vector
---How it is turned in the world. Default: as it is.
---@field rotation? tweed.Rotation
---Whether the cloth goes along, without feeling it. Default: false.
---@field teleport? boolean

---What a pose says of one bone, in the pose's space.
---@class (exact) tweed.PosedBone
---How it is turned. Default: as it is.
---@field rotation? tweed.Rotation
---Where it is. -1000000 to 1000000 m, default: as it is.
---@field position? tweed.Vector

---How bones are posed.
---@class (exact) tweed.PoseOptions
---Its parent's, as that is posed; or the model's: there it stays however the bones above it move. Default: "parent".
---@field space? "parent"|"model"
---Shown in frames, from the tick that the pose takes effect in. 0 to 9007199254740991, default: none.
---@field sequence? integer
---Whether it is no motion: the cloth goes along on the body, at rest, and is not whipped. Default: false.
---@field teleport? boolean
---Whether bones that cannot be posed are left out; else they are an error. Default: false.
---@field ignore_unknown? boolean

---A column of turning air that stands on its foot.
---@class (exact) tweed.Tornado
---Its name; that of one that blows changes it.
---@field name string
---The foot of its vertical axis, in the world. -1000000 to 1000000 m.
---@field position tweed.Vector
---The radius of its core: the air turns fastest at 1.12 radii. 0.05 to 1000 m.
---@field radius number
---The greatest speed at which the air turns; anticlockwise from above where positive. -150 to 150 m/s.
---@field strength number
---The updraft on the axis; it draws air in, at 0.32 of it at most. -150 to 150 m/s.
---@field lift number
---How its foot moves. -300 to 300 m/s, default: {0, 0, 0}.
---@field velocity? tweed.Vector

---What tweed.import and tweed.skeleton give, for a character and for helpers that fit things to it.
---@class tweed.Skeleton
---@field bones tweed.SkeletonBone[] Its bones as tweed.skeleton takes them, parents first.
---@field height number Its height at rest, in m.
local Skeleton = {}

---Whether it has a bone of that name.
---@param bone string
---@return boolean known
function Skeleton:has(bone) end

---Where a bone is at rest, in model space.
---@param bone string
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Skeleton:rest(bone) end

---The end of a leaf bone in its own space, where the file has one.
---@param bone string
---@return tweed.Vector? position
function Skeleton:tip(bone) end

---What the sample of a computed clip returns. Bones that it leaves out are as at rest.
---@class tweed.Pose
---@field [string] tweed.BonePose Of the bone of that name.
---@field bones? table<string, tweed.BonePose> In place of bones beside root: for skeletons with a bone named root.
---@field root? tweed.RootPose The way over the ground since the clip's beginning.

---A character in the world: what its callbacks and commands get first. Other keys than these are yours; they last
---until the character is reset or gone.
---@class tweed.Self
---@field name string The character's name in the world; it cannot be assigned.
---@field [string] any
local Self = {}

---Plays a clip in place of the one that plays, or on top of it.
---@param clip string One of the character's clips.
---@param options? tweed.PlayOptions
function Self:play(clip, options) end

---Ends a clip; the character goes back to its rest pose, or to what it was added to.
---@param clip? string By default whatever plays.
---@param options? tweed.StopOptions
function Self:stop(clip, options) end

---The clip that plays and where in it it is, in s; nothing where none plays.
---@return string? clip
---@return number? time
function Self:clip() end

---Moves the character's root.
---@param to tweed.MoveOptions
function Self:move(to) end

---Where the character's root is in the world.
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Self:root() end

---Poses bones in place of what plays, until they are released; what is not given keeps its value. Of several who pose
---a bone, clients among them, the last one has it. Gives the names of those that were left out.
---@param bones table<string, tweed.PosedBone> Skeleton and driven bones: where they are, not how far from rest.
---@param options? tweed.PoseOptions
---@return string[] ignored
function Self:pose(bones, options) end

---Gives posed bones back to what plays, within 0.2 s.
---@param bones? string[] By default all that are posed.
function Self:release(bones) end

---Where a bone of the skeleton or a driven one is going to be in the next tick (which a callback or coroutine comes
---before), by what plays and is posed until now; a garment's, where it is.
---@param name string Any of the character's bones.
---@param space? "model"|"parent"|"world" Default "model".
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Self:bone(name, space) end

---Takes the character out of the world, after all scripts of this tick; `self` is no longer valid then.
function Self:remove() end

---Runs a function as a coroutine of the character: it begins at once, and tweed.wait lets it pause.
---@param task fun(...: any)
---@param ... any Passed to the function.
function Self:run(task, ...) end

---Opens a seam.
---@param name string One of the character's seams.
function Self:open_seam(name) end

---Closes a seam: its sides come together within 0.2 s.
---@param name string One of the character's seams.
function Self:close_seam(name) end

---The module: `local tweed = require "tweed"`.
---@class tweed
local tweed = {}

---A kind of character: any number of it may be in the world.
---@param definition tweed.Character
---@return tweed.Character
function tweed.character(definition) end

---The skeleton of a BVH, glTF, FBX or X file, while the script loads.
---@param file string|tweed.ImportOptions The file's name, or a table.
---@return tweed.Skeleton skeleton
function tweed.import(file) end

---A skeleton that is written down.
---@param bones tweed.SkeletonBone[] A list, in any order.
---@return tweed.Skeleton skeleton
function tweed.skeleton(bones) end

---Whether tweed.import and tweed.clip can have that file.
---@param file string
---@return boolean has
---@return string? reason # Why not.
function tweed.has_asset(file) end

---A motion out of a file, or computed by a function while the script loads.
---@param motion tweed.ClipOptions
---@return tweed.Clip clip
function tweed.clip(motion) end

---An ellipsoid, which suits chests, hips and heads.
---@param definition tweed.Ellipsoid
---@return tweed.Ellipsoid
function tweed.ellipsoid(definition) end

---A capsule with ends of different size, if you like, which suits limbs.
---@param definition tweed.Capsule
---@return tweed.Capsule
function tweed.capsule(definition) end

---A sphere.
---@param definition tweed.Sphere
---@return tweed.Sphere
function tweed.sphere(definition) end

---A plane that stands still in the world, such as a floor or a wall.
---@param definition tweed.Plane
---@return tweed.Plane
function tweed.plane(definition) end

---A bone over the skeleton, such as a shoulder pad.
---@param definition tweed.Bone
---@return tweed.Bone
function tweed.bone(definition) end

---Turns a bone by the smallest rotation that makes its axis look at a spot.
---@param definition tweed.Aim
---@return tweed.Aim
function tweed.aim(definition) end

---Moves two bones, half each, so that they keep their distance.
---@param definition tweed.Position
---@return tweed.Position
function tweed.position(definition) end

---Turns a bone about its axis by a share of the twist of another.
---@param definition tweed.Twist
---@return tweed.Twist
function tweed.twist(definition) end

---A grid of cloth that hangs from its top row.
---@param definition tweed.Cloth
---@return tweed.Cloth
function tweed.cloth(definition) end

---Particles in a row, such as a tie or a tail.
---@param definition tweed.Chain
---@return tweed.Chain
function tweed.chain(definition) end

---A bob on a string, and a bone that aims at it: for what hangs as a whole, such as a hood.
---@param definition tweed.Pendulum
---@return tweed.Pendulum
function tweed.pendulum(definition) end

---Sews a column of a garment to a column of the same or of another, row by row.
---@param definition tweed.Seam
---@return tweed.Seam
function tweed.seam(definition) end

---A cloth by its numbers. Where it gives none it has its base's, else the default: that of a mid-weight wool.
---@param definition tweed.Fabric
---@return tweed.Fabric
function tweed.fabric(definition) end

---Who is where, in what weather.
---@param definition tweed.Scene
---@return tweed.Scene
function tweed.scene(definition) end

---The motion of the air.
---@param definition tweed.Wind
---@return tweed.Wind
function tweed.wind(definition) end

---Lets a character come into the world: at the next tick or, where its script has not been needed before, once that
---is loaded, which no tick waits for but those of simulation.step. In callbacks.
---@param wish tweed.Spawn
---@return string name # The name that it is going to have.
function tweed.spawn(wish) end

---Takes a character out of the world, after all scripts of this tick. In callbacks.
---@param name string A character's, or that of one which is on its way.
function tweed.remove(name) end

---Pauses a coroutine of self:run, until the first tick that is not before that time; gives how long that was, in s.
---@param seconds number 0 to 1e6 s; 0 is the next tick.
---@return number waited
function tweed.wait(seconds) end

---Pauses a coroutine of self:run until something happens; gives the event, as the protocol has it, or nothing when
---the time is over.
---@param event tweed.Event
---@param seconds? number 0 to 1e6 s; by default for ever.
---@return table? event
function tweed.wait_for(event, seconds) end

---Calls a function whenever something happens, with the event as the protocol has it: at the beginning of the tick,
---or of the next one for what scripts do themselves. Ends with the character's reset, and when the function raises.
---In callbacks. The events: character.spawned, character.removed, character.changed, character.unstable,
---script.loaded, script.failed, script.suspended, fabric.changed, world.changed, simulation.paused,
---simulation.resumed, log.
---@param event tweed.Event
---@param listener fun(event: table)
---@return fun() stop # Ends it.
function tweed.on(event, listener) end

---A number from 0 up to but without 1; with n a whole one from 1 to n, with m and n from m to n. Seeded per
---character, so that runs repeat; math.random is the same.
---@param m? integer
---@param n? integer
---@return number number
function tweed.random(m, n) end

---Writes to the server's log and to clients that listen, 50 lines a second at most; print is level info.
---@param level "error"|"warning"|"info"|"debug"
---@param text any
function tweed.log(level, text) end

---Begins a tornado, or changes the one of that name; 16 at most. In callbacks.
---@param tornado tweed.Tornado
function tweed.tornado(tornado) end

---Ends a tornado. In callbacks.
---@param name string A tornado's.
function tweed.calm(name) end

---Asks the server for what a client can ask for, under the same name, with the same parameters and errors:
---character.*, fabric.*, world.*, server.*, simulation.pause and resume. It is done at once, but for what runs
---scripts (character.call, character.reset) and, while this script is reloaded, what changes anything: that comes
---after all scripts of this tick. In a coroutine of self:run this waits for the result until the next tick; elsewhere
---nothing is given back. In callbacks.
---@param method string "fabric.set", as protocol/openrpc.json has them.
---@param params? table As the protocol has them.
---@return any result
function tweed.request(method, params) end

---For scripts that compute poses. They take lists and give new ones.
tweed.quaternion = {}

---A turn about an axis of any length.
---@param axis tweed.Vector
---@param angle number rad.
---@return tweed.Rotation rotation
function tweed.quaternion.axis_angle(axis, angle) end

---Turns about the parent's fixed axes, one after the other.
---@param x number rad, as y and z.
---@param y number
---@param z number
---@param order? string Default "xyz": about x first, z last.
---@return tweed.Rotation rotation
function tweed.quaternion.euler(x, y, z, order) end

---The product, left to right: the last one turns first.
---@param first tweed.Rotation
---@param ... tweed.Rotation Any number of them.
---@return tweed.Rotation rotation
function tweed.quaternion.multiply(first, ...) end

---The turn back.
---@param rotation tweed.Rotation
---@return tweed.Rotation rotation
function tweed.quaternion.inverse(rotation) end

---The same rotation at unit length.
---@param rotation tweed.Rotation
---@return tweed.Rotation rotation
function tweed.quaternion.normalize(rotation) end

---Between two rotations, the short way at constant speed.
---@param from tweed.Rotation
---@param to tweed.Rotation
---@param t number 0 is from, 1 is to.
---@return tweed.Rotation rotation
function tweed.quaternion.slerp(from, to, t) end

---The smallest turn from one direction to another.
---@param from tweed.Vector
---@param to tweed.Vector
---@return tweed.Rotation rotation
function tweed.quaternion.between(from, to) end

---A vector, turned.
---@param rotation tweed.Rotation
---@param vector tweed.Vector
---@return tweed.Vector turned
function tweed.quaternion.rotate(rotation, vector) end

return tweed
