// Finds scripts by name below a few folders. Links that lead out of them are not followed.
#include "host/lookup.h"

#include "host/host.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/nearest.h>

#define MAX_DEPTH 8 // folders within folders that are listed

static const char *const kinds[] = {"characters", "fabrics", "scenes"};

static const char *path_below(const char *path, const char *folder);
static bool add_names(const ScriptHost *host, const char *folder, ScriptValue *list);
static int compare_strings(const void *a, const void *b);
static void remove_duplicates(ScriptValue *list);
static bool is_name(const char *name, char separator);
static bool find(const ScriptHost *host, const char *name, char *out_path);
static bool find_below(const ScriptHost *host, const char *folder, const char *name, char *out_path);
static bool is_file(const char *path);
static void offer_scripts(const ScriptHost *host, TextNearest *nearest, ScriptValue *list);
static void list_searched_folders(const ScriptHost *host, const char *kind, const char *name,
                                  const char *path, char *out_message);
static void hint_at_module(const ScriptHost *host, const char *name, const char *stem, char *hint,
                           size_t size);
static void add_modules(const ScriptHost *host, const char *folder, const char *stem,
                        ScriptStringList *names);
static bool list_folder(const char *folder, int depth, ScriptStringList *files);
static int compare_texts(const void *a, const void *b);

bool script_display_path(const ScriptHost *host, const char *path, char out_path[SCRIPT_PATH_SIZE]) {
    char real[PATH_MAX];
    if (!realpath(path, real)) return false;
    const char *relative = path_below(real, host->working_directory);
    const int length = snprintf(out_path, SCRIPT_PATH_SIZE, "%s", relative ? relative : real);
    return length < SCRIPT_PATH_SIZE;
}

bool script_host_list(const ScriptHost *host, ScriptValue *out_list) {
    bool added = true;
    *out_list = script_value_list();
    for (int i = 0; i < host->directories.count; i++) {
        for (size_t kind = 0; added && kind < sizeof kinds / sizeof *kinds; kind++) {
            char folder[SCRIPT_PATH_SIZE];
            snprintf(folder, sizeof folder, "%s/%s", host->directories.items[i], kinds[kind]);
            added = add_names(host, folder, out_list);
        }
    }
    if (!added) {
        script_value_finish(out_list);
        return false;
    }
    if (out_list->count > 1) qsort(out_list->items, out_list->count, sizeof(ScriptValue), compare_strings);
    remove_duplicates(out_list);
    return true;
}

char *script_fabric_new_file(const ScriptHost *host, const char *name) {
    if (host->directories.count == 0 || !is_name(name, '\0')) return NULL;
    const char *folder = host->directories.items[0];
    const size_t size = strlen(folder) + strlen(name) + sizeof "/fabrics/.lua";
    char *file = malloc(size);
    if (file) snprintf(file, size, "%s/fabrics/%s.lua", folder, name);
    return file;
}

ScriptFound script_find_script(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                               char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char stem[512];
    snprintf(stem, sizeof stem, "%s", name);
    const size_t length = strlen(stem);
    if (length > 4 && strcmp(stem + length - 4, ".lua") == 0) stem[length - 4] = '\0';
    if (!is_name(stem, '/')) {
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE,
                 "expected the name of a script, such as \"characters/wake\", found \"%.200s\"", name);
        return SCRIPT_FOUND_NO_NAME;
    }
    if (find(host, stem, out_path)) return SCRIPT_FOUND;
    TextNearest nearest = text_nearest_to(stem);
    ScriptValue list = SCRIPT_NULL;
    char hint[256], character[640];
    offer_scripts(host, &nearest, &list);
    snprintf(character, sizeof character, "characters/%s", stem);
    if (!nearest.best && find(host, character, out_path)) nearest.best = character;
    text_nearest_hint(&nearest, hint, sizeof hint);
    script_value_finish(&list);
    if (*hint)
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "no script \"%.200s\"%s", stem, hint);
    else
        list_searched_folders(host, "script", stem, stem, out_message);
    return SCRIPT_FOUND_NONE;
}

bool script_find_module(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]) {
    char path[512];
    if (!script_path_of_module(name, path)) {
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE,
                 "require: expected names joined by dots, such as \"garments.jacket\", found \"%.200s\"",
                 name);
        return false;
    }
    if (find(host, path, out_path)) return true;
    char hint[128];
    hint_at_module(host, name, path, hint, sizeof hint);
    if (*hint)
        snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE, "no module \"%.150s\"%s", name, hint);
    else
        list_searched_folders(host, "module", name, path, out_message);
    return false;
}

bool script_path_of_module(const char *name, char out_path[512]) {
    if (strlen(name) >= 512 || !is_name(name, '.')) return false;
    strcpy(out_path, name);
    for (char *dot = out_path; (dot = strchr(dot, '.'));) *dot = '/';
    return true;
}

void script_name_of(const ScriptHost *host, const char *path, char out_name[SCRIPT_PATH_SIZE]) {
    const char *name = NULL;
    char *real = realpath(path, NULL);
    const ScriptStringList *const lists[] = {&host->directories, &host->folders};
    for (size_t list = 0; real && !name && list < 2; list++) {
        for (int i = 0; !name && i < lists[list]->count; i++) {
            char *folder = realpath(lists[list]->items[i], NULL);
            if (folder) name = path_below(real, folder);
            free(folder);
        }
    }
    if (!name) name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const size_t length = strlen(name);
    const bool lua = length > 4 && strcmp(name + length - 4, ".lua") == 0;
    snprintf(out_name, SCRIPT_PATH_SIZE, "%.*s", (int)(lua ? length - 4 : length), name);
    free(real);
}

void script_list_folders(const ScriptHost *host, char *buffer, size_t size) {
    const ScriptStringList *const lists[] = {&host->folders, &host->directories};
    ScriptStringList folders = {0};
    size_t length = 0;
    for (size_t list = 0; list < 2; list++) {
        for (int i = 0; i < lists[list]->count; i++) {
            char folder[SCRIPT_PATH_SIZE];
            const bool shown = script_display_path(host, lists[list]->items[i], folder);
            script_string_list_add_new(&folders, shown ? folder : lists[list]->items[i]);
        }
    }
    buffer[0] = '\0';
    for (int i = 0; i < folders.count && length < size; i++) {
        const char *separator = i == 0 ? "" : i + 1 < folders.count ? ", " : " or ";
        length += (size_t)snprintf(buffer + length, size - length, "%s%s", separator, folders.items[i]);
    }
    script_string_list_finish(&folders);
}

bool script_folder_is_among(const ScriptStringList *folders, const char *folder) {
    struct stat found, other;
    if (stat(folder, &found) != 0) return false;
    for (int i = 0; i < folders->count; i++)
        if (stat(folders->items[i], &other) == 0 && other.st_dev == found.st_dev &&
            other.st_ino == found.st_ino)
            return true;
    return false;
}

bool script_list_files(const char *folder, ScriptStringList *out_files) {
    *out_files = (ScriptStringList){0};
    const bool listed = list_folder(folder, 1, out_files);
    if (out_files->count > 1)
        qsort(out_files->items, (size_t)out_files->count, sizeof(char *), compare_texts);
    if (!listed) script_string_list_finish(out_files);
    return listed;
}

// The part of the path behind the folder, or NULL if the path is not below it.
static const char *path_below(const char *path, const char *folder) {
    const size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0) return path + 1;
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static bool add_names(const ScriptHost *host, const char *folder, ScriptValue *list) {
    ScriptStringList files;
    bool added = script_list_files(folder, &files);
    for (int i = 0; added && i < files.count; i++) {
        char file[SCRIPT_PATH_SIZE], name[SCRIPT_PATH_SIZE];
        ScriptValue text;
        if (!script_display_path(host, files.items[i], file)) continue; // removed meanwhile
        script_name_of(host, file, name);
        added = script_value_string(&text, name, strlen(name)) && script_value_append(list, text);
    }
    script_string_list_finish(&files);
    return added;
}

static int compare_strings(const void *a, const void *b) {
    return strcmp(((const ScriptValue *)a)->string, ((const ScriptValue *)b)->string);
}

// Removes duplicates: two folders may have a script of one name.
static void remove_duplicates(ScriptValue *list) {
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (count && strcmp(list->items[count - 1].string, list->items[i].string) == 0)
            script_value_finish(&list->items[i]);
        else
            list->items[count++] = list->items[i];
    }
    list->count = count;
}

// Whether the name is words of letters, digits, "_" and "-", joined by the separator.
static bool is_name(const char *name, char separator) {
    bool begins = true;
    for (; *name; name++) {
        const bool word = isalnum((unsigned char)*name) || *name == '_' || *name == '-';
        if (!word && (*name != separator || begins)) return false;
        begins = !word;
    }
    return !begins;
}

static bool find(const ScriptHost *host, const char *name, char *out_path) {
    const ScriptStringList *const lists[] = {&host->folders, &host->directories};
    for (size_t list = 0; list < 2; list++)
        for (int i = 0; i < lists[list]->count; i++)
            if (find_below(host, lists[list]->items[i], name, out_path)) return true;
    return false;
}

// Finds folder/name.lua, if it is a file and its real path is below the folder.
static bool find_below(const ScriptHost *host, const char *folder, const char *name, char *out_path) {
    char path[SCRIPT_PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s.lua", folder, name);
    if (length >= SCRIPT_PATH_SIZE || !is_file(path)) return false;
    char real[PATH_MAX], real_folder[PATH_MAX]; // of the caller's: a lack of memory is no lack of the file
    const bool inside =
        realpath(path, real) && realpath(folder, real_folder) && path_below(real, real_folder);
    return inside && script_display_path(host, path, out_path);
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// Offers the loaded scripts, which may lie beside a scene, and those in the script folders.
static void offer_scripts(const ScriptHost *host, TextNearest *nearest, ScriptValue *list) {
    for (const ScriptCharacter *character = host->characters; character; character = character->next)
        text_nearest_offer(nearest, character->info.script);
    if (!script_host_list(host, list)) return;
    for (size_t i = 0; i < list->count; i++) text_nearest_offer(nearest, list->items[i].string);
}

// "no script "characters/x": no file characters/x.lua below show or scripts; --scripts FOLDER adds a folder".
static void list_searched_folders(const ScriptHost *host, const char *kind, const char *name,
                                  const char *path, char *out_message) {
    char folders[SCRIPT_REQUEST_MESSAGE_SIZE / 2];
    script_list_folders(host, folders, sizeof folders);
    snprintf(out_message, SCRIPT_REQUEST_MESSAGE_SIZE,
             "no %s \"%.150s\": no file %.150s.lua below %s; --scripts FOLDER adds a folder", kind, name,
             path, folders);
}

// Suggests a module in the same folder: "garments.jacket" for "garments.jaket".
static void hint_at_module(const ScriptHost *host, const char *name, const char *stem, char *hint,
                           size_t size) {
    const ScriptStringList *const lists[] = {&host->folders, &host->directories};
    ScriptStringList names = {0};
    for (size_t list = 0; list < 2; list++)
        for (int i = 0; i < lists[list]->count; i++) add_modules(host, lists[list]->items[i], stem, &names);
    TextNearest nearest = text_nearest_to(name);
    for (int i = 0; i < names.count; i++) text_nearest_offer(&nearest, names.items[i]);
    text_nearest_hint(&nearest, hint, size);
    script_string_list_finish(&names);
}

// Adds the modules in the folder of folder/stem.
static void add_modules(const ScriptHost *host, const char *folder, const char *stem,
                        ScriptStringList *names) {
    char path[SCRIPT_PATH_SIZE], module[SCRIPT_PATH_SIZE], found[SCRIPT_PATH_SIZE];
    const char *last = strrchr(stem, '/');
    const int length = last ? (int)(last - stem) + 1 : 0;
    snprintf(path, sizeof path, "%s/%.*s", folder, length, stem);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t end = strlen(entry->d_name);
        if (end < 5 || strcmp(entry->d_name + end - 4, ".lua") != 0) continue;
        snprintf(module, sizeof module, "%.*s%.*s", length, stem, (int)end - 4, entry->d_name);
        if (!is_name(module, '/') || !find_below(host, folder, module, found)) continue;
        for (char *slash = module; (slash = strchr(slash, '/'));) *slash = '.';
        script_string_list_add_new(names, module);
    }
    if (directory) closedir(directory);
}

static bool list_folder(const char *folder, int depth, ScriptStringList *files) {
    DIR *directory = opendir(folder);
    if (!directory) return true;
    bool listed = true;
    for (struct dirent *entry; listed && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue; // hidden files, as editors leave them
        char path[SCRIPT_PATH_SIZE];
        struct stat status;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length >= SCRIPT_PATH_SIZE || stat(path, &status) != 0) continue;
        if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH)
            listed = list_folder(path, depth + 1, files);
        else if (S_ISREG(status.st_mode) && length > 4 && strcmp(path + length - 4, ".lua") == 0)
            listed = script_string_list_add(files, path, false);
    }
    closedir(directory);
    return listed;
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}
