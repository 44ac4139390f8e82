// The path of a node in a definition: the keys and indices from the file's value to a field, its text in
// messages, and the line of the file where the field is written.
#pragma once

#include "data/value_tree.h"

#include <stddef.h>

#define SCRIPT_NODE_PATH_STEPS 40

// A key, or an index in a list.
typedef struct ScriptStep {
    const char *key; // NULL: index
    int index;       // from 1
} ScriptStep;

typedef struct ScriptNodePath {
    ScriptStep steps[SCRIPT_NODE_PATH_STEPS];
    int count;
} ScriptNodePath;

// "garments[1].fabric", with a key that is no identifier as ["upper arm"]; "" for an empty path. Truncated to
// `size`.
void script_node_path_format(const ScriptNodePath *path, char *buffer, size_t size);

// The files in which lines are looked up, each read once. All zero is empty.
typedef struct ScriptSources {
    struct ScriptSource *first;
} ScriptSources;

void script_sources_finish(ScriptSources *sources);

// The line where the field at `path` is written, found by following the path through the tokens of `file`,
// which returned `root` (file NULL: root is the argument of a constructor's call). If code made the value,
// the line of the constructor's call. out_file: `file`, or the file of that call. 0 if no line is known.
int script_node_path_line(ScriptSources *sources, const char *file, const ScriptNode *root,
                          const ScriptNodePath *path, const char **out_file);
