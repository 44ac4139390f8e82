// A place within a definition: the steps from a file's value to a field of it, how it is written in messages,
// and the line of the file where it stands.
#pragma once

#include "data/value_tree.h"

#include <stddef.h>

#define SCRIPT_NODE_PATH_STEPS 40

// A key, or a place in a list.
typedef struct ScriptStep {
    const char *key; // NULL: index
    int index;       // from 1
} ScriptStep;

typedef struct ScriptNodePath {
    ScriptStep steps[SCRIPT_NODE_PATH_STEPS];
    int count;
} ScriptNodePath;

// "garments[1].fabric", a key that is no name as ["upper arm"]; "" for no steps. Cut off to size.
void script_node_path_format(const ScriptNodePath *path, char *buffer, size_t size);

// The texts of files that lines are sought in, read once each. All zero is empty.
typedef struct ScriptSources {
    struct ScriptSource *first;
} ScriptSources;

void script_sources_finish(ScriptSources *sources);

// Where place is written, as near as can be known: in the file whose returned value is root (NULL: root is
// the argument of the call that its origin tells of), found by scanning the tokens along the place; where the
// value was made by code, the call that made it. out_file: file or an origin's. 0 where no line is known.
int script_node_path_line(ScriptSources *sources, const char *file, const ScriptNode *root,
                          const ScriptNodePath *path, const char **out_file);
