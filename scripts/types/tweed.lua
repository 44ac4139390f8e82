---@meta tweed
-- What scripts can say, for the Lua language server. Printed by `tweed types`: do not edit.
-- luacheck: ignore 241

---{x, y, z}: +Y is up, +Z is where a character faces, +X is its left.
---@alias tweed.Vector number[]

---{x, y, z, w}: a quaternion of any length from 0.001, made unit.
---@alias tweed.Rotation number[]

---A direction; of a vector the length is of no matter.
---@alias tweed.Axis "x"|"y"|"z"|"-x"|"-y"|"-z"|tweed.Vector

---An event of the protocol.
---@alias tweed.Event
---| "character.spawned" | "character.removed" | "character.moved" | "character.changed"
---| "character.unstable"
---| "script.loaded" | "script.failed" | "script.suspended"
---| "fabric.changed" | "world.changed" | "simulation.paused" | "simulation.resumed"
---| "simulation.shed" | "log"

---What tweed.clip gives, for a character's clips.
---@class (exact) tweed.Clip

---@class (exact) tweed.Command
---One line that tells callers what the command does. Default: none.
---@field help? string
---The function; the caller gets its result.
---@field run fun(self: tweed.Self, arguments: table): any

---A kind of character. The world may hold any number of characters of one kind.
---@class (exact) tweed.Character
---The bones that clips move.
---@field skeleton tweed.Skeleton
---The clips, by name. Default: none.
---@field clips? table<string, tweed.Clip>
---The shapes of the body, which cloth stays out of. Default: none.
---@field colliders? (tweed.Ellipsoid|tweed.Sphere|tweed.Capsule|tweed.Plane)[]
---Bones added to the skeleton, and the constraints that move them. Default: none.
---@field driven? (tweed.Bone|tweed.Aim|tweed.Position|tweed.Twist|tweed.Slide)[]
---The render meshes of the body; garments have their own. Default: those of the skeleton's file.
---@field meshes? tweed.Mesh[]
---The garments: all simulated parts. Default: none.
---@field garments? (tweed.Cloth|tweed.Pendulum|tweed.Chain)[]
---The seams between columns of garments. Default: none.
---@field seams? tweed.Seam[]
---Called when the character is spawned and when it is reset. Default: none.
---@field on_spawn? fun(self: tweed.Self, params: table)
---Called at the start of each tick with the tick's length and the simulation's time, both in s. Default: none.
---@field on_tick? fun(self: tweed.Self, dt: number, time: number)
---Called when the character moves to another node of a cluster. Returns what on_restore gets there: a table of plain
---data. Default: none.
---@field on_save? fun(self: tweed.Self): table
---Called after on_spawn where a character goes on that on_save was called for. What it plays, poses and sets is
---replaced by what the character has brought. Default: none.
---@field on_restore? fun(self: tweed.Self, saved: table)
---The commands that clients may call, by name. Default: none.
---@field commands? table<string, tweed.Command>

---A skeleton imported from a file.
---@class (exact) tweed.ImportOptions
---The file's name. It is searched beside the script, below the asset folders, and in assimp's test models.
---@field file string
---Metres per unit of length in the file. 1e-06 to 1000000, default: from the format, or guessed from the height.
---@field scale? number

---One bone of tweed.skeleton.
---@class (exact) tweed.SkeletonBone
---Unique in the skeleton.
---@field name string
---The parent bone. Default: none: a root.
---@field parent? string
---The position at rest, in the parent's space; a root's in model space. -100 to 100 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---The rotation at rest, in the parent's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation

---A clip: file for a motion in a file, or duration and sample for a computed one.
---@class (exact) tweed.ClipOptions
---A file with motion, searched like the file of tweed.import. Default: none: sample computes the motion.
---@field file? string
---The clip's name within the file. Default: the first.
---@field clip? string
---Metres per unit of length in the file. 1e-06 to 1000000, default: from the format, or guessed from the height.
---@field scale? number
---The time in the file's motion at which the clip begins. 0 to 100000 s, default: the motion's beginning.
---@field from? number
---The time in the file's motion at which the clip ends. 0 to 100000 s, default: the motion's end.
---@field to? number
---A rotation of each bone, in the parent's space, after the file's: arms away from a body that is wider than the
---actor's. Default: none.
---@field turns? table<string, tweed.Rotation>
---The length of a computed clip. 0.01 to 600 s, default: none: file has the motion.
---@field duration? number
---The number of frames computed per second. 1 to 240 frames/s, default: 60 frames/s.
---@field rate? number
---A function that gets the time in s and returns the pose at that time. Default: none: file has the motion.
---@field sample? fun(t: number): tweed.Pose
---How long the end fades into the beginning when the clip loops. 0 to 10 s, default: 0.3 s.
---@field loop_blend? number

---@class (exact) tweed.BonePose
---The bone's rotation, in the parent's space. Default: as at rest.
---@field rotation? tweed.Rotation
---The bone's position, in the parent's space. -100 to 100 m, default: as at rest.
---@field position? tweed.Vector

---@class (exact) tweed.RootPose
---The distance to the left. -100000 to 100000 m, default: 0.
---@field x? number
---The distance forwards. -100000 to 100000 m, default: 0.
---@field z? number
---The rotation about +Y; it goes on counting past a full turn. -100000 to 100000 rad, default: 0.
---@field heading? number

---@class (exact) tweed.PackedWeights
---The bones.
---@field bones string[]
---Four indices into bones for each vertex, from 1, or 0 for none: `string.pack("<I2I2I2I2", ...)`.
---@field joints string
---Their shares: `string.pack("<ffff", ...)`.
---@field shares string

---@class (exact) tweed.Material
---The colour, in sRGB. 0 to 1, default: inherited, or {0.5, 0.5, 0.5}.
---@field color? number[]
---How dull the surface is; 0 is a mirror. 0 to 1, default: inherited, or 0.9.
---@field roughness? number
---The surface's fine structure, which viewers draw in true size where the mesh has uvs in m. Default: inherited, or
---"plain".
---@field pattern? "plain"|"herringbone"|"twill"|"satin"|"gauze"|"quilted"|"grain"|"smooth"|"skin"|"fur"|"hair"

---A surface that viewers draw: triangles whose vertices bones move.
---@class (exact) tweed.MeshOptions
---Unique among the character's meshes.
---@field name string
---The vertices in model space at the bind pose. A string holds packed numbers: `string.pack("<fff", x, y, z)` for
---each.
---@field positions tweed.Vector[]|string
---Three vertices each, counted from 1, counter-clockwise seen from outside. A string holds `string.pack("<I4I4I4", a,
---b, c)` for each.
---@field triangles integer[][]|string
---The bones that move each vertex, of the skeleton, driven or a garment's own (`jacket_3_4`). The four largest shares
---of a vertex are kept and made to add up to 1.
---@field weights tweed.PackedWeights|string|table<string, number>[]
---The direction in which the surface looks at each vertex, of any length. Default: the mean of the triangles at each
---place.
---@field normals? tweed.Vector[]|string
---The place of each vertex on the surface's pattern; for cloth in m along weft and warp. Default: all {0, 0}.
---@field uvs? number[][]|string
---What the surface looks like. Default: the garment's fabric's.
---@field material? tweed.Material
---The garment that the mesh belongs to. Default: none; for meshes of a garment, that garment.
---@field garment? string
---How far under the surface it hides other meshes, those of garments excepted: their triangles whose every vertex has
---the surface so near in front of it are left out, but for what one sees in openings such as cuffs. 0 where cloth
---swings. A mesh whose pattern is "gauze" hides nothing. Default: 0: it hides nothing.
---@field covers? number|number[]|string

---@class (exact) tweed.MeshChanges
---Its name. Default: the mesh's.
---@field name? string
---What of its material is other. Default: the mesh's.
---@field material? tweed.Material

---A part of a mesh, as a mesh of its own.
---@class (exact) tweed.MeshPartOptions
---Unique among the character's meshes.
---@field name string
---Called for each vertex with its place {x, y, z} at the bind pose. Returns how far that is inside the part's edge,
---in m; below 0: outside. The edge is where it is 0.
---@field within fun(position: number[]): number
---How far it stands out of the mesh. 0 to 0.1 m, default: 0.002 m.
---@field out? number
---How far below itself the part hides other meshes, as the `covers` of tweed.mesh. A bit more than `out` leaves out
---the skin that it lies on. 0 to 0.5 m, default: 0.
---@field covers? number
---What of its material is other. Default: the mesh's.
---@field material? tweed.Material

---A surface imported from a file.
---@class (exact) tweed.ImportMeshOptions
---The file's name, searched like the file of tweed.import.
---@field file string
---The name of a mesh in the file, or of its node. Default: all meshes of the file.
---@field mesh? string
---Metres per unit of length in the file. 1e-06 to 1000000, default: 1.
---@field scale? number
---For tweed.cloth: called for each vertex with {position =, uv =, color =, object =, material =}, returns {pin =
---whether it follows the skeleton, max_distance = in m, thickness = how far it keeps off colliders, in m, fabric =
---the name of one that is not the garment's, bone = whether a general mesh has one there, cut = whether it and its
---triangles are left out} or nil. Default: none.
---@field paint? fun(vertex: {position: number[], uv: number[], color: number[]?, object: string, material: string}): {pin: boolean?, max_distance: number?, thickness: number?, fabric: string?, bone: boolean?, cut: boolean?}?

---A smooth closed surface over shapes.
---@class (exact) tweed.LoftMeshOptions
---The mesh's name. Default: "loft".
---@field name? string
---The skeleton whose rest pose carries the shapes.
---@field skeleton tweed.Skeleton
---What the surface is laid over: ellipsoids, spheres and capsules, such as a character's colliders.
---@field shapes (tweed.Ellipsoid|tweed.Sphere|tweed.Capsule)[]
---The size of its squares. 0.001 to 1 m, default: 0.015 m.
---@field cell? number
---How far hollows between shapes are filled: where two surfaces cross, the loft is 0.69 of this above them. 0.0001 to
---1 m, default: 0.015 m.
---@field blend? number

---How a bone's part of a mesh moves to fit the skeleton.
---@class (exact) tweed.MeshPart
---A place in the mesh's own pose, such as its joint. -10000 to 10000 m.
---@field from tweed.Vector
---The place that it moves to. -10000 to 10000 m.
---@field to tweed.Vector
---What becomes of a step of 1 m along x. -100 to 100, default: {1, 0, 0}.
---@field x? tweed.Vector
---What becomes of a step of 1 m along y. -100 to 100, default: {0, 1, 0}.
---@field y? tweed.Vector
---What becomes of a step of 1 m along z. -100 to 100, default: {0, 0, 1}.
---@field z? tweed.Vector

---Pulls skin into shapes, so that cloth which collides with them lies on it.
---@class (exact) tweed.MeshTuck
---Ellipsoids, spheres and capsules on the skeleton, such as a character's colliders.
---@field shapes (tweed.Ellipsoid|tweed.Sphere|tweed.Capsule)[]
---How much of the way the skin of each bone goes, 0 to 1; bones left out: 0.
---@field bones table<string, number>
---How far hollows between the shapes are filled, as in tweed.loft_mesh. 0.0001 to 1 m, default: 0.015 m.
---@field blend? number
---How far the skin may stand out of the shapes. -1 to 1 m, default: 0.
---@field margin? number

---A mesh with weights for a skeleton.
---@class (exact) tweed.BindMeshOptions
---Unique among the character's meshes.
---@field name string
---A surface of tweed.import_mesh, tweed.loft_mesh or tweed.mesh; closed, if a skeleton moves it. Its weights, if any,
---do not matter.
---@field mesh tweed.Mesh
---The skeleton that moves it. Default: none: cloth moves it.
---@field skeleton? tweed.Skeleton
---The garment whose bones move it, each vertex like the nearest place of the cloth at the bind pose. The other keys
---but name and material are for skeletons. Default: none: a skeleton moves it.
---@field cloth? tweed.Cloth
---The lines of bones inside the mesh, in its own pose. Bones left out move nothing. Default: from each bone's joint
---to those below it.
---@field bones? table<string, tweed.Vector[]>
---How each bone's part moves from the mesh's own pose to the skeleton's rest pose: `from` goes to `to`, and what is
---round it is turned and stretched. Vertices of several bones move by their weights. Default: the mesh stays as it
---is.
---@field fit? table<string, tweed.MeshPart>
---Pulls the skin into shapes, after the fit. Default: none.
---@field tuck? tweed.MeshTuck
---What the surface looks like.
---@field material? tweed.Material
---How finely the inside is divided along the mesh's longest side. Parts that are less than a voxel apart hang
---together. 16 to 256 voxels, default: 144 voxels.
---@field resolution? integer
---The exponent of the distance: a bone twice as far has 1 / 2^sharpness of the weight. 1 to 16, default: 4.
---@field sharpness? number

---An ellipsoid, for chests, hips and heads.
---@class (exact) tweed.Ellipsoid
---The centre, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field center? tweed.Vector
---The rotation of its axes, in the bone's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation
---The radii along its own x, y and z. 0.001 to 10 m.
---@field radii tweed.Vector
---Whether an ellipsoid with a longest radius of over 2.5 times the middle one is replaced by two rounder ones, named
---with _a and _b at the end. They differ from it by at most a tenth of the middle radius. Default: false.
---@field split? boolean
---The bone to which the collider is fixed.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A capsule, for limbs. Its ends may differ in size.
---@class (exact) tweed.Capsule
---The centre of one end, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field from? tweed.Vector
---The centre of the other end, in the bone's space. -100 to 100 m.
---@field to tweed.Vector
---The radius at from. 0.001 to 10 m.
---@field radius number
---The radius at to. 0.001 to 10 m, default: as radius.
---@field radius_end? number
---The bone to which the collider is fixed.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A sphere.
---@class (exact) tweed.Sphere
---The centre, in the bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field center? tweed.Vector
---The radius. 0.001 to 10 m.
---@field radius number
---The bone to which the collider is fixed.
---@field bone string
---Unique among the character's colliders.
---@field name string

---A fixed plane in the world, such as a floor or a wall.
---@class (exact) tweed.Plane
---The normal in the world; cloth stays on the side to which it points. Default: {0, 1, 0}.
---@field normal? tweed.Axis
---The distance from the world's origin, along the normal. -1000 to 1000 m, default: 0.
---@field offset? number
---Unique among the character's colliders.
---@field name string

---A bone added to the skeleton, such as a shoulder pad.
---@class (exact) tweed.Bone
---Unique among all the character's bones.
---@field name string
---The parent bone, of the skeleton or driven.
---@field parent string
---The position at rest, in the parent's space. -100 to 100 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---The rotation at rest, in the parent's space. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation

---@class (exact) tweed.AimAt
---The bone to which the target belongs.
---@field bone string
---The target's offset, in that bone's space. -100 to 100 m, default: {0, 0, 0}.
---@field offset? tweed.Vector

---Rotates a bone by the smallest rotation that points its axis at a target.
---@class (exact) tweed.Aim
---The bone that rotates.
---@field bone string
---The target that the bone looks at. Default: direction.
---@field at? tweed.AimAt
---The direction in model space to look in, in place of at; {0, -1, 0} is down. Default: at.
---@field direction? tweed.Vector
---The bone's own axis that points at the target. Default: {1, 0, 0}.
---@field axis? tweed.Axis
---The share of the rotation that is applied. 0 to 1, default: 1.
---@field weight? number

---Moves two bones, half the way each, so that their distance stays as at rest.
---@class (exact) tweed.Position
---The two bones.
---@field between string[]
---What is kept as at rest. Default: "distance".
---@field keep? "distance"
---The share of the correction that is applied. 0 to 1, default: 1.
---@field weight? number

---Rotates a bone about its axis by a share of another bone's twist.
---@class (exact) tweed.Twist
---The bone that rotates.
---@field bone string
---The bone whose twist is shared.
---@field follows string
---The bone's own axis of rotation. Default: {1, 0, 0}.
---@field axis? tweed.Axis
---The share of the twist that the bone takes. 0 to 1, default: 0.5.
---@field share? number

---Moves a bone along its axis by a share of another bone's movement, such as cloth at the waist that rises with a
---shoulder.
---@class (exact) tweed.Slide
---The bone that moves.
---@field bone string
---The bone whose movement is shared.
---@field follows string
---The bone that carries both as far as nothing slides: the movement counts from where it would carry the followed
---bone.
---@field relative_to string
---The bone's own axis along which it moves. Default: {1, 0, 0}.
---@field axis? tweed.Axis
---The share of the movement that the bone takes. 0 to 1, default: 1.
---@field share? number

---@class (exact) tweed.Slit
---The column, from 0, between which and the next one the cloth is cut. 0 to 127.
---@field column integer
---The first row in which the two columns are not joined. 1 to 127.
---@field row integer
---The side, seen from outside, that lies over the other one. Default: "left".
---@field over? "left"|"right"

---@class (exact) tweed.Region
---The fabric there: its density, stretch, stretch_weft, shear, drape, damping, thickness, wind and springs. Default:
---the garment's.
---@field fabric? string
---How far the cloth keeps off colliders there. 0 to 0.1 m, default: the fabric's.
---@field thickness? number
---The first and the last row, from 0. Default: all.
---@field rows? integer[]
---The first and the last column, from 0; in a ring the first may be the greater one. Default: all.
---@field columns? integer[]

---@class (exact) tweed.Backstop
---The distance of the top row. 0 to 10 m, default: bottom.
---@field top? number
---The distance of the lowest row. 0 to 10 m, default: top.
---@field bottom? number
---The exponent of the change from top to bottom; 1 is linear. 0.1 to 1, default: 1.
---@field curve? number

---@class (exact) tweed.PoseStiffness
---The value of the top row. 0 to 30 Hz, default: 0.
---@field top? number
---The value of the lowest row. 0 to 30 Hz, default: 0.
---@field bottom? number
---The exponent of the change from top to bottom; 1 is linear. 0.1 to 1, default: 1.
---@field curve? number

---@class (exact) tweed.GarmentBones
---The beginning of the bones' names; row, _ and column follow, or the particle of a general mesh. Default: the
---garment's name and "_".
---@field prefix? string
---The first column that has bones, from 0. 0 to 127, default: 0.
---@field first_column? integer
---The distance in columns from one column with bones to the next. 1 to 127, default: 1.
---@field every? integer
---The last row: "none" gives it no bones, "follow" gives it bones that continue the link above. Default: "none".
---@field last_row? "none"|"follow"
---Of a general mesh that paints no bones: how many particles have bones, which lie evenly spread. 1 to 4096, default:
---320.
---@field count? integer

---@class (exact) tweed.MaxDistance
---The limit of the top row. 0 to 10 m, default: 0.
---@field top? number
---The limit of the lowest row. 0 to 10 m, default: the fabric's max_distance.
---@field bottom? number
---The exponent of the limit's growth from top to bottom; 1 is linear. 0.1 to 1, default: 1.
---@field curve? number

---A grid of cloth that hangs from its top row.
---@class (exact) tweed.Cloth
---Rows of particles; row 0 is on top. 2 to 128, default: those of mesh.
---@field rows? integer
---Columns of particles. In front of the body they run towards +X, so that the bones' z points away from the body. 2
---to 128, default: those of mesh.
---@field columns? integer
---Whether the cloth is a ring: the last column is the first one's neighbour. Default: false.
---@field closed? boolean
---The particles in model space at the bind pose, row by row. Default: those of mesh.
---@field positions? tweed.Vector[]
---A surface in model space at the bind pose, of tweed.import_mesh: a sheet with four corners, or a ring. Without rows
---and columns its vertices are the grid; with them it is divided evenly. Its highest side becomes the top row. A mesh
---that is no grid is taken as it is. Default: none: rows, columns and positions are given.
---@field mesh? tweed.Mesh
---How near vertices of the mesh are that become one particle. 0 to 0.1 m, default: 0.0001 m.
---@field weld? number
---Whether the mesh is taken as it is: its vertices are the particles, its edges the links. It hangs from what is
---pinned, or else from its highest open edge. false: what is no grid is an error. Default: whether the mesh is no
---grid.
---@field general? boolean
---The particles as the cloth is cut, in any place: lengths, areas and curvature at rest, where they are others than
---at the bind pose. A skirt cut as a flat disc hangs in folds. Default: positions.
---@field pattern? tweed.Vector[]
---Cuts from the last row upwards between two columns, such as a jacket's vent. Default: none.
---@field slits? tweed.Slit[]
---Parts of a grid that are of another fabric, or thicker; of two at a place the later one counts. A mesh may be
---painted instead. Default: none.
---@field regions? tweed.Region[]
---The bones that the top row is skinned to.
---@field attach string|table<string, number>[]
---The bones that the origin of max_distance follows: "blend" is a smooth blend of the bones of near colliders, a list
---says of which colliders, "attach" is the bones to which the top row is skinned. Default: "blend".
---@field references? "blend"|"attach"|string[]
---How far each particle may be behind the position that skinning gives it, along the outward normal of the grid as
---skinned. Colliders win over it. Default: none.
---@field backstop? tweed.Backstop|number|number[]
---The stiffness of a spring that draws each particle to the position that skinning gives it, as the frequency of its
---swing. The fabric's pose is a factor on it. Default: 0: none.
---@field pose_stiffness? tweed.PoseStiffness|number|number[]
---The damping ratio of that spring; 1 is critical. 0 to 10, default: 1.
---@field pose_damping? number
---The particles that have bones.
---@field bones? tweed.GarmentBones
---Unique among the character's garments.
---@field name string
---The garment's fabric, by name.
---@field fabric string
---The method of simulation: "verlet" has vertical links of exact length, "mass_spring" structural, shear and flexion
---springs, the group spring of the fabric. Default: "verlet".
---@field solver? "verlet"|"mass_spring"
---With solver = "mass_spring", how often at most a substep (1/240 s) goes over the springs to draw those beyond the
---fabric's spring.limit together. It stops when none is. 1 to 1000, default: 100.
---@field limit_sweeps? integer
---The colliders that keep the garment out. Default: all of the character's.
---@field colliders? string[]
---How far each particle may move from the position that skinning gives it. Default: for cloth 0 at the top to the
---fabric's max_distance at the bottom, otherwise no limit.
---@field max_distance? tweed.MaxDistance|number[]
---"exact" pushes particles to the nearest point of a collider. "article" pushes them out of the collider scaled to a
---unit sphere, which is exact for spheres only. Default: "exact".
---@field collision? "exact"|"article"
---"exact" keeps the length of vertical links by a solver of whole columns that keeps momentum. "article" sets each
---link to its length from the top down and loses momentum. Default: "exact".
---@field hard? "exact"|"article"
---How far layers of the cloth keep apart, so that it does not pass through itself; 0 turns it off. Garments of one
---character that have it keep out of each other, too. 0 to 0.5 m, default: 0.
---@field self_collision? number
---"curvature" resists a change of curvature. "article" resists bending by links between second neighbours. Default:
---"curvature".
---@field bend? "curvature"|"article"
---The garment's render meshes, which take their materials from its fabric. Default: for cloth a smooth surface of its
---grid, otherwise none.
---@field meshes? tweed.Mesh[]

---@class (exact) tweed.PoseStiffness
---The value at the first link. 0 to 30 Hz, default: 0.
---@field base? number
---The value at the last link; it changes evenly in between. 0 to 30 Hz, default: 0.
---@field tip? number

---@class (exact) tweed.AngleLimit
---The value at the first link. 0 to 180 degrees, default: 180 degrees.
---@field base? number
---The value at the last link; it changes evenly in between. 0 to 180 degrees, default: 180 degrees.
---@field tip? number

---A row of particles, such as a tie or a tail. A chain is a strip of its fabric that is as wide as its links are
---long; no key sets the width. A particle weighs the fabric's density times the square of half the links at it, so
---more and shorter links make a lighter chain. The air moves a chain less the denser its fabric is, whatever its
---links.
---@class (exact) tweed.Chain
---The bone that the first point is fixed to.
---@field bone string
---The points at the bind pose, in the bone's space.
---@field points tweed.Vector[]
---The bones that the origins of max_distance, pose_stiffness and angle_limit follow, such as those of an animated
---tail. Default: as references says.
---@field follows? string[]
---The particles that have bones.
---@field bones? tweed.GarmentBones
---The stiffness of a spring that turns each link back to its direction at rest, as the frequency of its swing.
---Default: 0: none.
---@field pose_stiffness? tweed.PoseStiffness|number
---The damping ratio of that spring; 1 is critical. 0 to 10, default: 0.
---@field pose_damping? number
---How far each link may turn from its direction at rest relative to the link above; the first link, relative to the
---bone. Default: 180 degrees: none.
---@field angle_limit? tweed.AngleLimit|number
---The bones that the origin of max_distance, pose_stiffness and angle_limit follows: "attach" is the bone from which
---the garment hangs, "blend" a smooth blend of the bones whose colliders are near. Default: "attach".
---@field references? "blend"|"attach"
---Unique among the character's garments.
---@field name string
---The garment's fabric, by name.
---@field fabric string
---The method of simulation: "verlet" has vertical links of exact length, "mass_spring" structural, shear and flexion
---springs, the group spring of the fabric. Default: "verlet".
---@field solver? "verlet"|"mass_spring"
---With solver = "mass_spring", how often at most a substep (1/240 s) goes over the springs to draw those beyond the
---fabric's spring.limit together. It stops when none is. 1 to 1000, default: 100.
---@field limit_sweeps? integer
---The colliders that keep the garment out. Default: all of the character's.
---@field colliders? string[]
---How far each particle may move from the position that skinning gives it. Default: for cloth 0 at the top to the
---fabric's max_distance at the bottom, otherwise no limit.
---@field max_distance? tweed.MaxDistance|number[]
---"exact" pushes particles to the nearest point of a collider. "article" pushes them out of the collider scaled to a
---unit sphere, which is exact for spheres only. Default: "exact".
---@field collision? "exact"|"article"
---"exact" keeps the length of vertical links by a solver of whole columns that keeps momentum. "article" sets each
---link to its length from the top down and loses momentum. Default: "exact".
---@field hard? "exact"|"article"
---How far layers of the cloth keep apart, so that it does not pass through itself; 0 turns it off. Garments of one
---character that have it keep out of each other, too. 0 to 0.5 m, default: 0.
---@field self_collision? number
---"curvature" resists a change of curvature. "article" resists bending by links between second neighbours. Default:
---"curvature".
---@field bend? "curvature"|"article"
---The garment's render meshes, which take their materials from its fabric. Default: for cloth a smooth surface of its
---grid, otherwise none.
---@field meshes? tweed.Mesh[]

---A bob on a string and a bone that aims at it, for parts that swing as a whole, such as a hood.
---@class (exact) tweed.Pendulum
---The bone from which the garment hangs.
---@field bone string
---The position of the bob at the bind pose, in the bone's space. Its distance from the bone is the string's length.
----100 to 100 m.
---@field rest tweed.Vector
---The stiffness of a spring that turns each link back to its direction at rest, as the frequency of its swing.
---Default: 0: none.
---@field pose_stiffness? tweed.PoseStiffness|number
---The damping ratio of that spring; 1 is critical. 0 to 10, default: 0.
---@field pose_damping? number
---How far each link may turn from its direction at rest relative to the link above; the first link, relative to the
---bone. Default: 180 degrees: none.
---@field angle_limit? tweed.AngleLimit|number
---The bones that the origin of max_distance, pose_stiffness and angle_limit follows: "attach" is the bone from which
---the garment hangs, "blend" a smooth blend of the bones whose colliders are near. Default: "attach".
---@field references? "blend"|"attach"
---Unique among the character's garments.
---@field name string
---The garment's fabric, by name.
---@field fabric string
---The method of simulation: "verlet" has vertical links of exact length, "mass_spring" structural, shear and flexion
---springs, the group spring of the fabric. Default: "verlet".
---@field solver? "verlet"|"mass_spring"
---With solver = "mass_spring", how often at most a substep (1/240 s) goes over the springs to draw those beyond the
---fabric's spring.limit together. It stops when none is. 1 to 1000, default: 100.
---@field limit_sweeps? integer
---The colliders that keep the garment out. Default: all of the character's.
---@field colliders? string[]
---How far each particle may move from the position that skinning gives it. Default: for cloth 0 at the top to the
---fabric's max_distance at the bottom, otherwise no limit.
---@field max_distance? tweed.MaxDistance|number[]
---"exact" pushes particles to the nearest point of a collider. "article" pushes them out of the collider scaled to a
---unit sphere, which is exact for spheres only. Default: "exact".
---@field collision? "exact"|"article"
---"exact" keeps the length of vertical links by a solver of whole columns that keeps momentum. "article" sets each
---link to its length from the top down and loses momentum. Default: "exact".
---@field hard? "exact"|"article"
---How far layers of the cloth keep apart, so that it does not pass through itself; 0 turns it off. Garments of one
---character that have it keep out of each other, too. 0 to 0.5 m, default: 0.
---@field self_collision? number
---"curvature" resists a change of curvature. "article" resists bending by links between second neighbours. Default:
---"curvature".
---@field bend? "curvature"|"article"
---The garment's render meshes, which take their materials from its fabric. Default: for cloth a smooth surface of its
---grid, otherwise none.
---@field meshes? tweed.Mesh[]

---A cage of quads.
---@class (exact) tweed.Surface
---The cage's points in model space at the bind pose. The surface passes through them.
---@field points tweed.Vector[]
---Four points each, counter-clockwise seen from outside. Up to two quads share an edge; the edges of one are the
---border, which is smooth but for points with a single quad.
---@field quads integer[][]
---For each quad the uvs of its corners, in m: u along the weft, v along the warp. Where quads give a point other uvs,
---the surface is cut into panels. Default: 0.
---@field uvs? number[][]
---Whether each panel is laid flat, so that its uvs have their true lengths. The given uvs say roughly where points
---lie, and how the panel is turned. Default: true.
---@field flatten? boolean
---The points of the cloth as it is cut, like a cloth's `pattern`: with `flatten`, uvs have its lengths. Default:
---points.
---@field pattern? tweed.Vector[]
---The shares of the bones that move each point, which follow between. Default: all by cloth.
---@field weights? table<string, number>[]
---A garment whose bones move each point by what its shares leave of 1. Default: none.
---@field cloth? tweed.Cloth
---Where each point lies on the grid of cloth: {row, column}, from 0, also between rows or outside. Default: rows and
---columns in the order of points.
---@field places? number[][]
---How far the outer side is from the inner one, the points half way. Default: 0: a sheet.
---@field thickness? number|number[]
---How far under each point the surface hides the skin, for the `covers` of tweed.mesh. Default: none.
---@field covers? number[]
---What is made: "outer" is the outer side with the rounded rim, "inner" the rest, such as a lining. Default: "both".
---@field sides? "both"|"outer"|"inner"
---How often each quad is split in four. 0 to 4, default: 2.
---@field levels? integer

---@class (exact) tweed.SeamTo
---The other garment; it may be the same one.
---@field [1] string
---The other garment's column, from 0. 0 to 127.
---@field column integer
---The other column's row to which the first row is sewn. 0 to 127, default: the first row in rows.
---@field row? integer

---Sews a column of a garment to a column of the same or another garment, row by row.
---@class (exact) tweed.Seam
---The garment's name, without a key.
---@field [1] string
---The seam's name for self:open_seam and self:close_seam, unique among the character's seams. Default: the garment's.
---@field name? string
---The column that is sewn, from 0; 0 for a chain or pendulum. 0 to 127.
---@field column integer
---The other side of the seam.
---@field to tweed.SeamTo
---The first and the last sewn row. Rows that follow the skeleton on both sides are not sewn. Default: all rows that
---both columns have.
---@field rows? integer[]
---Whether the seam is closed at the start. Default: true.
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
---Stiffness of springs between direct neighbours. 0 to 1000000 N/m, default: 200 N/m.
---@field structural? number
---Stiffness of springs along the diagonals. 0 to 1000000 N/m, default: 60 N/m.
---@field shear? number
---Stiffness of springs between second neighbours. 0 to 1000000 N/m, default: 20 N/m.
---@field flexion? number
---Damping along each spring. 0 to 100 N s/m, default: 0.02 N s/m.
---@field damping? number
---Largest elongation of structural and shear springs; 1 is hardly a limit. 0 to 1, default: 0.1.
---@field limit? number

---@class (exact) tweed.Fabric.Trail
---The angle from the vertical at which the cloth trails. 0 to 89 degrees.
---@field angle number
---The root's steady speed at which the cloth trails at that angle. 0.01 to 30 m/s.
---@field speed number

---@class (exact) tweed.Fabric.Article
---The number of iterations in a step of 1/60 s; each applies the factors of stiffness once. 1 to 100, default: 1.
---@field iterations? integer
---The side of a cell of the grid for which the factors were chosen. 0.001 to 1 m, default: 0.06 m.
---@field cell? number
---Sets stretch: the share of the error in a link between direct neighbours that an iteration removes, 1 for all. 0 to
---1, default: not used.
---@field stretch? number
---Sets shear: the same share for a link across a cell. 0 to 1, default: not used.
---@field shear? number
---Sets drape: the same share for a link between second neighbours. 0 to 1, default: not used.
---@field bend? number
---Sets damping: the share of its velocity that a particle loses in a step. 0 to 1, default: not used.
---@field damping? number

---The physical values of a cloth. A value that is not given is the base's or, without a base, the default, a
---mid-weight wool.
---@class (exact) tweed.Fabric
---The name that garments use, unique among all fabrics.
---@field name string
---The fabric whose values are used where none are given. Default: none.
---@field base? string
---Mass of a square metre. 0.005 to 20 kg/m^2, default: 0.4 kg/m^2.
---@field density? number
---Membrane stiffness: force per width and strain; along the columns only where limit is not 0. 1 to 1000000 N/m,
---default: 15000 N/m.
---@field stretch? number
---Membrane stiffness along the rows; 0: as stretch. 0 to 1000000 N/m, default: 0.
---@field stretch_weft? number
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
---Dry friction of bending: how fast folds that move come to rest; 0: none. 0 to 100 m/s^2, default: 0.
---@field internal_friction? number
---How far the cloth keeps off colliders. 0 to 0.1 m, default: 0.002 m.
---@field thickness? number
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
---Factor on the garment's pose_stiffness: how strongly it is drawn to the places that skinning gives it. 0 to 10,
---default: 1.
---@field pose? number
---Factor on the force of the air. 0 to 10, default: 1.
---@field wind? number
---How far vertical links may stretch; 0 keeps them exact. 0 to 0.5, default: 0.
---@field limit? number
---Factors at the edges: on particles with fewer than four neighbours.
---@field edge? tweed.Fabric.Edge
---Numbers for garments with solver = "mass_spring".
---@field spring? tweed.Fabric.Spring
---Sets world_motion by the angle at which the cloth trails at a speed. Default: not used.
---@field trail? tweed.Fabric.Trail
---Sets stretch, shear, drape and damping by factors from 0 to 1 for a step of 1/60 s, as the article on the cloth of
---Alan Wake gives them: H. Enqvist, "The Secrets of Cloth Simulation in Alan Wake", Gamasutra, 2010. They are
---converted to the values in SI units, so the cloth moves alike at any tick rate. Default: not used.
---@field article? tweed.Fabric.Article
---What render meshes of the fabric look like. Default: the base's.
---@field material? tweed.Material

---A character to spawn.
---@class (exact) tweed.Spawn
---The name of the character's script below the script folders.
---@field script string
---The character's name in the world, unique. Default: the script's, numbered.
---@field name? string
---The root's position in the world. -1000000 to 1000000 m, default: {0, 0, 0}.
---@field position? tweed.Vector
---The root's rotation in the world. Default: {0, 0, 0, 1}.
---@field rotation? tweed.Rotation
---The parameters of on_spawn. Default: none.
---@field params? table

---@class (exact) tweed.Camera
---The name of a character in spawn to look at. Default: none.
---@field target? string
---The distance from the target. 0.1 to 1000 m, default: the viewer's choice.
---@field distance? number
---The height above the target's root. -1000 to 1000 m, default: the viewer's choice.
---@field height? number

---@class (exact) tweed.Levels
---From this distance on a character's cloth is simulated with half the substeps. 0.1 to 1000000 m, default: never.
---@field reduced? number
---From this distance on it is not simulated, and follows the skeleton. 0.1 to 1000000 m, default: never.
---@field skinned? number

---A world: its characters, ground, gravity and wind.
---@class (exact) tweed.Scene
---The height of a floor that stops all cloth. -1000000 to 1000000 m, default: none.
---@field ground? number|false
---The gravity. -300 to 300 m/s^2, default: {0, -9.81, 0} m/s^2.
---@field gravity? tweed.Vector
---The wind; clients may change it. Default: still air.
---@field wind? tweed.Wind
---The characters spawned at the start. Default: none.
---@field spawn? tweed.Spawn[]
---A hint to viewers.
---@field camera? tweed.Camera
---Levels of detail by the distance from the nearest client that has said where it looks from (session.look).
---@field levels? tweed.Levels
---Called once, when the characters in spawn are there. Default: none.
---@field on_start? fun(scene: { name: string, script: string })

---The wind.
---@class (exact) tweed.Wind
---The mean velocity in the world. -300 to 300 m/s, default: {0, 0, 0}.
---@field velocity? tweed.Vector
---The strength of eddies of one to two metres, as a share of the speed. 0 to 2, default: 0.
---@field turbulence? number
---The strength of gusts that last seconds, as a share of the speed. 0 to 2, default: 0.
---@field gust? number

---Options of self:play.
---@class (exact) tweed.PlayOptions
---Whether the clip starts again at its end; otherwise its last frame stays. Default: false.
---@field loop? boolean
---The factor on the clip's speed; a negative one plays backwards. -10 to 10, default: 1.
---@field speed? number
---How long the clip fades in from the current pose. 0 to 10 s, default: 0.2 s.
---@field fade? number
---The time in the clip at which playing starts. 0 to 86400 s, default: 0.
---@field at? number
---Whether the root stays in place even where the clip moves it. Default: false.
---@field in_place? boolean
---Whether the clip is added on top of the clip that plays: each bone's change since the clip's first frame, in its
---parent's space, without the root. At most four additive clips play at a time; a fifth ends the oldest. Default:
---false.
---@field additive? boolean
---The share of an additive clip that is added. 0 to 1, default: 1.
---@field weight? number

---Options of self:stop.
---@class (exact) tweed.StopOptions
---How long the clip fades to the rest pose; an additive clip fades out. 0 to 10 s, default: 0.2 s.
---@field fade? number

---The target of self:move.
---@class (exact) tweed.MoveOptions
---The root's new position in the world. -1000000 to 1000000 m, default: unchanged.
---@field position? tweed.Vector
---The root's new rotation in the world. Default: unchanged.
---@field rotation? tweed.Rotation
---Whether the cloth moves along rigidly, without swinging. Default: false.
---@field teleport? boolean

---The pose of one bone, in the pose's space.
---@class (exact) tweed.PosedBone
---The bone's rotation. Default: unchanged.
---@field rotation? tweed.Rotation
---The bone's position. -1000000 to 1000000 m, default: unchanged.
---@field position? tweed.Vector

---Options of self:pose.
---@class (exact) tweed.PoseOptions
---"parent": relative to the parent bone as posed. "model": in model space, where the bone stays however the bones
---above it move. Default: "parent".
---@field space? "parent"|"model"
---A number of your own that frames show from the tick in which the pose takes effect. 0 to 9007199254740991, default:
---none.
---@field sequence? integer
---Whether the pose is a jump and not a motion: the cloth moves along with the body and comes to rest, without
---swinging. Default: false.
---@field teleport? boolean
---Whether bones that cannot be posed are left out; otherwise they are an error. Default: false.
---@field ignore_unknown? boolean

---A column of rotating air.
---@class (exact) tweed.Tornado
---The tornado's name; the name of an existing tornado changes that one.
---@field name string
---The foot of the vertical axis, in the world. -1000000 to 1000000 m.
---@field position tweed.Vector
---The radius of the core; the air is fastest at 1.12 radii. 0.05 to 1000 m.
---@field radius number
---The greatest speed of rotation; positive is anticlockwise from above. -150 to 150 m/s.
---@field strength number
---The speed of the updraft on the axis. It draws air in, at up to 0.32 of that speed. -150 to 150 m/s.
---@field lift number
---The velocity of the foot. -300 to 300 m/s, default: {0, 0, 0}.
---@field velocity? tweed.Vector

---What tweed.import and tweed.skeleton return, for a character and for helpers that fit garments and colliders to it.
---@class tweed.Skeleton
---@field bones tweed.SkeletonBone[] The bones as tweed.skeleton takes them, parents first.
---@field height number The height at rest, in m.
---@field meshes tweed.Mesh[] The skinned meshes of the file, in the colours of the file; {} without.
local Skeleton = {}

---Whether the skeleton has a bone of that name.
---@param bone string
---@return boolean known
function Skeleton:has(bone) end

---The position and rotation of a bone at rest, in model space.
---@param bone string
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Skeleton:rest(bone) end

---The end of a leaf bone in its own space; nil where the file has none.
---@param bone string
---@return tweed.Vector? position
function Skeleton:tip(bone) end

---What sample returns. Bones that it leaves out are at rest.
---@class tweed.Pose
---@field [string] tweed.BonePose The pose of the bone of that name.
---@field bones? table<string, tweed.BonePose> The bones in a table of their own, for skeletons with a bone named root.
---@field root? tweed.RootPose The root's way over the ground since the beginning of the clip.

---What tweed.mesh, tweed.bind_mesh and skeleton.meshes give, for the meshes of characters and garments.
---@class tweed.Mesh
---@field name string The mesh's name.
---@field vertex_count integer The number of its vertices.
---@field triangle_count integer The number of its triangles.
local Mesh = {}

---A mesh of the same surface with another name or material.
---@param changes tweed.MeshChanges
---@return tweed.Mesh mesh
function Mesh:with(changes) end

---A part of the mesh, cut out along a line and moved outward, with the same weights: tights and gloves, which follow
---a body's skin wherever it goes. Its uvs are the mesh's, scaled so that their area is the part's, in square metres.
---Only while the script loads.
---@param part tweed.MeshPartOptions
---@return tweed.Mesh mesh
function Mesh:part(part) end

---The mesh with its vertices at other places and new normals: the same weights, another face. Only while the script
---loads.
---@param place fun(position: number[]): number[] Called for each vertex with its place {x, y, z} at the bind pose, in m. Returns the place where it is to be.
---@return tweed.Mesh mesh
function Mesh:reshaped(place) end

---A character in the world, the first argument of its callbacks and commands. Its methods and `name` cannot be
---assigned. Every other key is free for the script's own values, which last until the character is reset or removed.
---@class tweed.Self
---@field name string The character's name in the world. Read-only.
---@field [string] any
local Self = {}

---Plays a clip, in place of the current one or on top of it.
---@param clip string The name of one of the character's clips.
---@param options? tweed.PlayOptions
function Self:play(clip, options) end

---Stops a clip. The character returns to its rest pose; after an additive clip, to the clip below.
---@param clip? string Default: the clip that plays.
---@param options? tweed.StopOptions
function Self:stop(clip, options) end

---The name of the clip that plays and its current time in s; nil where none plays.
---@return string? clip
---@return number? time
function Self:clip() end

---Moves the character's root.
---@param to tweed.MoveOptions
function Self:move(to) end

---The root's position and rotation in the world.
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Self:root() end

---Sets the pose of bones in place of the clip, until they are released. A rotation or position that is not given
---stays as it is. If several scripts or clients pose a bone, the last one wins. Returns the names of the bones that
---were left out.
---@param bones table<string, tweed.PosedBone> Skeleton and driven bones: their pose, not the difference from rest.
---@param options? tweed.PoseOptions
---@return string[] ignored
function Self:pose(bones, options) end

---Releases posed bones: they return to the clip within 0.2 s.
---@param bones? string[] Default: all posed bones.
function Self:release(bones) end

---The position and rotation of a bone. For bones of the skeleton and driven bones, where the clip and the poses set
---so far put the bone in the tick that follows this callback; for a garment's bones, where the last tick left them.
---@param name string The name of one of the character's bones.
---@param space? "model"|"parent"|"world" "model" (default), "parent" (the bone's parent) or "world".
---@return tweed.Vector position
---@return tweed.Rotation rotation
function Self:bone(name, space) end

---Removes the character from the world after all scripts of this tick. `self` is invalid from then on.
function Self:remove() end

---Runs a function as a coroutine of the character. It starts at once; tweed.wait pauses it.
---@param task fun(...: any)
---@param ... any Arguments for the function.
function Self:run(task, ...) end

---Opens a seam.
---@param name string The name of one of the character's seams.
function Self:open_seam(name) end

---Closes a seam; its two sides come together within 0.2 s.
---@param name string The name of one of the character's seams.
function Self:close_seam(name) end

---The module: `local tweed = require "tweed"`.
---@class tweed
local tweed = {}

---A kind of character. The world may hold any number of characters of one kind.
---@param definition tweed.Character
---@return tweed.Character
function tweed.character(definition) end

---Imports the skeleton of a BVH, glTF, FBX or X file. Only while the script loads.
---@param file string|tweed.ImportOptions The file's name, or a table of options.
---@return tweed.Skeleton skeleton
function tweed.import(file) end

---Makes a skeleton from a list of bones.
---@param bones tweed.SkeletonBone[] The bones, in any order.
---@return tweed.Skeleton skeleton
function tweed.skeleton(bones) end

---Whether tweed.import and tweed.clip find and can read that file.
---@param file string
---@return boolean has
---@return string? reason # The reason, if not.
function tweed.has_asset(file) end

---A motion cut out of a file, or computed by a function while the script loads.
---@param motion tweed.ClipOptions
---@return tweed.Clip clip
function tweed.clip(motion) end

---Makes a render mesh. Only while the script loads. Its tables are read at once and may be collected. Packed strings
---take less time and memory where a mesh has many thousand vertices.
---@param surface tweed.MeshOptions
---@return tweed.Mesh mesh
function tweed.mesh(surface) end

---Imports a surface without weights from a file (Collada, OBJ, glTF, FBX, X or PLY), for tweed.bind_mesh. Only while
---the script loads.
---@param file string|tweed.ImportMeshOptions The file's name, or a table of options.
---@return tweed.Mesh mesh
function tweed.import_mesh(file) end

---Makes one smooth closed surface over ellipsoids, spheres and capsules, without weights, for tweed.bind_mesh. Only
---while the script loads.
---@param loft tweed.LoftMeshOptions
---@return tweed.Mesh mesh
function tweed.loft_mesh(loft) end

---Finds the weights of a closed mesh: by the distance from each bone inside the mesh, so that a hand beside a thigh
---is not moved by it. At most four bones move a vertex. The weights are kept in the folder of `--cache`. With
---`cloth`, any mesh follows a garment. Only while the script loads.
---@param binding tweed.BindMeshOptions
---@return tweed.Mesh mesh
function tweed.bind_mesh(binding) end

---An ellipsoid, for chests, hips and heads.
---@param definition tweed.Ellipsoid
---@return tweed.Ellipsoid
function tweed.ellipsoid(definition) end

---A capsule, for limbs. Its ends may differ in size.
---@param definition tweed.Capsule
---@return tweed.Capsule
function tweed.capsule(definition) end

---A sphere.
---@param definition tweed.Sphere
---@return tweed.Sphere
function tweed.sphere(definition) end

---A fixed plane in the world, such as a floor or a wall.
---@param definition tweed.Plane
---@return tweed.Plane
function tweed.plane(definition) end

---A bone added to the skeleton, such as a shoulder pad.
---@param definition tweed.Bone
---@return tweed.Bone
function tweed.bone(definition) end

---Rotates a bone by the smallest rotation that points its axis at a target.
---@param definition tweed.Aim
---@return tweed.Aim
function tweed.aim(definition) end

---Moves two bones, half the way each, so that their distance stays as at rest.
---@param definition tweed.Position
---@return tweed.Position
function tweed.position(definition) end

---Rotates a bone about its axis by a share of another bone's twist.
---@param definition tweed.Twist
---@return tweed.Twist
function tweed.twist(definition) end

---Moves a bone along its axis by a share of another bone's movement, such as cloth at the waist that rises with a
---shoulder.
---@param definition tweed.Slide
---@return tweed.Slide
function tweed.slide(definition) end

---A grid of cloth that hangs from its top row.
---@param definition tweed.Cloth
---@return tweed.Cloth
function tweed.cloth(definition) end

---A row of particles, such as a tie or a tail. A chain is a strip of its fabric that is as wide as its links are
---long; no key sets the width. A particle weighs the fabric's density times the square of half the links at it, so
---more and shorter links make a lighter chain. The air moves a chain less the denser its fabric is, whatever its
---links.
---@param definition tweed.Chain
---@return tweed.Chain
function tweed.chain(definition) end

---A bob on a string and a bone that aims at it, for parts that swing as a whole, such as a hood.
---@param definition tweed.Pendulum
---@return tweed.Pendulum
function tweed.pendulum(definition) end

---Makes a smooth surface with thickness from a cage of quads (subdivision after Catmull and Clark). Only while the
---script loads.
---@param surface tweed.Surface
---@return table mesh # {positions =, normals =, uvs =, triangles =, weights =, covers =} for tweed.mesh.
function tweed.surface(surface) end

---Sews a column of a garment to a column of the same or another garment, row by row.
---@param definition tweed.Seam
---@return tweed.Seam
function tweed.seam(definition) end

---The physical values of a cloth. A value that is not given is the base's or, without a base, the default, a
---mid-weight wool.
---@param definition tweed.Fabric
---@return tweed.Fabric
function tweed.fabric(definition) end

---A world: its characters, ground, gravity and wind.
---@param definition tweed.Scene
---@return tweed.Scene
function tweed.scene(definition) end

---The wind.
---@param definition tweed.Wind
---@return tweed.Wind
function tweed.wind(definition) end

---Spawns a character at the next tick; 16 a tick, others in the ticks after it. A script that is not loaded yet is
---loaded first, in the background; only the ticks of simulation.step wait for it. In callbacks only.
---@param options tweed.Spawn
---@return string name # The character's name in the world.
function tweed.spawn(options) end

---Removes a character from the world after all scripts of this tick. In callbacks only.
---@param name string The name of a character, or of one that is about to spawn.
function tweed.remove(name) end

---Pauses a coroutine of self:run until the first tick at or after that time. Returns how long the pause was, in s.
---@param seconds number 0 to 1e6 s; 0 is the next tick.
---@return number waited
function tweed.wait(seconds) end

---Pauses a coroutine of self:run until an event. Returns the event as the protocol defines it, or nil when the time
---is over.
---@param event tweed.Event
---@param seconds? number 0 to 1e6 s. Default: no limit.
---@return table? event
function tweed.wait_for(event, seconds) end

---Calls a function at each event, with the event as the protocol defines it, at the beginning of the tick. Events
---that scripts cause arrive at the next tick. The listener ends when the character is reset and when the function
---raises an error. In callbacks only. The events: character.spawned, character.removed, character.moved,
---character.changed, character.unstable, script.loaded, script.failed, script.suspended, fabric.changed,
---world.changed, simulation.paused, simulation.resumed, simulation.shed, log.
---@param event tweed.Event
---@param listener fun(event: table)
---@return fun() stop # Removes the listener.
function tweed.on(event, listener) end

---A random number from 0 up to but not including 1; with n a whole number from 1 to n, with m and n from m to n. Each
---character has its own seed, so runs repeat. math.random is the same function.
---@param m? integer
---@param n? integer
---@return number number
function tweed.random(m, n) end

---Writes a line to the server's log and to clients that subscribe to it, at most 50 lines a second. print writes at
---level info.
---@param level "error"|"warning"|"info"|"debug"
---@param text any
function tweed.log(level, text) end

---The name in a list that a misspelt one is nearest to, by the letters that differ; nil where none is near. For the
---messages of modules. Works while a file is loaded, too.
---@param name string
---@param names string[] What the name could have been.
---@return string? nearest
function tweed.nearest(name, names) end

---Starts a tornado, or changes the one of that name. At most 16 at a time. In callbacks only.
---@param tornado tweed.Tornado
function tweed.tornado(tornado) end

---Ends a tornado. In callbacks only.
---@param name string A tornado's name.
function tweed.calm(name) end

---Calls a method of the protocol with the same parameters and errors as a client: character.*, fabric.*, world.*,
---server.*, simulation.pause, simulation.resume and script.list. Most methods return at once. Two kinds run after all
---scripts of this tick: methods that run scripts (character.spawn, character.remove, character.reset, character.call)
---and, while this script is being reloaded, methods that change something. For these a coroutine of self:run waits
---until the next tick and gets the result; elsewhere the result is nil. In callbacks only.
---@param method string The method's name in protocol/openrpc.json, such as "fabric.set".
---@param params? table The method's parameters.
---@return any result
function tweed.request(method, params) end

---Rotations as lists {x, y, z, w}, for scripts that compute poses. Each function returns a new list.
tweed.quaternion = {}

---A rotation about an axis of any length.
---@param axis tweed.Vector
---@param angle number In rad.
---@return tweed.Rotation rotation
function tweed.quaternion.axis_angle(axis, angle) end

---Rotations about the parent's fixed axes, one after the other.
---@param x number In rad, like y and z.
---@param y number
---@param z number
---@param order? string Default "xyz": about x first, z last.
---@return tweed.Rotation rotation
function tweed.quaternion.euler(x, y, z, order) end

---The product: the last rotation is applied first.
---@param first tweed.Rotation
---@param ... tweed.Rotation Any number of them.
---@return tweed.Rotation rotation
function tweed.quaternion.multiply(first, ...) end

---The inverse rotation.
---@param rotation tweed.Rotation
---@return tweed.Rotation rotation
function tweed.quaternion.inverse(rotation) end

---The same rotation at unit length.
---@param rotation tweed.Rotation
---@return tweed.Rotation rotation
function tweed.quaternion.normalize(rotation) end

---Spherical interpolation between two rotations, the short way round.
---@param from tweed.Rotation
---@param to tweed.Rotation
---@param t number 0 gives from, 1 gives to.
---@return tweed.Rotation rotation
function tweed.quaternion.slerp(from, to, t) end

---The smallest rotation from one direction to another.
---@param from tweed.Vector
---@param to tweed.Vector
---@return tweed.Rotation rotation
function tweed.quaternion.between(from, to) end

---A vector, rotated.
---@param rotation tweed.Rotation
---@param vector tweed.Vector
---@return tweed.Vector turned
function tweed.quaternion.rotate(rotation, vector) end

return tweed
