// character.describe and stream.static, complete texts, in axes that change lengths and order.
#include "protocol/static.h"
#include "text_fixture.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const float rest[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.1f, 1.2f, -0.3f, 1};
static const float inverse_bind[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.1f, -1.2f, 0.3f, 1};
static const ProtocolBone bones[] = {{"Hips", -1, PROTOCOL_BONE_SKELETON, rest, inverse_bind},
                                     {"jacket_0_0", 0, PROTOCOL_BONE_CLOTH, rest, inverse_bind},
                                     {"hood", 0, PROTOCOL_BONE_PENDULUM, rest, inverse_bind}};
static const float particles[4][3] = {{0, 1, 0.1f}, {0.1f, 1, 0.1f}, {0, 0.9f, 0.1f}, {0.1f, 0.9f, 0.1f}};
static const float distances[4] = {0, 0, 0.4f, 0.5f};
static const int pinned[] = {0, 1}, grid_bones[1][2] = {{0, 1}}, met[] = {0, 2},
                 triangles[2][3] = {{0, 2, 1}, {1, 2, 3}};
static const int pendulum_bones[1][2] = {{1, 2}}, hook[] = {0};
static const ProtocolGarment garments[] = {
    {.name = "jacket",
     .solver = "verlet",
     .fabric = "tweed",
     .rows = 2,
     .columns = 2,
     .rest = particles,
     .particle_count = 4,
     .max_distance = distances,
     .pinned = pinned,
     .pinned_count = 2,
     .bones = grid_bones,
     .bone_count = 1,
     .colliders = met,
     .collider_count = 2,
     .triangles = triangles,
     .triangle_count = 2},
    {.name = "hood",
     .solver = "pendulum",
     .fabric = "tweed",
     .rows = 2,
     .columns = 1,
     .closed = true,
     .rest = particles,
     .particle_count = 2,
     .pinned = hook,
     .pinned_count = 1,
     .bones = pendulum_bones,
     .bone_count = 1},
};
static const ProtocolCollider colliders[] = {
    {.name = "pelvis",
     .shape = PROTOCOL_SHAPE_ELLIPSOID,
     .bone = "Hips",
     .center = {0, 0.02f, 0},
     .rotation = {0.6f, 0, 0, 0.8f},
     .radii = {0.17f, 0.12f, 0.13f}},
    {.name = "head",
     .shape = PROTOCOL_SHAPE_SPHERE,
     .bone = "Hips",
     .center = {0, 0.6f, 0.1f},
     .radius = 0.1f},
    {.name = "thigh",
     .shape = PROTOCOL_SHAPE_CAPSULE,
     .bone = "Hips",
     .from = {0, 0, 0},
     .to = {0, -0.42f, 0.01f},
     .radius = 0.08f,
     .radius_end = 0.06f},
    {.name = "ground", .shape = PROTOCOL_SHAPE_PLANE, .normal = {0, 0.8f, 0.6f}, .offset = -0.25f},
};
static const ProtocolClip clips[] = {{"walk", 1.2}};
static const ProtocolCommand commands[] = {{"dodge", "dodge \"sideways\""}, {"stop", NULL}};
static const ProtocolCharacter alan = {.name = "alan",
                                       .script = "characters/wake",
                                       .revision = 3,
                                       .bones = bones,
                                       .bone_count = 3,
                                       .garments = garments,
                                       .garment_count = 2,
                                       .colliders = colliders,
                                       .collider_count = 4,
                                       .clips = clips,
                                       .clip_count = 1,
                                       .commands = commands,
                                       .command_count = 2};

#define GLTF_REST    "[1,0,0,0,0,1,0,0,0,0,1,0,0.1,1.2,-0.3,1]"
#define GLTF_INVERSE "[1,0,0,0,0,1,0,0,0,0,1,0,-0.1,-1.2,0.3,1]"
#define GLTF_BONE(name, parent, kind)                                                                        \
    "{\"name\":\"" name "\",\"parent\":" parent ",\"kind\":\"" kind "\",\"rest\":" GLTF_REST                 \
    ",\"inverse_bind\":" GLTF_INVERSE "}"
#define GLTF_HIPS   GLTF_BONE("Hips", "-1", "skeleton")
#define GLTF_JACKET GLTF_BONE("jacket_0_0", "0", "cloth")
#define GLTF_HOOD   GLTF_BONE("hood", "0", "pendulum")

static const char in_gltf[] =
    "{\"name\":\"alan\",\"script\":\"characters/wake\",\"revision\":3,"
    "\"bones\":[" GLTF_HIPS "," GLTF_JACKET "," GLTF_HOOD "],"
    "\"garments\":[{\"name\":\"jacket\",\"solver\":\"verlet\",\"fabric\":\"tweed\",\"rows\":2,\"columns\":2,"
    "\"closed\":false,\"rest\":[0,1,0.1,0.1,1,0.1,0,0.9,0.1,0.1,0.9,0.1],\"max_distance\":[0,0,0.4,0.5],"
    "\"pinned\":[0,1],\"bones\":[[0,1]],\"colliders\":[0,2],\"triangles\":[0,2,1,1,2,3]},"
    "{\"name\":\"hood\",\"solver\":\"pendulum\",\"fabric\":\"tweed\",\"rows\":2,\"columns\":1,\"closed\":"
    "true,"
    "\"rest\":[0,1,0.1,0.1,1,0.1],\"pinned\":[0],\"bones\":[[1,2]],\"colliders\":[],\"triangles\":[]}],"
    "\"colliders\":[{\"name\":\"pelvis\",\"shape\":\"ellipsoid\",\"bone\":\"Hips\",\"center\":[0,0.02,0],"
    "\"rotation\":[0.6,0,0,0.8],\"radii\":[0.17,0.12,0.13]},"
    "{\"name\":\"head\",\"shape\":\"sphere\",\"bone\":\"Hips\",\"center\":[0,0.6,0.1],\"radius\":0.1},"
    "{\"name\":\"thigh\",\"shape\":\"capsule\",\"bone\":\"Hips\",\"from\":[0,0,0],\"to\":[0,-0.42,0.01],"
    "\"radius\":0.08,\"radius_end\":0.06},"
    "{\"name\":\"ground\",\"shape\":\"plane\",\"normal\":[0,0.8,0.6],\"offset\":-0.25}],"
    "\"clips\":[{\"name\":\"walk\",\"duration\":1.2}],"
    "\"commands\":[{\"name\":\"dodge\",\"help\":\"dodge "
    "\\\"sideways\\\"\"},{\"name\":\"stop\",\"help\":\"\"}]";

static void test_describes_in_gltf(void **state) {
    (void)state;
    char expected[sizeof in_gltf + 32];
    protocol_write_description(&text, &alan, PROTOCOL_AXES_GLTF);
    strcat(strcpy(expected, in_gltf), "}");
    assert_text(expected);
}

static const float corners[3][3] = {{0.1f, 0.2f, 0.3f}, {0.4f, 0.5f, 0.6f}, {0.7f, 0.8f, 0.9f}};
static const float normals[3][3] = {{0, 0.6f, 0.8f}, {0, 1, 0}, {1, 0, 0}};
static const float uvs[3][2] = {{0, 0.5f}, {1, 0}, {-0.25f, 2}};
static const uint32_t mesh_triangles[1][3] = {{0, 1, 2}};
static const uint16_t joints[3][4] = {{1, 0, 0, 0}, {2, 1, 0, 0}, {0, 0, 0, 0}};
static const float shares[3][4] = {{1, 0, 0, 0}, {0.7f, 0.3f, 0, 0}, {1, 0, 0, 0}};
static const ProtocolMesh shell = {.name = "shell",
                                   .garment = "jacket",
                                   .vertex_count = 3,
                                   .triangle_count = 1,
                                   .positions = corners,
                                   .normals = normals,
                                   .uvs = uvs,
                                   .triangles = mesh_triangles,
                                   .joints = joints,
                                   .weights = shares};

static void test_writes_a_mesh(void **state) {
    (void)state;
    protocol_write_mesh(&text, &shell, PROTOCOL_AXES_GLTF);
    assert_text("{\"name\":\"shell\",\"garment\":\"jacket\","
                "\"positions\":[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9],\"normals\":[0,0.6,0.8,0,1,0,1,0,0],"
                "\"uvs\":[0,0.5,1,0,-0.25,2],\"triangles\":[0,1,2],\"joints\":[1,0,0,0,2,1,0,0,0,0,0,0],"
                "\"weights\":[1,0,0,0,0.7,0.3,0,0,1,0,0,0]");
}

// Left-handed axes are a mirror image; a triangle stays counter-clockwise.
static void test_writes_a_mesh_in_unreal(void **state) {
    (void)state;
    ProtocolMesh body = shell;
    body.garment = NULL;
    protocol_write_mesh(&text, &body, PROTOCOL_AXES_UNREAL);
    assert_text("{\"name\":\"shell\",\"positions\":[10,30.000002,20,40,60.000004,50,70,90,80],"
                "\"normals\":[0,0.8,0.6,0,0,1,1,0,0],\"uvs\":[0,0.5,1,0,-0.25,2],\"triangles\":[0,2,1],"
                "\"joints\":[1,0,0,0,2,1,0,0,0,0,0,0],\"weights\":[1,0,0,0,0.7,0.3,0,0,1,0,0,0]");
}

static void test_meshes_in_a_description(void **state) {
    (void)state;
    TextBuffer description = {0}, mesh = {0};
    const ProtocolMeshText meshes[] = {{&mesh, {{0.25f, 0.1f, 1}, 0.9f, "twill"}},
                                       {&mesh, {{0, 0, 0}, 0, "plain"}}};
    text_buffer_append_string(&description, "{\"name\":\"alan\"}");
    text_buffer_append_string(&mesh, "{\"name\":\"x\"");
    protocol_write_meshed_description(&text, &description, NULL, 0);
    assert_text("{\"name\":\"alan\",\"meshes\":[]}");
    protocol_write_meshed_description(&text, &description, meshes, 2);
    assert_text("{\"name\":\"alan\",\"meshes\":["
                "{\"name\":\"x\",\"material\":{\"color\":[0.25,0.1,1],\"roughness\":0.9,\"pattern\":"
                "\"twill\"}},"
                "{\"name\":\"x\",\"material\":{\"color\":[0,0,0],\"roughness\":0,\"pattern\":\"plain\"}}]}");
    mesh.failed = true;
    protocol_write_meshed_description(&text, &description, meshes, 1);
    assert_true(text.failed);
    text_buffer_clear(&text);
    text_buffer_finish(&description);
    text_buffer_finish(&mesh);
}

static cJSON *describe_in(ProtocolAxes axes) {
    protocol_write_description(&text, &alan, axes);
    cJSON *json = cJSON_ParseWithLength(text.bytes, text.length);
    text_buffer_clear(&text);
    assert_non_null(json);
    return json;
}

static const cJSON *at(const cJSON *json, const char *list, int index, const char *member) {
    return cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(json, list), index), member);
}

static void assert_json(const cJSON *json, const char *expected) {
    cJSON *tree = cJSON_Parse(expected);
    if (!cJSON_Compare(json, tree, true))
        fail_msg("%s instead of %s", cJSON_PrintUnformatted(json), expected);
    cJSON_Delete(tree);
}

// Blender's y and z are swapped: so are an ellipsoid's radii, and the axis of its rotation.
static void test_describes_in_blender(void **state) {
    (void)state;
    cJSON *json = describe_in(PROTOCOL_AXES_BLENDER);
    assert_json(at(json, "bones", 0, "rest"), "[1,0,0,0,0,1,0,0,0,0,1,0,0.1,0.3,1.2,1]");
    assert_json(at(json, "bones", 0, "inverse_bind"), "[1,0,0,0,0,1,0,0,0,0,1,0,-0.1,-0.3,-1.2,1]");
    assert_json(at(json, "garments", 0, "rest"), "[0,-0.1,1,0.1,-0.1,1,0,-0.1,0.9,0.1,-0.1,0.9]");
    assert_json(at(json, "garments", 0, "max_distance"), "[0,0,0.4,0.5]");
    assert_json(at(json, "colliders", 0, "center"), "[0,0,0.02]");
    assert_json(at(json, "colliders", 0, "rotation"), "[0.6,0,0,0.8]");
    assert_json(at(json, "colliders", 0, "radii"), "[0.17,0.13,0.12]");
    assert_json(at(json, "colliders", 3, "normal"), "[0,-0.6,0.8]");
    assert_json(at(json, "colliders", 3, "offset"), "-0.25");
    cJSON_Delete(json);
}

// Centimetres: the float32 nearest to 100 times the metres.
static void test_describes_in_unreal(void **state) {
    (void)state;
    cJSON *json = describe_in(PROTOCOL_AXES_UNREAL);
    assert_json(at(json, "bones", 0, "rest"), "[1,0,0,0,0,1,0,0,0,0,1,0,10,-30.000002,120.00001,1]");
    assert_json(at(json, "garments", 0, "max_distance"), "[0,0,40,50]");
    assert_json(at(json, "colliders", 0, "rotation"), "[-0.6,0,0,0.8]");
    assert_json(at(json, "colliders", 0, "radii"), "[17,13,12]");
    assert_json(at(json, "colliders", 1, "center"), "[0,10,60.000004]");
    assert_json(at(json, "colliders", 1, "radius"), "10");
    assert_json(at(json, "colliders", 2, "to"), "[0,1,-42]");
    assert_json(at(json, "colliders", 2, "radius_end"), "6");
    assert_json(at(json, "colliders", 3, "normal"), "[0,0.6,0.8]");
    assert_json(at(json, "colliders", 3, "offset"), "-25");
    assert_json(at(json, "clips", 0, "duration"), "1.2");
    cJSON_Delete(json);
}

static void test_static_lines(void **state) {
    (void)state;
    static const size_t selection[] = {2, 0};
    protocol_write_static(&text, 4, &alan, selection, 2, NULL);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.static\",\"params\":{\"view\":4,\"character\":"
                "\"alan\",\"revision\":3,"
                "\"bones\":[\"hood\",\"Hips\"]}}\n");
    TextBuffer description = {0};
    text_buffer_append_string(&description, "{\"name\":\"alan\"}");
    protocol_write_static(&text, 4, &alan, NULL, 3, &description);
    assert_text("{\"jsonrpc\":\"2.0\",\"method\":\"stream.static\",\"params\":{\"view\":4,\"character\":"
                "\"alan\",\"revision\":3,"
                "\"bones\":[\"Hips\",\"jacket_0_0\",\"hood\"],\"description\":{\"name\":\"alan\"}}}\n");
    description.failed = true;
    protocol_write_static(&text, 4, &alan, NULL, 0, &description);
    assert_true(text.failed);
    text_buffer_finish(&description);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describes_in_gltf),
        cmocka_unit_test(test_describes_in_blender),
        cmocka_unit_test(test_describes_in_unreal),
        cmocka_unit_test(test_writes_a_mesh),
        cmocka_unit_test(test_writes_a_mesh_in_unreal),
        cmocka_unit_test(test_meshes_in_a_description),
        cmocka_unit_test(test_static_lines),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
