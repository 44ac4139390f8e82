// Lists of vectors or triangles: tables {x, y, z}, or one string of packed little-endian numbers.
#pragma once

#include "schema/schema.h"

#define SCRIPT_POSITIONS_EXPECT "a list of {x, y, z} in m, or a string of packed floats"
#define SCRIPT_NORMALS_EXPECT   "a list of {x, y, z}, or a string of packed floats"
#define SCRIPT_UVS_EXPECT       "a list of {u, v}, or a string of packed floats"
#define SCRIPT_COVERS_EXPECT                                                                                 \
    "a number of 0 to 0.5 m, a list of one for each vertex, or a string of packed floats"
#define SCRIPT_TRIANGLES_EXPECT "a list of {a, b, c}, or a string of packed 4-byte integers"

typedef struct ScriptMeshRows {
    const void *cells; // [count][width] float or uint32_t; NULL: not given
    int count;
} ScriptMeshRows;

typedef struct ScriptMeshRowType {
    int width; // cells of a row; a row of one cell is a number, not a list
    bool is_integer;
    bool is_unit;            // rows are made unit; a row without length is an error
    double minimum, maximum; // of each cell
    const char *expects;     // a list of them
    const char *row_expects;
} ScriptMeshRowType;

extern const ScriptMeshRowType script_mesh_positions, script_mesh_normals, script_mesh_uvs,
    script_mesh_covers;
extern const ScriptMeshRowType script_mesh_triangles; // as given: counted from 1

// Reports errors; out_rows then has whatever could be read.
void script_mesh_rows_read(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                           ScriptMeshRows *out_rows);

// Makes triangles count from 0. False, with the error at the key `triangles`, if one names no vertex.
bool script_mesh_triangles_check(ScriptReader *reader, const ScriptMeshRows *triangles, int vertex_count);

// Little-endian numbers in a packed string.
float script_packed_float(const char *bytes);
uint32_t script_packed_integer(const char *bytes, int size); // of 2 or 4 bytes
