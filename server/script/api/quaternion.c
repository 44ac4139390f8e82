// Quaternions as Lua lists, in Lua's doubles.
#include "api/quaternion.h"

#include "sandbox/library.h"

#include <lauxlib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct Quaternion {
    double x, y, z, w;
} Quaternion;

typedef struct Vector {
    double x, y, z;
} Vector;

static const Quaternion identity = {0.0, 0.0, 0.0, 1.0};

static int axis_angle(lua_State *lua);
static int push_quaternion(lua_State *lua, Quaternion q);
static int push_list(lua_State *lua, int count, const double *numbers);
static Quaternion rotation_about(Vector axis, double angle);
static Vector check_vector(lua_State *lua, int index);
static void check_list(lua_State *lua, int index, int count, double *out);
static int euler(lua_State *lua);
static Quaternion product(Quaternion a, Quaternion b);
static int multiply(lua_State *lua);
static Quaternion check_quaternion(lua_State *lua, int index);
static int inverse(lua_State *lua);
static int normalize(lua_State *lua);
static Quaternion normalized(Quaternion q);
static double dot(Quaternion a, Quaternion b);
static int slerp(lua_State *lua);
static int between(lua_State *lua);
static Vector cross(Vector a, Vector b);
static int rotate(lua_State *lua);

const ScriptFunction script_quaternion_functions[] = {
    {"axis_angle", axis_angle,
     .parameters = {{.name = "axis", .type = "tweed.Vector"},
                    {.name = "angle", .type = "number", .help = "In rad."}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}},
     .help = "A rotation about an axis of any length.",
     .example = "local quarter = tweed.quaternion.axis_angle({ 0, 1, 0 }, math.pi / 2)"},
    {"euler", euler,
     .parameters = {{.name = "x", .type = "number", .help = "In rad, like y and z."},
                    {.name = "y", .type = "number"},
                    {.name = "z", .type = "number"},
                    {.name = "order",
                     .type = "string",
                     .optional = true,
                     .help = "Default \"xyz\": about x first, z last."}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}},
     .help = "Rotations about the parent's fixed axes, one after the other.",
     .example = "local rotation = tweed.quaternion.euler(.1, .2, 0, \"zxy\")"},
    {"multiply", multiply,
     .parameters = {{.name = "first", .type = "tweed.Rotation"},
                    {.name = "...", .type = "tweed.Rotation", .help = "Any number of them."}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}},
     .help = "The product: the last rotation is applied first.",
     .example = "local both = tweed.quaternion.multiply({ 0, 0, 0, 1 }, { 0, 1, 0, 0 })"},
    {"inverse", inverse, .parameters = {{.name = "rotation", .type = "tweed.Rotation"}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}}, .help = "The inverse rotation.",
     .example = "local back = tweed.quaternion.inverse { 0, 1, 0, 0 }"},
    {"normalize", normalize, .parameters = {{.name = "rotation", .type = "tweed.Rotation"}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}}, .help = "The same rotation at unit length.",
     .example = "local unit = tweed.quaternion.normalize { 0, 2, 0, 2 }"},
    {"slerp", slerp,
     .parameters = {{.name = "from", .type = "tweed.Rotation"},
                    {.name = "to", .type = "tweed.Rotation"},
                    {.name = "t", .type = "number", .help = "0 gives from, 1 gives to."}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}},
     .help = "Spherical interpolation between two rotations, the short way round.",
     .example = "local half = tweed.quaternion.slerp({ 0, 0, 0, 1 }, { 0, 1, 0, 0 }, .5)"},
    {"between", between,
     .parameters = {{.name = "from", .type = "tweed.Vector"}, {.name = "to", .type = "tweed.Vector"}},
     .results = {{.name = "rotation", .type = "tweed.Rotation"}},
     .help = "The smallest rotation from one direction to another.",
     .example = "local rotation = tweed.quaternion.between({ 0, 1, 0 }, { 1, 0, 0 })"},
    {"rotate", rotate,
     .parameters = {{.name = "rotation", .type = "tweed.Rotation"},
                    {.name = "vector", .type = "tweed.Vector"}},
     .results = {{.name = "turned", .type = "tweed.Vector"}}, .help = "A vector, rotated.",
     .example = "local x = tweed.quaternion.rotate({ 0, 1, 0, 0 }, { 1, 0, 0 })[1]"},
    {0},
};

void script_quaternion_open(lua_State *lua) {
    lua_newtable(lua);
    script_functions_set(lua, script_quaternion_functions);
    script_seal(lua, "tweed.quaternion");
}

static int axis_angle(lua_State *lua) {
    return push_quaternion(lua, rotation_about(check_vector(lua, 1), luaL_checknumber(lua, 2)));
}

static int push_quaternion(lua_State *lua, Quaternion q) {
    return push_list(lua, 4, (const double[]){q.x, q.y, q.z, q.w});
}

static int push_list(lua_State *lua, int count, const double *numbers) {
    lua_createtable(lua, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(lua, numbers[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    return 1;
}

static Quaternion rotation_about(Vector axis, double angle) {
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    if (length <= 0.0) return identity;
    const double s = sin(angle / 2.0) / length;
    return (Quaternion){axis.x * s, axis.y * s, axis.z * s, cos(angle / 2.0)};
}

static Vector check_vector(lua_State *lua, int index) {
    double v[3];
    check_list(lua, index, 3, v);
    return (Vector){v[0], v[1], v[2]};
}

// Reads the list of `count` numbers at index.
static void check_list(lua_State *lua, int index, int count, double *out) {
    const bool fits = lua_istable(lua, index) && lua_rawlen(lua, index) == (lua_Unsigned)count;
    luaL_argexpected(lua, fits, index, count == 4 ? "{x, y, z, w}" : "{x, y, z}");
    for (int i = 0; i < count; i++) {
        lua_rawgeti(lua, index, i + 1);
        int is_number;
        out[i] = lua_tonumberx(lua, -1, &is_number);
        luaL_argexpected(lua, is_number, index, count == 4 ? "{x, y, z, w}" : "{x, y, z}");
        lua_pop(lua, 1);
    }
}

static int euler(lua_State *lua) {
    static const Vector axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double angles[] = {luaL_checknumber(lua, 1), luaL_checknumber(lua, 2), luaL_checknumber(lua, 3)};
    const char *order = luaL_optstring(lua, 4, "xyz");
    const bool fits = strlen(order) == 3 && strchr(order, 'x') && strchr(order, 'y') && strchr(order, 'z');
    luaL_argexpected(lua, fits, 4, "an order such as \"xyz\"");
    Quaternion q = identity;
    for (int i = 0; i < 3; i++) q = product(rotation_about(axes[order[i] - 'x'], angles[order[i] - 'x']), q);
    return push_quaternion(lua, q);
}

// The product a b: applies b first, then a.
static Quaternion product(Quaternion a, Quaternion b) {
    return (Quaternion){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static int multiply(lua_State *lua) {
    const int count = lua_gettop(lua);
    Quaternion q = check_quaternion(lua, 1);
    for (int i = 2; i <= count; i++) q = product(q, check_quaternion(lua, i));
    return push_quaternion(lua, q);
}

static Quaternion check_quaternion(lua_State *lua, int index) {
    double q[4];
    check_list(lua, index, 4, q);
    return (Quaternion){q[0], q[1], q[2], q[3]};
}

// inverse(q) of a unit quaternion.
static int inverse(lua_State *lua) {
    const Quaternion q = check_quaternion(lua, 1);
    return push_quaternion(lua, (Quaternion){-q.x, -q.y, -q.z, q.w});
}

static int normalize(lua_State *lua) {
    return push_quaternion(lua, normalized(check_quaternion(lua, 1)));
}

static Quaternion normalized(Quaternion q) {
    const double length = sqrt(dot(q, q));
    return length > 0.0 ? (Quaternion){q.x / length, q.y / length, q.z / length, q.w / length} : identity;
}

static double dot(Quaternion a, Quaternion b) {
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static int slerp(lua_State *lua) {
    const Quaternion a = check_quaternion(lua, 1);
    Quaternion b = check_quaternion(lua, 2);
    const double t = luaL_checknumber(lua, 3);
    double cosine = dot(a, b);
    if (cosine < 0.0) {
        cosine = -cosine;
        b = (Quaternion){-b.x, -b.y, -b.z, -b.w};
    }
    double to_a = 1.0 - t, to_b = t;
    if (cosine <
        0.9995) { // nearer, the sine is too small to divide by, and linear interpolation is exact enough
        const double angle = acos(cosine), sine = sin(angle);
        to_a = sin(to_a * angle) / sine;
        to_b = sin(to_b * angle) / sine;
    }
    return push_quaternion(lua, normalized((Quaternion){a.x * to_a + b.x * to_b, a.y * to_a + b.y * to_b,
                                                        a.z * to_a + b.z * to_b, a.w * to_a + b.w * to_b}));
}

static int between(lua_State *lua) {
    const Vector a = check_vector(lua, 1), b = check_vector(lua, 2), axis = cross(a, b);
    const double cosine = a.x * b.x + a.y * b.y + a.z * b.z;
    const double lengths = sqrt((a.x * a.x + a.y * a.y + a.z * a.z) * (b.x * b.x + b.y * b.y + b.z * b.z));
    if (lengths > 0.0 &&
        cosine / lengths < -1.0 + 1e-12) // opposite: half a turn about any perpendicular axis
        return push_quaternion(lua, rotation_about(fabs(a.x) < fabs(a.y) ? cross(a, (Vector){1.0, 0.0, 0.0})
                                                                         : cross(a, (Vector){0.0, 1.0, 0.0}),
                                                   acos(-1.0)));
    return push_quaternion(lua, normalized((Quaternion){axis.x, axis.y, axis.z, cosine + lengths}));
}

static Vector cross(Vector a, Vector b) {
    return (Vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// rotate(q, {x, y, z}): v + 2 w (u × v) + 2 u × (u × v), u the vector part.
static int rotate(lua_State *lua) {
    const Quaternion q = check_quaternion(lua, 1);
    const Vector v = check_vector(lua, 2), u = {q.x, q.y, q.z};
    const Vector t = cross(u, v), s = cross(u, t);
    return push_list(lua, 3,
                     (const double[]){v.x + 2.0 * (q.w * t.x + s.x), v.y + 2.0 * (q.w * t.y + s.y),
                                      v.z + 2.0 * (q.w * t.z + s.z)});
}
