-- The globals that tweed gives to scripts, and nothing else: no io, os, debug or package.
stds.tweed = {
  read_globals = {
    "_VERSION", "assert", "error", "getmetatable", "ipairs", "load", "next", "pairs", "pcall", "print", "rawequal",
    "rawget", "rawlen", "rawset", "require", "select", "setmetatable", "tonumber", "tostring", "type", "xpcall",
    math = { other_fields = true },
    string = { other_fields = true },
    table = { other_fields = true },
    utf8 = { other_fields = true },
    coroutine = { fields = { "wrap", "yield", "running", "isyieldable", "status" } },
  },
}
std = "tweed"
max_line_length = 120
unused_args = false -- a callback names what it is given
files["scripts/types"] = { max_comment_line_length = false } -- generated: a parameter a line
