// Reads the weights of a mesh.
#include "define/mesh_weights.h"

#include "define/mesh_rows.h"
#include "script/name_table.h"

#include <string.h>

#define LEAST_SUM 1e-4f

typedef ScriptMeshWeights Packed;

// The bones that a mesh names, as they turn up.
typedef struct Bones {
    const char **names; // [SCRIPT_MESH_BONES]
    int *indices;       // [SCRIPT_MESH_BONES] each one's own index, which the table's owners point at
    int count;
    ScriptNameTable table;
} Bones;

typedef struct Influence {
    int bone;
    float share;
} Influence;

static void read_string(ScriptReader *reader, const ScriptNode *node, void *out);

static const ScriptSchemaField bone_name = {.type = SCRIPT_TYPE_NAME, .expects = "the name of a bone"};
static const ScriptSchemaField packed_fields[] = {
    {SCRIPT_FIELD(Packed, bones, LIST), .required = true, .element = &bone_name,
     .expects = "a list of names of bones", .help = "The bones."},
    {SCRIPT_FIELD(Packed, joints, CUSTOM), .required = true, .read = read_string,
     .expects = "a packed string of 8 bytes for each vertex", .lua = "string",
     .help = "Four indices into bones for each vertex, from 1, or 0 for none: `string.pack(\"<I2I2I2I2\", "
             "...)`."},
    {SCRIPT_FIELD(Packed, shares, CUSTOM), .required = true, .read = read_string,
     .expects = "a packed string of 16 bytes for each vertex", .lua = "string",
     .help = "Their shares: `string.pack(\"<ffff\", ...)`."},
};
static const ScriptSchema packed_schema = {
    .name = "PackedWeights", .size = sizeof(Packed), SCRIPT_FIELDS(packed_fields)};
const ScriptSchema *const script_packed_weights_schemas[] = {&packed_schema, NULL};

static bool read_one_bone(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh);
static bool read_list(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh);
static void read_vertex(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh, int v);
static bool read_packed(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh);
static bool check_length(ScriptReader *reader, const char *key, const ScriptNode *node, int bytes, int count);
static void read_packed_vertex(ScriptReader *reader, const Packed *packed, ScriptMesh *mesh, int v);
static int find_bone(ScriptReader *reader, Bones *bones, const char *name);
static void keep_largest(Influence kept[SIM_MESH_JOINTS], Influence influence);
static void set_vertex(ScriptReader *reader, ScriptMesh *mesh, int v, const Influence *kept);
static bool keep_bones(const Bones *bones, ScriptMesh *mesh);

void script_mesh_weights_keep(ScriptReader *reader, const ScriptNode *node, void *out_weights) {
    (void)reader;
    ((ScriptMeshWeights *)out_weights)->node = node;
}

bool script_mesh_weights_set(ScriptReader *reader, const ScriptMeshWeights *given, ScriptMesh *mesh) {
    const ScriptNode *node = given->node;
    SimRenderMesh *surface = &mesh->surface;
    const size_t count = (size_t)surface->vertex_count, errors = reader->errors_made;
    Bones bones = {.names = script_reader_alloc(reader, SCRIPT_MESH_BONES, sizeof *bones.names),
                   .indices = script_reader_alloc(reader, SCRIPT_MESH_BONES, sizeof *bones.indices)};
    surface->joints = script_arena_alloc(&mesh->arena, count, sizeof *surface->joints);
    surface->weights = script_arena_alloc(&mesh->arena, count, sizeof *surface->weights);
    bool done = bones.names && bones.indices && surface->joints && surface->weights;
    script_reader_key(reader, "weights");
    if (done && node->kind == SCRIPT_NODE_STRING)
        done = read_one_bone(reader, node, &bones, mesh);
    else if (done && node->kind == SCRIPT_NODE_TABLE && !node->call_site && !node->field_count)
        done = read_list(reader, node, &bones, mesh);
    else if (done && node->kind == SCRIPT_NODE_TABLE && !node->call_site && !node->item_count)
        done = read_packed(reader, node, &bones, mesh);
    else if (done)
        script_reader_expected(reader, SCRIPT_WEIGHTS_EXPECT, node);
    script_reader_leave(reader);
    done = done && reader->errors_made == errors && keep_bones(&bones, mesh);
    script_name_table_finish(&bones.table);
    return done;
}

static void read_string(ScriptReader *reader, const ScriptNode *node, void *out) {
    if (node->kind == SCRIPT_NODE_STRING)
        *(const ScriptNode **)out = node;
    else
        script_reader_expected(reader, "a packed string", node);
}

static bool read_one_bone(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh) {
    const char *name = NULL;
    script_field_read(reader, &bone_name, node, &name);
    const Influence all[SIM_MESH_JOINTS] = {{name ? find_bone(reader, bones, name) : -1, 1.0f}};
    for (int v = 0; all[0].bone >= 0 && v < mesh->surface.vertex_count; v++) set_vertex(reader, mesh, v, all);
    return all[0].bone >= 0;
}

static bool read_list(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh) {
    if (node->item_count != mesh->surface.vertex_count) {
        script_reader_error(reader, "expected one {BONE = share, ...} for each of %d vertices, found %d",
                            mesh->surface.vertex_count, node->item_count);
        return false;
    }
    ScriptListErrors errors = script_list_errors_begin(reader);
    for (int v = 0; v < node->item_count; v++) {
        script_reader_index(reader, v + 1);
        read_vertex(reader, &node->items[v], bones, mesh, v);
        script_reader_leave(reader);
        script_list_errors_add(&errors, reader);
    }
    script_list_errors_end(&errors, reader);
    return true;
}

static void read_vertex(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh, int v) {
    static const ScriptSchemaField share = {.type = SCRIPT_TYPE_NUMBER, .minimum = 0.0, .maximum = 1e6};
    Influence kept[SIM_MESH_JOINTS] = {{0}};
    if (node->kind != SCRIPT_NODE_TABLE || node->item_count || node->call_site) {
        script_reader_expected(reader, "{BONE = share, ...}", node);
        return;
    }
    const size_t errors = reader->errors_made;
    for (int i = 0; i < node->field_count; i++) {
        float number = 0.0f;
        script_reader_key(reader, node->fields[i].key);
        script_field_read(reader, &share, node->fields[i].value, &number);
        script_reader_leave(reader);
        const int bone = find_bone(reader, bones, node->fields[i].key);
        if (bone >= 0) keep_largest(kept, (Influence){bone, number});
    }
    if (reader->errors_made == errors) set_vertex(reader, mesh, v, kept);
}

static bool read_packed(ScriptReader *reader, const ScriptNode *node, Bones *bones, ScriptMesh *mesh) {
    Packed packed = {0};
    const int count = mesh->surface.vertex_count;
    const size_t errors = reader->errors_made;
    script_schema_read(reader, &packed_schema, node, &packed);
    if (reader->errors_made != errors || !check_length(reader, "joints", packed.joints, 8, count) ||
        !check_length(reader, "shares", packed.shares, 16, count))
        return false;
    const char *const *names = packed.bones.items;
    for (int i = 0; i < packed.bones.count; i++)
        if (find_bone(reader, bones, names[i]) != i && reader->errors_made == errors)
            script_reader_error_at(reader, "bones", "there is another \"%s\"", names[i]);
    ScriptListErrors list = script_list_errors_begin(reader);
    for (int v = 0; reader->errors_made == errors + (size_t)list.wrong && v < count; v++) {
        script_reader_index(reader, v + 1);
        read_packed_vertex(reader, &packed, mesh, v);
        script_reader_leave(reader);
        script_list_errors_add(&list, reader);
    }
    script_list_errors_end(&list, reader);
    return true;
}

static bool check_length(ScriptReader *reader, const char *key, const ScriptNode *node, int bytes,
                         int count) {
    if (node->length == (size_t)bytes * (size_t)count) return true;
    script_reader_error_at(reader, key,
                           "expected %d bytes for each of %d vertices, found a string of %zu bytes", bytes,
                           count, node->length);
    return false;
}

static void read_packed_vertex(ScriptReader *reader, const Packed *packed, ScriptMesh *mesh, int v) {
    Influence kept[SIM_MESH_JOINTS] = {{0}};
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        const int at = v * SIM_MESH_JOINTS + k;
        const uint32_t joint = script_packed_integer(packed->joints->text + 2 * at, 2);
        const float share = script_packed_float(packed->shares->text + 4 * at);
        if (joint > (uint32_t)packed->bones.count) {
            script_reader_error(reader, "expected joints of 0 to %d, found %u", packed->bones.count, joint);
            return;
        }
        if (!(share >= 0.0f && share <= 1e6f)) {
            script_reader_error(reader, "expected shares of 0 to 1000000, found %.7g", (double)share);
            return;
        }
        if (joint > 0) keep_largest(kept, (Influence){(int)joint - 1, share});
    }
    set_vertex(reader, mesh, v, kept);
}

// Its index, new or known; -1 with an error where there are too many.
static int find_bone(ScriptReader *reader, Bones *bones, const char *name) {
    const int *known = script_name_table_owner(&bones->table, name);
    if (known) return *known;
    const int index = bones->count;
    if (index == SCRIPT_MESH_BONES) {
        script_reader_error(reader, "expected %d different bones at most", SCRIPT_MESH_BONES);
        return -1;
    }
    bones->names[index] = name;
    bones->indices[index] = index;
    if (!script_name_table_put(&bones->table, name, &bones->indices[index])) {
        script_reader_error(reader, "out of memory");
        return -1;
    }
    bones->count++;
    return index;
}

// Keeps the list sorted, the largest first.
static void keep_largest(Influence kept[SIM_MESH_JOINTS], Influence influence) {
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        if (influence.share <= kept[k].share) continue;
        const Influence smaller = kept[k];
        kept[k] = influence;
        influence = smaller;
    }
}

static void set_vertex(ScriptReader *reader, ScriptMesh *mesh, int v, const Influence *kept) {
    uint16_t *joints = (uint16_t *)mesh->surface.joints[v];
    float *weights = (float *)mesh->surface.weights[v], sum = 0.0f;
    for (int k = 0; k < SIM_MESH_JOINTS; k++) sum += kept[k].share;
    if (sum < LEAST_SUM) {
        script_reader_error(reader, "expected shares that add up to more than 0");
        return;
    }
    for (int k = 0; k < SIM_MESH_JOINTS; k++) {
        joints[k] = (uint16_t)kept[k].bone;
        weights[k] = kept[k].share / sum;
    }
}

static bool keep_bones(const Bones *bones, ScriptMesh *mesh) {
    const char **names = script_arena_alloc(&mesh->arena, (size_t)bones->count, sizeof *names);
    mesh->bones = names;
    mesh->bone_count = bones->count;
    for (int i = 0; names && i < bones->count; i++) {
        names[i] = script_arena_text(&mesh->arena, bones->names[i]);
        if (!names[i]) return false;
    }
    return names != NULL;
}
