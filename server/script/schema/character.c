// The schemas of characters, and of the constraints of the driven layer.
#include "schema/definition.h"

#define SHARE .minimum = 0.0, .maximum = 1.0, .number = 1.0

static const ScriptSchemaField at_fields[] = {
    {SCRIPT_FIELD(ScriptAt, bone, NAME), .required = true, .help = "The bone to which the target belongs."},
    {SCRIPT_FIELD(ScriptAt, offset, VECTOR), .minimum = -100.0, .maximum = 100.0, .unit = "m",
     .help = "The target's offset, in that bone's space."},
};
static const ScriptSchema at_schema = {.name = "AimAt", .size = sizeof(ScriptAt), SCRIPT_FIELDS(at_fields)};

static const ScriptSchemaField aim_fields[] = {
    {SCRIPT_FIELD(ScriptAim, bone, NAME), .required = true, .help = "The bone that rotates."},
    {SCRIPT_FIELD(ScriptAim, at, TABLE), .schemas = SCRIPT_ONE_SCHEMA(at_schema),
     .expects = "{bone =, offset = {x, y, z}}", .otherwise = "direction",
     .help = "The target that the bone looks at."},
    {SCRIPT_FIELD(ScriptAim, direction, VECTOR), .otherwise = "at",
     .help = "The direction in model space to look in, in place of at; {0, -1, 0} is down."},
    {SCRIPT_FIELD(ScriptAim, axis, AXIS), .vector = {1.0f, 0.0f, 0.0f},
     .help = "The bone's own axis that points at the target."},
    {SCRIPT_FIELD(ScriptAim, weight, NUMBER), SHARE, .help = "The share of the rotation that is applied."},
};
const ScriptSchema script_aim_schema = {
    .constructor = "aim",
    .size = sizeof(ScriptAim),
    SCRIPT_FIELDS(aim_fields),
    .help = "Rotates a bone by the smallest rotation that points its axis at a target.",
    .example =
        "tweed.aim { bone = \"pad_l\", at = { bone = \"LeftArm\", offset = { .12, 0, 0 } }, axis = \"x\" }"};

static const char *const keeps[] = {"distance", NULL};
static const ScriptSchemaField bone_name = {.type = SCRIPT_TYPE_NAME, .expects = "the name of a bone"};

static const ScriptSchemaField position_fields[] = {
    {SCRIPT_FIELD(ScriptPosition, between, LIST), .required = true, .element = &bone_name,
     .expects = "a list of two names of bones", .help = "The two bones."},
    {SCRIPT_FIELD(ScriptPosition, keep, CHOICE), .choices = keeps, .help = "What is kept as at rest."},
    {SCRIPT_FIELD(ScriptPosition, weight, NUMBER), SHARE,
     .help = "The share of the correction that is applied."},
};
const ScriptSchema script_position_schema = {
    .constructor = "position",
    .size = sizeof(ScriptPosition),
    SCRIPT_FIELDS(position_fields),
    .help = "Moves two bones, half the way each, so that their distance stays as at rest.",
    .example = "tweed.position { between = { \"pad_l\", \"pad_r\" }, keep = \"distance\" }"};

static const ScriptSchemaField twist_fields[] = {
    {SCRIPT_FIELD(ScriptTwist, bone, NAME), .required = true, .help = "The bone that rotates."},
    {SCRIPT_FIELD(ScriptTwist, follows, NAME), .required = true, .help = "The bone whose twist is shared."},
    {SCRIPT_FIELD(ScriptTwist, axis, AXIS), .vector = {1.0f, 0.0f, 0.0f},
     .help = "The bone's own axis of rotation."},
    {SCRIPT_FIELD(ScriptTwist, share, NUMBER), .minimum = 0.0, .maximum = 1.0, .number = 0.5,
     .help = "The share of the twist that the bone takes."},
};
const ScriptSchema script_twist_schema = {
    .constructor = "twist",
    .size = sizeof(ScriptTwist),
    SCRIPT_FIELDS(twist_fields),
    .help = "Rotates a bone about its axis by a share of another bone's twist.",
    .example = "tweed.twist { bone = \"wrist_twist\", follows = \"LeftHand\", axis = \"x\", share = .5 }"};

static const ScriptSchemaField slide_fields[] = {
    {SCRIPT_FIELD(ScriptSlide, bone, NAME), .required = true, .help = "The bone that moves."},
    {SCRIPT_FIELD(ScriptSlide, follows, NAME), .required = true,
     .help = "The bone whose movement is shared."},
    {SCRIPT_FIELD(ScriptSlide, relative_to, NAME), .required = true,
     .help = "The bone that carries both as far as nothing slides: the movement counts from where it would "
             "carry the followed bone."},
    {SCRIPT_FIELD(ScriptSlide, axis, AXIS), .vector = {1.0f, 0.0f, 0.0f},
     .help = "The bone's own axis along which it moves."},
    {SCRIPT_FIELD(ScriptSlide, share, NUMBER), SHARE,
     .help = "The share of the movement that the bone takes."},
};
const ScriptSchema script_slide_schema = {
    .constructor = "slide",
    .size = sizeof(ScriptSlide),
    SCRIPT_FIELDS(slide_fields),
    .help = "Moves a bone along its axis by a share of another bone's movement, such as cloth at the waist "
            "that rises with a shoulder.",
    .example =
        "tweed.slide { bone = \"waist_l\", follows = \"pad_l\", relative_to = \"Spine\", axis = \"y\" }"};

static const ScriptSchema *const collider_schemas[] = {&script_ellipsoid_schema, &script_sphere_schema,
                                                       &script_capsule_schema, &script_plane_schema, NULL};
static const ScriptSchema *const driven_schemas[] = {&script_bone_schema,     &script_aim_schema,
                                                     &script_position_schema, &script_twist_schema,
                                                     &script_slide_schema,    NULL};
static const ScriptSchema *const garment_schemas[] = {&script_cloth_schema, &script_pendulum_schema,
                                                      &script_chain_schema, NULL};
static const ScriptSchemaField collider = {.type = SCRIPT_TYPE_ONE_OF, .schemas = collider_schemas};
static const ScriptSchemaField driven = {.type = SCRIPT_TYPE_ONE_OF, .schemas = driven_schemas};
static const ScriptSchemaField garment = {.type = SCRIPT_TYPE_ONE_OF, .schemas = garment_schemas};
static const ScriptSchemaField seam = {.type = SCRIPT_TYPE_TABLE,
                                       .schemas = SCRIPT_ONE_SCHEMA(script_seam_schema)};
static const ScriptSchemaField clip = {.type = SCRIPT_TYPE_CLIP};
static const ScriptSchemaField mesh = {.type = SCRIPT_TYPE_MESH};

static const ScriptSchemaField command_fields[] = {
    {SCRIPT_FIELD(ScriptCommandDef, help, STRING), .text = "",
     .help = "One line that tells callers what the command does."},
    {SCRIPT_FIELD(ScriptCommandDef, run, FUNCTION), .required = true,
     .expects = "function(self, arguments) ... end", .lua = "fun(self: tweed.Self, arguments: table): any",
     .help = "The function; the caller gets its result."},
};
static const ScriptSchema command_schema = {
    .name = "Command", .size = sizeof(ScriptCommandDef), SCRIPT_FIELDS(command_fields)};
static const ScriptSchemaField command = {.type = SCRIPT_TYPE_TABLE,
                                          .schemas = SCRIPT_ONE_SCHEMA(command_schema),
                                          .expects = "{help =, run = function(self, arguments) ... end}"};

static const ScriptSchemaField character_fields[] = {
    {SCRIPT_FIELD(ScriptCharacterDef, skeleton, SKELETON), .required = true,
     .help = "The bones that clips move."},
    {SCRIPT_FIELD(ScriptCharacterDef, clips, MAP), .element = &clip, .help = "The clips, by name."},
    {SCRIPT_FIELD(ScriptCharacterDef, colliders, LIST), .element = &collider,
     .help = "The shapes of the body, which cloth stays out of."},
    {SCRIPT_FIELD(ScriptCharacterDef, driven, LIST), .element = &driven,
     .help = "Bones added to the skeleton, and the constraints that move them."},
    {SCRIPT_FIELD(ScriptCharacterDef, meshes, LIST), .element = &mesh,
     .otherwise = "those of the skeleton's file",
     .help = "The render meshes of the body; garments have their own."},
    {SCRIPT_FIELD(ScriptCharacterDef, garments, LIST), .element = &garment,
     .help = "The garments: all simulated parts."},
    {SCRIPT_FIELD(ScriptCharacterDef, seams, LIST), .element = &seam,
     .help = "The seams between columns of garments."},
    {SCRIPT_FIELD(ScriptCharacterDef, on_spawn, FUNCTION), .expects = "function(self, params) ... end",
     .lua = "fun(self: tweed.Self, params: table)",
     .help = "Called when the character is spawned and when it is reset."},
    {SCRIPT_FIELD(ScriptCharacterDef, on_tick, FUNCTION), .expects = "function(self, dt, time) ... end",
     .lua = "fun(self: tweed.Self, dt: number, time: number)",
     .help = "Called at the start of each tick with the tick's length and the simulation's time, both in s."},
    {SCRIPT_FIELD(ScriptCharacterDef, on_save, FUNCTION), .expects = "function(self) ... end",
     .lua = "fun(self: tweed.Self): table",
     .help =
         "Called when the character moves to another node of a cluster. Returns what on_restore gets there: "
         "a table of plain data."},
    {SCRIPT_FIELD(ScriptCharacterDef, on_restore, FUNCTION), .expects = "function(self, saved) ... end",
     .lua = "fun(self: tweed.Self, saved: table)",
     .help =
         "Called after on_spawn where a character goes on that on_save was called for. What it plays, poses "
         "and sets is replaced by what the character has brought."},
    {SCRIPT_FIELD(ScriptCharacterDef, commands, MAP), .element = &command,
     .help = "The commands that clients may call, by name."},
};
const ScriptSchema script_character_schema = {
    .constructor = "character",
    .size = sizeof(ScriptCharacterDef),
    SCRIPT_FIELDS(character_fields),
    .help = "A kind of character. The world may hold any number of characters of one kind.",
    .example = "local tweed = require \"tweed\"\n\n"
               "return tweed.character {\n"
               "  skeleton = tweed.skeleton { { name = \"pole\" } },\n"
               "  garments = {\n"
               "    tweed.chain { name = \"rope\", bone = \"pole\", fabric = \"cotton\",\n"
               "      points = { { 0, 2, 0 }, { 0, 1.8, 0 }, { 0, 1.6, 0 } } },\n"
               "  },\n"
               "  commands = {\n"
               "    hop = { help = \"jump up\", run = function(self)\n"
               "      self:move { position = { 0, .5, 0 } }\n"
               "    end },\n"
               "  },\n"
               "}"};
