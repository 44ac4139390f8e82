// Render meshes of cloth that names none: its grid, made smooth, or a general mesh as it is.
#include "define/mesh_faces.h"
#include "rig/build.h"
#include "shape/cloth_surface.h"

#include <math.h>
#include <string.h>

#define LEAST_THICKNESS 0.001f // m, so that both sides of a veil are told apart

static bool needs_mesh(const ScriptRigBuild *build, int index);
static const ScriptMesh *make(ScriptRigBuild *build, const SimGarmentDef *garment);
static void set_surface(ScriptMesh *mesh, const ScriptSurface *surface);
static bool set_weights(ScriptRigBuild *build, const SimGarmentDef *garment, const ScriptClothPoint *skin,
                        ScriptMesh *mesh);
static const ScriptMesh *make_general(ScriptRigBuild *build, const ScriptGarmentDef *def,
                                      const SimGarmentDef *garment);

void script_build_default_meshes(ScriptRigBuild *build) {
    ScriptItem *items = (ScriptItem *)build->def->garments.items;
    for (int i = 0; i < build->def->garments.count; i++) {
        if (!needs_mesh(build, i)) continue;
        const SimGarmentDef *garment = &build->rig.garments[i];
        const ScriptMesh *mesh =
            garment->faces ? make_general(build, items[i].value, garment) : make(build, garment);
        const ScriptMesh **list = script_reader_alloc(build->reader, 1, sizeof(ScriptMesh *));
        if (!mesh || !list) continue;
        list[0] = mesh;
        ((ScriptGarmentDef *)items[i].value)->meshes = (ScriptList){.items = list, .count = 1};
    }
}

// Cloth without errors and without a list of meshes, even an empty one.
static bool needs_mesh(const ScriptRigBuild *build, int index) {
    const ScriptItem *item = (const ScriptItem *)build->def->garments.items + index;
    if (item->schema != &script_cloth_schema || ((const ScriptGarmentDef *)item->value)->meshes.items)
        return false;
    return !script_rig_part_has_errors(build, "garments", index + 1);
}

static const ScriptMesh *make(ScriptRigBuild *build, const SimGarmentDef *garment) {
    ScriptClothSurface made;
    ScriptMesh *mesh = script_reader_alloc(build->reader, 1, sizeof *mesh);
    const float thickness = fmaxf(garment->fabric.thickness, LEAST_THICKNESS);
    if (!mesh) return NULL;
    if (!script_cloth_surface(build->reader->arena, garment, thickness, &made)) {
        script_reader_error(build->reader, "out of memory");
        return NULL;
    }
    mesh->material = script_material_none();
    mesh->surface.name = garment->name;
    set_surface(mesh, &made.surface);
    return set_weights(build, garment, made.skin, mesh) ? mesh : NULL;
}

static void set_surface(ScriptMesh *mesh, const ScriptSurface *surface) {
    mesh->surface.vertex_count = surface->vertex_count;
    mesh->surface.triangle_count = surface->triangle_count;
    mesh->surface.positions = (const float(*)[3])surface->positions;
    mesh->surface.normals = (const float(*)[3])surface->normals;
    mesh->surface.uvs = (const float(*)[2])surface->uvs;
    mesh->surface.triangles = (const uint32_t(*)[3])surface->triangles;
}

// Bones are listed in the order of their particles.
static bool set_weights(ScriptRigBuild *build, const SimGarmentDef *garment, const ScriptClothPoint *skin,
                        ScriptMesh *mesh) {
    const int particle_count = garment->rows * garment->columns;
    uint16_t(*joints)[SIM_MESH_JOINTS] =
        script_reader_alloc(build->reader, mesh->surface.vertex_count, sizeof *joints);
    float(*weights)[SIM_MESH_JOINTS] =
        script_reader_alloc(build->reader, mesh->surface.vertex_count, sizeof *weights);
    const char **bones = script_reader_alloc(build->reader, particle_count, sizeof *bones);
    int *indices = script_reader_alloc(build->reader, particle_count, sizeof *indices);
    if (!joints || !weights || !bones || !indices) return false;
    for (int i = 0; i < particle_count; i++) {
        char name[SIM_GARMENT_BONE_NAME_SIZE];
        sim_garment_bone_name(garment, i / garment->columns, i % garment->columns, name);
        indices[i] = mesh->bone_count;
        if (sim_garment_bone_index(&build->rig, (int)(garment - build->rig.garments), i / garment->columns,
                                   i % garment->columns) < 0)
            continue;
        bones[mesh->bone_count] = script_arena_text(build->reader->arena, name);
        if (!bones[mesh->bone_count++]) return false;
    }
    for (int i = 0; i < mesh->surface.vertex_count; i++) {
        const ScriptClothPoint on = skin[i];
        for (int k = 0; k < SIM_MESH_JOINTS; k++) {
            weights[i][k] = on.weights[k];
            if (on.weights[k] > 0.0f) joints[i][k] = (uint16_t)indices[on.particles[k]];
        }
    }
    mesh->bones = bones;
    mesh->surface.joints = (const uint16_t(*)[SIM_MESH_JOINTS])joints;
    mesh->surface.weights = (const float(*)[SIM_MESH_JOINTS])weights;
    return true;
}

// Its vertices move as the particles at their places.
static const ScriptMesh *make_general(ScriptRigBuild *build, const ScriptGarmentDef *def,
                                      const SimGarmentDef *garment) {
    ScriptMesh *mesh = script_reader_alloc(build->reader, 1, sizeof *mesh);
    if (!mesh) return NULL;
    mesh->material = script_material_none();
    mesh->surface = def->mesh->surface;
    mesh->surface.name = garment->name;
    return script_faces_skin(build->reader, garment, def->particle_of, mesh) ? mesh : NULL;
}
