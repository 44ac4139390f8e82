// Chains for tests, and measurements of them.
#include "chain_fixture.h"

void straight(Fixture *fixture, int rows, double link, double angle) {
    fixture_sheet(fixture, rows, 1, 1.0f);
    for (int row = 0; row < rows; row++) {
        fixture->positions[row][0] = (float)(link * row * sin(angle));
        fixture->positions[row][1] = (float)(-link * row * cos(angle));
    }
    fixture_vacuum(fixture);
    fixture->garment.fabric.drape = 0.0f;
}

void weightless(Fixture *fixture) {
    fixture->def.environment.gravity_world[1] = 0.0f;
}

void hang_on_turning_bone(Fixture *fixture, int axis, double degrees) {
    int bone = fixture_add_bone(fixture, "turning", 0, 0.0f, 0.0f, 0.0f);
    fixture->attach[0].bones[0] = bone;
    fixture_add_clip(fixture, 1000.0f, 3, false);
    float half = (float)(degrees * FIXTURE_PI / 360.0);
    versor turn = {0.0f, 0.0f, 0.0f, cosf(half)};
    turn[axis] = sinf(half);
    for (int frame = 1; frame < 3; frame++)
        memcpy(fixture->clip_rotations[frame * fixture->rig.bone_count + bone], turn, sizeof turn);
}

void watch(Crossings *crossings, double value, int tick, int rate) {
    double before = crossings->before;
    crossings->before = value;
    if (tick == 0 || !(before > 0.0 && value <= 0.0)) return;
    crossings->last = (tick - 1 + before / (before - value)) / rate;
    if (crossings->count++ == 0) crossings->first = crossings->last;
}

double period_of(const Crossings *crossings) {
    assert_true(crossings->count > 2);
    return (crossings->last - crossings->first) / (crossings->count - 1);
}

void turned(const double a[3], const double b[3], double v[3]) {
    double c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double along = (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]) / (1.0 + c);
    double across[3] = {n[1] * v[2] - n[2] * v[1], n[2] * v[0] - n[0] * v[2], n[0] * v[1] - n[1] * v[0]};
    for (int i = 0; i < 3; i++) v[i] = v[i] * c + across[i] + n[i] * along;
}

double widest_joint(Fixture *fixture, int first) {
    double frame[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, widest = 0.0;
    sim_garment_references_model(fixture->world, fixture->character, 0, fixture->references);
    for (int p = 1; p < fixture_particle_count(fixture); p++) {
        const float *r0 = fixture->references[p - 1], *r1 = fixture->references[p];
        const float *x0 = fixture->particles[p - 1], *x1 = fixture->particles[p];
        double axis[3] = {0.0, 0.0, 0.0}, u[3], far = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 3; k++)
                axis[k] += frame[i][k] * ((double)r1[i] - (double)r0[i]) / fixture_distance(r0, r1);
            u[i] = ((double)x1[i] - (double)x0[i]) / fixture_distance(x0, x1);
        }
        for (int i = 0; i < 3; i++) far += (u[i] - axis[i]) * (u[i] - axis[i]);
        if (p >= first) widest = fmax(widest, 2.0 * asin(fmin(sqrt(far) / 2.0, 1.0)) * 180.0 / FIXTURE_PI);
        for (int i = 0; i < 3; i++) turned(axis, u, frame[i]);
    }
    return widest;
}
