// openrpc.json and the method table agree, method by method and parameter by parameter.
#include "protocol/message.h"
#include "protocol/methods.h"
#include "protocol/view.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <text/utf8.h>

static cJSON *document;

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static int load_document(void **state) {
    (void)state;
    FILE *file = fopen(PROJECT_DIRECTORY "/protocol/openrpc.json", "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    assert_true(text_is_utf8(bytes, size));
    document = cJSON_ParseWithLength(bytes, size);
    free(bytes);
    assert_non_null(document);
    return 0;
}

static int free_document(void **state) {
    (void)state;
    cJSON_Delete(document);
    return 0;
}

// Resolves {"$ref": "#/components/KIND/NAME"}; other objects are returned as they are.
static const cJSON *resolve(const cJSON *object) {
    const cJSON *reference = get(object, "$ref");
    if (!reference) return object;
    char kind[32], name[64];
    if (sscanf(reference->valuestring, "#/components/%31[a-z]/%63s", kind, name) != 2) {
        fail_msg("a reference to %s", reference->valuestring);
    }
    const cJSON *found = get(get(get(document, "components"), kind), name);
    if (!found) fail_msg("nothing at %s", reference->valuestring);
    return found;
}

// ---- Schemas against parameters ----

static const char *where; // "method.parameter", for messages

static void expect(bool right, const char *what) {
    if (!right) fail_msg("%s: %s differs", where, what);
}

static bool is_text(const cJSON *json, const char *text) {
    return cJSON_IsString(json) && strcmp(json->valuestring, text) == 0;
}

static bool is_number(const cJSON *json, double number) {
    return cJSON_IsNumber(json) && json->valuedouble == number;
}

static void expect_type(const cJSON *schema, const char *type) {
    expect(is_text(get(schema, "type"), type), "type");
}

static void expect_range(const cJSON *schema, const ProtocolParam *param) {
    expect(is_number(get(schema, "minimum"), param->minimum), "minimum");
    expect(is_number(get(schema, "maximum"), param->maximum), "maximum");
}

static void expect_component(const cJSON *schema, const char *name) {
    expect(resolve(schema) == get(get(get(document, "components"), "schemas"), name), name);
}

static void expect_choices(const cJSON *list, const char *const *choices, const char *what) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        expect(*choices && is_text(item, *choices), what);
        choices++;
    }
    expect(cJSON_IsArray(list) && !*choices, what);
}

static void expect_vector(const cJSON *schema, const ProtocolParam *param, int count) {
    expect_type(schema, "array");
    expect(is_number(get(schema, "minItems"), count) && is_number(get(schema, "maxItems"), count),
           "number of items");
    expect_type(get(schema, "items"), "number");
    expect_range(get(schema, "items"), param);
}

static void expect_list_limit(const cJSON *schema) {
    expect_type(schema, "array");
    expect(is_number(get(schema, "maxItems"), PROTOCOL_MAX_PATTERNS), "maxItems");
}

static void expect_schema(const cJSON *schema, const ProtocolParam *param);

static void expect_object(const cJSON *schema, const ProtocolParam *param) {
    expect_type(schema, "object");
    expect(cJSON_IsFalse(get(schema, "additionalProperties")), "additionalProperties");
    expect((size_t)cJSON_GetArraySize(get(schema, "properties")) == param->field_count,
           "number of properties");
    for (size_t i = 0; i < param->field_count; i++) {
        const cJSON *property = get(get(schema, "properties"), param->fields[i].name);
        expect(property, param->fields[i].name);
        expect_schema(property, &param->fields[i]);
    }
}

static void expect_number_or_false(const cJSON *schema, const ProtocolParam *param) {
    const cJSON *ways = get(schema, "anyOf");
    expect(cJSON_GetArraySize(ways) == 2, "anyOf");
    expect_type(ways->child, "number");
    expect_range(ways->child, param);
    expect(cJSON_IsFalse(get(ways->child->next, "const")), "const");
}

static void expect_default(const cJSON *schema, const ProtocolParam *param) {
    const cJSON *given = get(schema, "default");
    expect((given != NULL) == param->has_default, "having a default");
    if (!given) return;
    if (param->type == PROTOCOL_TYPE_ENUM_LIST) {
        expect_choices(given, param->choices, "default");
    } else if (param->type == PROTOCOL_TYPE_PATTERN_LIST) {
        expect(cJSON_GetArraySize(given) == 1 && is_text(given->child, param->default_text), "default");
    } else if (param->default_text) {
        expect(is_text(given, param->default_text), "default");
    } else if (param->type == PROTOCOL_TYPE_BOOL) {
        expect(cJSON_IsBool(given) && cJSON_IsTrue(given) == (param->default_number != 0), "default");
    } else {
        expect(is_number(given, param->default_number), "default");
    }
}

static void expect_compound_shape(const cJSON *schema, const ProtocolParam *param) {
    switch (param->type) {
    case PROTOCOL_TYPE_ENUM_LIST:
        expect_list_limit(schema);
        expect_type(get(schema, "items"), "string");
        expect_choices(get(get(schema, "items"), "enum"), param->choices, "enum");
        break;
    case PROTOCOL_TYPE_PATTERN_LIST:
        expect_list_limit(schema);
        expect_component(get(schema, "items"), "Pattern");
        break;
    case PROTOCOL_TYPE_NAME_LIST:
        expect_list_limit(schema);
        expect_component(get(schema, "items"), "Name");
        break;
    case PROTOCOL_TYPE_OBJECT:
        expect_object(schema, param);
        break;
    case PROTOCOL_TYPE_MAP:
        expect_type(schema, "object");
        expect_component(get(schema, "propertyNames"), "Name");
        expect_object(resolve(get(schema, "additionalProperties")), param);
        break;
    case PROTOCOL_TYPE_VALUES:
        expect_component(schema, "Values");
        break;
    case PROTOCOL_TYPE_TABLE:
        expect_choices(get(schema, "type"), (const char *const[]){"object", "array", NULL}, "type");
        break;
    default:
        fail_msg("%s: a type without a schema", where);
    }
}

static void expect_shape(const cJSON *schema, const ProtocolParam *param) {
    switch (param->type) {
    case PROTOCOL_TYPE_NAME:
        expect_component(schema, "Name");
        break;
    case PROTOCOL_TYPE_STRING:
        expect_type(schema, "string");
        expect(is_number(get(schema, "minLength"), param->minimum), "minLength");
        expect(is_number(get(schema, "maxLength"), param->maximum), "maxLength");
        break;
    case PROTOCOL_TYPE_BOOL:
        expect_type(schema, "boolean");
        break;
    case PROTOCOL_TYPE_INTEGER:
        expect_type(schema, "integer");
        expect_range(schema, param);
        break;
    case PROTOCOL_TYPE_NUMBER:
        expect_type(schema, "number");
        expect_range(schema, param);
        break;
    case PROTOCOL_TYPE_NUMBER_OR_FALSE:
        expect_number_or_false(schema, param);
        break;
    case PROTOCOL_TYPE_VEC3:
        expect_vector(schema, param, 3);
        break;
    case PROTOCOL_TYPE_QUATERNION:
        expect_vector(schema, param, 4);
        break;
    case PROTOCOL_TYPE_ENUM:
        expect_type(schema, "string");
        expect_choices(get(schema, "enum"), param->choices, "enum");
        break;
    case PROTOCOL_TYPE_PATTERN:
        expect_component(schema, "Pattern");
        break;
    default:
        expect_compound_shape(schema, param);
        break;
    }
}

static void expect_schema(const cJSON *schema, const ProtocolParam *param) {
    const cJSON *resolved = resolve(schema);
    expect_shape(resolved, param);
    expect_default(resolved, param);
}

static void expect_param(const cJSON *described, const ProtocolParam *param) {
    expect(cJSON_IsTrue(get(described, "required")) == param->required, "required");
    expect_schema(get(described, "schema"), param);
    if (!param->unit) return;
    // JSON Schema has no units; the description begins with the unit, or names it.
    const cJSON *description = get(described, "description");
    expect(cJSON_IsString(description) && strstr(description->valuestring, param->unit), "unit");
}

static const cJSON *find_named(const cJSON *list, const char *name) {
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (is_text(get(item, "name"), name)) return item;
    }
    return NULL;
}

static bool may_fail_with(const cJSON *method, const char *name) {
    const cJSON *error;
    cJSON_ArrayForEach(error, get(method, "errors")) {
        if (resolve(error) == get(get(get(document, "components"), "errors"), name)) return true;
    }
    return false;
}

static void expect_flags(const cJSON *method, const ProtocolMethod *row) {
    static const char targets[] = "Pass either fabric, or character and garment.";
    const cJSON *description = get(method, "description");
    expect(is_text(get(method, "x-scripts"), row->connection_only ? "never"
                                             : row->runs_scripts  ? "after scripts"
                                                                  : "at once"),
           "x-scripts");
    expect(row->targets_fabric == (cJSON_IsString(description) &&
                                   strncmp(description->valuestring, targets, strlen(targets)) == 0),
           "targets_fabric");
    expect(may_fail_with(method, "NotAllowed") == (row->role != PROTOCOL_ROLE_OBSERVER), "NotAllowed");
    // Only what runs scripts, now or after they are reloaded, can fail in one.
    expect(!may_fail_with(method, "ScriptError") || row->runs_scripts || row->exclusive, "ScriptError");
    expect(!row->exclusive || row->timing == PROTOCOL_COMMAND, "exclusive");
    // What is answered while a tick runs reads nothing of the world.
    expect(!row->any_time || (row->timing == PROTOCOL_AT_ONCE && !may_fail_with(method, "NotFound")),
           "any_time");
}

static void test_methods_agree_with_the_table(void **state) {
    (void)state;
    const cJSON *described = get(document, "methods");
    assert_int_equal(cJSON_GetArraySize(described), PROTOCOL_METHOD_COUNT);
    const cJSON *method = described->child;
    for (size_t i = 0; i < PROTOCOL_METHOD_COUNT; i++, method = method->next) {
        char name[128];
        where = strcpy(name, protocol_methods[i].name);
        expect(is_text(get(method, "name"), protocol_methods[i].name), "name or order");
        expect(is_text(get(method, "paramStructure"), "by-name"), "paramStructure");
        expect(is_text(get(method, "x-role"), protocol_role_name(protocol_methods[i].role)), "role");
        expect(is_text(get(method, "x-timing"),
                       protocol_methods[i].timing == PROTOCOL_COMMAND ? "command" : "at once"),
               "timing");
        expect_flags(method, &protocol_methods[i]);
        const cJSON *params = get(method, "params");
        expect((size_t)cJSON_GetArraySize(params) == protocol_methods[i].param_count, "number of parameters");
        for (size_t k = 0; k < protocol_methods[i].param_count; k++) {
            const ProtocolParam *param = &protocol_methods[i].params[k];
            snprintf(name, sizeof name, "%s.%s", protocol_methods[i].name, param->name);
            const cJSON *found = find_named(params, param->name);
            expect(found, "its presence");
            expect_param(found, param);
        }
    }
}

// OpenRPC requires the required parameters first.
static void test_required_params_come_first(void **state) {
    (void)state;
    const cJSON *method, *param;
    cJSON_ArrayForEach(method, get(document, "methods")) {
        bool optional = false;
        cJSON_ArrayForEach(param, get(method, "params")) {
            if (optional && cJSON_IsTrue(get(param, "required")))
                fail_msg("%s", get(method, "name")->valuestring);
            optional = optional || !cJSON_IsTrue(get(param, "required"));
        }
    }
}

static void test_examples_are_valid_requests(void **state) {
    (void)state;
    const cJSON *method, *example, *param;
    cJSON_ArrayForEach(method, get(document, "methods")) {
        ProtocolError error = {0};
        const ProtocolMethod *known = protocol_find_method(get(method, "name")->valuestring, &error);
        assert_true(cJSON_GetArraySize(get(method, "examples")) > 0);
        cJSON_ArrayForEach(example, get(method, "examples")) {
            cJSON *params = cJSON_CreateObject();
            cJSON_ArrayForEach(param, get(example, "params")) {
                cJSON_AddItemToObject(params, get(param, "name")->valuestring,
                                      cJSON_Duplicate(get(param, "value"), true));
            }
            if (!protocol_validate_params(known, params, &error))
                fail_msg("%s: %s", known->name, error.message);
            cJSON_Delete(params);
            assert_non_null(get(get(example, "result"), "value"));
        }
    }
}

static void test_errors_have_the_codes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int code;
    } codes[] = {{"ParseError", PROTOCOL_PARSE_ERROR},       {"InvalidRequest", PROTOCOL_INVALID_REQUEST},
                 {"UnknownMethod", PROTOCOL_UNKNOWN_METHOD}, {"InvalidParams", PROTOCOL_INVALID_PARAMS},
                 {"InternalError", PROTOCOL_INTERNAL_ERROR}, {"NotFound", PROTOCOL_NOT_FOUND},
                 {"NotAllowed", PROTOCOL_NOT_ALLOWED},       {"NotNow", PROTOCOL_NOT_NOW},
                 {"ScriptError", PROTOCOL_SCRIPT_ERROR},     {"WrongVersion", PROTOCOL_WRONG_VERSION}};
    const cJSON *errors = get(get(document, "components"), "errors"), *method, *error;
    assert_int_equal(cJSON_GetArraySize(errors), sizeof codes / sizeof *codes);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_true(is_number(get(get(errors, codes[i].name), "code"), codes[i].code));
    }
    cJSON_ArrayForEach(method, get(document, "methods")) {
        cJSON_ArrayForEach(error, get(method, "errors")) assert_non_null(get(resolve(error), "code"));
    }
}

// Every "$ref" of the document has a target.
static void follow_references(const cJSON *json) {
    if (cJSON_IsObject(json)) resolve(json);
    const cJSON *item;
    cJSON_ArrayForEach(item, json) follow_references(item);
}

static void test_references_and_names_hold(void **state) {
    (void)state;
    follow_references(document);
    const cJSON *schemas = get(get(document, "components"), "schemas");
    where = "components";
    expect_choices(get(get(schemas, "AxesName"), "enum"), protocol_axes_names, "axes");
    const cJSON *kind = get(get(get(schemas, "Bone"), "properties"), "kind");
    expect_choices(get(kind, "enum"), protocol_bone_kind_names, "kinds");
    assert_true(is_number(get(get(schemas, "Name"), "maxLength"), TEXT_NAME_BYTES));
    assert_true(is_number(get(get(schemas, "Pattern"), "maxLength"), TEXT_NAME_BYTES));
    static const char *const notifications[] = {"server.hello", "stream.static", "stream.frame"};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(find_named(get(document, "x-notifications"), notifications[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods_agree_with_the_table),
        cmocka_unit_test(test_required_params_come_first),
        cmocka_unit_test(test_examples_are_valid_requests),
        cmocka_unit_test(test_errors_have_the_codes),
        cmocka_unit_test(test_references_and_names_hold),
    };
    return cmocka_run_group_tests(tests, load_document, free_document);
}
