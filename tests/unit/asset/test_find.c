// The folders that are searched for files, their order, and the message when none has it.
#include "asset/find.h"
#include "unit_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Folders {
    char root[64], first[80], second[80];
} Folders;

static void write_file(const char *directory, const char *name) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static int make_folders(void **state) {
    Folders *folders = malloc(sizeof *folders);
    snprintf(folders->root, sizeof folders->root, "/tmp/tweed-asset-XXXXXX");
    if (!mkdtemp(folders->root)) return 1;
    snprintf(folders->first, sizeof folders->first, "%s/first", folders->root);
    snprintf(folders->second, sizeof folders->second, "%s/second/", folders->root);
    mkdir(folders->first, 0700);
    mkdir(folders->second, 0700);
    write_file(folders->first, "a.bvh");
    write_file(folders->second, "a.bvh");
    write_file(folders->second, "b.bvh");
    *state = folders;
    return 0;
}

static int remove_folders(void **state) {
    Folders *folders = *state;
    char path[160];
    static const char *const files[] = {"first/a.bvh", "second/a.bvh", "second/b.bvh"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folders->root, files[i]);
        unlink(path);
    }
    rmdir(folders->first);
    rmdir(folders->second);
    rmdir(folders->root);
    free(folders);
    return 0;
}

static void test_finds_in_the_order_of_the_directories(void **state) {
    const Folders *folders = *state;
    const char *directories[] = {NULL, "", folders->first, folders->second};
    char path[256], expected[256];
    assert_true(asset_find("a.bvh", directories, 4, path, sizeof path, NULL));
    snprintf(expected, sizeof expected, "%s/a.bvh", folders->first);
    assert_string_equal(path, expected);
    assert_true(asset_find("b.bvh", directories, 4, path, sizeof path, NULL));
    snprintf(expected, sizeof expected, "%sb.bvh", folders->second);
    assert_string_equal(path, expected);
}

static void test_takes_an_absolute_path_below_them(void **state) {
    const Folders *folders = *state;
    const char *directories[] = {folders->second, folders->first};
    char path[256], file[256];
    AssetError error;
    snprintf(file, sizeof file, "%s/a.bvh", folders->first);
    assert_true(asset_find(file, directories, 2, path, sizeof path, &error));
    assert_string_equal(path, file);
    assert_false(asset_find(file, directories, 1, path, sizeof path, &error));
    assert_false(asset_find("/nowhere/a.bvh", directories, 2, path, sizeof path, &error));
    assert_string_equal(error.message, "\"/nowhere/a.bvh\" is outside the asset folders");
}

static void test_follows_no_way_out(void **state) {
    const Folders *folders = *state;
    const char *directories[] = {folders->first};
    char path[256], link[256];
    AssetError error;
    assert_false(asset_find("../second/b.bvh", directories, 1, path, sizeof path, &error));
    assert_string_equal(error.message, "\"../second/b.bvh\" is outside the asset folders");
    assert_true(asset_find("../first/a.bvh", directories, 1, path, sizeof path, &error));
    snprintf(link, sizeof link, "%s/link.bvh", folders->first);
    assert_int_equal(symlink("../second/b.bvh", link), 0);
    assert_false(asset_find("link.bvh", directories, 1, path, sizeof path, &error));
    assert_string_equal(error.message, "\"link.bvh\" is outside the asset folders");
    unlink(link);
}

static void test_says_where_it_looked(void **state) {
    const Folders *folders = *state;
    const char *directories[] = {folders->first, folders->second};
    char path[256], expected[512];
    AssetError error;
    assert_false(asset_find("c.bvh", directories, 2, path, sizeof path, &error));
    bool has_models = access(ASSET_TEST_MODELS, F_OK) == 0;
    snprintf(expected, sizeof expected, "no file \"c.bvh\" in %s, %s, /usr/share/assimp/models%s",
             folders->first, folders->second,
             has_models ? "" : " (not there: install Debian's assimp-testmodels)");
    assert_string_equal(error.message, expected);
}

static void test_refuses_folders_empty_names_and_long_paths(void **state) {
    const Folders *folders = *state;
    const char *directories[] = {folders->root};
    char path[256], small[16];
    AssetError error;
    assert_false(asset_find("first", directories, 1, path, sizeof path, &error));
    assert_false(asset_find("", directories, 1, path, sizeof path, &error));
    assert_string_equal(error.message, "expected a file's name, found an empty one");
    assert_false(asset_find("a.bvh", &(const char *){folders->first}, 1, small, sizeof small, &error));
    char expected[256];
    snprintf(expected, sizeof expected, "the path \"%s/a.bvh\" is too long", folders->first);
    assert_string_equal(error.message, expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_in_the_order_of_the_directories),
        cmocka_unit_test(test_takes_an_absolute_path_below_them),
        cmocka_unit_test(test_follows_no_way_out),
        cmocka_unit_test(test_says_where_it_looked),
        cmocka_unit_test(test_refuses_folders_empty_names_and_long_paths),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}
