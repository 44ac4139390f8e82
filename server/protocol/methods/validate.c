// Checking params against the method's table. Nothing is read from params that did not pass here.
#include "methods/validate.h"

static bool check_fabric_target(const cJSON *params, ProtocolError *out_error);

bool protocol_validate_params(const ProtocolMethod *method, const cJSON *params, ProtocolError *out_error) {
    if (params != NULL && !cJSON_IsObject(params)) {
        protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, "params",
                           "params must be an object: parameters go by name, not by position");
        return false;
    }
    return protocol_check_fields(method->name, method->params, method->param_count, params, "params",
                                 out_error) &&
           (!method->targets_fabric || check_fabric_target(params, out_error));
}

// Either `fabric`, or both `character` and `garment`.
static bool check_fabric_target(const cJSON *params, ProtocolError *out_error) {
    static const char *const names[] = {"fabric", "character", "garment"};
    bool given[3];
    for (int i = 0; i < 3; ++i) given[i] = cJSON_GetObjectItemCaseSensitive(params, names[i]) != NULL;
    if (given[0] ? !given[1] && !given[2] : given[1] && given[2]) return true;

    const char *wrong = given[0] ? names[given[1] ? 1 : 2] : names[given[1] ? 2 : given[2] ? 1 : 0];
    char path[PROTOCOL_ERROR_PATH_BYTES];
    protocol_join_path(path, "params", wrong);
    protocol_error_set(out_error, PROTOCOL_INVALID_PARAMS, path,
                       "%s %s: give either fabric, or character and garment", path,
                       given[0] ? "cannot stand beside fabric" : "is missing");
    return false;
}
