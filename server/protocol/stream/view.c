// Views in a form that can be compared.
#include "protocol/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <text/glob.h>

static bool read_patterns(ProtocolParams params, const char *name, ProtocolPatterns *out_patterns);
static uint32_t read_kinds(ProtocolParams params);
static bool patterns_equal(const ProtocolPatterns *a, const ProtocolPatterns *b);
static bool patterns_have(const ProtocolPatterns *patterns, const char *name);

bool protocol_view_read(const cJSON *json, ProtocolView *out_view, ProtocolSubscription *out_subscription,
                        ProtocolError *out_error) {
    ProtocolParams params = protocol_params(&protocol_methods[PROTOCOL_STREAM_SUBSCRIBE], json);
    *out_view = (ProtocolView){
        .kinds = read_kinds(params),
        .axes = (ProtocolAxes)protocol_param_choice(params, "axes"),
        .space = (ProtocolSpace)protocol_param_choice(params, "space"),
        .layout = (ProtocolLayout)protocol_param_choice(params, "layout"),
        .precision = (int)protocol_param_integer(params, "precision"),
        .particles = protocol_param_bool(params, "particles"),
        .references = protocol_param_bool(params, "references"),
        .wrinkles = protocol_param_bool(params, "wrinkles"),
    };
    *out_subscription = (ProtocolSubscription){
        .rate = protocol_param_number(params, "rate"),
        .policy = (ProtocolPolicy)protocol_param_choice(params, "policy"),
        .static_data = protocol_param_bool(params, "static"),
        .mesh = protocol_param_bool(params, "mesh"),
        .redirect = protocol_param_bool(params, "redirect"),
    };
    if (read_patterns(params, "characters", &out_view->characters) &&
        read_patterns(params, "bones", &out_view->bones)) {
        return true;
    }
    protocol_view_finish(out_view);
    protocol_error_set(out_error, PROTOCOL_INTERNAL_ERROR, NULL, "out of memory");
    return false;
}

void protocol_view_finish(ProtocolView *view) {
    free(view->characters.entries);
    free(view->bones.entries);
    *view = (ProtocolView){0};
}

bool protocol_view_equal(const ProtocolView *a, const ProtocolView *b) {
    return a->kinds == b->kinds && a->axes == b->axes && a->space == b->space && a->layout == b->layout &&
           a->precision == b->precision && a->particles == b->particles && a->references == b->references &&
           a->wrinkles == b->wrinkles && patterns_equal(&a->characters, &b->characters) &&
           patterns_equal(&a->bones, &b->bones);
}

bool protocol_view_has_character(const ProtocolView *view, const char *name) {
    return patterns_have(&view->characters, name);
}

bool protocol_view_has_bone(const ProtocolView *view, const char *name, ProtocolBoneKind kind) {
    return (view->kinds >> kind & 1) != 0 && patterns_have(&view->bones, name);
}

bool protocol_rate_is_due(double rate, uint64_t tick, uint64_t interval, double tick_rate) {
    if (rate <= 0 || tick == 0) return true;
    const uint64_t last = interval < tick ? tick - interval : 0;
    return floor((double)tick * rate / tick_rate) > floor((double)last * rate / tick_rate);
}

static uint32_t read_kinds(ProtocolParams params) {
    const cJSON *list = protocol_param_json(params, "kinds");
    if (!list) return (1u << PROTOCOL_BONE_KIND_COUNT) - 1;
    uint32_t kinds = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        for (int kind = 0; kind < PROTOCOL_BONE_KIND_COUNT; kind++) {
            if (strcmp(protocol_bone_kind_names[kind], item->valuestring) == 0) kinds |= 1u << kind;
        }
    }
    return kinds;
}

static int compare_entries(const void *a, const void *b) {
    return strcmp(a, b);
}

// Whether the pattern is only stars: then no other entry adds to it.
static bool matches_all(const char *pattern) {
    return pattern[strspn(pattern, "*")] == '\0';
}

static void sort_once(ProtocolPatterns *patterns) {
    size_t kept = 0;
    if (patterns->count > 0) {
        qsort(patterns->entries, patterns->count, sizeof *patterns->entries, compare_entries);
    }
    for (size_t i = 0; i < patterns->count; i++) {
        if (kept > 0 && strcmp(patterns->entries[kept - 1], patterns->entries[i]) == 0) continue;
        if (kept != i) memcpy(patterns->entries[kept], patterns->entries[i], sizeof *patterns->entries);
        kept++;
    }
    patterns->count = kept;
}

static bool read_patterns(ProtocolParams params, const char *name, ProtocolPatterns *out_patterns) {
    const cJSON *list = protocol_param_json(params, name), *item;
    size_t size = list ? (size_t)cJSON_GetArraySize(list) : 1;
    *out_patterns = (ProtocolPatterns){0};
    out_patterns->entries = calloc(size + 1, sizeof *out_patterns->entries);
    if (!out_patterns->entries) return false;
    bool all = !list;
    cJSON_ArrayForEach(item, list) {
        all = all || matches_all(item->valuestring);
        strcpy(out_patterns->entries[out_patterns->count++], item->valuestring);
    }
    if (all) {
        strcpy(out_patterns->entries[0], "*");
        out_patterns->count = 1;
    }
    sort_once(out_patterns);
    return true;
}

static bool patterns_equal(const ProtocolPatterns *a, const ProtocolPatterns *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->entries[i], b->entries[i]) != 0) return false;
    }
    return true;
}

static bool patterns_have(const ProtocolPatterns *patterns, const char *name) {
    for (size_t i = 0; i < patterns->count; i++) {
        if (text_glob_match(patterns->entries[i], name)) return true;
    }
    return false;
}
