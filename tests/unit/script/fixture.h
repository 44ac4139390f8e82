// Scripts in a folder of their own, a host and a world for them, and what they asked of the application.
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

int fixture_begin(void **state);
ScriptHostDef host_def(Fixture *fixture);
// The host, on first use; NULL if its fabrics are wrong.
ScriptHost *fixture_host(Fixture *fixture);
int fixture_end(void **state);
// All findings, a line each.
void findings_text(const ScriptFindings *findings, char *text, size_t size);
void assert_findings(const ScriptFindings *findings, const char *expected);
// Appends formatted text; cuts what does not fit.
void append(char *text, size_t size, const char *format, ...);
// The value of a key of a table, or NULL.
const ScriptValue *value_get(const ScriptValue *table, const char *key);
