// Bones of the skeleton and of the driven layer over it, and the constraints that move the driven ones.
#include "rig/build.h"
#include "schema/bones.h"

#include <string.h>

static void build_aim(ScriptRigBuild *build, const ScriptAim *aim, SimConstraintDef *out);
static bool is_zero(const float vector[3]);
static void check_different(ScriptRigBuild *build, const char *key, const char *a, const char *b);
static void build_position(ScriptRigBuild *build, const ScriptPosition *position, SimConstraintDef *out);
static void build_twist(ScriptRigBuild *build, const ScriptTwist *twist, SimConstraintDef *out);
static void build_slide(ScriptRigBuild *build, const ScriptSlide *slide, SimConstraintDef *out);

// Adds the skeleton's bones, then those of the driven layer.
void script_build_bones(ScriptRigBuild *build) {
    const ScriptSkeleton *skeleton = build->def->skeleton;
    const ScriptList *driven = &build->def->driven;
    const ScriptItem *items = driven->items;
    build->bones_known = skeleton && !skeleton->broken;
    const int skeleton_count = build->bones_known ? skeleton->bone_count : 0,
              most = skeleton_count + driven->count;
    SimBoneDef *bones = script_reader_alloc(build->reader, most, sizeof *bones);
    ScriptBone *entries = script_reader_alloc(build->reader, driven->count, sizeof *entries);
    build->bone_names = script_reader_alloc(build->reader, most, sizeof *build->bone_names);
    build->rest_model = script_reader_alloc(build->reader, most, sizeof *build->rest_model);
    if (!bones || !entries || !build->bone_names || !build->rest_model || !build->bones_known) return;
    memcpy(bones, skeleton->bones, (size_t)skeleton_count * sizeof *bones);
    int count = skeleton_count, entry_count = 0;
    for (int i = 0; i < driven->count; i++) {
        if (items[i].schema != &script_bone_schema) continue;
        entries[entry_count] = *(const ScriptBone *)items[i].value;
        entries[entry_count++].index = i + 1;
    }
    script_reader_key(build->reader, "driven");
    script_bones_append(build->reader, entries, entry_count, SIM_BONE_DRIVEN, bones, &count);
    script_reader_leave(build->reader);
    for (int i = 0; i < count; i++) build->bone_names[i] = bones[i].name;
    script_rest_model(bones, count, build->rest_model);
    build->rig.bones = bones;
    build->rig.bone_count = count;
}

void script_build_constraints(ScriptRigBuild *build) {
    const ScriptList *driven = &build->def->driven;
    const ScriptItem *items = driven->items;
    SimConstraintDef *constraints = script_reader_alloc(build->reader, driven->count, sizeof *constraints);
    build->driven_indices = script_reader_alloc(build->reader, driven->count, sizeof *build->driven_indices);
    if (!constraints || !build->driven_indices) return;
    int count = 0;
    script_reader_key(build->reader, "driven");
    for (int i = 0; i < driven->count; i++) {
        if (!items[i].schema || items[i].schema == &script_bone_schema) continue;
        SimConstraintDef *constraint = &constraints[count];
        *constraint = sim_default_constraint_def();
        build->driven_indices[count++] = i + 1;
        script_reader_index(build->reader, i + 1);
        if (items[i].schema == &script_aim_schema) build_aim(build, items[i].value, constraint);
        if (items[i].schema == &script_position_schema) build_position(build, items[i].value, constraint);
        if (items[i].schema == &script_twist_schema) build_twist(build, items[i].value, constraint);
        if (items[i].schema == &script_slide_schema) build_slide(build, items[i].value, constraint);
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.constraints = constraints;
    build->rig.constraint_count = count;
}

int script_build_bone(ScriptRigBuild *build, const char *key, const char *name) {
    if (!name || !build->bones_known) return 0;
    const int bone = script_bone_find(build->rig.bones, build->rig.bone_count, name);
    if (bone >= 0) return bone;
    if (key) script_reader_key(build->reader, key);
    script_reader_unknown(build->reader, "bone", name, build->bone_names, build->rig.bone_count);
    if (key) script_reader_leave(build->reader);
    return 0;
}

bool script_rig_part_has_errors(const ScriptRigBuild *build, const char *list, int index) {
    ScriptReader there = *build->reader;
    there.path = (ScriptNodePath){0};
    script_reader_key(&there, list);
    script_reader_index(&there, index);
    return script_reader_has_errors_here(&there);
}

static void build_aim(ScriptRigBuild *build, const ScriptAim *aim, SimConstraintDef *out) {
    out->kind = SIM_CONSTRAINT_AIM;
    out->bone = script_build_bone(build, "bone", aim->bone);
    out->weight = aim->weight;
    memcpy(out->axis, aim->axis, sizeof aim->axis);
    memcpy(out->direction, aim->direction, sizeof aim->direction);
    memcpy(out->offset, aim->at.offset, sizeof aim->at.offset);
    if ((aim->at.bone != NULL) != is_zero(aim->direction))
        script_reader_error(build->reader,
                            "expected either at = {bone =, offset =} or direction = {x, y, z}");
    if (!aim->at.bone) return;
    check_different(build, "at", aim->bone, aim->at.bone);
    script_reader_key(build->reader, "at");
    out->other = script_build_bone(build, "bone", aim->at.bone);
    script_reader_leave(build->reader);
}

static bool is_zero(const float vector[3]) {
    return vector[0] == 0.0f && vector[1] == 0.0f && vector[2] == 0.0f;
}

static void check_different(ScriptRigBuild *build, const char *key, const char *a, const char *b) {
    if (!a || !b || strcmp(a, b) != 0) return;
    script_reader_error_at(build->reader, key, "expected another bone than \"%s\"", a);
}

static void build_position(ScriptRigBuild *build, const ScriptPosition *position, SimConstraintDef *out) {
    const char *const *between = position->between.items;
    out->kind = SIM_CONSTRAINT_POSITION;
    out->weight = position->weight;
    if (!between) return; // reported already
    script_reader_key(build->reader, "between");
    if (position->between.count == 2) {
        int bones[2];
        for (int i = 0; i < 2; i++) {
            script_reader_index(build->reader, i + 1);
            bones[i] = script_build_bone(build, NULL, between[i]);
            script_reader_leave(build->reader);
        }
        out->bone = bones[0];
        out->other = bones[1];
    } else {
        script_reader_error(build->reader, "expected two bones, found %d", position->between.count);
    }
    script_reader_leave(build->reader);
    if (position->between.count == 2) check_different(build, "between", between[0], between[1]);
}

static void build_twist(ScriptRigBuild *build, const ScriptTwist *twist, SimConstraintDef *out) {
    out->kind = SIM_CONSTRAINT_TWIST;
    out->bone = script_build_bone(build, "bone", twist->bone);
    out->other = script_build_bone(build, "follows", twist->follows);
    out->weight = twist->share;
    memcpy(out->axis, twist->axis, sizeof twist->axis);
    check_different(build, "follows", twist->bone, twist->follows);
}

static void build_slide(ScriptRigBuild *build, const ScriptSlide *slide, SimConstraintDef *out) {
    out->kind = SIM_CONSTRAINT_SLIDE;
    out->bone = script_build_bone(build, "bone", slide->bone);
    out->other = script_build_bone(build, "follows", slide->follows);
    out->base = script_build_bone(build, "relative_to", slide->relative_to);
    out->weight = slide->share;
    memcpy(out->axis, slide->axis, sizeof slide->axis);
    check_different(build, "follows", slide->bone, slide->follows);
    check_different(build, "relative_to", slide->bone, slide->relative_to);
}
