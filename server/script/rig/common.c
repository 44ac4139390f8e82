// What the parts of building a rig share.
#include "rig/build.h"
#include "schema/bones.h"

int script_build_bone(ScriptRigBuild *build, const char *key, const char *name) {
    if (!name || !build->bones_known) return 0;
    const int bone = script_bone_find(build->rig.bones, build->rig.bone_count, name);
    if (bone >= 0) return bone;
    if (key) script_reader_key(build->reader, key);
    script_reader_unknown(build->reader, "bone", name, build->bone_names, build->rig.bone_count);
    if (key) script_reader_leave(build->reader);
    return 0;
}

bool script_rig_part_has_errors(const ScriptRigBuild *build, const char *list, int path) {
    ScriptReader there = *build->reader;
    there.path = (ScriptNodePath){0};
    script_reader_key(&there, list);
    script_reader_index(&there, path);
    return script_reader_has_errors_here(&there);
}
