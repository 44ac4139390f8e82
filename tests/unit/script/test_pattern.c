// The interruptible pattern matcher gives the same results as Lua's own: a script and a plain Lua run the
// same program of many patterns.
#include "script/fixture.h"

#include <lauxlib.h>
#include <lualib.h>

// Random texts and patterns, malformed ones too. Each trial gives one number from all results.
static const char program[] =
    "local seed = 1\n"
    "local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648; return seed // 65536 % n + 1 "
    "end\n"
    "local pieces = { 'a', 'b', '.', '%a', '%D', '[ab]', '[^a-c]', '[%w_]', '[]]', '[^]x]', '%.', '%s', '(', "
    "')',\n"
    "  '()', '%1', '%b()', '%f[%a]', '*', '+', '-', '?', '$', '^', '%', '[', '[a', '[%', '%b', '%f', ' ', "
    "'[a-]' }\n"
    "local letters = { 'a', 'b', 'c', '(', ')', ' ', '.', '1', '_', ']', '-', '\\0' }\n"
    "local function make(list, most)\n"
    "  local parts = {}\n"
    "  for i = 1, random(most) do parts[i] = list[random(#list)] end\n"
    "  return table.concat(parts)\n"
    "end\n"
    "local said, numbers = '', {}\n"
    "local function tell(...)\n"
    "  local values = table.pack(...)\n"
    "  local last = values[1] and values.n or 1\n" // the texts of errors may differ
    "  for i = 1, last do values[i] = tostring(values[i]) end\n"
    "  said = said .. table.concat(values, '|', 1, last) .. '\\n'\n"
    "end\n"
    "local function all(text, pattern)\n"
    "  local found = {}\n"
    "  for a, b in text:gmatch(pattern) do found[#found + 1] = tostring(a) .. ',' .. tostring(b) end\n"
    "  return table.concat(found, ';')\n"
    "end\n"
    "for _ = 1, 4000 do\n"
    "  local text, pattern, init = make(letters, 12), make(pieces, 5), random(9) - 5\n"
    "  said = ''\n"
    "  tell(pcall(string.find, text, pattern, init))\n"
    "  tell(pcall(string.find, text, pattern, init, true))\n"
    "  tell(pcall(string.match, text, pattern, init))\n"
    "  tell(pcall(all, text, pattern))\n"
    "  tell(pcall(string.gsub, text, pattern, '<%0%1>'))\n"
    "  tell(pcall(string.gsub, text, pattern, { a = 'A', ['('] = false }, random(3)))\n"
    "  tell(pcall(string.gsub, text, pattern, function(x) return x ~= '' and 7 end))\n"
    "  local number = 0\n"
    "  for i = 1, #said do number = (number * 31 + said:byte(i)) % 2147483647 end\n"
    "  numbers[#numbers + 1] = ('%8x'):format(number)\n"
    "end\n"
    "return table.concat(numbers)\n";

static char *by_lua(void) {
    lua_State *lua = luaL_newstate();
    luaL_openlibs(lua);
    if (luaL_dostring(lua, program) != LUA_OK) fail_msg("%s", lua_tostring(lua, -1));
    char *text = strdup(lua_tostring(lua, -1));
    lua_close(lua);
    return text;
}

static ScriptValue by_script(Fixture *fixture) {
    char text[8192];
    ScriptValue result;
    ScriptError error;
    snprintf(text, sizeof text,
             "return tweed.character { skeleton = tweed.skeleton {{ name = 'Hips' }},\n"
             "commands = { run = { run = function()\n%send } } }\n",
             program);
    ScriptCharacter *character = fixture_load(fixture, "characters/x", text);
    ScriptInstance *instance =
        fixture_spawn(character, fixture_place(fixture, character, NULL), "alan", NULL);
    if (script_instance_call(instance, "run", NULL, &result, &error) != SCRIPT_CALL_DONE)
        fail_msg("%s", error.message);
    script_instance_destroy(instance);
    return result;
}

static void test_same_as_lua(void **state) {
    char *expected = by_lua();
    ScriptValue found = by_script(*state);
    assert_int_equal(strlen(expected), 4000 * 8);
    assert_int_equal(found.count, 4000 * 8);
    for (int trial = 0; trial < 4000; trial++)
        if (memcmp(expected + 8 * trial, found.string + 8 * trial, 8) != 0) fail_msg("trial %d", trial + 1);
    script_value_finish(&found);
    free(expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {FIXTURE_TEST(test_same_as_lua)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
