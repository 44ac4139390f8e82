// Scripts in a temporary folder, a host and a world for them, and a record of their requests to the
// application.
#pragma once

#include "script/character.h"
#include "script/fabrics.h"
#include "script/host.h"
#include "script/scene.h"
#include "unit_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text/log_level.h>
#include <unistd.h>

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_begin, fixture_end)
#define FIXTURE_DT         (1.0 / 60.0)

typedef struct Fixture {
    char folder[64]; // the working folder as well
    SimWorld *world;
    ScriptHost *host;
    ScriptFindings findings;
    char log[8192];      // "level script character: message" a line
    char failed[4096];   // "script character: message" a line
    char spawned[512];   // "script name x y z" or "name goes" a line
    const char *refusal; // of both; NULL: granted
    int world_changes;
} Fixture;

// Writes a file below the fixture's folder, with the folders it lies in.
void write_file(const char *path, const char *text);
// A whole text file, which the caller frees.
char *read_text(const char *path);

int fixture_begin(void **state);
ScriptHostDef host_def(Fixture *fixture);
// The host, on first use; NULL if its fabrics are wrong.
ScriptHost *fixture_host(Fixture *fixture);
int fixture_end(void **state);
// Loads a character's script without findings. text: its file below scripts/, written first; NULL: it is
// there.
ScriptCharacter *fixture_load(Fixture *fixture, const char *script, const char *text);
// Puts a character into the world. root: NULL: at the origin.
SimCharacterId fixture_place(Fixture *fixture, ScriptCharacter *character, const SimTransform *root);
// The script's instance for it; on_spawn raises nothing. params: NULL: none.
ScriptInstance *fixture_spawn(ScriptCharacter *character, SimCharacterId id, const char *name,
                              ScriptParams *params);
// Runs the scripts' part of that tick: events, then the instance.
void fixture_tick(Fixture *fixture, ScriptInstance *instance, int number);
// All findings, a line each.
void findings_text(const ScriptFindings *findings, char *text, size_t size);
void assert_findings(const ScriptFindings *findings, const char *expected);
// Appends formatted text; cuts what does not fit.
void append(char *text, size_t size, const char *format, ...);
// The value of a key of a table, or NULL.
const ScriptValue *value_get(const ScriptValue *table, const char *key);
