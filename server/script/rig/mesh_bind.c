// Brings meshes from the rest pose to the bind pose of the skeleton's file, and back.
//
// Clients move a vertex by bone times inverse bind matrix. In many files these are inverses of each other at
// rest; where they are not, a file's own meshes lie elsewhere than what scripts make at the rest pose.
#include "rig/build.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

#define ALIKE 1e-4f // from the identity

static mat4 *bind_to_rest(ScriptRigBuild *build);
static void move_mesh(ScriptRigBuild *build, SimRenderMesh *mesh, mat4 *moves, bool back);
static bool is_identity(mat4 matrix);

void script_build_rest_pose(ScriptRigBuild *build, SimRenderMesh *mesh) {
    mat4 *moves = bind_to_rest(build);
    if (moves) move_mesh(build, mesh, moves, false);
}

void script_build_bind_pose(ScriptRigBuild *build) {
    mat4 *moves = build->rig.mesh_count > 0 ? bind_to_rest(build) : NULL;
    for (int i = 0; moves && i < build->rig.mesh_count; i++)
        move_mesh(build, (SimRenderMesh *)&build->rig.meshes[i], moves, true);
}

// For each bone of the skeleton its rest pose times its inverse bind matrix; NULL: all are identity, or
// memory runs out.
static mat4 *bind_to_rest(ScriptRigBuild *build) {
    const SimRigDef *rig = &build->rig;
    mat4 *moves = script_reader_alloc(build->reader, rig->bone_count, sizeof *moves);
    bool differs = false;
    for (int b = 0; moves && b < rig->bone_count; b++) {
        glm_mat4_identity(moves[b]);
        if (!rig->bones[b].has_inverse_bind) continue;
        glm_quat_mat4(build->rest_model[b].rotation, moves[b]);
        glm_vec3_copy(build->rest_model[b].position, moves[b][3]);
        glm_mat4_mul(moves[b], (vec4 *)rig->bones[b].inverse_bind, moves[b]);
        differs |= !is_identity(moves[b]);
    }
    return differs ? moves : NULL;
}

static bool is_identity(mat4 matrix) {
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++)
            if (!(fabsf(matrix[c][r] - (c == r ? 1.0f : 0.0f)) < ALIKE)) return false;
    return true;
}

// back: by the inverse. Bones of garments have the rest pose as their bind pose.
static void move_mesh(ScriptRigBuild *build, SimRenderMesh *mesh, mat4 *moves, bool back) {
    float(*positions)[3] = script_reader_alloc(build->reader, mesh->vertex_count, sizeof *positions);
    float(*normals)[3] = script_reader_alloc(build->reader, mesh->vertex_count, sizeof *normals);
    if (!positions || !normals) return;
    for (int v = 0; v < mesh->vertex_count; v++) {
        mat4 move = GLM_MAT4_ZERO_INIT, identity = GLM_MAT4_IDENTITY_INIT;
        mat3 turn;
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            const int bone = mesh->joints[v][k];
            vec4 *of = bone < build->rig.bone_count ? moves[bone] : identity;
            for (int c = 0; c < 4; c++) glm_vec4_muladds(of[c], mesh->weights[v][k], move[c]);
        }
        if (back) glm_mat4_inv(move, move);
        glm_mat4_mulv3(move, (float *)mesh->positions[v], 1.0f, positions[v]);
        glm_mat4_pick3(move, turn);
        glm_mat3_inv(turn, turn);
        glm_mat3_transpose(turn);
        glm_mat3_mulv(turn, (float *)mesh->normals[v], normals[v]);
        glm_vec3_normalize(normals[v]);
    }
    mesh->positions = (const float(*)[3])positions;
    mesh->normals = (const float(*)[3])normals;
}
