// Scripts: what on_tick of a crowd that shares one script takes of a tick.
#include "bench.h"
#include "tables.h"

#include <math.h>
#include <script/character.h>
#include <script/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHARACTERS = 200 };

#define DT (1.0 / 60.0)

typedef struct Crowd {
    char folder[64];
    SimWorld *world;
    ScriptHost *host;
    ScriptInstance *instances[CHARACTERS];
    int tick;
} Crowd;

typedef struct Row {
    const char *what, *callbacks;
} Row;

static const Row rows[] = {
    {"without on_tick, each waiting in a coroutine",
     "on_spawn = function(self) self:run(function() tweed.wait(1e6) end) end,"},
    {"that does nothing", "on_tick = function(self, dt, time) end,"},
    {"that keeps a state and now and then plays a clip",
     "on_tick = function(self, dt, time)\n"
     "  self.phase = (self.phase or 0) + dt * (1 + .2 * math.sin(time))\n"
     "  if self.phase > 1 then self.phase = self.phase - 1 self:play('walk', { loop = true }) end\n"
     "end,"},
    {"that wanders: asks for its root, turns and moves it",
     "on_tick = function(self, dt, time)\n"
     "  local heading = (self.heading or 0) + (tweed.random() - .5) * dt\n"
     "  local position = self:root()\n"
     "  self.heading = heading\n"
     "  self:move {\n"
     "    position = { position[1] + dt * math.sin(heading), 0, position[3] + dt * math.cos(heading) },\n"
     "    rotation = tweed.quaternion.axis_angle({ 0, 1, 0 }, heading),\n"
     "  }\n"
     "end,"},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static bool write_script(Crowd *crowd, const Row *row) {
    char path[128];
    strcpy(crowd->folder, "/tmp/tweed_bench_XXXXXX");
    if (!mkdtemp(crowd->folder)) return false;
    snprintf(path, sizeof path, "%s/crowd.lua", crowd->folder);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file,
            "return tweed.character { skeleton = tweed.skeleton { { name = 'Hips' } },\n"
            "clips = { walk = tweed.clip { duration = 1, sample = function() return {} end } },\n%s }\n",
            row->callbacks);
    return fclose(file) == 0;
}

static bool spawn(Crowd *crowd, ScriptCharacter *character) {
    const SimTransform origin = SIM_TRANSFORM_IDENTITY;
    for (int i = 0; character && i < CHARACTERS; i++) {
        SimIssue issue;
        ScriptError error;
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        const SimCharacterId id =
            sim_character_create(crowd->world, script_character_info(character)->rig, &origin, &issue);
        crowd->instances[i] = script_instance_create(character, id, name, NULL, &error);
        if (!crowd->instances[i]) return false;
    }
    script_host_started(crowd->host);
    return character != NULL;
}

static void destroy(void *subject) {
    Crowd *crowd = subject;
    char path[128];
    for (int i = 0; i < CHARACTERS; i++) script_instance_destroy(crowd->instances[i]);
    script_host_destroy(crowd->host);
    sim_world_destroy(crowd->world);
    snprintf(path, sizeof path, "%s/crowd.lua", crowd->folder);
    unlink(path);
    rmdir(crowd->folder);
    free(crowd);
}

static void *create(const void *setting) {
    Crowd *crowd = calloc(1, sizeof *crowd);
    if (!crowd) return NULL;
    SimIssue issue;
    ScriptFindings findings = {0};
    const SimWorldDef world = sim_default_world_def();
    const char *const folders[] = {crowd->folder};
    crowd->world = sim_world_create(&world, &issue);
    bool created = crowd->world && write_script(crowd, setting);
    const ScriptHostDef host = {
        .world = crowd->world, .script_directories = folders, .script_directory_count = 1};
    if (created) crowd->host = script_host_create(&host, &findings);
    created = crowd->host && spawn(crowd, script_character_load(crowd->host, "crowd", &findings));
    script_findings_finish(&findings);
    if (created) return crowd;
    destroy(crowd);
    return NULL;
}

static void ticks(void *subject, int count) {
    Crowd *crowd = subject;
    while (count-- > 0) {
        crowd->tick++;
        script_host_begin_tick(crowd->host, crowd->tick * DT, DT);
        script_host_deliver_events(crowd->host);
        for (int i = 0; i < CHARACTERS; i++) script_instance_tick(crowd->instances[i]);
    }
}

void table_scripts(void) {
    BenchEntry entries[ROWS];
    double seconds[ROWS];
    for (int i = 0; i < ROWS; i++)
        entries[i] = (BenchEntry){
            .name = rows[i].what, .setting = &rows[i], .create = create, .steps = ticks, .destroy = destroy};
    bench_time(entries, ROWS, seconds);
    bench_heading("on_tick of 200 characters that share one script, on one core");
    printf("  %-52s %10s %10s %16s\n", "on_tick", "us", "ns each", "% of 60 Hz tick");
    for (int i = 0; i < ROWS; i++)
        printf("  %-52s %10.1f %10.0f %16.2f\n", rows[i].what, 1e6 * seconds[i],
               1e9 * seconds[i] / CHARACTERS, 100.0 * seconds[i] / DT);
    bench_target_at_most("200 that wander, % of a 60 Hz tick", 15.0, 100.0 * seconds[ROWS - 1] / DT);
}
