// Writes a log without ever waiting for whoever reads it: a terminal that is held, a pipe that nobody
// empties.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct AppLogWriter AppLogWriter;

// Writes a line that tells how many were lost, and why.
typedef void AppLogLoss(void *context, FILE *file, size_t lines, const char *reason);

// Opens a stream whose text goes to the descriptor: at once where it has room, otherwise by a thread, from
// 256 KiB at most. Lines beyond that are lost, and so are those that a full disk does not take; `tell_loss`
// tells so once there is room again. Returns NULL when memory or threads run out.
AppLogWriter *app_log_writer_create(int descriptor, AppLogLoss *tell_loss, void *context, FILE **out_stream);

// From now on the descriptor is the other file. A write that hangs in the old one goes on there. False: see
// errno.
bool app_log_writer_redirect(AppLogWriter *writer, int other);

// Closes the stream, and waits for its reader for one second at most. False: a write hangs, so that the
// descriptor must stay open.
bool app_log_writer_destroy(AppLogWriter *writer);
