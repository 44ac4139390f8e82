#include "define/mesh_faces.h"

#include "shape/cloth_skin.h"

#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

// A place on a face: particles and their shares.
typedef struct FacePlace {
    int particles[3];
    float shares[3];
    float distance; // m
} FacePlace;

typedef struct FaceSkin {
    uint16_t (*joints)[SIM_MESH_JOINTS];
    float (*weights)[SIM_MESH_JOINTS];
} FaceSkin;

static bool set_bones(ScriptReader *reader, ScriptArena *arena, const SimGarmentDef *garment,
                      int vertex_count, ScriptMesh *made, FaceSkin *out_skin);
static FacePlace nearest(const SimGarmentDef *garment, const float point[3]);
static bool mix(const SimSkin *skins, const FacePlace *place, uint16_t joints[SIM_MESH_JOINTS],
                float weights[SIM_MESH_JOINTS]);

bool script_faces_skin(ScriptReader *reader, const SimGarmentDef *garment, const int *particle_of,
                       ScriptMesh *mesh) {
    FaceSkin skin;
    SimSkin *skins = script_reader_alloc(reader, garment->columns, sizeof *skins);
    const int count = mesh->surface.vertex_count;
    if (!skins || !set_bones(reader, reader->arena, garment, count, mesh, &skin)) return false;
    if (!sim_garment_faces_skin(garment, skins)) {
        script_reader_error(reader, "out of memory");
        return false;
    }
    for (int i = 0; i < count; i++) {
        const SimSkin *at = &skins[particle_of[i] < 0 ? 0 : particle_of[i]];
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            skin.joints[i][k] = (uint16_t)at->bones[k];
            skin.weights[i][k] = at->weights[k];
        }
    }
    return true;
}

bool script_faces_bind(ScriptReader *reader, const SimGarmentDef *garment, const SimRenderMesh *surface,
                       float most, ScriptMesh *made) {
    FaceSkin skin;
    SimSkin *skins = script_reader_alloc(reader, garment->columns, sizeof *skins);
    bool done = skins && set_bones(reader, &made->arena, garment, surface->vertex_count, made, &skin);
    if (done && !sim_garment_faces_skin(garment, skins)) {
        script_reader_error(reader, "out of memory");
        return false;
    }
    for (int i = 0; done && i < surface->vertex_count; i++) {
        const float *at = surface->positions[i];
        const FacePlace place = nearest(garment, at);
        done = place.distance <= most;
        if (!done)
            script_reader_error_at(
                reader, "mesh",
                "expected its vertices within %g m of the cloth at the bind pose; {%g, %g, %g} is %g m away",
                (double)most, (double)at[0], (double)at[1], (double)at[2], (double)place.distance);
        done = done && mix(skins, &place, skin.joints[i], skin.weights[i]);
    }
    return done;
}

static bool set_bones(ScriptReader *reader, ScriptArena *arena, const SimGarmentDef *garment,
                      int vertex_count, ScriptMesh *made, FaceSkin *out_skin) {
    const int count = garment->bone_particle_count;
    const char **bones = script_arena_alloc(arena, (size_t)count, sizeof *bones);
    out_skin->joints = script_arena_alloc(arena, (size_t)vertex_count, sizeof *out_skin->joints);
    out_skin->weights = script_arena_alloc(arena, (size_t)vertex_count, sizeof *out_skin->weights);
    bool done = bones && out_skin->joints && out_skin->weights;
    for (int i = 0; done && i < count; i++) {
        char name[SIM_GARMENT_BONE_NAME_SIZE];
        sim_garment_bone_name(garment, 0, garment->bone_particles[i], name);
        bones[i] = script_arena_text(arena, name);
        done = bones[i] != NULL;
    }
    if (!done) script_reader_error(reader, "out of memory");
    made->bones = bones;
    made->bone_count = count;
    made->surface.joints = (const uint16_t(*)[SIM_MESH_JOINTS])out_skin->joints;
    made->surface.weights = (const float(*)[SIM_MESH_JOINTS])out_skin->weights;
    return done;
}

// A face of four corners is two triangles.
static FacePlace nearest(const SimGarmentDef *garment, const float point[3]) {
    FacePlace best = {.distance = INFINITY};
    for (int face = 0; face < garment->face_count; face++)
        for (int half = 0; half < (garment->faces[face][3] < 0 ? 1 : 2); half++) {
            const int *corner = garment->faces[face];
            FacePlace place = {.particles = {corner[0], corner[half + 1], corner[half + 2]}};
            const float *corners[3];
            vec3 at = {0.0f, 0.0f, 0.0f};
            for (int k = 0; k < 3; k++) corners[k] = garment->positions[place.particles[k]];
            script_nearest_on_triangle(point, corners, place.shares);
            for (int k = 0; k < 3; k++) glm_vec3_muladds((float *)corners[k], place.shares[k], at);
            place.distance = glm_vec3_distance(at, (float *)point);
            if (place.distance < best.distance) best = place;
        }
    return best;
}

// The heaviest bones of the corners, mixed by their shares.
static bool mix(const SimSkin *skins, const FacePlace *place, uint16_t joints[SIM_MESH_JOINTS],
                float weights[SIM_MESH_JOINTS]) {
    int bones[3 * SIM_INFLUENCES], count = 0;
    float sums[3 * SIM_INFLUENCES], total = 0.0f;
    for (int corner = 0; corner < 3; corner++)
        for (int k = 0; k < SIM_INFLUENCES; k++) {
            const SimSkin *skin = &skins[place->particles[corner]];
            const float weight = place->shares[corner] * skin->weights[k];
            int at = 0;
            if (weight <= 0.0f) continue;
            while (at < count && bones[at] != skin->bones[k]) at++;
            if (at == count) bones[count] = skin->bones[k], sums[count++] = 0.0f;
            sums[at] += weight;
        }
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (sums[i] > 0.0f && (best < 0 || sums[i] > sums[best])) best = i;
        joints[k] = best < 0 ? 0 : (uint16_t)bones[best];
        weights[k] = best < 0 ? 0.0f : sums[best];
        total += weights[k];
        if (best >= 0) sums[best] = 0.0f;
    }
    for (int k = 0; k < SIM_MESH_JOINTS && total > 0.0f; k++) weights[k] /= total;
    return total > 0.0f;
}
