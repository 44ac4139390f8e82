// A plain evaluation of BVH text in double precision.
#include "bvh.h"

static void read_joint(FILE *text, Bvh *bvh, int parent, const char *name);
static void read_vector(FILE *text, double out[3]);
static void multiply(const double a[9], const double b[9], double out[9]);

void apply(const double a[9], const double v[3], double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = a[i * 3] * v[0] + a[i * 3 + 1] * v[1] + a[i * 3 + 2] * v[2];
}

void turn_by(char axis, double degrees, double out[9]) {
    double c = cos(degrees * RADIANS), s = sin(degrees * RADIANS);
    double x[9] = {1, 0, 0, 0, c, -s, 0, s, c}, y[9] = {c, 0, s, 0, 1, 0, -s, 0, c},
           z[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(out, axis == 'X' ? x : axis == 'Y' ? y : z, sizeof x);
}

Bvh *read_bvh(const char *path) {
    Bvh *bvh = calloc(1, sizeof *bvh);
    FILE *text = fopen(path, "r");
    assert_non_null(text);
    char name[64];
    fscanf(text, " HIERARCHY ROOT %63s", name);
    read_joint(text, bvh, -1, name);
    assert_int_equal(fscanf(text, " MOTION Frames: %d Frame Time: %lf", &bvh->frame_count, &bvh->frame_time),
                     2);
    bvh->rows = malloc((size_t)(bvh->frame_count + 10) * (size_t)bvh->width * sizeof *bvh->rows);
    size_t values = 0, most = (size_t)(bvh->frame_count + 10) * (size_t)bvh->width;
    while (values < most && fscanf(text, "%lf", &bvh->rows[values]) == 1) ++values;
    bvh->row_count = (int)(values / (size_t)bvh->width);
    fclose(text);
    return bvh;
}

void free_bvh(Bvh *bvh) {
    free(bvh->rows);
    free(bvh);
}

void evaluate(const Bvh *bvh, int row, Frame out[MOST_JOINTS]) {
    const double *value = bvh->rows + (size_t)row * (size_t)bvh->width;
    for (int j = 0; j < bvh->joint_count; ++j) {
        const Joint *joint = &bvh->joints[j];
        double at[3] = {joint->offset[0], joint->offset[1], joint->offset[2]};
        double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        for (int c = 0; c < joint->channel_count; ++c, ++value) {
            double by[9], product[9];
            if (joint->channels[c] >= 'x') {
                at[joint->channels[c] - 'x'] = *value;
                continue;
            }
            turn_by(joint->channels[c], *value, by);
            multiply(turn, by, product);
            memcpy(turn, product, sizeof turn);
        }
        if (joint->parent < 0) {
            memcpy(out[j].at, at, sizeof at);
            memcpy(out[j].turn, turn, sizeof turn);
            continue;
        }
        const Frame *above = &out[joint->parent];
        apply(above->turn, at, out[j].at);
        for (int i = 0; i < 3; ++i) out[j].at[i] += above->at[i];
        multiply(above->turn, turn, out[j].turn);
    }
}

AssetFile *load(const char *name, char out_path[256]) {
    AssetError error;
    if (!asset_can_import(&error) || access(ASSET_TEST_MODELS, F_OK) != 0) {
        print_message("skipped: no assimp, or no " ASSET_TEST_MODELS "\n");
        skip();
    }
    assert_true(asset_find(name, NULL, 0, out_path, 256, &error));
    AssetFile *file = asset_file_load(out_path, NULL, NULL, &error);
    if (!file) print_message("%s\n", error.message);
    assert_non_null(file);
    return file;
}

AssetClip cut(const AssetFile *file, float from, float to) {
    AssetClip clip;
    AssetError error;
    AssetCut times = {.from = from, .to = to};
    assert_true(asset_clip_init(&clip, file, 0, &times, &error));
    return clip;
}

int find_bone(const AssetFile *file, const char *name) {
    int count;
    const SimBoneDef *bones = asset_file_bones(file, &count);
    for (int i = 0; i < count; ++i)
        if (strcmp(bones[i].name, name) == 0) return i;
    fail_msg("no bone %s", name);
    return -1;
}

static void read_joint(FILE *text, Bvh *bvh, int parent, const char *name) {
    int index = bvh->joint_count++;
    Joint *joint = &bvh->joints[index];
    *joint = (Joint){.parent = parent};
    snprintf(joint->name, sizeof joint->name, "%s", name);
    char word[64];
    fscanf(text, " {");
    read_vector(text, joint->offset);
    fscanf(text, " CHANNELS %d", &joint->channel_count);
    for (int i = 0; i < joint->channel_count; ++i) {
        fscanf(text, "%63s", word);
        joint->channels[i] = strstr(word, "position") ? (char)(word[0] + 32) : word[0];
    }
    bvh->width += joint->channel_count;
    while (fscanf(text, "%63s", word) == 1 && word[0] != '}') {
        char below[64];
        fscanf(text, "%63s", below);
        if (strcmp(word, "End") == 0) {
            fscanf(text, " {");
            read_vector(text, joint->end);
            joint->has_end = true;
            fscanf(text, " }");
        } else
            read_joint(text, bvh, index, below);
    }
}

static void read_vector(FILE *text, double out[3]) {
    assert_int_equal(fscanf(text, " OFFSET %lf %lf %lf", &out[0], &out[1], &out[2]), 3);
}

static void multiply(const double a[9], const double b[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i * 3 + j] = a[i * 3] * b[j] + a[i * 3 + 1] * b[3 + j] + a[i * 3 + 2] * b[6 + j];
}
