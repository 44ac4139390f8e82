// Writes a log without ever waiting for whoever reads it: a terminal that is held, a pipe that nobody
// empties.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct AppLogWriter AppLogWriter;

// Opens a stream whose text goes to the descriptor: at once where it has room, otherwise by a thread, from
// 256 KiB at most. Lines beyond that are lost, which a line tells once there is room again. NULL: out of
// memory or threads.
AppLogWriter *app_log_writer_create(int descriptor, FILE **out_stream);

// Closes the stream, and waits for its reader for one second at most.
void app_log_writer_destroy(AppLogWriter *writer);
