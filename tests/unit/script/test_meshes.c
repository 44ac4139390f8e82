// Render meshes: what scripts give becomes the rig's, and what lies hidden is left out.
#include "asset/find.h"
#include "script/fixture.h"

#include <cglm/cglm.h>
#include <math.h>

#define WOOL                                                                                                 \
    "return tweed.fabric { name = 'wool', material = { color = { .1, .2, .3 }, pattern = 'twill' } }\n"
#define THICK "return tweed.fabric { name = 'thick', base = 'wool', material = { roughness = .5 } }\n"
#define SPINE                                                                                                \
    "skeleton = tweed.skeleton { { name = 'a' }, { name = 'b' }, { name = 'c' }, { name = 'd' }, { name = "  \
    "'e' } }"
#define SQUARE                                                                                               \
    "positions = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } }, triangles = { { 1, 2, 3 }, { 1, "   \
    "3, 4 } }"

static ScriptCharacter *load(Fixture *fixture, const char *text) {
    write_file("scripts/fabrics/wool.lua", WOOL);
    write_file("scripts/fabrics/thick.lua", THICK);
    return fixture_load(fixture, "characters/x", text);
}

static const SimRigInfo *rig_of(const Fixture *fixture, const ScriptCharacter *character) {
    return sim_rig_info(fixture->world, script_character_info(character)->rig);
}

static void assert_floats(const float *found, int count, const float *expected) {
    for (int i = 0; i < count; i++)
        if (fabsf(found[i] - expected[i]) > 1e-6f)
            fail_msg("[%d]: expected %g, found %g", i, (double)expected[i], (double)found[i]);
}

// The same mesh as tables and in packed strings.
static void test_forms(void **state) {
    const SimRigInfo *rig = rig_of(
        *state,
        load(*state,
             "return tweed.character { " SPINE ", meshes = {\n"
             "  tweed.mesh { name = 'tables', " SQUARE
             ", uvs = { { 0, 0 }, { .5, 0 }, { .5, .25 }, { 0, .25 } },\n"
             "    weights = { { b = 3, a = 1 }, { c = 1 }, { a = 4, b = 5, c = 1, d = 3, e = 2 }, { e = .5 } "
             "} },\n"
             "  tweed.mesh { name = 'packed', positions = string.pack('<ffffffffffff', 0,0,0, 1,0,0, 1,1,0, "
             "0,1,0),\n"
             "    triangles = string.pack('<I4I4I4I4I4I4', 1, 2, 3, 1, 3, 4),\n"
             "    uvs = string.pack('<ffffffff', 0, 0, .5, 0, .5, .25, 0, .25),\n"
             "    weights = { bones = { 'e', 'd', 'c', 'b', 'a' },\n"
             "      joints = string.pack('<I2I2I2I2I2I2I2I2I2I2I2I2I2I2I2I2', 5,4,0,0, 3,0,0,0, 4,5,2,1, "
             "0,0,0,1),\n"
             "      shares = string.pack('<ffffffffffffffff', 1,3,9,9, 1,0,0,0, 5,4,3,2, 0,0,0,.5) } },\n"
             "} }\n"));
    static const float weights[4][4] = {
        {.75f, .25f, 0, 0}, {1, 0, 0, 0}, {5 / 14.0f, 4 / 14.0f, 3 / 14.0f, 2 / 14.0f}, {1, 0, 0, 0}};
    static const uint16_t joints[4][4] = {{1, 0}, {2}, {1, 0, 3, 4}, {4}};
    static const float uvs[4][2] = {{0, 0}, {.5f, 0}, {.5f, .25f}, {0, .25f}};
    assert_int_equal(rig->mesh_count, 2);
    for (int i = 0; i < 2; i++) {
        const SimRenderMesh *mesh = &rig->meshes[i];
        assert_int_equal(mesh->vertex_count, 4);
        assert_int_equal(mesh->triangle_count, 2);
        assert_int_equal(mesh->garment, -1);
        assert_memory_equal(mesh->triangles, ((uint32_t[2][3]){{0, 1, 2}, {0, 2, 3}}), 24);
        assert_memory_equal(mesh->joints, joints, sizeof joints);
        assert_floats(mesh->weights[0], 16, weights[0]);
        assert_floats(mesh->uvs[0], 8, uvs[0]);
        for (int v = 0; v < 4; v++) assert_floats(mesh->normals[v], 3, (float[]){0, 0, 1});
    }
}

// Normals that are not given: the mean by area, the same on both sides of a seam of the uvs.
static void test_normals(void **state) {
    const SimRigInfo *rig =
        rig_of(*state, load(*state, "return tweed.character { " SPINE
                                    ", meshes = { tweed.mesh { name = 'roof', weights = 'a',\n"
                                    "  positions = { { 0, 0, 0 }, { 0, 0, -1 }, { -1, -1, 0 }, { -0.0, 0, 0 "
                                    "}, { 0, 0, -1 }, { 2, -2, 0 } },\n"
                                    "  triangles = { { 1, 2, 3 }, { 4, 6, 5 } } } } }\n"));
    const SimRenderMesh *mesh = rig->meshes;
    const float slope = sqrtf(.5f), length = sqrtf(1 + 9);
    assert_floats(mesh->normals[2], 3, (float[]){-slope, slope, 0});
    assert_floats(mesh->normals[5], 3, (float[]){slope, slope, 0});
    for (int v = 0; v < 2; v++) {
        assert_floats(mesh->normals[v], 3, (float[]){1 / length, 3 / length, 0});
        assert_memory_equal(mesh->normals[v], mesh->normals[v + 3], sizeof(float[3]));
    }
}

// A garment's mesh takes what it does not give from the fabric, and the fabric from its base.
static void test_materials(void **state) {
    ScriptCharacter *character =
        load(*state, "local chain = { name = 'rope', bone = 'a', fabric = 'thick', points = { { 0, 0, 0 }, { "
                     "0, -.1, 0 }, { 0, -.2, 0 } } }\n"
                     "chain.meshes = { tweed.mesh { name = 'own', weights = 'rope_1_0', " SQUARE " },\n"
                     "                 tweed.mesh { name = 'red', weights = 'a', material = { color = { 1, "
                     "0, 0 } }, " SQUARE " } }\n"
                     "return tweed.character { " SPINE ", garments = { tweed.chain(chain) }, meshes = {\n"
                     "  tweed.mesh { name = 'body', weights = 'b', " SQUARE
                     " }:with { name = 'skin', material = { pattern = 'skin' } },\n"
                     "  tweed.mesh { name = 'named', weights = 'b', garment = 'rope', " SQUARE " } } }\n");
    static const struct {
        const char *name;
        int garment, joint;
        SimMaterial material;
    } expected[] = {{"skin", -1, 1, {{.5f, .5f, .5f}, .9f, SIM_PATTERN_SKIN}},
                    {"named", 0, 1, {{.1f, .2f, .3f}, .5f, SIM_PATTERN_TWILL}},
                    {"own", 0, 6, {{.1f, .2f, .3f}, .5f, SIM_PATTERN_TWILL}},
                    {"red", 0, 0, {{1, 0, 0}, .5f, SIM_PATTERN_TWILL}}};
    const SimRigInfo *rig = rig_of(*state, character);
    assert_int_equal(rig->mesh_count, 4);
    for (int i = 0; i < 4; i++) {
        const SimRenderMesh *mesh = &rig->meshes[i];
        const SimMaterial now = script_character_material(character, mesh, i);
        assert_string_equal(mesh->name, expected[i].name);
        assert_int_equal(mesh->garment, expected[i].garment);
        assert_int_equal(mesh->joints[0][0], expected[i].joint);
        assert_true(sim_materials_are_equal(&mesh->material, &expected[i].material));
        assert_true(sim_materials_are_equal(&now, &expected[i].material));
    }
}

// A part of a mesh is cut along a line, stands out, keeps the weights, and has a rim that ends on the mesh.
// Its uvs, drawn out by 2 as the square's are, have its area.
static void test_parts(void **state) {
    const SimRigInfo *rig =
        rig_of(*state, load(*state, "local square = tweed.mesh { name = 'square', " SQUARE
                                    ", weights = { { a = 1 }, { b = 1 }, { b = .5, c = .5 }, { a = 1 } },\n"
                                    "  uvs = { { 0, 0 }, { .2, 0 }, { .2, .4 }, { 0, .4 } } }\n"
                                    "return tweed.character { " SPINE
                                    ", meshes = { square:part { name = 'left', out = .01,\n"
                                    "  within = function(position) return .25 - position[1] end } } }\n"));
    const SimRenderMesh *mesh = rig->meshes;
    assert_string_equal(mesh->name, "left");
    assert_int_equal(mesh->vertex_count, 2 + 2 * 4);
    assert_int_equal(mesh->triangle_count, 3 + 2 * 2);
    assert_floats(mesh->positions[0], 3, (float[]){0, 0, .01f});
    assert_floats(mesh->positions[1], 3, (float[]){0, 1, .01f});
    int on_part = 0, on_mesh = 0;
    for (int v = 2; v < mesh->vertex_count; v++) { // three on the line: below, on the diagonal, above
        const float *at = mesh->positions[v];
        assert_true(fabsf(at[0] - .25f) < 1e-6f);
        assert_floats(mesh->uvs[v], 2, (float[]){at[0] * sqrtf(.5f), at[1] * sqrtf(2)});
        on_part += fabsf(at[2] - .01f) < 1e-6f;
        on_mesh += at[2] == 0.0f;
        if (at[1] == 0.0f) assert_floats(mesh->weights[v], 2, (float[]){.75f, .25f}); // a, b
        if (at[1] == .25f) {
            assert_memory_equal(mesh->joints[v], ((uint16_t[]){0, 1, 2, 0}), sizeof *mesh->joints);
            assert_floats(mesh->weights[v], 3, (float[]){.75f, .125f, .125f});
        }
    }
    assert_int_equal(on_part, 4);
    assert_int_equal(on_mesh, 4);
    for (int i = 0; i < mesh->triangle_count;
         i++) { // in front they face as the mesh does, the rim away from the part
        vec3 along, across, normal;
        const uint32_t *corner = mesh->triangles[i];
        glm_vec3_sub((float *)mesh->positions[corner[1]], (float *)mesh->positions[corner[0]], along);
        glm_vec3_sub((float *)mesh->positions[corner[2]], (float *)mesh->positions[corner[0]], across);
        glm_vec3_cross(along, across, normal);
        assert_true(normal[2] > 1e-6f || normal[0] > 1e-6f);
    }
}

static void test_wrong_parts(void **state) {
    static const char *const wrong[][2] = {
        {"return 'x'", "part.within: at {0.0, 0.0, 0.0}: expected a number of metres, found x"},
        {"return -1",
         "part.within: expected more than 0 at a vertex at least, found less at all 4 of \"square\""},
    };
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "local square = tweed.mesh { name = 'square', weights = 'a', " SQUARE " }\n"
            "local made, message = pcall(square.part, square, { name = 'p', within = function() %s end })\n"
            "assert(not made and message:find([[%s]], 1, true), message)\n"
            "return tweed.character { " SPINE " }\n",
            wrong[i][0], wrong[i][1]);
        assert_non_null(load(*state, text));
    }
}

// The triangles that are left of a carpet of 5 x 5 vertices, 32 triangles, that faces +Z and may cover
// something itself.
static int left_of(Fixture *fixture, const char *cover, bool covers) {
    char text[2048];
    static int number;
    char script[32];
    snprintf(text, sizeof text,
             "local positions, triangles = {}, {}\n"
             "for row = 0, 4 do for column = 0, 4 do\n"
             "  positions[#positions + 1] = { column / 2 - 1, row / 2 - 1, 0 }\n"
             "  local at = #positions\n"
             "  if row > 0 and column > 0 then\n"
             "    triangles[#triangles + 1] = { at, at - 1, at - 6 }\n"
             "    triangles[#triangles + 1] = { at, at - 6, at - 5 }\n"
             "  end\n"
             "end end\n"
             "local function cover(z, x, covers, sides, pattern)\n"
             "  return tweed.mesh { name = 'cover', weights = 'a', covers = covers, triangles = sides or { { "
             "1, 2, 3 }, { 1, 3, 4 } }, material = { pattern = pattern },\n"
             "    positions = { { -2, -2, z }, { x, -2, z }, { x, 2, z }, { -2, 2, z } } }\n"
             "end\n"
             "local carpet = tweed.mesh { name = 'carpet', weights = 'a', positions = positions, triangles = "
             "triangles%s }\n"
             "return tweed.character { " SPINE ", meshes = { carpet, %s } }\n",
             covers ? ", covers = .01" : "", cover);
    snprintf(script, sizeof script, "characters/cover_%d", number++);
    const SimRigInfo *rig = rig_of(fixture, fixture_load(fixture, script, text));
    assert_int_equal(rig->mesh_count, 2);
    const bool is_part = strncmp(cover, "carpet:", 7) == 0;
    if (!is_part) assert_int_equal(rig->meshes[1].triangle_count, 2); // a cover does not hide itself
    return rig->meshes[0].triangle_count;
}

static int left_under(Fixture *fixture, const char *cover) {
    return left_of(fixture, cover, false);
}

// Three columns of vertices lie under a cover that ends between the third and the fourth: of four columns of
// triangles two are left.
static void test_covers(void **state) {
    assert_int_equal(left_under(*state, "cover(.04, .3, .05)"), 16);
    assert_int_equal(left_under(*state, "cover(.04, .3, 0)"), 32);
    assert_int_equal(left_under(*state, "cover(.06, .3, .05)"), 32);   // too far
    assert_int_equal(left_under(*state, "cover(-.005, .3, .05)"), 16); // the skin stands out a little
    assert_int_equal(left_under(*state, "cover(-.02, .3, .05)"), 32);
    assert_int_equal(left_under(*state, "cover(-.02, .3, .08)"), 16);     // by .3 of the reach
    assert_int_equal(left_of(*state, "cover(-.005, .3, .05)", true), 32); // what covers, too, is no skin
    assert_int_equal(left_of(*state, "cover(.04, .3, .05)", true), 16);
    assert_int_equal(left_under(*state, "cover(.04, .3, .05, { { 3, 2, 1 }, { 4, 3, 1 } })"),
                     32); // it looks inwards
    assert_int_equal(left_under(*state, "cover(.04, 3, .05)"), 0);
    assert_int_equal(left_under(*state, "cover(.04, 3, .05, nil, 'satin')"), 0);
    assert_int_equal(left_under(*state, "cover(.04, 3, .05, nil, 'gauze')"), 32);       // one sees through it
    assert_int_equal(left_under(*state, "cover(.03, .3, { .05, .02, .02, .05 })"), 24); // as far as x = -.47
    assert_int_equal(left_under(*state, "cover(.03, .3, string.pack('<ffff', .05, .02, .02, .05))"), 24);
    assert_int_equal(left_under(*state, "cover(.04, .3, { 0, .05, .05, .05 })"), 32);
    const char *const part =
        "carpet:part { name = 'part', out = .01, %swithin = function(place) return .3 - place[1] end }";
    const char *const covers[] = {"", "covers = .009, ", "covers = .011, "};
    const int left[] = {32, 32, 16};
    for (int i = 0; i < 3; i++) {
        char cover[160];
        snprintf(cover, sizeof cover, part, covers[i]);
        assert_int_equal(left_under(*state, cover), left[i]);
    }
}

// The triangles that are left of a post of 9 rings, .1 m apart and .05 m thick, in a closed sleeve of a
// radius whose edge stands at y = .45.
static int left_in_sleeve(Fixture *fixture, const char *radius) {
    char text[2048], script[32];
    static int number;
    snprintf(
        text, sizeof text,
        "local function ring(into, y, radius)\n"
        "  for i = 0, 11 do\n"
        "    local angle = i / 6 * math.pi\n"
        "    into[#into + 1] = { radius * math.cos(angle), y, radius * math.sin(angle) }\n"
        "  end\n"
        "end\n"
        "local function tube(name, radius, step, rings, covers)\n"
        "  local positions, triangles = {}, {}\n"
        "  for row = 0, rings do ring(positions, row * step, radius) end\n"
        "  for row = 0, rings - 1 do for i = 0, 11 do\n"
        "    local a, b = 12 * row + i + 1, 12 * row + (i + 1) %% 12 + 1\n"
        "    triangles[#triangles + 1] = { a, a + 12, b }\n"
        "    triangles[#triangles + 1] = { b, a + 12, b + 12 }\n"
        "  end end\n"
        "  return tweed.mesh { name = name, weights = 'a', positions = positions, triangles = triangles, "
        "covers = covers }\n"
        "end\n"
        "return tweed.character { " SPINE ", meshes = { tube('post', .05, .02, 40), "
        "tube('sleeve', %s, .09, 5, .05) } }\n",
        radius);
    snprintf(script, sizeof script, "characters/sleeve_%d", number++);
    return rig_of(fixture, fixture_load(fixture, script, text))->meshes[0].triangle_count;
}

// Of 40 bands of 24 triangles 18 stand out of the sleeve at least in part. One looks into both its ends, as
// far as lines of sight go that tilt by 70 degrees: by 2.7 times the gap.
static void test_covers_leave_what_one_sees_in_openings(void **state) {
    assert_int_equal(left_in_sleeve(*state, ".052"), 24 * 19);
    assert_int_equal(left_in_sleeve(*state, ".07"), 24 * 21);
    assert_int_equal(left_in_sleeve(*state, ".09"), 24 * 24);
    assert_int_equal(left_in_sleeve(*state, ".045"), 24 * 18); // the post stands out of the cloth
}

static void test_imported_meshes(void **state) {
    AssetError error;
    char path[256];
    if (!asset_can_import(&error) || !asset_find("X/Testwuson.X", NULL, 0, path, sizeof path, &error)) skip();
    const SimRigInfo *rig =
        rig_of(*state, load(*state, "return tweed.character { skeleton = tweed.import 'X/Testwuson.X' }\n"));
    assert_int_equal(rig->mesh_count, 1);
    assert_int_equal(rig->meshes[0].triangle_count, 3732);
    rig = rig_of(
        *state,
        fixture_load(*state, "characters/y",
                     "local wolf = tweed.import 'X/Testwuson.X'\n"
                     "assert(wolf.meshes == wolf.meshes and wolf.meshes[1].name == 'Wuson')\n"
                     "assert(wolf.meshes[1].vertex_count == 3205 and wolf.meshes[1].triangle_count == 3732)\n"
                     "local fur = wolf.meshes[1]:with { material = { pattern = 'fur' } }\n"
                     "return tweed.character { skeleton = wolf, meshes = { fur } }\n"));
    assert_int_equal(rig->meshes[0].material.pattern, SIM_PATTERN_FUR);
    rig = rig_of(*state, fixture_load(*state, "characters/z",
                                      "local wolf = tweed.import 'X/Testwuson.X'\n"
                                      "return tweed.character { skeleton = wolf, meshes = {} }\n"));
    assert_int_equal(rig->mesh_count, 0);
}

// A file whose bind pose is not its rest pose: at rest a script's mesh has the shape that it was given.
static void test_bind_pose(void **state) {
    AssetError error;
    char path[256];
    const char *file = "FBX/animation_with_skeleton.fbx";
    if (!asset_can_import(&error) || !asset_find(file, NULL, 0, path, sizeof path, &error)) skip();
    const SimRigInfo *rig = rig_of(
        *state,
        load(*state,
             "local skeleton = tweed.import 'FBX/animation_with_skeleton.fbx'\n"
             "local a, b = 'Bone', 'Bone.006'\n"
             "return tweed.character { skeleton = skeleton, meshes = { skeleton.meshes[1], tweed.mesh {\n"
             "  name = 'patch', " SQUARE
             ", weights = { { [a] = 1 }, { [b] = 1 }, { [a] = 1, [b] = 1 }, { [b] = 1 } },\n"
             "} } }\n"));
    static const float square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const SimRenderMesh *own = &rig->meshes[0], *patch = &rig->meshes[1];
    float farthest = 0.0f;
    for (int v = 0; v < 4; v++) {
        vec3 skinned = {0.0f, 0.0f, 0.0f}, moved;
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            const SimBoneInfo *bone = &rig->bones[patch->joints[v][k]];
            mat4 product;
            glm_mat4_mul((vec4 *)bone->rest_model, (vec4 *)bone->inverse_bind, product);
            glm_mat4_mulv3(product, (float *)patch->positions[v], 1.0f, moved);
            glm_vec3_muladds(moved, patch->weights[v][k], skinned);
        }
        assert_true(glm_vec3_distance(skinned, (float *)square[v]) < 1e-4f);
        farthest = fmaxf(farthest, glm_vec3_distance((float *)patch->positions[v], (float *)square[v]));
    }
    assert_true(farthest > 0.1f);
    for (int v = 0; v < own->vertex_count; v++) // as in the file, not as at rest, where it rises to 4.4 m
        assert_true(fabsf(own->positions[v][1]) < 0.917f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(test_forms),
        FIXTURE_TEST(test_normals),
        FIXTURE_TEST(test_materials),
        FIXTURE_TEST(test_parts),
        FIXTURE_TEST(test_wrong_parts),
        FIXTURE_TEST(test_covers),
        FIXTURE_TEST(test_covers_leave_what_one_sees_in_openings),
        FIXTURE_TEST(test_imported_meshes),
        FIXTURE_TEST(test_bind_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
