// trail = {angle, speed} and article = {iterations, stretch, shear, bend, damping, cell}.
#include "schema/fabric_forms.h"

#include "sim/fabric.h"

#include <math.h>
#include <string.h>

#define DEGREES 57.29577951308232

typedef ScriptFabricForms Forms;

#define FORM_OF(name, member, kind)                                                                          \
    .key = #name, .type = SCRIPT_TYPE_##kind, .offset = offsetof(Forms, member)
#define FORM(name, member) FORM_OF(name, member, NUMBER)

static const ScriptSchemaField trail_fields[] = {
    {FORM(angle, trail.angle), .required = true, .maximum = 89.0, .unit = "degrees",
     .help = "The angle from the vertical at which the cloth trails."},
    {FORM(speed, trail.speed), .required = true, .minimum = 0.01, .maximum = 30.0, .unit = "m/s",
     .help = "The root's steady speed at which the cloth trails at that angle."},
};
static const ScriptSchemaField article_fields[] = {
    {FORM_OF(iterations, article.iterations, INTEGER), .minimum = 1, .maximum = 100, .number = 1,
     .help = "The number of iterations in a step of 1/60 s; each applies the factors of stiffness once."},
    {FORM(cell, article.cell), .minimum = 0.001, .maximum = 1.0, .number = 0.06, .unit = "m",
     .help = "The side of a cell of the grid for which the factors were chosen."},
    {FORM(stretch, article.stretch), .maximum = 1.0, .otherwise = "not used",
     .help = "Sets stretch: the share of the error in a link between direct neighbours that an iteration "
             "removes, 1 for all."},
    {FORM(shear, article.shear), .maximum = 1.0, .otherwise = "not used",
     .help = "Sets shear: the same share for a link across a cell."},
    {FORM(bend, article.bend), .maximum = 1.0, .otherwise = "not used",
     .help = "Sets drape: the same share for a link between second neighbours."},
    {FORM(damping, article.damping), .maximum = 1.0, .otherwise = "not used",
     .help = "Sets damping: the share of its velocity that a particle loses in a step."},
};
static const ScriptSchema trail_schema = {.size = sizeof(Forms), SCRIPT_FIELDS(trail_fields)};
static const ScriptSchema article_schema = {.size = sizeof(Forms), SCRIPT_FIELDS(article_fields)};
static const ScriptSchema *const trail_schemas[] = {&trail_schema, NULL};
static const ScriptSchema *const article_schemas[] = {&article_schema, NULL};

static void convert_article(ScriptReader *reader, const Forms *forms, SimFabric *values);
static void convert(ScriptReader *reader, const char *key, const char *name, float factor, float value,
                    bool is_stiffness, SimFabric *values);
static const SimFabricField *find_field(const char *name);
static bool is_given_twice(ScriptReader *reader, const char *value);
static void convert_trail(ScriptReader *reader, const Forms *forms, SimFabric *values);

int script_fabric_form_fields(size_t offset, ScriptSchemaField *out_fields) {
    out_fields[0] =
        (ScriptSchemaField){.key = "trail",
                            .type = SCRIPT_TYPE_TABLE,
                            .offset = offset,
                            .schemas = trail_schemas,
                            .otherwise = "not used",
                            .help = "Sets world_motion by the angle at which the cloth trails at a speed."};
    out_fields[1] = (ScriptSchemaField){
        .key = "article",
        .type = SCRIPT_TYPE_TABLE,
        .offset = offset,
        .schemas = article_schemas,
        .otherwise = "not used",
        .help = "Sets stretch, shear, drape and damping by factors from 0 to 1 for a step of 1/60 s, as the "
                "article on the cloth of Alan Wake gives them: H. Enqvist, \"The Secrets of Cloth Simulation "
                "in Alan Wake\", Gamasutra, 2010. They are converted to the values in SI units, so the cloth "
                "moves alike at any tick rate."};
    return SCRIPT_FABRIC_FORMS;
}

ScriptFabricForms script_fabric_clear_forms(void) {
    return (Forms){.trail = {NAN, NAN}, .article = {1, 0.06f, NAN, NAN, NAN, NAN}};
}

void script_fabric_convert_forms(ScriptReader *reader, const ScriptFabricForms *forms, SimFabric *values) {
    convert_article(reader, forms, values);
    convert_trail(reader, forms, values);
}

static void convert_article(ScriptReader *reader, const Forms *forms, SimFabric *values) {
    const SimAlanWakeGrid grid = {forms->article.iterations, forms->article.cell, values->density};
    const float stretch = forms->article.stretch, shear = forms->article.shear, bend = forms->article.bend;
    const float damping = forms->article.damping;
    convert(reader, "stretch", "stretch", stretch, sim_alan_wake_stiffness(&grid, stretch), true, values);
    convert(reader, "shear", "shear", shear, sim_alan_wake_stiffness(&grid, shear), true, values);
    convert(reader, "bend", "drape", bend, sim_alan_wake_drape(&grid, bend), true, values);
    convert(reader, "damping", "damping", damping, sim_alan_wake_damping(damping), false, values);
}

// A factor that is too stiff for the field gives the field's limit.
static void convert(ScriptReader *reader, const char *key, const char *name, float factor, float value,
                    bool is_stiffness, SimFabric *values) {
    if (isnan(factor)) return;
    const SimFabricField *field = find_field(name);
    script_reader_key(reader, "article");
    script_reader_key(reader, key);
    if (!is_given_twice(reader, name)) {
        if (is_stiffness && value > field->maximum) value = field->maximum;
        if (value >= field->minimum && value <= field->maximum)
            sim_fabric_set(values, field, value);
        else
            script_reader_error(reader, "%g makes %s %g %s, expected %g to %g", (double)factor, name,
                                (double)value, field->unit, (double)field->minimum, (double)field->maximum);
    }
    script_reader_leave(reader);
    script_reader_leave(reader);
}

static const SimFabricField *find_field(const char *name) {
    int count;
    const SimFabricField *fields = sim_fabric_fields(&count);
    for (int i = 0; i < count; i++)
        if (fields[i].group[0] == '\0' && strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

static bool is_given_twice(ScriptReader *reader, const char *value) {
    if (!script_node_field(reader->root, value)) return false;
    script_reader_error(reader, "this sets %s, which is given as well; expected one of the two", value);
    return true;
}

// tan(angle) = c share v / g.
static void convert_trail(ScriptReader *reader, const Forms *forms, SimFabric *values) {
    const double angle = (double)forms->trail.angle, speed = (double)forms->trail.speed;
    if (isnan(angle) || isnan(speed)) return;
    const double at_whole_share = (double)values->damping * speed / SIM_STANDARD_GRAVITY;
    const double share = angle > 0.0 ? tan(angle / DEGREES) / at_whole_share : 0.0;
    script_reader_key(reader, "trail");
    const bool stands_alone = !is_given_twice(reader, "world_motion");
    if (stands_alone && speed > (double)values->world_speed)
        script_reader_error(
            reader,
            "expected a speed of %g m/s at most, found %g: world_speed bounds the speed that cloth feels",
            (double)values->world_speed, speed);
    else if (stands_alone && share > 1.0)
        script_reader_error(
            reader, "expected an angle of %.3g degrees at most at %g m/s with a damping of %g 1/s, found %g",
            atan(at_whole_share) * DEGREES, speed, (double)values->damping, angle);
    else if (stands_alone)
        values->world_motion = (float)share;
    script_reader_leave(reader);
}
