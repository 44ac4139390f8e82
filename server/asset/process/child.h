// What parent and child agree on.
#pragma once

#define IMPORT_COMMAND "import-child" // the child's first argument; see child.c for the others
#define IMPORT_PIPE    3              // the file that the child sends to; 0 to 2 are /dev/null

// A file is sent as a flag, whether it was read, and then itself or the error.
typedef enum ImportKind { IMPORT_FILE, IMPORT_SURFACE, IMPORT_CONTENTS } ImportKind;
