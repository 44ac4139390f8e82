// What is left out under load, against a model of a server whose characters all cost the same.
#include "ticks/shedding.h"
#include "unit_test.h"

enum { HOUR = 4 * 3600 }; // updates

// A server: each step of a character saves a share of its cloth, and frames cost by how often they come.
typedef struct Model {
    AppShedding shedding;
    int characters;
    float cloth, frames, rest; // of a tick's time, at full detail
    float saved;               // by a step, of a character's cloth
    float load;
    int times_shed; // updates in which more was left out
} Model;

static float cloth_of(const Model *model) {
    const float taken = (float)model->shedding.steps / (float)model->characters;
    return model->cloth * (1.0f - model->saved * taken);
}

static bool update(Model *model) {
    const int before = model->shedding.steps + model->shedding.frame_steps;
    const float cloth = cloth_of(model);
    const float frames = model->frames / (float)app_shedding_frame_interval(&model->shedding);
    model->load = cloth + frames + model->rest;
    const bool changed =
        app_shedding_update(&model->shedding, (AppTickLoad){model->load, cloth}, model->characters);
    const int after = model->shedding.steps + model->shedding.frame_steps;
    assert_int_equal(changed, after != before);
    assert_in_range(model->shedding.steps, 0, 2 * model->characters);
    model->times_shed += after > before;
    return changed;
}

static void run(Model *model, int updates) {
    for (int i = 0; i < updates; i++) update(model);
}

static void test_nothing_is_left_out_while_there_is_time(void **state) {
    (void)state;
    Model model = {.characters = 100, .cloth = 0.8f, .frames = 0.1f, .saved = 0.4f};
    for (int i = 0; i < HOUR; i++) assert_false(update(&model));
    assert_int_equal(app_shedding_frame_interval(&model.shedding), 1);
}

static void test_overload_ends_within_a_second_and_stays_away(void **state) {
    (void)state;
    const float saved[] = {0.3f, 0.4f};
    for (int i = 0; i < 2; i++) {
        for (int characters = 1; characters <= 4096; characters *= 8) {
            Model model = {.characters = characters, .cloth = 1.3f, .rest = 0.1f, .saved = saved[i]};
            run(&model, 4);
            assert_true(model.load < 0.95f);
            run(&model, HOUR);
            assert_true(model.load < 0.95f);
            assert_in_range(model.times_shed, 1, 4);
        }
    }
}

static void test_all_comes_back_when_the_load_is_gone(void **state) {
    (void)state;
    Model model = {.characters = 300, .cloth = 2.0f, .frames = 0.3f, .rest = 0.1f, .saved = 0.4f};
    run(&model, 40);
    assert_in_range(model.shedding.steps, 500, 600);
    model.cloth = 0.2f;
    run(&model, 40);
    assert_int_equal(model.shedding.steps, 0);
    assert_int_equal(app_shedding_frame_interval(&model.shedding), 1);
}

// A second in which scripts are loaded leaves nothing out.
static void test_a_short_standstill_changes_nothing(void **state) {
    (void)state;
    Model model = {.characters = 10, .cloth = 0.4f, .frames = 0.1f, .rest = 3.0f, .saved = 0.4f};
    for (int i = 0; i < 3; i++) assert_false(update(&model));
    model.rest = 0.1f;
    for (int i = 0; i < HOUR; i++) assert_false(update(&model));
}

// Scripts that take too long are not helped by less cloth.
static void test_cloth_that_costs_little_stays_whole(void **state) {
    (void)state;
    Model model = {.characters = 10, .cloth = 0.4f, .frames = 0.1f, .rest = 1.5f, .saved = 0.4f};
    run(&model, 40);
    assert_int_equal(model.shedding.steps, 0);
    assert_int_equal(app_shedding_frame_interval(&model.shedding), 4);
}

// A load that comes back whenever all is simulated again: it is tried more and more rarely.
static void test_relapses_become_rare(void **state) {
    (void)state;
    Model model = {.characters = 50, .rest = 0.2f, .saved = 0.4f};
    int relapses = 0;
    for (int i = 0; i < HOUR; i++) {
        model.cloth = model.shedding.steps > 0 ? 0.3f : 1.2f;
        const int before = model.times_shed;
        update(&model);
        relapses += model.times_shed > before;
    }
    assert_in_range(relapses, 5, 80); // 3,600 without patience, 60 at once a minute
}

static void test_characters_that_leave_take_their_steps_along(void **state) {
    (void)state;
    Model model = {.characters = 100, .cloth = 3.0f, .saved = 0.4f};
    run(&model, 8);
    assert_in_range(model.shedding.steps, 150, 200);
    model.characters = 10;
    model.cloth = 0.9f;
    update(&model);
    assert_in_range(model.shedding.steps, 0, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_left_out_while_there_is_time),
        cmocka_unit_test(test_overload_ends_within_a_second_and_stays_away),
        cmocka_unit_test(test_all_comes_back_when_the_load_is_gone),
        cmocka_unit_test(test_a_short_standstill_changes_nothing),
        cmocka_unit_test(test_cloth_that_costs_little_stays_whole),
        cmocka_unit_test(test_relapses_become_rare),
        cmocka_unit_test(test_characters_that_leave_take_their_steps_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
