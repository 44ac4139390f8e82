#include "define/mesh_bind_cloth.h"

#include "define/cloth_from_mesh.h"
#include "define/mesh_faces.h"
#include "shape/cloth_skin.h"

#include <stdio.h>
#include <string.h>

#define MOST_DISTANCE 1.0f // m, of a vertex from the cloth

typedef struct ClothBinding {
    ScriptReader *reader;
    ScriptMesh *made;
    SimGarmentDef garment;
    int *names; // [rows * columns] 1 + index in the mesh's bones; 0: not yet named
    const char **bones;
    uint16_t (*joints)[SIM_MESH_JOINTS];
    float (*weights)[SIM_MESH_JOINTS];
} ClothBinding;

static bool allocate(ClothBinding *binding, const SimRenderMesh *surface);
static bool bind_vertex(ClothBinding *binding, int vertex, const ScriptClothPlace *place);
static int name_bone(ClothBinding *binding, int particle);

bool script_mesh_bind_cloth(ScriptReader *reader, const ScriptMesh *mesh, ScriptGarmentDef *cloth,
                            ScriptMesh *made) {
    const SimRenderMesh *surface = &mesh->surface;
    ClothBinding binding = {.reader = reader, .made = made};
    script_reader_key(reader, "cloth");
    bool done = script_cloth_grid(reader, cloth, &binding.garment);
    done = done && (cloth->general || allocate(&binding, surface));
    script_reader_leave(reader);
    if (done && cloth->general)
        return script_faces_bind(reader, &binding.garment, surface, MOST_DISTANCE, made);
    ScriptClothPlace place = {0};
    for (int i = 0; done && i < surface->vertex_count; i++) {
        const float *at = surface->positions[i];
        place = script_cloth_nearest(&binding.garment, at, i > 0 ? &place : NULL);
        done = place.distance <= MOST_DISTANCE;
        if (!done)
            script_reader_error_at(
                reader, "mesh",
                "expected its vertices within %g m of the cloth at the bind pose; {%g, %g, %g} is %g m away",
                (double)MOST_DISTANCE, (double)at[0], (double)at[1], (double)at[2], (double)place.distance);
        done = done && bind_vertex(&binding, i, &place);
    }
    made->bones = binding.bones;
    made->surface.joints = (const uint16_t(*)[SIM_MESH_JOINTS])binding.joints;
    made->surface.weights = (const float(*)[SIM_MESH_JOINTS])binding.weights;
    return done;
}

static bool allocate(ClothBinding *binding, const SimRenderMesh *surface) {
    const int particles = binding->garment.rows * binding->garment.columns;
    const size_t vertices = (size_t)surface->vertex_count;
    ScriptArena *arena = &binding->made->arena;
    binding->names = script_reader_alloc(binding->reader, particles, sizeof *binding->names);
    binding->bones = script_arena_alloc(arena, (size_t)particles, sizeof *binding->bones);
    binding->joints = script_arena_alloc(arena, vertices, sizeof *binding->joints);
    binding->weights = script_arena_alloc(arena, vertices, sizeof *binding->weights);
    return binding->names && binding->bones && binding->joints && binding->weights;
}

static bool bind_vertex(ClothBinding *binding, int vertex, const ScriptClothPlace *place) {
    const ScriptClothPoint on = script_cloth_skin(&binding->garment, place->row, place->column);
    for (int k = 0; k < SCRIPT_CLOTH_INFLUENCES; k++) {
        const int bone = on.weights[k] > 0.0f ? name_bone(binding, on.particles[k]) : 0;
        if (bone < 0) return false;
        binding->joints[vertex][k] = (uint16_t)bone;
        binding->weights[vertex][k] = on.weights[k];
    }
    return true;
}

// Its index among the mesh's bones; -1 when memory runs out.
static int name_bone(ClothBinding *binding, int particle) {
    const int columns = binding->garment.columns;
    int *index = &binding->names[particle], *count = &binding->made->bone_count;
    if (*index == 0) {
        char name[SIM_GARMENT_BONE_NAME_SIZE];
        sim_garment_bone_name(&binding->garment, particle / columns, particle % columns, name);
        binding->bones[*count] = script_arena_text(&binding->made->arena, name);
        if (!binding->bones[*count]) return -1;
        *index = ++*count;
    }
    return *index - 1;
}
