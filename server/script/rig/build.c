// Bones and constraints, and the order in which a rig is built.
#include "rig/build.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void build_bones(ScriptRigBuild *build);
static void build_constraints(ScriptRigBuild *build);
static void build_aim(ScriptRigBuild *build, const ScriptAim *aim, SimConstraintDef *out);
static bool is_zero(const float vector[3]);
static void check_different(ScriptRigBuild *build, const char *key, const char *a, const char *b);
static void build_position(ScriptRigBuild *build, const ScriptPosition *position, SimConstraintDef *out);
static void build_twist(ScriptRigBuild *build, const ScriptTwist *twist, SimConstraintDef *out);
static void report_issue(ScriptRigBuild *build, const SimIssue *issue);
static const char *key_of(const char *list);

bool script_rig_build(ScriptReader *reader, const ScriptHost *host, const char *name,
                      const ScriptCharacterDef *def, SimRigId *out_rig) {
    ScriptRigBuild build = {.reader = reader, .host = host, .def = def, .rig = {.name = name}};
    SimIssue issue;
    *out_rig = (SimRigId){0};
    build_bones(&build);
    build_constraints(&build);
    script_build_colliders(&build);
    script_build_garments(&build);
    script_build_collider_bones(&build);
    script_build_seams(&build);
    script_build_clips(&build);
    const bool is_whole = !script_reader_failed(reader) && build.bones_known;
    bool made = is_whole && sim_validate_rig_def(&build.rig, &issue);
    if (is_whole && !made) report_issue(&build, &issue);
    if (host->checking && !reader->out_of_memory) script_rig_lint(&build);
    if (!made) return false;
    if (host->world) {
        *out_rig = sim_rig_create(host->world, &build.rig, &issue);
        made = out_rig->index != 0;
    }
    if (!made) report_issue(&build, &issue);
    return made;
}

// The skeleton's bones, and those of the driven layer behind them.
static void build_bones(ScriptRigBuild *build) {
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

static void build_constraints(ScriptRigBuild *build) {
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
        script_reader_leave(build->reader);
    }
    script_reader_leave(build->reader);
    build->rig.constraints = constraints;
    build->rig.constraint_count = count;
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
    script_reader_key(build->reader, key);
    script_reader_error(build->reader, "expected another bone than \"%s\"", a);
    script_reader_leave(build->reader);
}

static void build_position(ScriptRigBuild *build, const ScriptPosition *position, SimConstraintDef *out) {
    const char *const *between = position->between.items;
    out->kind = SIM_CONSTRAINT_POSITION;
    out->weight = position->weight;
    if (!between) return; // told already
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

// What sim finds beyond our own checks, with its path in the author's terms.
static void report_issue(ScriptRigBuild *build, const SimIssue *issue) {
    char path[sizeof issue->path];
    snprintf(path, sizeof path, "%s", issue->path);
    int steps = 0;
    const char *list = "";
    for (char *part = strtok(path, ".]"); part; part = strtok(NULL, ".]")) {
        char *bracket = strchr(part, '[');
        if (bracket) *bracket = '\0';
        int index = bracket ? (int)strtol(bracket + 1, NULL, 10) : 0;
        if (steps == 0) list = part;
        if (*part) {
            script_reader_key(build->reader, key_of(part));
            steps++;
        }
        if (!bracket) continue;
        steps++;
        if (steps == 2 && strcmp(list, "clips") == 0 && index < build->rig.clip_count)
            script_reader_key(build->reader, build->rig.clips[index].name);
        else if (steps == 2 && strcmp(list, "constraints") == 0 && index < build->rig.constraint_count)
            script_reader_index(build->reader, build->driven_indices[index]);
        else if (steps == 2 && strcmp(list, "colliders") == 0 && index < build->rig.collider_count)
            script_reader_index(build->reader, build->collider_indices[index]);
        else
            script_reader_index(build->reader, index + 1);
    }
    script_reader_error(build->reader, "%s", issue->message);
    for (; steps > 0; steps--) script_reader_leave(build->reader);
}

// A list of sim's definition, in the author's words.
static const char *key_of(const char *list) {
    if (strcmp(list, "constraints") == 0) return "driven";
    return strcmp(list, "bones") == 0 ? "skeleton" : list;
}
