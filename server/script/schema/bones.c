// Orders bones by dependency.
#include "schema/bones.h"

#include <string.h>

static const ScriptSchemaField bone_fields[] = {
    {SCRIPT_FIELD(ScriptBone, name, NAME), .required = true,
     .help = "Unique among all the character's bones."},
    {SCRIPT_FIELD(ScriptBone, parent, NAME), .required = true,
     .help = "The parent bone, of the skeleton or driven."},
    {SCRIPT_FIELD(ScriptBone, position, VECTOR), .minimum = -100.0, .maximum = 100.0, .unit = "m",
     .help = "The position at rest, in the parent's space."},
    {SCRIPT_FIELD(ScriptBone, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "The rotation at rest, in the parent's space."},
};
const ScriptSchema script_bone_schema = {
    .constructor = "bone",
    .size = sizeof(ScriptBone),
    SCRIPT_FIELDS(bone_fields),
    .help = "A bone added to the skeleton, such as a shoulder pad.",
    .example = "tweed.bone { name = \"pad_l\", parent = \"Spine\", position = { .17, .32, 0 } }\n"
               "tweed.bone { name = \"pad_r\", parent = \"Spine\", position = { -.17, .32, 0 } }\n"
               "tweed.bone { name = \"waist_l\", parent = \"Hips\", position = { .12, .2, .1 } }\n"
               "tweed.bone { name = \"wrist_twist\", parent = \"LeftArm\", position = { .35, 0, 0 } }",
};

static const ScriptSchemaField skeleton_bone_fields[] = {
    {SCRIPT_FIELD(ScriptBone, name, NAME), .required = true, .help = "Unique in the skeleton."},
    {SCRIPT_FIELD(ScriptBone, parent, NAME), .otherwise = "none: a root", .help = "The parent bone."},
    {SCRIPT_FIELD(ScriptBone, position, VECTOR), .minimum = -100.0, .maximum = 100.0, .unit = "m",
     .help = "The position at rest, in the parent's space; a root's in model space."},
    {SCRIPT_FIELD(ScriptBone, rotation, ROTATION), .vector = {0.0f, 0.0f, 0.0f, 1.0f},
     .help = "The rotation at rest, in the parent's space."},
};
const ScriptSchema script_skeleton_bone_schema = {
    .name = "SkeletonBone",
    .size = sizeof(ScriptBone),
    SCRIPT_FIELDS(skeleton_bone_fields),
    .help = "One bone of tweed.skeleton.",
};

static bool is_among(const char *name, const char *const *names, int name_count);
static void report_duplicate(ScriptReader *reader, const ScriptBone *entry);
static void append(const ScriptBone *entry, int parent, SimBoneKind kind, SimBoneDef *bones, int *bone_count);
static void report_parent(ScriptReader *reader, const ScriptBone *entry, bool is_circle,
                          const char *const *names, int name_count);

void script_bones_append(ScriptReader *reader, const ScriptBone *entries, int entry_count, SimBoneKind kind,
                         SimBoneDef *bones, int *bone_count) {
    const ScriptBone **open = script_reader_alloc(reader, entry_count, sizeof *open); // not yet appended
    const char **names = script_reader_alloc(reader, *bone_count + entry_count, sizeof *names);
    if (!open || !names) return;
    int open_count = 0, name_count = 0;
    for (int i = 0; i < *bone_count; i++) names[name_count++] = bones[i].name;
    for (int i = 0; i < entry_count; i++) {
        const ScriptBone *entry = &entries[i];
        if (!entry->name || (kind == SIM_BONE_DRIVEN && !entry->parent)) continue; // reported already
        if (is_among(entry->name, names, name_count)) {
            report_duplicate(reader, entry);
            continue;
        }
        names[name_count++] = entry->name;
        open[open_count++] = entry;
    }
    for (int before = -1; before != open_count;) { // each round appends the bones whose parents are present
        before = open_count;
        open_count = 0;
        for (int i = 0; i < before; i++) {
            const char *parent_name = open[i]->parent;
            const int parent = parent_name ? script_bone_find(bones, *bone_count, parent_name) : -1;
            if (parent_name && parent < 0)
                open[open_count++] = open[i];
            else
                append(open[i], parent, kind, bones, bone_count);
        }
    }
    for (int i = 0; i < open_count; i++)
        report_parent(reader, open[i], is_among(open[i]->parent, names, name_count), names, name_count);
}

int script_bone_find(const SimBoneDef *bones, int bone_count, const char *name) {
    for (int i = 0; i < bone_count; i++)
        if (strcmp(bones[i].name, name) == 0) return i;
    return -1;
}

static bool is_among(const char *name, const char *const *names, int name_count) {
    for (int i = 0; i < name_count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// A finding at entry's field.
static void report_duplicate(ScriptReader *reader, const ScriptBone *entry) {
    script_reader_index(reader, entry->index);
    script_reader_error_at(reader, "name", "there is another bone \"%s\"", entry->name);
    script_reader_leave(reader);
}

static void append(const ScriptBone *entry, int parent, SimBoneKind kind, SimBoneDef *bones,
                   int *bone_count) {
    SimBoneDef *bone = &bones[(*bone_count)++];
    *bone = sim_default_bone_def();
    bone->name = entry->name;
    bone->parent = parent;
    bone->kind = kind;
    memcpy(bone->position, entry->position, sizeof entry->position);
    memcpy(bone->rotation, entry->rotation, sizeof entry->rotation);
}

static void report_parent(ScriptReader *reader, const ScriptBone *entry, bool is_circle,
                          const char *const *names, int name_count) {
    script_reader_index(reader, entry->index);
    script_reader_key(reader, "parent");
    if (is_circle)
        script_reader_error(
            reader,
            "bone \"%s\" leads to no root: it is its own ancestor, or one of its ancestors has an error",
            entry->parent);
    else
        script_reader_unknown(reader, "bone", entry->parent, names, name_count);
    script_reader_leave(reader);
    script_reader_leave(reader);
}
