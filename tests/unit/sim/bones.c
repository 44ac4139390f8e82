// A jacket, and what is true of any bone.
#include "bones.h"

void jacket(Fixture *fixture) {
    const int rows = 5, columns = 9;
    fixture_sheet(fixture, rows, columns, 0.06f);
    for (int p = 0; p < rows * columns; p++) {
        double turn = (20.0 + 320.0 * (p % columns) / (columns - 1)) * FIXTURE_PI / 180.0;
        fixture->positions[p][0] = (float)(0.15 * sin(turn));
        fixture->positions[p][1] = 1.0f - 0.06f * (float)(p / columns);
        fixture->positions[p][2] = (float)(0.15 * cos(turn));
    }
    int hips = fixture_add_bone(fixture, "hips", 0, 0.0f, 1.0f, 0.0f);
    for (int column = 0; column < columns; column++) fixture->attach[column].bones[0] = hips;
    fixture->garment.bone_prefix = "jacket_";
}

void assert_orthonormal(const vec4 *matrix) {
    vec3 z;
    for (int i = 0; i < 3; i++) {
        assert_near(glm_vec3_norm((float *)matrix[i]), 1.0, 1e-5);
        assert_near(glm_vec3_dot((float *)matrix[i], (float *)matrix[(i + 1) % 3]), 0.0, 1e-5);
        assert_near(matrix[i][3], 0.0, 0.0);
    }
    glm_vec3_cross((float *)matrix[0], (float *)matrix[1], z);
    assert_near(glm_vec3_dot(z, (float *)matrix[2]), 1.0, 1e-5);
    assert_near(matrix[3][3], 1.0, 0.0);
}
