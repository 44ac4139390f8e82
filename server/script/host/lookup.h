// Finds the files of scripts and modules, and their names for authors.
#pragma once

#include "host/host.h"

// "./scripts/../scripts/x.lua" as "scripts/x.lua": absolute unless below the working folder. False if there
// is no such file or its path is too long.
bool script_display_path(const ScriptHost *host, const char *path, char out_path[SCRIPT_PATH_SIZE]);

// The file of a script by its name ("characters/wake", with or without ".lua"), searched below the scenes'
// folders and the script directories, never outside. If there is none, the message says why.
ScriptFound script_find_script(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                               char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);
// The same for a module's name ("garments.jacket").
bool script_find_module(const ScriptHost *host, const char *name, char out_path[SCRIPT_PATH_SIZE],
                        char out_message[SCRIPT_REQUEST_MESSAGE_SIZE]);

// "garments/jacket" for "garments.jacket". False if that is no valid name of a module.
bool script_path_of_module(const char *name, char out_path[512]);

// The name of a script, "characters/wake", from its path by script_display_path: relative to a script
// directory or a scene's folder, otherwise the file's own name.
void script_name_of(const ScriptHost *host, const char *path, char out_name[SCRIPT_PATH_SIZE]);

// The paths of all *.lua files below `folder`, sorted; an empty list if the folder does not exist. Returns
// false when memory runs out.
bool script_list_files(const char *folder, ScriptStringList *out_files);

// Writes the folders in which scripts are searched: "show/scenes, show or scripts".
void script_list_folders(const ScriptHost *host, char *buffer, size_t size);

// Whether the folder is in the list, however it is spelled.
bool script_folder_is_among(const ScriptStringList *folders, const char *folder);
