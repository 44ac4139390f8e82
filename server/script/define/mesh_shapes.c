#include "define/mesh_shapes.h"

#include "schema/bones.h"
#include "schema/definition.h"

#include <cglm/quat.h>
#include <cglm/vec3.h>

static bool place_shape(ScriptReader *reader, const ScriptItem *item, const ScriptSkeleton *skeleton,
                        AssetShape *out);
static void place_point(const SimTransform *rest, const float point[3], float out[3]);

static const ScriptSchema *const schemas[] = {&script_ellipsoid_schema, &script_sphere_schema,
                                              &script_capsule_schema, NULL};
const ScriptSchemaField script_mesh_shape_element = {.type = SCRIPT_TYPE_ONE_OF, .schemas = schemas};

AssetShape *script_mesh_shapes(ScriptReader *reader, const ScriptList *list, const ScriptSkeleton *skeleton) {
    const ScriptItem *items = list->items;
    AssetShape *shapes = script_reader_alloc(reader, list->count, sizeof *shapes);
    bool placed = shapes != NULL;
    for (int i = 0; shapes && i < list->count; i++) {
        script_reader_index(reader, i + 1);
        placed = items[i].schema && place_shape(reader, &items[i], skeleton, &shapes[i]) && placed;
        script_reader_leave(reader);
    }
    return placed ? shapes : NULL;
}

int script_mesh_find_bone(ScriptReader *reader, const ScriptSkeleton *skeleton, const char *name) {
    const int bone = script_bone_find(skeleton->bones, skeleton->bone_count, name);
    if (bone >= 0) return bone;
    const char **names = script_reader_alloc(reader, skeleton->bone_count, sizeof *names);
    for (int i = 0; names && i < skeleton->bone_count; i++) names[i] = skeleton->bones[i].name;
    if (names) script_reader_unknown(reader, "bone", name, names, skeleton->bone_count);
    return -1;
}

static bool place_shape(ScriptReader *reader, const ScriptItem *item, const ScriptSkeleton *skeleton,
                        AssetShape *out) {
    const ScriptColliderDef *def = item->value;
    if (!def->bone) return false; // reported already
    script_reader_key(reader, "bone");
    const int bone = script_mesh_find_bone(reader, skeleton, def->bone);
    script_reader_leave(reader);
    if (bone < 0) return false;
    const SimTransform *rest = &skeleton->rest_model[bone];
    *out = (AssetShape){.kind = item->schema == &script_capsule_schema ? ASSET_SHAPE_CAPSULE
                                                                       : ASSET_SHAPE_ELLIPSOID,
                        .rotation = GLM_QUAT_IDENTITY_INIT,
                        .radius = def->radius,
                        .radius_end = def->radius_end < 0.0f ? def->radius : def->radius_end};
    place_point(rest, def->from, out->from);
    place_point(rest, def->to, out->to);
    place_point(rest, def->center, out->center);
    glm_vec3_broadcast(def->radius, out->radii);
    if (item->schema == &script_ellipsoid_schema) {
        glm_vec3_copy((float *)def->radii, out->radii);
        glm_quat_mul((float *)rest->rotation, (float *)def->rotation, out->rotation);
    }
    return true;
}

static void place_point(const SimTransform *rest, const float point[3], float out[3]) {
    glm_quat_rotatev((float *)rest->rotation, (float *)point, out);
    glm_vec3_add((float *)rest->position, out, out);
}
