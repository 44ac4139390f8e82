// What an imported file contains: bones, units, errors, and a file that is no human. Skipped without assimp
// or Debian's assimp-testmodels.
#include "bvh.h"

#include <cglm/cglm.h>

static void test_skeleton_is_a_human_s(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("BVH/01_01.bvh", path);
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    assert_int_equal(count, 31);
    for (int i = 0; i < count; i++) assert_true(bones[i].parent < i);
    assert_int_equal(bones[0].parent, -1);
    assert_string_equal(bones[0].name, "Hips");
    assert_float_equal(asset_file_height(file), 1.4479f, 1e-3); // legs splayed by 20 degrees
    int thigh = find_bone(file, "LeftLeg"), shank = find_bone(file, "LeftFoot");
    const float *a = bones[thigh].position, *b = bones[shank].position;
    assert_float_equal(sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), 0.404f, 1e-3);
    assert_float_equal(sqrtf(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]), 0.423f, 1e-3);

    // The lower right toe is a sole's thickness above the ground, facing +Z with the left side at +X.
    double lowest[3] = {0, 1, 0};
    for (int i = find_bone(file, "RightToeBase"); i >= 0; i = bones[i].parent)
        for (int k = 0; k < 3; k++) lowest[k] += (double)bones[i].position[k];
    assert_true(fabs(lowest[1] - 1.029) < 1e-4);
    assert_true(bones[thigh].position[0] > 0.0f);
    float end[3];
    assert_true(asset_file_bone_end(file, find_bone(file, "LeftToeBase"), end));
    assert_float_equal(end[2], 1.18966f * 0.056444f, 1e-5);
    assert_false(asset_file_bone_end(file, find_bone(file, "Spine"), end));
    asset_file_destroy(file);
}

static void test_a_given_scale_stands(void **state) {
    (void)state;
    char path[256];
    asset_file_destroy(load("BVH/Boxing_Toes.bvh", path));
    AssetError error;
    AssetFile *file = asset_file_load(path, &(AssetLoad){.scale = 0.02f}, NULL, &error);
    assert_non_null(file);
    assert_float_equal(file->scale, 0.02f, 0);
    assert_float_equal(asset_file_height(file), 3.46514f, 1e-3);
    asset_file_destroy(file);
    assert_null(asset_file_load(path, &(AssetLoad){.scale = -1.0f}, NULL, &error));
    char expected[400];
    snprintf(expected, sizeof expected, "%s: scale: expected 0 to 1000 metres per unit, found -1", path);
    assert_string_equal(error.message, expected);
}

static void test_cuts_outside_the_motion_are_refused(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("BVH/01_01.bvh", path);
    static const struct {
        AssetCut cut;
        const char *message;
    } cases[] = {
        {{.from = 0.1f, .to = 23.0f}, "to: expected 0 to 22.925 s, found 23.000"},
        {{.from = 30.0f, .to = -1.0f}, "from: expected 0 to 22.925 s, found 30.000"},
        {{.from = 3.0f, .to = 2.0f}, "expected from (3.000 s) before to (2.000 s)"},
        {{.from = NAN, .to = 2.0f}, "from: expected 0 to 22.925 s, found nan"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AssetClip clip;
        AssetError error;
        char expected[400];
        snprintf(expected, sizeof expected, "%s: %s", path, cases[i].message);
        assert_false(asset_clip_init(&clip, file, 0, &cases[i].cut, &error));
        assert_string_equal(error.message, expected);
        assert_null(clip.rotations);
    }
    asset_file_destroy(file);
}

static void test_broken_files_are_named(void **state) {
    (void)state;
    AssetError error;
    if (!asset_can_import(&error)) skip();
    static const struct {
        const char *ending, *text, *message;
    } cases[] = {
        {".bvh", "hello\n", ":1 - Expected header string \"HIERARCHY\"."},
        {".bvh",
         "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition "
         "Zposition\n}\nMOTION\nFrames: 3\n"
         "Frame Time: .01\n1 2 3 4\n",
         ":11 - Unexpected end of file while trying to read a float"},
        {".bvh",
         "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 3 Xposition Yposition Zposition\nEnd Site\n{\n"
         "OFFSET 1e309 .3 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: .01\n1 2 3\n1 2 3\n",
         ": the pose or the end of its bone Hips is not finite or too large"},
        {".bvh",
         "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation "
         "Yrotation "
         "Zrotation\nEnd Site\n{\nOFFSET 0 .3 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: .01\n1 2 3 0 0 0\n"
         "1 2 2e9 0 0 0\n",
         ": frame 1 of bone \"Hips\" is not finite or too large"},
        {".gltf", // a bone that is not turned at 0 s and at 200,000 s, twice
         "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"a\"}],"
         "\"animations\":[{\"name\":\"a0\",\"samplers\":[{\"input\":0,\"output\":1}],"
         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]},"
         "{\"name\":\"a1\",\"samplers\":[{\"input\":0,\"output\":1}],"
         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}],"
         "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
         "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],"
         "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteLength\":32,\"byteOffset\":8}"
         "],\"buffers\":[{\"byteLength\":40,\"uri\":\"data:application/octet-stream;base64,"
         "AAAAAABQQ0gAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPw==\"}]}",
         ": clip \"a1\" is too long: 200000 s at 30 frames a second; "
         "its clips together may have 10000000 frames, counted for each bone"},
        {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ": has no bones"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64], expected[320];
        snprintf(path, sizeof path, "/tmp/tweed-asset-%d%s", (int)getpid(), cases[i].ending);
        FILE *text = fopen(path, "w");
        fputs(cases[i].text, text);
        fclose(text);
        snprintf(expected, sizeof expected, "%s%s", path, cases[i].message);
        assert_null(asset_file_load(path, NULL, NULL, &error));
        assert_string_equal(error.message, expected);
        unlink(path);
    }
    assert_null(asset_file_load("/nowhere/a.bvh", NULL, NULL, &error));
    assert_string_equal(error.message, "/nowhere/a.bvh: Unable to open file \"/nowhere/a.bvh\".");
}

// The importer takes an animal with a skin like any other file.
static void test_a_wolf_is_welcome(void **state) {
    (void)state;
    char path[256];
    AssetFile *file = load("X/Testwuson.X", path);
    int count, skinned = 0;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    for (int i = 0; i < count; i++) skinned += bones[i].has_inverse_bind;
    print_message("%d bones, %d skinned, %.2f m high, scale %g\n", count, skinned,
                  (double)asset_file_height(file), (double)file->scale);
    assert_int_equal(count, 38); // 37 move the skin, and a root moves these
    assert_int_equal(skinned, 37);
    assert_string_equal(bones[0].name, "Root");
    assert_int_equal(asset_file_clip_count(file), 3);
    assert_string_equal(asset_file_clip_info(file, 0).name, "Wuson_Run");
    assert_float_equal(asset_file_clip_info(file, 0).duration, 0.9667, 1e-3);
    assert_float_equal(asset_file_clip_info(file, 1).duration, 3.6, 1e-3);
    assert_int_equal(asset_file_clip_info(file, 2).frame_count, 1);

    AssetClip run = {0};
    AssetCut whole = {-1.0f, -1.0f};
    assert_true(asset_clip_init(&run, file, 0, &whole, NULL));
    assert_int_equal(run.frame_count, 30);
    for (int i = 0; i < run.frame_count * count; i++) {
        const float *q = run.rotations[i];
        assert_float_equal(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-5);
    }
    asset_clip_finish(&run);
    asset_file_destroy(file);
}

// Model matrices of the bones at rest, times their inverse bind matrices.
static void skin_at_rest(const AssetFile *file, mat4 *out_skin) {
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    mat4 rest[64];
    assert_true(count <= 64);
    for (int b = 0; b < count; b++) {
        mat4 local;
        glm_quat_mat4((float *)bones[b].rotation, local);
        glm_vec3_copy((float *)bones[b].position, local[3]);
        glm_mat4_copy(local, rest[b]);
        if (bones[b].parent >= 0) glm_mat4_mul(rest[bones[b].parent], local, rest[b]);
        glm_mat4_mul(rest[b], (vec4 *)bones[b].inverse_bind, out_skin[b]);
    }
}

// Its mesh has whole triangles, weights that sum to 1, and its shape where the skeleton is at rest.
static void test_a_wolf_has_a_skin(void **state) {
    (void)state;
    char path[256];
    mat4 skin[64];
    AssetFile *file = load("X/Testwuson.X", path);
    int count, bone_count;
    const SimRenderMesh *mesh = asset_file_meshes(file, &count);
    asset_file_bones(file, &bone_count);
    skin_at_rest(file, skin);
    assert_int_equal(count, 1);
    assert_string_equal(mesh->name, "Wuson");
    assert_int_equal(mesh->triangle_count, 3732);
    assert_int_equal(mesh->vertex_count, 3205); // one for each corner in the file: 11,196
    for (int v = 0; v < mesh->vertex_count; v++) {
        float sum = 0.0f;
        vec3 posed = {0.0f, 0.0f, 0.0f}, moved;
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            assert_true(mesh->joints[v][k] < bone_count && mesh->weights[v][k] >= 0.0f);
            sum += mesh->weights[v][k];
            if (mesh->weights[v][k] == 0.0f) continue;
            glm_mat4_mulv3(skin[mesh->joints[v][k]], (float *)mesh->positions[v], 1.0f, moved);
            glm_vec3_muladds(moved, mesh->weights[v][k], posed);
        }
        assert_float_equal(sum, 1, 1e-5);
        assert_true(glm_vec3_distance(posed, (float *)mesh->positions[v]) < 1e-4f);
        assert_float_equal(glm_vec3_norm((float *)mesh->normals[v]), 1, 1e-4);
        assert_true(mesh->positions[v][1] > -0.01f && mesh->positions[v][1] < 1.6f); // it stands upright
    }
    double volume = 0.0; // six times; positive where triangles are counter-clockwise seen from outside
    for (int t = 0; t < mesh->triangle_count; t++) {
        vec3 turned;
        const uint32_t *corners = mesh->triangles[t];
        for (int k = 0; k < 3; k++) assert_true(corners[k] < (uint32_t)mesh->vertex_count);
        glm_vec3_cross((float *)mesh->positions[corners[1]], (float *)mesh->positions[corners[2]], turned);
        volume += (double)glm_vec3_dot((float *)mesh->positions[corners[0]], turned);
    }
    assert_true(volume > 6 * 0.5);
    asset_file_destroy(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skeleton_is_a_human_s),
        cmocka_unit_test(test_a_given_scale_stands),
        cmocka_unit_test(test_cuts_outside_the_motion_are_refused),
        cmocka_unit_test(test_broken_files_are_named),
        cmocka_unit_test(test_a_wolf_is_welcome),
        cmocka_unit_test(test_a_wolf_has_a_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
