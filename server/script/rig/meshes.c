// Render meshes: names of bones become indices, and fabrics lend their materials.
#include "define/mesh.h"
#include "host/fabric_registry.h"
#include "rig/build.h"
#include "script/name_table.h"

#include <string.h>

// The bones by name.
typedef struct Bones {
    const char **names; // [count]
    int *indices;       // [count] into the rig's bones
    int count;
    ScriptNameTable table; // owners: into indices
} Bones;

static int count_meshes(const ScriptCharacterDef *def);
static bool find_bones(ScriptRigBuild *build, Bones *out_bones);
static void add_meshes(ScriptRigBuild *build, const Bones *bones, int garment);
static void add_mesh(ScriptRigBuild *build, const Bones *bones, const ScriptMesh *mesh, int garment);
static int find_garment(ScriptRigBuild *build, const ScriptMesh *mesh, int garment);
static void check_name(ScriptRigBuild *build, const char *name);
static const uint16_t (*find_joints(ScriptRigBuild *build, const Bones *bones,
                                    const ScriptMesh *mesh))[SIM_MESH_JOINTS];
static void report_bone(ScriptRigBuild *build, const Bones *bones, const ScriptMesh *mesh, int bone);
static SimMaterial material_of(const ScriptRigBuild *build, const ScriptMesh *mesh, int garment);

void script_build_meshes(ScriptRigBuild *build) {
    Bones bones = {0};
    const int most = count_meshes(build->def);
    build->rig.meshes = script_reader_alloc(build->reader, most, sizeof *build->rig.meshes);
    build->mesh_covers = script_reader_alloc(build->reader, most, sizeof *build->mesh_covers);
    if (build->bones_known && most > 0 && build->rig.meshes && build->mesh_covers &&
        find_bones(build, &bones)) {
        add_meshes(build, &bones, -1);
        script_reader_key(build->reader, "garments");
        for (int i = 0; i < build->def->garments.count; i++) {
            script_reader_index(build->reader, i + 1);
            add_meshes(build, &bones, i);
            script_reader_leave(build->reader);
        }
        script_reader_leave(build->reader);
    }
    script_name_table_finish(&bones.table);
}

ScriptList script_meshes_of(const ScriptCharacterDef *def, int garment) {
    const ScriptItem *item = garment < 0 ? NULL : (const ScriptItem *)def->garments.items + garment;
    if (item) return item->schema ? ((const ScriptGarmentDef *)item->value)->meshes : (ScriptList){0};
    if (def->meshes.items || !def->skeleton) return def->meshes;
    return (ScriptList){.items = def->skeleton->meshes, .count = def->skeleton->mesh_count};
}

static int count_meshes(const ScriptCharacterDef *def) {
    int count = 0;
    for (int garment = -1; garment < def->garments.count; garment++)
        count += script_meshes_of(def, garment).count;
    return count;
}

// Returns false when memory runs out, which is reported.
static bool find_bones(ScriptRigBuild *build, Bones *out_bones) {
    out_bones->names = script_build_bone_names(build, &out_bones->indices, &out_bones->count);
    for (int i = 0; out_bones->names && i < out_bones->count; i++) {
        const char *name = out_bones->names[i];
        if (!name || script_name_table_has(&out_bones->table, name)) continue; // reported already
        if (script_name_table_put(&out_bones->table, name, &out_bones->indices[i])) continue;
        script_reader_error(build->reader, "out of memory");
        return false;
    }
    return out_bones->names != NULL;
}

static void add_meshes(ScriptRigBuild *build, const Bones *bones, int garment) {
    const ScriptList list = script_meshes_of(build->def, garment);
    const ScriptMesh *const *meshes = list.items;
    script_reader_key(build->reader, "meshes");
    for (int i = 0; i < list.count; i++) {
        if (!meshes[i] || meshes[i]->broken) continue; // reported already
        script_reader_index(build->reader, i + 1);
        add_mesh(build, bones, meshes[i], garment);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
}

static void add_mesh(ScriptRigBuild *build, const Bones *bones, const ScriptMesh *mesh, int garment) {
    SimRenderMesh made = mesh->surface;
    check_name(build, made.name);
    if (!made.weights) {
        script_reader_error(build->reader, "the mesh has no weights: bind it by tweed.bind_mesh{...}");
        return;
    }
    made.garment = find_garment(build, mesh, garment);
    made.material = material_of(build, mesh, made.garment);
    made.joints = find_joints(build, bones, mesh);
    if (!made.joints) return;
    if (mesh->is_bound) script_build_rest_pose(build, &made);
    build->mesh_covers[build->rig.mesh_count] = mesh->covers;
    ((SimRenderMesh *)build->rig.meshes)[build->rig.mesh_count++] = made;
}

static void check_name(ScriptRigBuild *build, const char *name) {
    for (int i = 0; i < build->rig.mesh_count; i++) {
        if (strcmp(build->rig.meshes[i].name, name) != 0) continue;
        script_reader_error_at(build->reader, "name", "there is another mesh \"%s\"", name);
        return;
    }
}

// garment: of a mesh in a garment's list; -1: the mesh names its own, if any.
static int find_garment(ScriptRigBuild *build, const ScriptMesh *mesh, int garment) {
    const SimRigDef *rig = &build->rig;
    if (!mesh->garment) return garment;
    if (garment >= 0) {
        script_reader_error_at(build->reader, "garment", "expected none: a garment's meshes are its own");
        return garment;
    }
    const char **names = script_reader_alloc(build->reader, rig->garment_count, sizeof *names);
    int count = 0;
    for (int i = 0; names && i < rig->garment_count; i++) {
        if (!rig->garments[i].name) continue; // reported already
        if (strcmp(rig->garments[i].name, mesh->garment) == 0) return i;
        names[count++] = rig->garments[i].name;
    }
    script_reader_key(build->reader, "garment");
    script_reader_unknown(build->reader, "garment", mesh->garment, names, count);
    script_reader_leave(build->reader);
    return -1;
}

static SimMaterial material_of(const ScriptRigBuild *build, const ScriptMesh *mesh, int garment) {
    const ScriptItem *items = build->def->garments.items;
    const char *name = garment < 0 ? NULL : ((const ScriptGarmentDef *)items[garment].value)->fabric;
    const ScriptFabric *fabric = name ? script_fabric_find(build->host, name) : NULL;
    return script_material_over(fabric ? fabric->material : sim_default_material(), &mesh->material);
}

// The mesh's joints as indices of the rig's bones; NULL with an error for each bone that there is not.
static const uint16_t (*find_joints(ScriptRigBuild *build, const Bones *bones,
                                    const ScriptMesh *mesh))[SIM_MESH_JOINTS] {
    const SimRenderMesh *surface = &mesh->surface;
    uint16_t(*joints)[SIM_MESH_JOINTS] =
        script_reader_alloc(build->reader, surface->vertex_count, sizeof *joints);
    int *indices = script_reader_alloc(build->reader, mesh->bone_count, sizeof *indices);
    bool known = joints && indices;
    for (int i = 0; indices && i < mesh->bone_count; i++) {
        const int *found = script_name_table_owner(&bones->table, mesh->bones[i]);
        if (found)
            indices[i] = *found;
        else
            report_bone(build, bones, mesh, i);
        known = known && found;
    }
    for (int v = 0; known && v < surface->vertex_count; v++)
        for (int k = 0; k < SIM_MESH_JOINTS; k++)
            if (surface->weights[v][k] > 0.0f) joints[v][k] = (uint16_t)indices[surface->joints[v][k]];
    return known ? (const uint16_t(*)[SIM_MESH_JOINTS])joints : NULL;
}

// At the first vertex that it moves.
static void report_bone(ScriptRigBuild *build, const Bones *bones, const ScriptMesh *mesh, int bone) {
    const SimRenderMesh *surface = &mesh->surface;
    int vertex = 0;
    for (bool found = false; !found && vertex < surface->vertex_count; vertex++)
        for (int k = 0; k < SIM_MESH_JOINTS; k++)
            found |= surface->weights[vertex][k] > 0.0f && surface->joints[vertex][k] == bone;
    script_reader_key(build->reader, "weights");
    script_reader_index(build->reader, vertex);
    script_reader_unknown(build->reader, "bone", mesh->bones[bone], bones->names, bones->count);
    script_reader_leave(build->reader);
    script_reader_leave(build->reader);
}
