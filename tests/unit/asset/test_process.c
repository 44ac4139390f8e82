// Importing in a child process: the same bits as here, however the child ends, whatever it sends, and what it
// may not do. Children that misbehave are shell scripts.
#include "bvh.h"
#include "process/check.h"
#include "process/wire.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SOME_BVH                                                                                             \
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation "   \
    "Zrotation\nEnd Site\n{\nOFFSET 0 .7 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: .05\n0 1 0 0 0 0\n0 1 .5 "  \
    "10 20 30\n"

static char folder[64];

static AssetImport child(const char *program) {
    return (AssetImport){.program = program, .memory = (size_t)1 << 30, .seconds = 60.0};
}

static const char *in_folder(const char *name) {
    static char paths[16][128];
    static int next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text) {
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    chmod(path, 0700);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tweed-process-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

// What would be sent of a thing.
typedef struct Sent {
    char *bytes;
    size_t size;
} Sent;

static Sent sent_of(AssetFile *file, AssetSurface *surface, AssetContents *contents) {
    static Wire wire;
    const char *path = in_folder("sent");
    const int descriptor = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    wire_init_sender(&wire, descriptor);
    if (file) wire_file(&wire, file);
    if (surface) wire_surface(&wire, surface);
    if (contents) wire_contents(&wire, contents);
    wire_flush(&wire);
    assert_int_equal(wire.state, WIRE_OPEN);
    struct stat status;
    fstat(descriptor, &status);
    Sent sent = {malloc((size_t)status.st_size), (size_t)status.st_size};
    assert_int_equal(pread(descriptor, sent.bytes, sent.size, 0), status.st_size);
    close(descriptor);
    return sent;
}

static void assert_same(Sent a, Sent b) {
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    free(a.bytes);
    free(b.bytes);
}

static void test_a_child_reads_the_same_bits(void **state) {
    (void)state;
    static const char *const names[] = {"BVH/01_01.bvh", "X/Testwuson.X"};
    AssetImport limits = child(TWEED_PROGRAM);
    AssetError error;
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        AssetFile *here = load(names[i], path);
        AssetFile *there = asset_file_load(path, NULL, &limits, &error);
        assert_non_null(there);
        assert_string_equal(asset_file_path(there), path);
        assert_same(sent_of(here, NULL, NULL), sent_of(there, NULL, NULL));
        asset_file_destroy(here);
        asset_file_destroy(there);
    }
    AssetSurface here, there;
    AssetContents here_too, there_too;
    assert_true(asset_find("Collada/human.zae", NULL, 0, path, sizeof path, &error));
    assert_true(asset_surface_load(&here, path, "human-baseMesh", 1.0f, NULL, NULL, &error));
    assert_true(asset_surface_load(&there, path, "human-baseMesh", 1.0f, NULL, &limits, &error));
    assert_same(sent_of(NULL, &here, NULL), sent_of(NULL, &there, NULL));
    assert_true(asset_contents_load(&here_too, path, NULL, &error));
    assert_true(asset_contents_load(&there_too, path, &limits, &error));
    assert_same(sent_of(NULL, NULL, &here_too), sent_of(NULL, NULL, &there_too));
    assert_true(limits.seconds < 60.0 && limits.seconds > 0.0); // what was used is gone
    asset_surface_finish(&here);
    asset_surface_finish(&there);
    asset_contents_finish(&here_too);
    asset_contents_finish(&there_too);
}

static void test_the_childs_errors_come_through(void **state) {
    (void)state;
    AssetImport limits = child(TWEED_PROGRAM);
    AssetError error;
    char expected[256];
    const char *path = write_file("a.bvh", "hello\n");
    assert_null(asset_file_load(path, NULL, &limits, &error));
    snprintf(expected, sizeof expected, "%s:1 - Expected header string \"HIERARCHY\".", path);
    assert_string_equal(error.message, expected);
    path = write_file("a.raw", SOME_BVH);
    assert_null(asset_file_load(path, NULL, &limits, &error));
    snprintf(
        expected, sizeof expected,
        "%s: expected a file of BVH, glTF (.gltf, .glb, .vrm), FBX, Collada (.dae, .zae), OBJ, X or PLY, "
        "found .raw",
        path);
    assert_string_equal(error.message, expected);
    assert_null(asset_file_load(folder, NULL, &limits, &error));
    assert_non_null(strstr(error.message, "found no ending"));
    assert_null(asset_file_load(in_folder("none.bvh"), NULL, &limits, &error));
    assert_non_null(strstr(error.message, "none.bvh: No such file or directory"));
    mkfifo(in_folder("pipe.bvh"), 0600);
    assert_null(asset_file_load(in_folder("pipe.bvh"), NULL, &limits, &error));
    assert_non_null(strstr(error.message, "pipe.bvh: is no regular file"));
    path = write_file("large.bvh", "");
    assert_int_equal(truncate(path, (off_t)3 << 30), 0);
    assert_null(asset_file_load(path, NULL, &limits, &error));
    assert_non_null(strstr(error.message, "large.bvh: is too large: 3072 MiB"));
}

static void test_however_a_child_ends_the_file_is_named(void **state) {
    (void)state;
    static const struct {
        const char *script, *message;
    } cases[] = {
        {"kill -SEGV $$", "reading it crashed (Segmentation fault)"},
        {"kill -ABRT $$", "reading it crashed (Aborted)"},
        {"kill -FPE $$", "reading it crashed (Floating point exception)"},
        {"printf '\\001\\000\\000\\000abc' >&3; kill -KILL $$", "reading it crashed (Killed)"},
        {"exit 3", "the process that reads it ended with status 3"},
        {"exec 3>&-; exec sleep 60", "reading it"},
        {"exec sleep 60", "reading it takes longer than the 0.5 s that are left for imports"},
        {"while :; do printf '\\001\\000\\000\\000\\000' >&3; done", "sent something invalid"},
        {"exec cat /dev/zero >&3", "sent something invalid"},
    };
    const char *file = write_file("some.bvh", SOME_BVH);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[160];
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", cases[i].script);
        AssetImport limits = child(write_file("program", text));
        AssetError error = {""};
        limits.seconds = strstr(cases[i].message, "0.5 s") ? 0.5 : 60.0;
        const double start = wire_clock();
        assert_null(asset_file_load(file, NULL, &limits, &error));
        assert_true(wire_clock() - start < 30.0);
        print_message("%s\n", error.message);
        assert_int_equal(strncmp(error.message, file, strlen(file)), 0);
        assert_non_null(strstr(error.message, cases[i].message));
    }
    AssetImport limits = child(in_folder("nothing"));
    AssetError error;
    assert_null(asset_file_load(file, NULL, &limits, &error));
    assert_non_null(strstr(error.message, "cannot be started: No such file or directory"));
}

static void test_a_cancelled_import_ends(void **state) {
    (void)state;
    const atomic_bool cancelled = true;
    AssetImport limits = child(write_file("program", "#!/bin/sh\nexec sleep 60\n"));
    AssetError error;
    limits.cancelled = &cancelled;
    const double start = wire_clock();
    assert_null(asset_file_load(write_file("some.bvh", SOME_BVH), NULL, &limits, &error));
    assert_true(wire_clock() - start < 30.0);
    assert_non_null(strstr(error.message, "reading it was cancelled"));
}

// A buffer of a glTF file beside it, and one elsewhere.
static void test_a_child_reads_beside_its_file_only(void **state) {
    (void)state;
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"a\"}],"
        "\"animations\":[{\"name\":\"turn\",\"samplers\":[{\"input\":0,\"output\":1}],"
        "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteLength\":32,\"byteOffset\":8}"
        "],\"buffers\":[{\"byteLength\":40,\"uri\":\"%s\"}]}";
    const float numbers[10] = {0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.0f};
    char own[sizeof text + 16], other[sizeof text + 16];
    mkdir(in_folder("inner"), 0700);
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(in_folder(i == 0 ? "inner/own.bin" : "outer.bin"), "wb");
        assert_int_equal(fwrite(numbers, sizeof numbers, 1, file), 1);
        fclose(file);
    }
    snprintf(own, sizeof own, text, "own.bin");
    snprintf(other, sizeof other, text, "../outer.bin");
    AssetImport limits = child(TWEED_PROGRAM);
    AssetError error;
    AssetFile *file = asset_file_load(write_file("inner/own.gltf", own), NULL, &limits, &error);
    assert_non_null(file);
    asset_file_destroy(file);
    const char *path = write_file("inner/other.gltf", other);
    file = asset_file_load(path, NULL, NULL, &error); // here nothing prevents it
    assert_non_null(file);
    asset_file_destroy(file);
    assert_null(asset_file_load(path, NULL, &limits, &error));
    assert_non_null(strstr(error.message, "outer.bin"));
}

// Whether it is taken; it must be sound then, and nothing may be read or written beside it.
static bool receives(const char *bytes, size_t size, bool is_surface) {
    static Wire wire;
    int ends[2];
    AssetError error;
    AssetImport limits = {.memory = 1 << 20, .seconds = 10.0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
    close(ends[1]);
    wire_init_receiver(&wire, ends[0], &limits);
    bool taken;
    if (is_surface) {
        AssetSurface surface = {0};
        wire_surface(&wire, &surface);
        taken = wire.state == WIRE_OPEN && asset_check_surface(&surface, "a", &error);
        asset_surface_finish(&surface);
    } else {
        AssetFile *file = calloc(1, sizeof *file);
        file->path = strdup("a");
        wire_file(&wire, file);
        taken = wire.state == WIRE_OPEN && asset_check_file(file, &error);
        AssetClip clip;
        const AssetCut all = {-1.0f, -1.0f};
        if (taken && asset_clip_init(&clip, file, 0, &all, &error)) asset_clip_finish(&clip);
        asset_file_destroy(file);
    }
    close(ends[0]);
    return taken;
}

// Cut at each byte, and with bytes and numbers replaced.
static void test_what_a_child_sends_is_not_trusted(void **state) {
    (void)state;
    AssetError error;
    AssetFile *file = asset_file_load(write_file("some.bvh", SOME_BVH), NULL, NULL, &error);
    AssetSurface surface;
    assert_non_null(file);
    assert_true(asset_surface_load(&surface, write_file("some.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
                                   NULL, 1.0f, NULL, NULL, &error));
    const Sent sent[2] = {sent_of(file, NULL, NULL), sent_of(NULL, &surface, NULL)};
    static const uint32_t numbers[] = {0,          1,          0x7fffffff, 0x80000000,
                                       0xffffffff, 0x7fc00000, 0x7f800000, 65536};
    for (int i = 0; i < 2; i++) {
        assert_true(receives(sent[i].bytes, sent[i].size, i == 1));
        int taken = 0, tried = 0;
        char *broken = malloc(sent[i].size);
        for (size_t at = 0; at < sent[i].size; at++) assert_false(receives(sent[i].bytes, at, i == 1));
        for (size_t at = 0; at + 4 <= sent[i].size; at++) {
            for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++, tried++) {
                memcpy(broken, sent[i].bytes, sent[i].size);
                memcpy(broken + at, &numbers[n], sizeof numbers[n]);
                taken += receives(broken, sent[i].size, i == 1);
            }
        }
        free(broken);
        print_message("%zu bytes: %d of %d changes leave something sound\n", sent[i].size, taken, tried);
        assert_true(taken < tried);
        free(sent[i].bytes);
    }
    asset_surface_finish(&surface);
    asset_file_destroy(file);
}

static void test_numbers_that_are_not_sound_are_refused(void **state) {
    (void)state;
    AssetError error;
    AssetFile *file = asset_file_load(write_file("some.bvh", SOME_BVH), NULL, NULL, &error);
    assert_non_null(file);
    float *const numbers[] = {&file->height,
                              &file->scale,
                              &file->bones[0].position[1],
                              &file->bones[0].rotation[2],
                              &file->ends[0][0],
                              &file->motions[0].rate,
                              &file->motions[0].rotations[1][3],
                              &file->motions[0].root[1][2]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const float was = *numbers[i];
        *numbers[i] = NAN;
        assert_false(asset_check_file(file, &error));
        assert_int_equal(strncmp(error.message, file->path, strlen(file->path)), 0);
        *numbers[i] = was;
        assert_true(asset_check_file(file, &error));
    }
    asset_file_destroy(file);
}

int main(void) {
    AssetError error;
    if (!asset_can_import(&error)) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_child_reads_the_same_bits),
        cmocka_unit_test(test_the_childs_errors_come_through),
        cmocka_unit_test(test_however_a_child_ends_the_file_is_named),
        cmocka_unit_test(test_a_cancelled_import_ends),
        cmocka_unit_test(test_a_child_reads_beside_its_file_only),
        cmocka_unit_test(test_what_a_child_sends_is_not_trusted),
        cmocka_unit_test(test_numbers_that_are_not_sound_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
