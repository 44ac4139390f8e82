// `tweed inspect`: what is in a file of motion or meshes, and what tweed does with it.
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/safe_text.h"
#include "tools/tools.h"

#include <asset/contents.h>
#include <asset/file.h>
#include <asset/grid.h>
#include <asset/surface.h>
#include <errno.h>
#include <math.h>
#include <script/roles.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/buffer.h>
#include <text/utf8.h>

// A mesh whose longest side is beyond these is not in metres.
#define LEAST_SIZE 0.01f
#define MOST_SIZE  10.0f

// What tweed.cloth makes of a mesh.
typedef struct Cloth {
    int rows, columns; // 0: its vertices are no grid
    bool divides;      // it is cloth where rows and columns are given
    bool is_surface;   // it is cloth, if not as a grid, then as a general mesh
    bool closed;
    bool has_namesakes; // it is what several meshes make together
    AssetError reason;  // why it is none
} Cloth;

typedef struct Inspection {
    const char *name; // as the command line has it
    char path[APP_PATH_BYTES];
    AssetImport limits;
    AssetContents contents;
    AssetFile *file; // NULL: `no_file` says why
    AssetError no_file;
    const SimBoneDef *bones;
    int bone_count;
    char (*roles)[SCRIPT_ROLES_SIZE]; // [bone_count]; NULL: no bones
    char *no_humanoid;                // the reason; NULL: it is one
    Cloth *cloths;                    // [contents.mesh_count], then that of all meshes together
    TextBuffer notes;                 // what tweed does with it, a line each
} Inspection;

static bool find(Inspection *inspection, const AppPaths *paths, AssetError *out_error);
static bool load(Inspection *inspection, const AppPaths *paths, AssetError *out_error);
static void measure_skinned(Inspection *inspection);
static bool guess_roles(Inspection *inspection, const AppPaths *paths);
static bool find_cloths(Inspection *inspection);
static void find_cloth(Inspection *inspection, const char *name, int triangle_count, Cloth *out_cloth);
static void finish(Inspection *inspection);
static void print_units(const Inspection *inspection);
static void print_bones(const Inspection *inspection);
static void print_clips(const Inspection *inspection);
static void print_meshes(const Inspection *inspection);
static float mesh_scale(const Inspection *inspection);
static void print_notes(const Inspection *inspection);
static void describe_cloth(const Cloth *cloth, const char *what, char *out_text, size_t size);
static void print_name(const char *name);
static bool add_notes(Inspection *inspection);
static void note_skeleton(Inspection *inspection);
static void note_meshes(Inspection *inspection);
static void note_size(Inspection *inspection, float longest, float scale);
static void note(Inspection *inspection, const char *format, ...) APP_PRINTF(2, 3);
static void print_json(const Inspection *inspection);
static void add_name(AppJson *json, cJSON *item, const char *key, const char *name);
static void add_bones(AppJson *json, cJSON *root, const Inspection *inspection);
static void add_clips(AppJson *json, cJSON *root, const Inspection *inspection);
static void add_meshes(AppJson *json, cJSON *root, const Inspection *inspection);

int app_tool_inspect(const AppOptions *options) {
    AppPaths paths;
    if (!app_paths_init(&paths, options)) {
        fprintf(stderr, "tweed: out of memory\n");
        return 1;
    }
    Inspection inspection = {.name = options->files.names[0], .limits = app_options_import(options)};
    AssetError error;
    const bool loaded = find(&inspection, &paths, &error) && load(&inspection, &paths, &error);
    if (!loaded) {
        fputs("tweed: ", stderr);
        app_print_safe(stderr, error.message, SIZE_MAX);
        fputc('\n', stderr);
    } else if (options->json) {
        print_json(&inspection);
    } else {
        print_units(&inspection);
        print_bones(&inspection);
        print_clips(&inspection);
        print_meshes(&inspection);
        print_notes(&inspection);
    }
    finish(&inspection);
    app_paths_finish(&paths);
    return app_flush_output() && loaded ? 0 : 1;
}

// A path, else a name that scripts would give: below --assets or among the test models.
static bool find(Inspection *inspection, const AppPaths *paths, AssetError *out_error) {
    struct stat status;
    const int length = snprintf(inspection->path, sizeof inspection->path, "%s", inspection->name);
    const bool is_there = length < (int)sizeof inspection->path && stat(inspection->path, &status) == 0;
    if (is_there && S_ISREG(status.st_mode)) return true;
    if (is_there || inspection->name[0] == '/') {
        snprintf(out_error->message, sizeof out_error->message, "%.400s: %s%s", inspection->name,
                 is_there ? "expected a file, found " : strerror(errno),
                 !is_there                 ? ""
                 : S_ISDIR(status.st_mode) ? "a folder"
                                           : "a device or a pipe");
        return false;
    }
    const char *const here[] = {"."};
    const bool has_assets = paths->asset_count > 0;
    return asset_find(inspection->name, has_assets ? paths->assets : here,
                      has_assets ? paths->asset_count : 1, inspection->path, sizeof inspection->path,
                      out_error);
}

static bool load(Inspection *inspection, const AppPaths *paths, AssetError *out_error) {
    if (!asset_can_import(out_error) ||
        !asset_contents_load(&inspection->contents, inspection->path, &inspection->limits, out_error))
        return false;
    inspection->file = asset_file_load(inspection->path, NULL, &inspection->limits, &inspection->no_file);
    if (inspection->file) measure_skinned(inspection);
    if ((!inspection->file || guess_roles(inspection, paths)) && find_cloths(inspection) &&
        add_notes(inspection))
        return true;
    snprintf(out_error->message, sizeof out_error->message, "out of memory");
    return false;
}

// Skinned meshes are where the bones have them, wherever the scene shows them.
static void measure_skinned(Inspection *inspection) {
    int count, next = 0;
    const SimRenderMesh *meshes = asset_file_meshes(inspection->file, &count);
    for (int i = 0; i < inspection->contents.mesh_count && next < count; i++) {
        AssetMeshContents *to = &inspection->contents.meshes[i];
        if (to->bone_count == 0) continue;
        const SimRenderMesh *mesh = &meshes[next++];
        for (int v = 0; v < mesh->vertex_count; v++) {
            for (int k = 0; k < 3; k++) {
                const float at = mesh->positions[v][k] / asset_file_scale(inspection->file);
                to->least[k] = v == 0 ? at : fminf(to->least[k], at);
                to->most[k] = v == 0 ? at : fmaxf(to->most[k], at);
            }
        }
    }
}

static bool guess_roles(Inspection *inspection, const AppPaths *paths) {
    const ScriptHostDef def = {.script_directories = paths->scripts,
                               .script_directory_count = paths->script_count};
    inspection->bones = asset_file_bones(inspection->file, &inspection->bone_count);
    inspection->roles = calloc((size_t)inspection->bone_count, sizeof *inspection->roles);
    return inspection->roles && (script_guess_roles(&def, inspection->bones, inspection->bone_count,
                                                    inspection->roles, &inspection->no_humanoid) ||
                                 inspection->no_humanoid);
}

static bool find_cloths(Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    inspection->cloths = calloc((size_t)contents->mesh_count + 1, sizeof *inspection->cloths);
    const bool is_one = contents->mesh_count == 1;
    for (int i = 0; inspection->cloths && i < contents->mesh_count; i++)
        find_cloth(inspection, is_one ? NULL : contents->meshes[i].name, contents->meshes[i].triangle_count,
                   &inspection->cloths[i]);
    if (inspection->cloths && contents->mesh_count > 1)
        find_cloth(inspection, NULL, 0, &inspection->cloths[contents->mesh_count]);
    return inspection->cloths != NULL;
}

// Of the meshes of that name, NULL: of all.
static void find_cloth(Inspection *inspection, const char *name, int triangle_count, Cloth *out_cloth) {
    AssetSurface surface;
    AssetGrid grid = {0};
    if (asset_surface_load(&surface, inspection->path, name, mesh_scale(inspection), NULL,
                           &inspection->limits, &out_cloth->reason)) {
        const AssetGridDef def = {.positions = (const float(*)[3])surface.positions,
                                  .vertex_count = surface.vertex_count,
                                  .triangles = (const uint32_t(*)[3])surface.triangles,
                                  .triangle_count = surface.triangle_count,
                                  .weld = ASSET_DEFAULT_WELD};
        out_cloth->has_namesakes = name && surface.triangle_count > triangle_count;
        if (asset_grid_find(&def, &grid, &out_cloth->reason)) {
            out_cloth->rows = grid.rows;
            out_cloth->columns = grid.columns;
        } else {
            asset_grid_finish(&grid);
            out_cloth->divides = asset_grid_divide(&def, 2, 3, &grid, &out_cloth->reason);
        }
        out_cloth->closed = grid.closed;
        AssetFaces faces;
        AssetError no_surface;
        out_cloth->is_surface = asset_faces_find(&def, &faces, &no_surface);
        asset_faces_finish(&faces);
    }
    asset_grid_finish(&grid);
    asset_surface_finish(&surface);
}

static void finish(Inspection *inspection) {
    free(inspection->cloths);
    asset_contents_finish(&inspection->contents);
    asset_file_destroy(inspection->file);
    free(inspection->roles);
    free(inspection->no_humanoid);
    text_buffer_finish(&inspection->notes);
}

static void print_units(const Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    printf("file     ");
    print_name(inspection->path);
    printf("\nformat   ");
    print_name(contents->format);
    if (contents->unit > 0.0f)
        printf("\nunit     %g m\n", (double)contents->unit);
    else
        printf("\nunit     the file does not say\n");
    if (contents->up)
        printf("up       +%c\n", contents->up - 'a' + 'A');
    else
        printf("up       the file does not say; +Y is expected\n");
}

static void print_bones(const Inspection *inspection) {
    if (!inspection->file) {
        printf("bones    none\n");
        return;
    }
    printf("bones    %d, %.2f m high at rest\n", inspection->bone_count,
           (double)asset_file_height(inspection->file));
    for (int i = 0; i < inspection->bone_count; i++) {
        int depth = 0;
        for (int parent = inspection->bones[i].parent; parent >= 0;) {
            parent = inspection->bones[parent].parent;
            depth++;
        }
        printf("%*s", 9 + 2 * depth, "");
        print_name(inspection->bones[i].name);
        printf("%s%s\n", inspection->roles[i][0] ? ": " : "", inspection->roles[i]);
    }
}

static void print_clips(const Inspection *inspection) {
    const int count = inspection->file ? asset_file_clip_count(inspection->file) : 0;
    if (count == 0) printf("clips    none\n");
    for (int i = 0; i < count; i++) {
        const AssetClipInfo clip = asset_file_clip_info(inspection->file, i);
        printf("%-9s", i == 0 ? "clips" : "");
        print_name(clip.name);
        printf("%s%.4g s, %d frame%s at %g a second%s%s\n", clip.name[0] ? ": " : "", (double)clip.duration,
               clip.frame_count, clip.frame_count == 1 ? "" : "s", (double)clip.rate,
               clip.first > 0.0f ? "; the first is a calibration pose and left out" : "",
               clip.moves_root ? "" : "; stays in place");
    }
}

static void print_meshes(const Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    const double scale = (double)mesh_scale(inspection);
    if (contents->mesh_count == 0) printf("meshes   none\n");
    for (int i = 0; i < contents->mesh_count; i++) {
        const AssetMeshContents *mesh = &contents->meshes[i];
        printf("%-9s", i == 0 ? "meshes" : "");
        print_name(mesh->name);
        printf("%s%d places, %d vertices, %d triangles", mesh->name[0] ? ": " : "", mesh->place_count,
               mesh->vertex_count, mesh->triangle_count);
        if (mesh->bone_count > 0) printf(", %d bones", mesh->bone_count);
        printf("%s%s", mesh->has_uvs ? ", uvs" : "", mesh->has_colors ? ", vertex colours" : "");
        if (mesh->material[0]) printf(", material ");
        print_name(mesh->material);
        printf("\n         x %.3f to %.3f m, y %.3f to %.3f m, z %.3f to %.3f m\n",
               scale * (double)mesh->least[0], scale * (double)mesh->most[0], scale * (double)mesh->least[1],
               scale * (double)mesh->most[1], scale * (double)mesh->least[2], scale * (double)mesh->most[2]);
        const Cloth *cloth = &inspection->cloths[i];
        char text[1024];
        describe_cloth(cloth, cloth->has_namesakes ? "all of that name" : "it", text, sizeof text);
        printf("         ");
        print_name(text);
        putchar('\n');
    }
}

// Metres per unit of meshes: as the skeleton is read, else as the file says, else 1, as import_mesh takes it.
static float mesh_scale(const Inspection *inspection) {
    if (inspection->file) return asset_file_scale(inspection->file);
    return inspection->contents.unit > 0.0f ? inspection->contents.unit : 1.0f;
}

static void print_notes(const Inspection *inspection) {
    if (inspection->notes.length <= 1) return;
    printf("%-9s", "tweed");
    app_print_safe_lines(stdout, inspection->notes.bytes, "         ");
    putchar('\n');
}

static void describe_cloth(const Cloth *cloth, const char *what, char *out_text, size_t size) {
    const char *kind = cloth->closed ? "a ring" : "a sheet";
    if (cloth->rows > 0)
        snprintf(out_text, size, "tweed.cloth takes %s: %s of %d rows and %d columns", what, kind,
                 cloth->rows, cloth->columns);
    else if (cloth->divides && cloth->is_surface)
        snprintf(
            out_text, size,
            "tweed.cloth takes %s as a general mesh: its vertices are no grid; beside rows and columns it "
            "is a grid: %s",
            what, kind);
    else if (cloth->divides)
        snprintf(out_text, size,
                 "tweed.cloth takes %s beside rows and columns: %s, whose vertices are no grid", what, kind);
    else
        snprintf(out_text, size, "tweed.cloth %s %s%s: %s", cloth->is_surface ? "takes" : "cannot take", what,
                 cloth->is_surface ? " as a general mesh" : "", cloth->reason.message);
}

static void print_name(const char *name) {
    app_print_safe(stdout, name, SIZE_MAX);
}

// Returns false when memory runs out.
static bool add_notes(Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    if (inspection->file)
        note_skeleton(inspection);
    else
        note(inspection, "tweed.import cannot read it: %s", inspection->no_file.message);
    if (contents->mesh_count > 0) note_meshes(inspection);
    if (contents->up && contents->up != 'y')
        note(inspection, "it will lie on its side: export it with +Y up, found +%c",
             contents->up - 'a' + 'A');
    text_buffer_append_char(&inspection->notes, '\0');
    return !inspection->notes.failed;
}

static void note_skeleton(Inspection *inspection) {
    const double scale = (double)asset_file_scale(inspection->file);
    const double height = (double)asset_file_height(inspection->file);
    const char *reason = fabs(scale - (double)inspection->contents.unit) < 1e-9 ? "as the file has it"
                         : height >= 1.0 && height <= 2.5
                             ? "guessed from the height at rest; give scale if it is wrong"
                             : "since no unit makes it 1 to 2.5 m high: give scale";
    note(inspection, "tweed.import \"%s\" reads its bones, with %g m for a unit, %s", inspection->name, scale,
         reason);
    if (inspection->no_humanoid)
        note(inspection, "rigs.humanoid cannot dress it: %s", inspection->no_humanoid);
    else
        note(inspection, "rigs.humanoid { file = \"%s\" } dresses it: all roles are found", inspection->name);
    if (asset_file_clip_count(inspection->file) > 0)
        note(inspection, "tweed.clip { file = \"%s\" } plays its first clip, clip = \"NAME\" another",
             inspection->name);
}

static void note_meshes(Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    const float scale = contents->unit > 0.0f ? contents->unit : 1.0f;
    int skinned = 0, bare = 0;
    float longest = 0.0f;
    for (int i = 0; i < contents->mesh_count; i++) {
        const AssetMeshContents *mesh = &contents->meshes[i];
        if (mesh->bone_count > 0) {
            skinned++;
            continue;
        }
        bare++;
        for (int k = 0; k < 3; k++) longest = fmaxf(longest, scale * (mesh->most[k] - mesh->least[k]));
    }
    if (skinned > 0) note(inspection, "a character with its skeleton has its skinned meshes: %d", skinned);
    if (bare == 0) return;
    char argument[48] = "";
    if (scale != 1.0f) snprintf(argument, sizeof argument, ", scale = %g", (double)scale);
    note(inspection, "tweed.import_mesh { file = \"%s\"%s } reads its meshes without bones: %d",
         inspection->name, argument, bare);
    if (bare > 1 && skinned == 0) {
        char text[1024];
        describe_cloth(&inspection->cloths[contents->mesh_count], "all of it", text, sizeof text);
        note(inspection, "%s", text);
    }
    note_size(inspection, longest, scale);
}

static void note_size(Inspection *inspection, float longest, float scale) {
    const float factor = asset_surface_scale_for(longest);
    if ((longest >= LEAST_SIZE && longest <= MOST_SIZE) || factor == 0.0f) return;
    note(inspection, "its longest side is %g m, so its unit is not the metre: scale = %g makes it %g m",
         (double)longest, (double)(scale * factor), (double)(longest * factor));
}

static void note(Inspection *inspection, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *letter = text; *letter; letter++)
        if ((unsigned char)*letter < ' ') *letter = '?'; // a name's
    if (inspection->notes.length > 0) text_buffer_append_char(&inspection->notes, '\n');
    text_buffer_append_string(&inspection->notes, text);
}

static void print_json(const Inspection *inspection) {
    const AssetContents *contents = &inspection->contents;
    AppJson json = {0};
    cJSON *root = app_json_root_object(&json);
    add_name(&json, root, "file", inspection->path);
    add_name(&json, root, "format", contents->format);
    if (contents->unit > 0.0f) app_json_float(&json, root, "unit", contents->unit);
    if (contents->up) app_json_string(&json, root, "up", (char[]){contents->up, '\0'});
    if (inspection->file) {
        app_json_float(&json, root, "scale", asset_file_scale(inspection->file));
        app_json_float(&json, root, "height", asset_file_height(inspection->file));
        app_json_bool(&json, root, "humanoid", !inspection->no_humanoid);
    }
    add_bones(&json, root, inspection);
    add_clips(&json, root, inspection);
    add_meshes(&json, root, inspection);
    cJSON *notes = app_json_list(&json, root, "notes");
    for (const char *line = inspection->notes.bytes; line && *line;) {
        const size_t length = strcspn(line, "\n");
        char text[1024];
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        add_name(&json, notes, NULL, text);
        line += line[length] ? length + 1 : length;
    }
    app_json_print(&json, root);
}

// Files may name things in other encodings.
static void add_name(AppJson *json, cJSON *item, const char *key, const char *name) {
    char mended[APP_PATH_BYTES];
    snprintf(mended, sizeof mended, "%s", name);
    text_utf8_mend(mended);
    app_json_string(json, item, key, mended);
}

static void add_bones(AppJson *json, cJSON *root, const Inspection *inspection) {
    cJSON *list = app_json_list(json, root, "bones");
    for (int i = 0; i < inspection->bone_count; i++) {
        const SimBoneDef *bone = &inspection->bones[i];
        cJSON *item = app_json_object(json, list, NULL);
        add_name(json, item, "name", bone->name);
        if (bone->parent >= 0) add_name(json, item, "parent", inspection->bones[bone->parent].name);
        if (inspection->roles[i][0]) app_json_string(json, item, "role", inspection->roles[i]);
    }
}

static void add_clips(AppJson *json, cJSON *root, const Inspection *inspection) {
    cJSON *list = app_json_list(json, root, "clips");
    const int count = inspection->file ? asset_file_clip_count(inspection->file) : 0;
    for (int i = 0; i < count; i++) {
        const AssetClipInfo clip = asset_file_clip_info(inspection->file, i);
        cJSON *item = app_json_object(json, list, NULL);
        add_name(json, item, "name", clip.name);
        app_json_float(json, item, "rate", clip.rate);
        app_json_integer(json, item, "frames", (uint64_t)clip.frame_count);
        app_json_float(json, item, "from", clip.first);
        app_json_float(json, item, "to", clip.duration);
        app_json_bool(json, item, "moves_root", clip.moves_root);
    }
}

static void add_meshes(AppJson *json, cJSON *root, const Inspection *inspection) {
    cJSON *list = app_json_list(json, root, "meshes");
    for (int i = 0; i < inspection->contents.mesh_count; i++) {
        const AssetMeshContents *mesh = &inspection->contents.meshes[i];
        const float scale = mesh_scale(inspection);
        float least[3], most[3];
        for (int k = 0; k < 3; k++) {
            least[k] = scale * mesh->least[k];
            most[k] = scale * mesh->most[k];
        }
        cJSON *item = app_json_object(json, list, NULL);
        add_name(json, item, "name", mesh->name);
        add_name(json, item, "material", mesh->material);
        app_json_integer(json, item, "vertices", (uint64_t)mesh->vertex_count);
        app_json_integer(json, item, "places", (uint64_t)mesh->place_count);
        app_json_integer(json, item, "triangles", (uint64_t)mesh->triangle_count);
        app_json_integer(json, item, "bones", (uint64_t)mesh->bone_count);
        app_json_bool(json, item, "uvs", mesh->has_uvs);
        app_json_bool(json, item, "colors", mesh->has_colors);
        app_json_vector(json, item, "least", least, 3);
        app_json_vector(json, item, "most", most, 3);
        const Cloth *cloth = &inspection->cloths[i];
        if (cloth->rows == 0 && !cloth->divides && !cloth->is_surface) {
            add_name(json, item, "no_cloth", cloth->reason.message);
            continue;
        }
        cJSON *grid = app_json_object(json, item, "cloth");
        if (cloth->rows > 0) {
            app_json_integer(json, grid, "rows", (uint64_t)cloth->rows);
            app_json_integer(json, grid, "columns", (uint64_t)cloth->columns);
        }
        if (cloth->rows > 0 || cloth->divides) app_json_bool(json, grid, "closed", cloth->closed);
        app_json_bool(json, grid, "general", cloth->is_surface);
    }
}
