// Garments, bodies and motions that ship as Lua.
#include "api/api.h"

#define KEY(name, kind) .key = name, .type = SCRIPT_TYPE_##kind
#define HELPER_SCHEMA(var)                                                                                   \
    { SCRIPT_FIELDS(var) }
#define LEVEL .minimum = -3.0, .maximum = 3.0

// Keys of several helpers
// ---------------------------------------------------------------------------------------------------------

#define BODY                                                                                                 \
    {                                                                                                        \
        KEY("body", CUSTOM), .expects = "what rigs.humanoid gives", .lua = "table",                          \
                             .otherwise = "the shipped human", .help = "Whose body it is cut to."            \
    }
#define GRID(across, down, fewest)                                                                           \
    {KEY("columns", INTEGER), .minimum = fewest, .maximum = 128.0, .number = across,                         \
     .help = "Columns of particles."},                                                                       \
    {                                                                                                        \
        KEY("rows", INTEGER), .minimum = 2.0, .maximum = 128.0, .number = down, .help = "Rows of particles." \
    }
#define HEM(level, gap, out)                                                                                 \
    {KEY("hem", NUMBER), LEVEL, .number = level, .help = "The level of the lowest row."},                    \
        {KEY("clearance", NUMBER),                                                                           \
         .minimum = 0.0,                                                                                     \
         .maximum = 0.5,                                                                                     \
         .unit = "m",                                                                                        \
         .number = gap,                                                                                      \
         .help = "How far it lies off the body."},                                                           \
    {                                                                                                        \
        KEY("flare", NUMBER), .minimum = 0.0, .maximum = 2.0, .unit = "m", .number = out,                    \
                              .help = "How much farther the hem stands out than the body."                   \
    }
#define WAIST(height)                                                                                        \
    {                                                                                                        \
        KEY("top", NUMBER), .minimum = 0.0, .maximum = 1.0, .unit = "m", .number = height,                   \
                            .help = "How far above the hip joints the waist is, of a body of size 1."        \
    }
#define CLOTH(what, material, limit)                                                                         \
    {KEY("name", NAME), .otherwise = what, .help = "The garment's name."},                                   \
        {KEY("fabric", NAME), .otherwise = material, .help = "The fabric's name."}, {                        \
        KEY("max_distance", CUSTOM),                                                                         \
            .expects = "as of tweed.cloth", .lua = "table", .otherwise = limit,                              \
            .help = "How far each particle may leave the place that skinning gives it."                      \
    }

// Garments
// -------------------------------------------------------------------------------------------------------------

static const ScriptSchemaField cape_fields[] = {
    BODY,
    {KEY("top", NUMBER), LEVEL, .number = 0.97, .help = "The level of the collar."},
    HEM(-1.35, 0.03, 0.1),
    GRID(15, 14, 2.0),
    CLOTH("\"cape\"", "\"silk\"", "{top = 0, bottom = 0.9, curve = 0.8}"),
};
static const ScriptSchemaField jacket_fields[] = {
    BODY,
    WAIST(0.251),
    HEM(-0.56, 0.022, 0.03),
    {KEY("open", CUSTOM), .expects = "\"front\" or false", .lua = "\"front\"|false", .otherwise = "\"front\"",
     .help = "Where it is open; false makes a closed ring."},
    {KEY("gap", NUMBER), .minimum = 0.0, .maximum = 0.5, .unit = "m", .number = 0.07,
     .help = "How far its edges are apart in front, at the waist."},
    {KEY("upper", BOOLEAN),
     .help =
         "Whether it hangs from the shoulders, on the bones of garments.jacket_upper, which the character "
         "then has, and is a whole jacket with sleeves to look at; otherwise from the waist."},
    {KEY("front", STRING), .text = "lapels", .expects = "\"lapels\" or \"closed\"",
     .lua = "\"lapels\"|\"closed\"",
     .help = "With `upper`, how it is made in front: folded back to lapels, or straight up to a collar that "
             "stands."},
    {KEY("lining", CUSTOM), .expects = "a material or false", .lua = "table|false",
     .otherwise = "brown satin",
     .help = "With `upper`, what its lining is made of, as the material of tweed.mesh; false: it has none, "
             "and one sees what is worn below through cloth that is thin."},
    {KEY("hood", STRING), .otherwise = "none",
     .help =
         "With `upper`, the bone of a hood that lies on its back, such as a pendulum on the bone `nape`."},
    {KEY("hood_material", CUSTOM), .expects = "a material or false", .lua = "table|false",
     .otherwise = "grey wool",
     .help = "What the hood is made of, as the material of tweed.mesh; false: what the jacket is."},
    {KEY("stitching", CUSTOM), .expects = "{red, green, blue}, each 0 to 1", .lua = "number[]",
     .otherwise = "none", .help = "With `upper`, the color of a thread that one sees along its edges."},
    GRID(17, 9, 2.0),
    CLOTH("\"jacket\"", "\"tweed\"", "0 at the top, growing evenly to the fabric's at the hem"),
};
static const ScriptSchemaField jacket_upper_fields[] = {BODY, WAIST(0.251)};
static const ScriptSchemaField skirt_fields[] = {
    BODY,
    {KEY("top", NUMBER), .minimum = 0.0, .maximum = 1.0, .unit = "m", .number = 0.223,
     .help = "How far above the hip joints the waistband is, of a body of size 1."},
    HEM(-0.85, 0.018, 0.22),
    {KEY("circle", NUMBER), .minimum = 0.0, .maximum = 1.0,
     .help =
         "The share of a circle that it is cut from: 1 is a whole one, which lies flat, 0 no wider than it "
         "hangs."},
    {KEY("waistband", NUMBER), .unit = "m", .minimum = 0.0, .maximum = 0.1,
     .help = "How high a band of it is that lies on the body above the cloth, skinned; 0: none."},
    {KEY("skin", MESH), .otherwise = "its flesh",
     .help = "The mesh of that body, on which the band lies, as rigs.body gives it first."},
    GRID(24, 10, 3.0),
    CLOTH("\"skirt\"", "\"cotton\"", "{top = 0, bottom = 0.6, curve = 0.8}"),
};
static const ScriptSchemaField veil_fields[] = {
    BODY,
    HEM(0.45, 0.012, 0.14),
    {KEY("face", NUMBER), .minimum = 1.0, .maximum = 170.0, .unit = "degrees", .number = 55.0,
     .help = "The angle from straight ahead to its edges."},
    {KEY("columns", INTEGER), .minimum = 2.0, .maximum = 128.0, .number = 21.0,
     .help = "Columns of particles."},
    {KEY("rows", INTEGER), .minimum = 4.0, .maximum = 128.0, .number = 19.0, .help = "Rows of particles."},
    CLOTH("\"veil\"", "\"veil\"", "{top = 0, bottom = 0.45, curve = 0.8}"),
};
static const ScriptSchemaField ponytail_fields[] = {
    {KEY("name", NAME), .required = true, .help = "The garment's name."},
    {KEY("fabric", NAME), .required = true, .help = "The fabric's name."},
    {KEY("bone", NAME), .otherwise = "\"Head\"", .help = "The bone that it hangs on."},
    {KEY("tie", VECTOR), .unit = "m", .vector = {0.0f, 0.1f, -0.078f},
     .help = "Where it springs from, in the bone's space."},
    {KEY("length", NUMBER), .minimum = 0.05, .maximum = 3.0, .unit = "m", .number = 0.4,
     .help = "The length of the hair."},
    {KEY("links", INTEGER), .minimum = 1.0, .maximum = 127.0, .number = 9.0,
     .help = "Into how many links it is cut."},
    {KEY("arch", NUMBER), .minimum = 0.001, .maximum = 1.0, .unit = "m", .number = 0.055,
     .help = "How far it stands out behind the tie before it hangs."},
    {KEY("colliders", LIST), .expects = "a list of names of colliders", .otherwise = "all of the character's",
     .help = "The colliders that it meets."},
    {KEY("pose_stiffness", CUSTOM), .expects = "as of tweed.chain", .lua = "table",
     .otherwise = "{base = 3, tip = 0.5}", .help = "How strongly it keeps its arch."},
    {KEY("pose_damping", NUMBER), .minimum = 0.0, .maximum = 10.0, .number = 0.4,
     .help = "The damping of these swings."},
    {KEY("angle_limit", CUSTOM), .expects = "as of tweed.chain", .lua = "table",
     .otherwise = "{base = 50, tip = 30}", .help = "How far each link may turn."},
};
static const ScriptSchemaField bodysuit_fields[] = {
    BODY,
    {KEY("skin", MESH), .required = true, .help = "The mesh of that body, as rigs.body gives it first."},
    {KEY("name", NAME), .text = "bodysuit", .otherwise = "\"bodysuit\"", .help = "The mesh's name."},
    {KEY("color", VECTOR), .vector = {0.12f, 0.12f, 0.14f}, .help = "Its red, green and blue, 0 to 1."},
    {KEY("roughness", NUMBER), .minimum = 0.0, .maximum = 1.0, .number = 0.7, .help = "How matt it is."},
    {KEY("pattern", STRING), .text = "plain", .otherwise = "\"plain\"",
     .help = "Its weave, as that of a material."},
    {KEY("out", NUMBER), .minimum = 0.0, .maximum = 0.1, .unit = "m", .number = 0.0022,
     .help = "How far it stands off the skin."},
    {KEY("neck", NUMBER), .minimum = 0.03, .maximum = 0.3, .unit = "m", .number = 0.075,
     .help = "Half the height of the neckline, which is wider by a quarter."},
    {KEY("top", NUMBER), .otherwise = "the neckline", .help = "The level at which it begins: tights, boots."},
    {KEY("bottom", NUMBER), .otherwise = "the legs", .help = "The level at which it ends: shirts."},
    {KEY("sleeves", NUMBER), .minimum = 0.0, .maximum = 2.0,
     .help = "How far it reaches down the arms: 1 to the wrists, 2 over the hands."},
    {KEY("legs", NUMBER), .minimum = 0.0, .maximum = 2.0,
     .help = "How far it reaches down the legs: 1 to the ankles, 2 over the feet."},
};
static const ScriptSchemaField body_fields[] = {BODY};
static const ScriptSchemaField cut_fields[] = {
    {KEY("columns", INTEGER), .required = true, .help = "Columns of particles."},
    {KEY("rows", INTEGER), .required = true, .help = "Rows of particles."},
    {KEY("top", NUMBER), .required = true, .help = "The level of the first row."},
    {KEY("hem", NUMBER), .required = true, .help = "The level of the last row."},
    {KEY("clearance", NUMBER), .required = true, .unit = "m", .help = "How far it lies off the body."},
    {KEY("flare", NUMBER), .required = true, .unit = "m",
     .help = "How much farther the hem stands out than the body."},
    {KEY("first", NUMBER), .unit = "rad",
     .help = "The angle of the first column, from straight ahead over the left."},
    {KEY("last", NUMBER), .unit = "rad", .otherwise = "none: a closed ring",
     .help = "The angle of the last column."},
    {KEY("gap", NUMBER), .unit = "m", .otherwise = "none",
     .help = "In place of both: how far the edges are apart in front, in the first row."},
    {KEY("colliders", LIST), .expects = "a list of names of colliders", .otherwise = "all of the body's",
     .help = "What the rows run round."},
    {KEY("least", FUNCTION), .expects = "a function of the angle, such as tailor.ellipse(width, depth) gives",
     .lua = "fun(angle: number): number", .help = "How far from the middle the cloth is at least, in m."},
};

// Bodies and motions
// ---------------------------------------------------------------------------------------------------------

static const ScriptSchemaField humanoid_fields[] = {
    {KEY("file", STRING), .otherwise = "none: give a skeleton",
     .help = "The file to import the skeleton from, as tweed.import takes it."},
    {KEY("skeleton", CUSTOM), .expects = "what tweed.skeleton takes or gives", .lua = "table",
     .otherwise = "that of the file", .help = "The skeleton, in place of a file."},
    {KEY("bones", CUSTOM), .expects = "{ROLE = NAME}", .lua = "table<string, string>",
     .otherwise = "by the names of CMU, Mixamo, Biovision, VRM, VRoid or Rigify",
     .help =
         "The bones that play the roles hips, spine, chest, neck, head, and of each side left_ and right_ "
         "shoulder, upper_arm, lower_arm, hand, upper_leg, lower_leg, foot, toes."},
};
#define ARMS                                                                                                 \
    {                                                                                                        \
        KEY("arms", NUMBER), .minimum = 5.0, .maximum = 80.0, .unit = "degrees", .number = 12.0,             \
                             .help = "How far the upper arms are held away from straight down: clear of a "  \
                                     "wide skirt with 40."                                                   \
    }
#define CIRCLE                                                                                               \
    {                                                                                                        \
        KEY("circle", NUMBER), .maximum = 1000.0, .unit = "m",                                               \
                               .help = "Radius of a circle to the left that it goes along; 0: straight on."  \
    }
static const ScriptSchemaField walk_fields[] = {
    {KEY("speed", NUMBER), .minimum = 0.4, .maximum = 2.2, .unit = "m/s", .number = 1.4,
     .help = "How fast the root goes."},
    ARMS,
    CIRCLE,
    BODY,
};
static const ScriptSchemaField run_fields[] = {
    {KEY("speed", NUMBER), .minimum = 2.0, .maximum = 6.0, .unit = "m/s", .number = 3.5,
     .help = "How fast the root goes."},
    ARMS,
    CIRCLE,
    BODY,
};
static const ScriptSchemaField stand_fields[] = {ARMS, BODY};
static const ScriptSchemaField spin_fields[] = {
    {KEY("turns", NUMBER), .minimum = 0.2, .maximum = 3.0, .unit = "1/s", .number = 1.5,
     .help = "How many turns a second."},
    BODY,
};

static const ScriptSchema cape = HELPER_SCHEMA(cape_fields), jacket = HELPER_SCHEMA(jacket_fields),
                          jacket_upper = HELPER_SCHEMA(jacket_upper_fields),
                          skirt = HELPER_SCHEMA(skirt_fields), veil = HELPER_SCHEMA(veil_fields),
                          ponytail = HELPER_SCHEMA(ponytail_fields), body = HELPER_SCHEMA(body_fields),
                          bodysuit = HELPER_SCHEMA(bodysuit_fields), cut = HELPER_SCHEMA(cut_fields),
                          humanoid = HELPER_SCHEMA(humanoid_fields), walk = HELPER_SCHEMA(walk_fields),
                          run = HELPER_SCHEMA(run_fields), stand = HELPER_SCHEMA(stand_fields),
                          spin = HELPER_SCHEMA(spin_fields);

const ScriptHelper script_helpers[] = {
    {"garments.cape", "cape { hem = -1.4 }",
     "Cloth that hangs from the shoulders down the back. It takes all other keys of tweed.cloth too.", &cape},
    {"garments.jacket", "jacket { fabric = \"denim\", body = boxer }",
     "The simulated part of a jacket: cloth that hangs from the waist. It takes all other keys of "
     "tweed.cloth too.",
     &jacket},
    {"garments.jacket_upper", "driven = jacket_upper { body = boxer }",
     "Driven bones for the upper part of a jacket's mesh: pads, breasts and shoulder blades, sleeves, those "
     "at the waist for jacket { upper = true } and the bone `nape` for a hood. Nothing of it is simulated.",
     &jacket_upper},
    {"garments.skirt", "skirt { hem = -.9, flare = .25 }",
     "A ring of cloth from the waist down. It takes all other keys of tweed.cloth too.", &skirt},
    {"garments.veil", "veil { hem = .4 }",
     "Thin cloth over the head, from a band over the crown, open in front of the face. It takes all other "
     "keys of tweed.cloth too.",
     &veil},
    {"garments.ponytail", "ponytail { name = \"ponytail\", fabric = \"silk\" }",
     "A chain of hair from the back of the head. It takes all other keys of tweed.chain too.", &ponytail},
    {"garments.suit", "meshes = suit { skin = require \"rigs.body\"(human), trousers = { .1, .1, .3 } }",
     "A list of meshes: those of `skin`, and shirt, trousers, belt, shoes and hair for `body`, each of a "
     "color, or false to leave it out. The character has the bones of garments.jacket_upper. "
     "With `sleeves = true` the shirt has whole sleeves, cut out of the first of `skin`, for a jacket that "
     "one sees through.",
     NULL},
    {"garments.bodysuit", "bodysuit { skin = require \"rigs.body\"(human)[1], name = \"leotard\" }",
     "A mesh that fits like a skin, cut out of that of a body: a leotard, tights, boots. For a character's "
     "`meshes`; nothing of it is simulated.",
     &bodysuit},
    {"garments.tailor.round",
     "positions = tailor.round(body, { columns = 17, rows = 9, top = .6, hem = -.5, clearance = .02, flare = "
     ".1 })",
     "Points of cloth whose rows run round a body, for garments of your own. No row is narrower than the one "
     "above.",
     &cut},
    {"rigs.humanoid", "humanoid { file = \"BVH/Boxing_Toes.bvh\" }",
     "A body that garments and motions fit: its bones by role, a standing rest pose, and ellipsoids as "
     "colliders.",
     &humanoid},
    {"rigs.human", "require \"rigs.human\"",
     "The body that the shipped characters share: that of BVH/01_01.bvh, else the built-in biped.", NULL},
    {"rigs.biped", "humanoid { skeleton = require \"rigs.biped\" }",
     "The bones of that body as a list for tweed.skeleton, without any file.", NULL},
    {"rigs.body", "meshes = require \"rigs.body\"(boxer)",
     "The body of a humanoid as a list of meshes, `body` first: the human of assimp's models with eyes, "
     "fitted to its skeleton and colliders, or without that file, or with { lofted = true } as second "
     "argument, a mannequin lofted over the colliders. With { bare = true } hips and thighs keep their own "
     "shape, for one who wears no cloth there.",
     NULL},
    {"rigs.padded", "lady = require \"rigs.padded\"(human)",
     "A humanoid with colliders that enclose skull and hair, shoulders and hands, for veils and capes.",
     NULL},
    {"rigs.mannequin", "return require \"rigs.mannequin\" \"silk\"",
     "A whole character: somebody in shirt and trousers and in a jacket of that fabric.", NULL},
    {"rigs.gait.walk", "gait.walk { speed = 1.2 }", "A clip of a stride, to be looped.", &walk},
    {"rigs.gait.run", "gait.run { speed = 4 }", "A clip of a running stride, to be looped.", &run},
    {"rigs.gait.stand", "gait.stand { body = boxer }", "A clip of standing at ease.", &stand},
    {"rigs.moves.dodge", "moves.dodge()", "A clip of a step aside and back, 0.8 s.", &body},
    {"rigs.moves.leap", "moves.leap()", "A clip of a leap, 0.7 m forward in 1.8 s.", &stand},
    {"rigs.moves.spin", "moves.spin { turns = 1 }", "A clip of turns on the spot, to be looped.", &spin},
    {"rigs.clips", "clips = require \"rigs.clips\"",
     "The clips `jump`, `walk`, `dodge` and `stand` of the shipped human.", NULL},
    {"rigs.loop", "run = loop(\"walk\", .3)",
     "A command that loops a clip. The second argument is how long it fades in, in s, by default 0.3.", NULL},
    {"rigs.reach", "run = reach(body)",
     "A command that puts a wrist to a place within 0.4 s and keeps it there. Its arguments are `hand`, "
     "\"right\" by default or \"left\", and `place`, {x, y, z} in m in model space; without a place an arm "
     "that reaches is given back, and one that does not reaches out in front of its shoulder.",
     NULL},
    {"rigs.pose", "pose.frame(body, { left_upper_arm = pose.turn(pose.Z, 60) })",
     "Poses from turns of joints by role, for clips and for self:pose; each function is described in the "
     "file.",
     NULL},
    {"rigs.vector", "vector.add(a, b)",
     "Arithmetic of lists {x, y, z}: add, subtract, scale, mix, dot, cross, length.", NULL},
    {0},
};

static const ScriptParameter humanoid_members[] = {
    {.name = "skeleton", .help = "For tweed.character."},
    {.name = "colliders",
     .help = "A list of ellipsoids for tweed.character: pelvis, abdomen, chest, head, and of each "
             "side thigh_, shin_, upper_arm_ and forearm_ left and right."},
    {.name = "trunk",
     .help = "The names of the colliders that a jacket lies on: all but head, arms and shins."},
    {.name = "knees",
     .help = "Spheres to add to the colliders of who wears a skirt: knee_left and knee_right."},
    {.name = "clothed",
     .help = "`colliders` of who wears trousers and a coat: with seat, an ellipsoid across the hips at the "
             "top of the thighs, hand_left and hand_right, and forearms as wide as sleeves."},
    {.name = "bone", .help = "{ROLE = NAME}; `bone.spines` lists those from above the hips up to the chest."},
    {.name = "parent", .help = "{NAME = NAME of the bone above}."},
    {.name = "rest", .help = "{NAME = {position =, rotation =}} of each bone at rest, in model space."},
    {.name = "size",
     .help = "The length of its legs by that of the shipped human's; lengths in m of helpers grow with it."},
    {.name = "levels",
     .help = "Five points in the middle of ankles, knees, hip joints, shoulder joints, and the top "
             "of the head: levels -2, -1, 0, 1 and 2."},
    {.name = "file", .help = "The file that it was read from, or nil."},
    {0}};
static const ScriptFunction humanoid_methods[] = {
    {"at", .parameters = {{.name = "role", .type = "string"}},
     .results = {{.name = "position", .type = "tweed.Vector"},
                 {.name = "rotation", .type = "tweed.Rotation"}},
     .help = "Where a bone, by role or name, is at rest in model space."},
    {"way", .parameters = {{.name = "from", .type = "string"}, {.name = "to", .type = "string"}},
     .results = {{.name = "vector", .type = "tweed.Vector"}},
     .help = "From one role's joint to another's at rest, in model space."},
    {"level", .parameters = {{.name = "level", .type = "number"}},
     .results = {{.name = "height", .type = "number"}, {.name = "point", .type = "tweed.Vector"}},
     .help = "The height of a level, in m, and the middle of the body there."},
    {"trunk_at", .parameters = {{.name = "height", .type = "number"}},
     .results = {{.name = "bone", .type = "string"}},
     .help = "The bone of the trunk that carries what is at a height, in m."},
    {"local_point",
     .parameters = {{.name = "role", .type = "string"}, {.name = "point", .type = "tweed.Vector"}},
     .results = {{.name = "point", .type = "tweed.Vector"}},
     .help = "A point of model space in a bone's space at rest. local_direction and local_rotation do the "
             "same for directions and rotations."},
    {0}};
const ScriptObject script_humanoid_object = {.name = "Humanoid",
                                             .variable = "humanoid",
                                             .help = "What rigs.humanoid gives, and garments and motions "
                                                     "take as `body`. Heights are levels, which fit any "
                                                     "proportions: -2 at the ankles, -1 at the knees, 0 at "
                                                     "the hip joints, 1 at the shoulder joints, 2 at the "
                                                     "top of the head.",
                                             .fields = humanoid_members,
                                             .methods = humanoid_methods};
