// Where scripts and modules lie, and how their paths and names are told.
#pragma once

#include "host/host.h"

// "./scripts/../scripts/x.lua" as "scripts/x.lua": absolute unless below the working folder. False if there
// is no such file or its path is too long.
bool script_display_path(const ScriptHost *host, const char *path, char out_path[SCRIPT_PATH_SIZE]);

// The file of the script of that name ("characters/wake", with or without ".lua"): below the scenes' folders,
// then the script directories, never outside. Without one, the message tells why.
ScriptFound script_find_script(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                               char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
// The same for a module's name ("garments.jacket").
bool script_find_module(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// "garments/jacket" for "garments.jacket". False where that is no name of a module.
bool script_path_of_module(const char *name, char out_path[512]);

// "characters/wake" for the file's path as script_display_path gives it: below a script directory or a
// scene's folder; else the file's own name.
void script_name_of(const ScriptHost *host, const char *path, char out_name[SCRIPT_PATH_SIZE]);

// All *.lua files below folder, whole paths, sorted, on the heap; none where there is no such folder. False
// for want of memory.
bool script_list_files(const char *folder, ScriptStringList *out_files);

// Whether the folder is in the list, however it is spelled.
bool script_folder_is_among(const ScriptStringList *folders, const char *folder);
