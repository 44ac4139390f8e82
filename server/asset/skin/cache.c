// Keeps bindings in files named by the hash of all that they are computed from.
//
// A file is read whole and believed only if its own hash and its key are right; it is written under another
// name and then renamed. Whatever fails, the binding is computed.
#define _POSIX_C_SOURCE 200809L
#include "asset/skin.h"
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT 1 // count up when the same definition gets other weights
#define MAGIC  UINT64_C(0x31646e6962777400)

typedef struct Header {
    uint64_t magic, key, vertex_count;
    uint64_t hash; // of all that follows
} Header;

typedef struct Entry {
    const AssetBindDef *def;
    char path[4096];
    uint64_t key;
} Entry;

static bool find_entry(Entry *entry, const AssetBindDef *def, const char *folder);
static uint64_t definition_key(const AssetBindDef *def);
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);
static uint64_t hash_weights(const AssetBindDef *def, const void *joints, const void *weights);
static bool read_entry(const Entry *entry, uint16_t (*out_joints)[SIM_INFLUENCES],
                       float (*out_weights)[SIM_INFLUENCES]);
static void write_entry(const Entry *entry, const uint16_t (*joints)[SIM_INFLUENCES],
                        const float (*weights)[SIM_INFLUENCES]);
static bool make_folder(const char *folder);

bool asset_bind_cached(const AssetBindDef *def, const char *folder, uint16_t (*out_joints)[SIM_INFLUENCES],
                       float (*out_weights)[SIM_INFLUENCES], AssetError *out_error) {
    Entry entry;
    const bool keeps = folder && folder[0] != '\0' && def->vertex_count > 0 &&
                       def->vertex_count <= ASSET_MOST_VERTICES && find_entry(&entry, def, folder);
    if (keeps && read_entry(&entry, out_joints, out_weights)) return true;
    if (!asset_bind(def, out_joints, out_weights, out_error)) return false;
    if (keeps && make_folder(folder))
        write_entry(&entry, (const uint16_t(*)[SIM_INFLUENCES])out_joints,
                    (const float(*)[SIM_INFLUENCES])out_weights);
    return true;
}

static bool find_entry(Entry *entry, const AssetBindDef *def, const char *folder) {
    entry->def = def;
    entry->key = definition_key(def);
    const int length = snprintf(entry->path, sizeof entry->path, "%s/%016llx.binding", folder,
                                (unsigned long long)entry->key);
    return length > 0 && (size_t)length < sizeof entry->path;
}

static uint64_t definition_key(const AssetBindDef *def) {
    const int numbers[] = {FORMAT,          def->vertex_count, def->triangle_count, def->segment_count,
                           def->bone_count, def->resolution};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = hash_bytes(hash, numbers, sizeof numbers);
    hash = hash_bytes(hash, &def->sharpness, sizeof def->sharpness);
    hash = hash_bytes(hash, def->positions, (size_t)def->vertex_count * sizeof *def->positions);
    hash = hash_bytes(hash, def->triangles, (size_t)def->triangle_count * sizeof *def->triangles);
    return hash_bytes(hash, def->segments, (size_t)def->segment_count * sizeof *def->segments);
}

// FNV-1a.
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_weights(const AssetBindDef *def, const void *joints, const void *weights) {
    const size_t count = (size_t)def->vertex_count * SIM_INFLUENCES;
    const uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), joints, count * sizeof(uint16_t));
    return hash_bytes(hash, weights, count * sizeof(float));
}

static bool read_entry(const Entry *entry, uint16_t (*out_joints)[SIM_INFLUENCES],
                       float (*out_weights)[SIM_INFLUENCES]) {
    FILE *file = fopen(entry->path, "rb");
    if (!file) return false;
    const size_t count = (size_t)entry->def->vertex_count;
    Header header;
    const bool whole = fread(&header, sizeof header, 1, file) == 1 &&
                       fread(out_joints, sizeof *out_joints, count, file) == count &&
                       fread(out_weights, sizeof *out_weights, count, file) == count && fgetc(file) == EOF;
    fclose(file);
    if (!whole || header.magic != MAGIC || header.key != entry->key || header.vertex_count != count ||
        header.hash != hash_weights(entry->def, out_joints, out_weights))
        return false;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < SIM_INFLUENCES; k++)
            if (out_joints[i][k] >= entry->def->bone_count) return false;
    return true;
}

static void write_entry(const Entry *entry, const uint16_t (*joints)[SIM_INFLUENCES],
                        const float (*weights)[SIM_INFLUENCES]) {
    char path[sizeof entry->path + 16];
    snprintf(path, sizeof path, "%s-XXXXXX", entry->path);
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file) {
        if (descriptor >= 0) close(descriptor);
        return;
    }
    const size_t count = (size_t)entry->def->vertex_count;
    const Header header = {MAGIC, entry->key, count, hash_weights(entry->def, joints, weights)};
    bool done = fwrite(&header, sizeof header, 1, file) == 1 &&
                fwrite(joints, sizeof *joints, count, file) == count &&
                fwrite(weights, sizeof *weights, count, file) == count;
    done = fclose(file) == 0 && done;
    if (!done || rename(path, entry->path) != 0) remove(path);
}

// With those above it.
static bool make_folder(const char *folder) {
    char path[4096];
    const size_t length = strlen(folder);
    if (length >= sizeof path) return false;
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i < length; i++) {
        if (path[i] != '/') continue;
        path[i] = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
        path[i] = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}
