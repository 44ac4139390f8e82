// Loads fabrics: first reads all files, then fills in values, bases before the fabrics that use them.
#include "data/lexer.h"
#include "host/lookup.h"
#include "load/load.h"
#include "schema/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file that is being loaded.
typedef struct Candidate {
    struct Candidate *next;
    ScriptLoad load;
    char file[SCRIPT_PATH_SIZE];
    ScriptFabricDef def;       // its texts belong to load
    SimMaterial base_material; // what the fabric does not give of its own is this
    bool is_own;               // in the last script directory, which is tweed's own
    bool done;                 // added to the registry, or refused
} Candidate;

typedef struct Batch {
    ScriptHost *host;
    ScriptFindings *findings;
    Candidate *first;
} Batch;

static void add_folder(Batch *batch, const char *folder);
static void out_of_memory(Batch *batch, const char *file);
static void add_candidate(Batch *batch, const char *path, bool is_own);
static bool is_loaded(const ScriptFabricRegistry *registry, const char *file);
static bool finish_batch(Batch *batch, size_t first, size_t errors);
static void refuse_same_names(Batch *batch);
static bool is_copy(const char *file, const char *other);
static void refuse(Candidate *candidate, const char *other_file);
static Candidate *find_candidate(const Batch *batch, const char *name, const Candidate *before);
static void resolve_bases(Batch *batch);
static bool read_values_over(Candidate *candidate, const SimFabric *base);
static bool add_fabric(ScriptFabricRegistry *registry, const Candidate *candidate);
static void report_base(Batch *batch, Candidate *candidate);
static void collect_files(ScriptFabricRegistry *registry, const ScriptStringList *files);

bool script_fabrics_load(ScriptHost *host, const char *const *folders, int folder_count,
                         ScriptFindings *findings) {
    const size_t first = findings->count, errors = findings->error_count;
    Batch batch = {.host = host, .findings = findings};
    for (int i = 0; i < folder_count; i++) add_folder(&batch, folders[i]);
    return finish_batch(&batch, first, errors);
}

bool script_fabrics_load_file(ScriptHost *host, const char *file, ScriptFindings *findings) {
    const size_t first = findings->count, errors = findings->error_count;
    Batch batch = {.host = host, .findings = findings};
    add_candidate(&batch, file, false);
    return finish_batch(&batch, first, errors);
}

static void add_folder(Batch *batch, const char *folder) {
    char fabrics[SCRIPT_PATH_SIZE + 16];
    ScriptStringList files;
    const ScriptStringList *directories = &batch->host->directories;
    const bool is_own =
        directories->count > 0 && strcmp(directories->items[directories->count - 1], folder) == 0;
    snprintf(fabrics, sizeof fabrics, "%s/fabrics", folder);
    if (!script_list_files(fabrics, &files)) out_of_memory(batch, fabrics);
    for (int i = 0; i < files.count; i++) add_candidate(batch, files.items[i], is_own);
    script_string_list_finish(&files);
}

static void out_of_memory(Batch *batch, const char *file) {
    script_findings_add(batch->findings, SCRIPT_SEVERITY_ERROR, file, 0, "", "out of memory");
}

// Runs the file and reads its name and base.
static void add_candidate(Batch *batch, const char *path, bool is_own) {
    char file[SCRIPT_PATH_SIZE];
    if (!script_display_path(batch->host, path, file)) {
        script_findings_add(batch->findings, SCRIPT_SEVERITY_ERROR, path, 0, "", "no such file");
        return;
    }
    if (is_loaded(&batch->host->fabrics, file)) return;
    Candidate *candidate = calloc(1, sizeof *candidate), **end = &batch->first;
    if (!candidate) {
        out_of_memory(batch, file);
        return;
    }
    while (*end) end = &(*end)->next;
    *end = candidate;
    memcpy(candidate->file, file, sizeof file);
    candidate->is_own = is_own;
    script_load_begin(&candidate->load, batch->host, file, batch->findings);
    candidate->done = true;
    if (!candidate->load.root) return;
    ScriptReader reader = script_load_reader(&candidate->load);
    candidate->done = !script_fabric_read_names(&reader, &candidate->def);
}

static bool is_loaded(const ScriptFabricRegistry *registry, const char *file) {
    for (int i = 0; i < registry->count; i++)
        if (strcmp(registry->files[i], file) == 0) return true;
    return false;
}

static bool finish_batch(Batch *batch, size_t first, size_t errors) {
    const bool right = batch->findings->error_count == errors;
    refuse_same_names(batch);
    resolve_bases(batch);
    const bool done = right && batch->findings->error_count == errors;
    while (batch->first) {
        Candidate *candidate = batch->first;
        batch->first = candidate->next;
        // while checking, valid fabrics stay: otherwise files that use them would have errors
        if (!done && !batch->host->checking)
            script_fabric_registry_remove_file(&batch->host->fabrics, candidate->file);
        if (candidate->load.state) collect_files(&batch->host->fabrics, &candidate->load.state->files);
        script_load_end(&candidate->load, NULL);
        free(candidate);
    }
    script_findings_sort(batch->findings, first);
    return done;
}

// Of two fabrics of one name the later is refused, but never tweed's own. A copy of a file is the same
// fabric: a copy of all scripts can be served.
static void refuse_same_names(Batch *batch) {
    const ScriptFabricRegistry *registry = &batch->host->fabrics;
    for (Candidate *candidate = batch->first; candidate; candidate = candidate->next) {
        if (!candidate->def.name) continue;
        Candidate *other = find_candidate(batch, candidate->def.name, candidate);
        const ScriptFabric *known = script_fabric_registry_find(registry, candidate->def.name);
        const char *file = known ? registry->files[known - registry->items] : other ? other->file : NULL;
        if (!file) continue;
        if (is_copy(candidate->file, file))
            candidate->done = true;
        else if (!known && candidate->is_own && !other->is_own)
            refuse(other, candidate->file);
        else
            refuse(candidate, file);
    }
}

static bool is_copy(const char *file, const char *other) {
    const char *name = strrchr(file, '/'), *other_name = strrchr(other, '/');
    if (strcmp(name ? name : file, other_name ? other_name : other) != 0) return false;
    size_t length, other_length;
    char *text = script_read_file(file, &length), *other_text = script_read_file(other, &other_length);
    const bool alike = text && other_text && length == other_length && memcmp(text, other_text, length) == 0;
    free(text);
    free(other_text);
    return alike;
}

static void refuse(Candidate *candidate, const char *other_file) {
    const char *name = candidate->def.name;
    ScriptReader reader = script_load_reader(&candidate->load);
    script_reader_error_at(
        &reader, "name",
        "fabric \"%s\" is already defined in %s; choose another name (base = \"%s\" starts "
        "from its values)",
        name, other_file, name);
    candidate->done = true;
}

static Candidate *find_candidate(const Batch *batch, const char *name, const Candidate *before) {
    for (Candidate *candidate = batch->first; candidate != before; candidate = candidate->next)
        if (candidate->def.name && strcmp(candidate->def.name, name) == 0) return candidate;
    return NULL;
}

static void resolve_bases(Batch *batch) {
    const SimFabric defaults = sim_default_fabric();
    for (bool progress = true; progress;) { // each round adds the fabrics whose bases are present
        progress = false;
        for (Candidate *candidate = batch->first; candidate; candidate = candidate->next) {
            if (candidate->done) continue;
            const char *base_name = candidate->def.base;
            const ScriptFabric *base = base_name ? script_fabric_find(batch->host, base_name) : NULL;
            if (base_name && !base) continue;
            const SimFabric values = base ? base->values : defaults; // a copy: the registry moves as it grows
            candidate->base_material = base ? base->material : sim_default_material();
            if (read_values_over(candidate, &values) && !add_fabric(&batch->host->fabrics, candidate))
                out_of_memory(batch, candidate->file);
            progress = true;
        }
    }
    for (Candidate *candidate = batch->first; candidate; candidate = candidate->next)
        if (!candidate->done) report_base(batch, candidate);
    for (Candidate *candidate = batch->first; candidate; candidate = candidate->next)
        if (!candidate->done) read_values_over(candidate, &defaults); // to report its other errors
}

// Reads the candidate's values over its base's. False with findings if one is wrong.
static bool read_values_over(Candidate *candidate, const SimFabric *base) {
    ScriptReader reader = script_load_reader(&candidate->load);
    reader.first_error = reader.findings->error_count; // other candidates have added errors meanwhile
    candidate->done = true;
    candidate->def.values = *base;
    candidate->def.material = script_material_none();
    script_fabric_read_values(&reader, &candidate->def);
    return !script_reader_failed(&reader);
}

static bool add_fabric(ScriptFabricRegistry *registry, const Candidate *candidate) {
    const ScriptFabricDef *def = &candidate->def;
    const ScriptFabric fabric = {
        def->name,   def->base,   candidate->load.state->script,
        def->values, def->values, script_material_over(candidate->base_material, &def->material)};
    return script_fabric_registry_add(registry, &fabric, candidate->file);
}

static void report_base(Batch *batch, Candidate *candidate) {
    ScriptReader reader = script_load_reader(&candidate->load);
    const Candidate *base = find_candidate(batch, candidate->def.base, NULL);
    script_reader_key(&reader, "base");
    if (base && base->done) {
        script_reader_error(&reader, "fabric \"%s\" has errors", candidate->def.base);
    } else if (base) {
        script_reader_error(&reader, "the bases of fabric \"%s\" lead back to it", candidate->def.base);
    } else {
        const char **names = script_reader_alloc(&reader, batch->host->fabrics.count, sizeof *names);
        for (int i = 0; names && i < batch->host->fabrics.count; i++)
            names[i] = batch->host->fabrics.items[i].name;
        script_reader_unknown(&reader, "fabric", candidate->def.base, names,
                              names ? batch->host->fabrics.count : 0);
    }
}

static void collect_files(ScriptFabricRegistry *registry, const ScriptStringList *files) {
    for (int i = 0; i < files->count; i++) script_string_list_add_new(&registry->read, files->items[i]);
}
