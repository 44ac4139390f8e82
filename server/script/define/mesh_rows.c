// Reads lists of vectors or triangles.
#include "define/mesh_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_BYTES      4
#define SHORTEST_VECTOR 1e-6 // of a normal

static void read_packed(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                        ScriptMeshRows *out_rows);
static void report_row(ScriptReader *reader, const ScriptMeshRowType *type, const double row[3]);
static void read_list(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                      ScriptMeshRows *out_rows);
static bool read_row(const ScriptMeshRowType *type, const ScriptNode *node, double out[3]);
static bool store_row(const ScriptMeshRowType *type, const double row[3], void *cells, int index);

const ScriptMeshRowType script_mesh_positions = {.width = 3,
                                                 .minimum = -100.0,
                                                 .maximum = 100.0,
                                                 .expects = SCRIPT_POSITIONS_EXPECT,
                                                 .row_expects = "{x, y, z}, each of -100 to 100 m"};
const ScriptMeshRowType script_mesh_normals = {.width = 3,
                                               .is_unit = true,
                                               .minimum = -1e6,
                                               .maximum = 1e6,
                                               .expects = SCRIPT_NORMALS_EXPECT,
                                               .row_expects = "{x, y, z} that is not 0"};
const ScriptMeshRowType script_mesh_uvs = {.width = 2,
                                           .minimum = -1e6,
                                           .maximum = 1e6,
                                           .expects = SCRIPT_UVS_EXPECT,
                                           .row_expects = "{u, v}, each of -1000000 to 1000000"};
const ScriptMeshRowType script_mesh_covers = {
    .width = 1, .maximum = 0.5, .expects = SCRIPT_COVERS_EXPECT, .row_expects = "a number of 0 to 0.5 m"};
const ScriptMeshRowType script_mesh_triangles = {.width = 3,
                                                 .is_integer = true,
                                                 .minimum = 1.0,
                                                 .maximum = 4294967295.0,
                                                 .expects = SCRIPT_TRIANGLES_EXPECT,
                                                 .row_expects = "{a, b, c}, vertices counted from 1"};

void script_mesh_rows_read(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                           ScriptMeshRows *out_rows) {
    if (node->kind == SCRIPT_NODE_STRING)
        read_packed(reader, type, node, out_rows);
    else if (node->kind == SCRIPT_NODE_TABLE && !node->field_count && !node->call_site)
        read_list(reader, type, node, out_rows);
    else
        script_reader_expected(reader, type->expects, node);
}

bool script_mesh_triangles_check(ScriptReader *reader, const ScriptMeshRows *triangles, int vertex_count) {
    uint32_t(*cells)[3] = (uint32_t(*)[3])triangles->cells;
    const size_t errors = reader->errors_made;
    script_reader_key(reader, "triangles");
    ScriptListErrors list = script_list_errors_begin(reader);
    for (int i = 0; i < triangles->count; i++)
        for (int k = 0; k < 3; k++) {
            if (cells[i][k] <= (uint32_t)vertex_count) {
                cells[i][k]--;
                continue;
            }
            script_reader_index(reader, i + 1);
            script_reader_error(reader, "expected vertices of 1 to %d, found %u", vertex_count, cells[i][k]);
            script_reader_leave(reader);
            script_list_errors_add(&list, reader);
            break;
        }
    script_list_errors_end(&list, reader);
    script_reader_leave(reader);
    return reader->errors_made == errors;
}

float script_packed_float(const char *bytes) {
    const uint32_t bits = script_packed_integer(bytes, CELL_BYTES);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

uint32_t script_packed_integer(const char *bytes, int size) {
    uint32_t number = 0;
    for (int i = size - 1; i >= 0; i--) number = number << 8 | (unsigned char)bytes[i];
    return number;
}

static void read_packed(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                        ScriptMeshRows *out_rows) {
    const int row_bytes = type->width * CELL_BYTES;
    if (node->length % (size_t)row_bytes) {
        script_reader_error(reader, "expected a packed string of %d bytes for each, found one of %zu bytes",
                            row_bytes, node->length);
        return;
    }
    const int count = (int)(node->length / (size_t)row_bytes);
    void *cells = script_reader_alloc(reader, count * type->width, CELL_BYTES);
    ScriptListErrors errors = script_list_errors_begin(reader);
    for (int i = 0; cells && i < count; i++) {
        double row[3] = {0};
        bool fits = true;
        for (int k = 0; k < type->width; k++) {
            const char *bytes = node->text + (i * type->width + k) * CELL_BYTES;
            row[k] = type->is_integer ? (double)script_packed_integer(bytes, CELL_BYTES)
                                      : (double)script_packed_float(bytes);
            fits = fits && row[k] >= type->minimum && row[k] <= type->maximum;
        }
        if (fits && store_row(type, row, cells, i)) continue;
        script_reader_index(reader, i + 1);
        report_row(reader, type, row);
        script_reader_leave(reader);
        script_list_errors_add(&errors, reader);
    }
    script_list_errors_end(&errors, reader);
    *out_rows = (ScriptMeshRows){cells, cells ? count : 0};
}

static void report_row(ScriptReader *reader, const ScriptMeshRowType *type, const double row[3]) {
    char found[96] = "";
    size_t length = 0;
    for (int k = 0; k < type->width; k++)
        length += (size_t)snprintf(found + length, sizeof found - length, "%s%.7g", k ? ", " : "", row[k]);
    if (type->width == 1)
        script_reader_error(reader, "expected %s, found %s", type->row_expects, found);
    else
        script_reader_error(reader, "expected %s, found {%s}", type->row_expects, found);
}

static void read_list(ScriptReader *reader, const ScriptMeshRowType *type, const ScriptNode *node,
                      ScriptMeshRows *out_rows) {
    const int count = node->item_count;
    void *cells = script_reader_alloc(reader, count * type->width, CELL_BYTES);
    ScriptListErrors errors = script_list_errors_begin(reader);
    for (int i = 0; cells && i < count; i++) {
        double row[3];
        if (read_row(type, &node->items[i], row) && store_row(type, row, cells, i)) continue;
        script_reader_index(reader, i + 1);
        script_reader_expected(reader, type->row_expects, &node->items[i]);
        script_reader_leave(reader);
        script_list_errors_add(&errors, reader);
    }
    script_list_errors_end(&errors, reader);
    *out_rows = (ScriptMeshRows){cells, cells ? count : 0};
}

static bool read_row(const ScriptMeshRowType *type, const ScriptNode *node, double out[3]) {
    const bool is_list = node->kind == SCRIPT_NODE_TABLE && node->item_count == type->width &&
                         !node->field_count && !node->call_site;
    if (type->width > 1 && !is_list) return false;
    for (int k = 0; k < type->width; k++) {
        const ScriptNode *item = type->width > 1 ? &node->items[k] : node;
        if (item->kind != SCRIPT_NODE_NUMBER) return false;
        out[k] = item->number;
        if (!(out[k] >= type->minimum && out[k] <= type->maximum)) return false;
        if (type->is_integer && floor(out[k]) != out[k]) return false;
    }
    return true;
}

// False for a row without length that must have one.
static bool store_row(const ScriptMeshRowType *type, const double row[3], void *cells, int index) {
    const int first = index * type->width;
    double square = 0.0;
    for (int k = 0; k < type->width; k++) square += row[k] * row[k];
    const double length = type->is_unit ? sqrt(square) : 1.0;
    if (length < SHORTEST_VECTOR) return false;
    for (int k = 0; k < type->width; k++)
        if (type->is_integer)
            ((uint32_t *)cells)[first + k] = (uint32_t)row[k];
        else
            ((float *)cells)[first + k] = (float)(row[k] / length);
    return true;
}
