// All parts of the interface, and the table `tweed` that is made of them.
#include "api/api.h"

#include "api/quaternion.h"
#include "api/self_methods.h"
#include "api/world.h"
#include "data/call_site.h"
#include "define/clip.h"
#include "define/import.h"
#include "define/mesh.h"
#include "define/mesh_bind.h"
#include "define/skeleton.h"
#include "define/surface_function.h"
#include "sandbox/library.h"
#include "schema/definition.h"
#include "schema/fabric.h"

static const ScriptApiPart parts[] = {
    {.title = "Characters",
     .help = "What a character's file returns.",
     .schemas = {&script_character_schema}},
    {.title = "Skeletons",
     .help = "The bones that clips move, imported from a file or written as a list.",
     .functions = script_skeleton_functions,
     .object = &script_skeleton_object},
    {.title = "Clips",
     .help = "Motions of a skeleton, cut out of a file or computed by a function.",
     .functions = script_clip_functions,
     .object = &script_pose_object},
    {.title = "Render meshes",
     .help = "Surfaces for viewers to draw, skinned to the character's bones. The simulation does not use "
             "them.",
     .functions = script_mesh_functions,
     .object = &script_mesh_object},
    {.title = "Bodies",
     .help = "Surfaces without weights, and the weights that bind them to a skeleton.",
     .functions = script_mesh_bind_functions},
    {.title = "Colliders",
     .help = "Shapes that keep cloth out of the body.",
     .schemas = {&script_ellipsoid_schema, &script_capsule_schema, &script_sphere_schema,
                 &script_plane_schema}},
    {.title = "Driven bones",
     .help = "Bones added to the skeleton, and constraints that move them with it. Constraints are solved in "
             "the order of their dependencies, not of the list.",
     .schemas = {&script_bone_schema, &script_aim_schema, &script_position_schema, &script_twist_schema,
                 &script_slide_schema}},
    {.title = "Garments",
     .help = "The simulated parts. A garment drives bones named after the garment, row and column; skin a "
             "mesh to them. Values named \"article\" select a method of the article on which the jacket is "
             "built, for comparison with the default: H. Enqvist, [The Secrets of Cloth Simulation in Alan "
             "Wake](https://www.gamedeveloper.com/programming/"
             "the-secrets-of-cloth-simulation-in-i-alan-wake-i-), Gamasutra, 2010.",
     .schemas = {&script_cloth_schema, &script_chain_schema, &script_pendulum_schema},
     .common = &script_garment_schema},
    {.title = "Surfaces",
     .help = "Smooth cloth from a few points, for render meshes.",
     .functions = script_surface_functions},
    {.title = "Seams", .help = "Seams sew columns of garments together.", .schemas = {&script_seam_schema}},
    {.title = "Fabrics",
     .help =
         "The materials of garments. Each file in a folder fabrics/, or below it, is loaded at the start.",
     .schemas = {&script_fabric_schema}},
    {.title = "Scenes",
     .help = "What a scene's file returns. `tweed serve` takes a scene's file, or a character's file as a "
             "scene of one character.",
     .schemas = {&script_scene_schema, &script_wind_schema}},
    {.title = "Characters in the world",
     .help = "What callbacks, commands and coroutines can do with their character.",
     .object = &script_self_object},
    {.title = "The world",
     .help = "For callbacks, commands and coroutines.",
     .functions = script_world_functions},
    {.title = "Tornadoes",
     .help = "Columns of rotating air, for callbacks, commands and coroutines.",
     .functions = script_tornado_functions},
    {.title = "Requests",
     .help = "Any method of the protocol, for callbacks, commands and coroutines.",
     .functions = script_request_functions},
    {.title = "Rotations",
     .help =
         "Rotations as lists {x, y, z, w}, for scripts that compute poses. Each function returns a new list.",
     .functions = script_quaternion_functions,
     .table = "quaternion"},
};

static void push_tweed(lua_State *lua);

void script_api_open(lua_State *lua) {
    const ScriptLibraryAdditions additions = {script_log_print, script_random_lua, push_tweed};
    script_library_open(lua, &additions);
}

const ScriptApiPart *script_api(int *out_count) {
    *out_count = (int)(sizeof parts / sizeof *parts);
    return parts;
}

static void push_tweed(lua_State *lua) {
    script_skeleton_open(lua);
    script_clip_open(lua);
    script_mesh_open(lua);
    script_self_open(lua);
    lua_newtable(lua);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        for (const ScriptSchema *const *schema = parts[i].schemas; *schema; schema++)
            script_constructor_set(lua, (*schema)->constructor);
        if (parts[i].functions && !parts[i].table) script_functions_set(lua, parts[i].functions);
    }
    script_quaternion_open(lua);
    lua_setfield(lua, -2, "quaternion");
    script_seal(lua, "tweed");
}
