// The child process: gives its rights away, reads a file and sends what is in it.
//
// Its arguments: import-child KIND SCALE MEMORY SECONDS PARENT PATH [MESH].
#include "process/child.h"

#include "importer/importer.h"
#include "process/check.h"
#include "process/restrict.h"
#include "process/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_file(Wire *wire, const char *path, float scale, AssetError *out_error);
static bool read_surface(Wire *wire, const char *path, const char *mesh, float scale, AssetError *out_error);
static bool read_contents(Wire *wire, const char *path, AssetError *out_error);
static void send_outcome(Wire *wire, bool done);

bool asset_import_main(int argc, char **argv, int *out_status) {
    if (argc < 2 || strcmp(argv[1], IMPORT_COMMAND) != 0) return false;
    *out_status = 1;
    if (argc < 8 || argc > 9) return true;
    static Wire wire; // large
    AssetError error = {""};
    const char *path = argv[7], *mesh = argc > 8 ? argv[8] : NULL;
    const float scale = strtof(argv[3], NULL);
    const size_t memory = (size_t)strtoull(argv[4], NULL, 10);
    const unsigned seconds = (unsigned)strtoul(argv[5], NULL, 10);
    const pid_t parent = (pid_t)strtol(argv[6], NULL, 10);
    if (!restrict_process(path, IMPORT_PIPE, memory, seconds, parent)) return true;
    wire_init_sender(&wire, IMPORT_PIPE);
    bool done;
    switch ((ImportKind)strtol(argv[2], NULL, 10)) {
    case IMPORT_FILE:
        done = read_file(&wire, path, scale, &error);
        break;
    case IMPORT_SURFACE:
        done = read_surface(&wire, path, mesh, scale, &error);
        break;
    default:
        done = read_contents(&wire, path, &error);
        break;
    }
    if (!done) {
        send_outcome(&wire, false);
        wire_error(&wire, &error);
    }
    wire_flush(&wire);
    *out_status = wire.state == WIRE_OPEN ? 0 : 1;
    _exit(*out_status); // nothing of the library's is to run any more
}

static bool read_file(Wire *wire, const char *path, float scale, AssetError *out_error) {
    AssetFile *file = importer_load_file(path, &(AssetLoad){.scale = scale}, out_error);
    if (!file || !asset_check_file(file, out_error)) return false;
    send_outcome(wire, true);
    wire_file(wire, file);
    return true;
}

static bool read_surface(Wire *wire, const char *path, const char *mesh, float scale, AssetError *out_error) {
    AssetSurface surface = {0};
    if (!importer_load_surface(&surface, path, mesh, scale, out_error) ||
        !asset_check_surface(&surface, path, out_error))
        return false;
    send_outcome(wire, true);
    wire_surface(wire, &surface);
    return true;
}

static bool read_contents(Wire *wire, const char *path, AssetError *out_error) {
    AssetContents contents;
    if (!importer_load_contents(&contents, path, out_error) ||
        !asset_check_contents(&contents, path, out_error))
        return false;
    send_outcome(wire, true);
    wire_contents(wire, &contents);
    return true;
}

static void send_outcome(Wire *wire, bool done) {
    wire_flag(wire, &done);
}
