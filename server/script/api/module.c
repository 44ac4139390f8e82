// What a running script may ask for.
#include "api/module.h"

#include "api/spawn.h"
#include "runtime/listener.h"
#include "runtime/task.h"
#include "sandbox/log.h"
#include "sandbox/random_library.h"
#include "schema/definition.h"

const ScriptFunction script_module_functions[] = {
    {"spawn",
     script_spawn,
     {{.name = "wish", .schema = &script_spawn_schema}},
     {{.name = "name", .type = "string", .help = "The name that it is going to have."}},
     .help =
         "Lets a character come into the world: at the next tick or, where its script has not been needed "
         "before, once that is loaded, which no tick waits for but those of simulation.step. In callbacks.",
     .example = "local name = tweed.spawn { script = \"characters/guard\", position = { 1, 0, 0 } }"},
    {"remove",
     script_remove,
     {{.name = "name", .type = "string", .help = "A character's, or that of one which is on its way."}},
     .help = "Takes a character out of the world, after all scripts of this tick. In callbacks.",
     .example = "local name = tweed.spawn { script = \"characters/guard\" }\n"
                "tweed.remove(name)"},
    {"wait",
     script_task_wait,
     {{.name = "seconds", .type = "number", .help = "0 to 1e6 s; 0 is the next tick."}},
     {{.name = "waited", .type = "number"}},
     .help =
         "Pauses a coroutine of self:run, until the first tick that is not before that time; gives how long "
         "that was, in s.",
     .example = "tweed.wait(.5)\nlocal dt = tweed.wait(0)"},
    {"wait_for",
     script_task_wait_for,
     {{.name = "event", .type = "tweed.Event"},
      {.name = "seconds", .type = "number", .optional = true, .help = "0 to 1e6 s; by default for ever."}},
     {{.name = "event", .type = "table", .optional = true}},
     .help = "Pauses a coroutine of self:run until something happens; gives the event, as the protocol has "
             "it, or nothing when the time is over.",
     .example = "local event = tweed.wait_for(\"fabric.changed\", 5)\n"
                "if event then print(event.tick, event.fabric) end"},
    {"on",
     script_listener_on,
     {{.name = "event", .type = "tweed.Event"}, {.name = "listener", .type = "fun(event: table)"}},
     {{.name = "stop", .type = "fun()", .help = "Ends it."}},
     .help = "Calls a function whenever something happens, with the event as the protocol has it: at the "
             "beginning of the tick, or of the next one for what scripts do themselves. Ends with the "
             "character's reset, and when the function raises. In callbacks. The events: character.spawned, "
             "character.removed, character.changed, character.unstable, script.loaded, script.failed, "
             "script.suspended, fabric.changed, world.changed, simulation.paused, simulation.resumed, log.",
     .example = "local stop = tweed.on(\"world.changed\", function(event)\n"
                "  print(event.tick, event.wind.velocity[1])\n"
                "end)"},
    {"random",
     script_random_lua,
     {{.name = "m", .type = "integer", .optional = true}, {.name = "n", .type = "integer", .optional = true}},
     {{.name = "number", .type = "number"}},
     .help = "A number from 0 up to but without 1; with n a whole one from 1 to n, with m and n from m to n. "
             "Seeded per character, so that runs repeat; math.random is the same.",
     .example = "local side = tweed.random(2) == 1 and \"left\" or \"right\""},
    {"log",
     script_log_write,
     {{.name = "level", .type = "\"error\"|\"warning\"|\"info\"|\"debug\""}, {.name = "text", .type = "any"}},
     .help = "Writes to the server's log and to clients that listen, 50 lines a second at most; print is "
             "level info.",
     .example = "tweed.log(\"debug\", \"about to jump\")"},
    {0},
};
