#define _GNU_SOURCE // fopencookie
#include "base/log_writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_BYTES = 256 << 10, STREAM_BYTES = 16 << 10, PATIENCE_S = 1, NOTICE_BYTES = 128 };

struct AppLogWriter {
    int descriptor;
    FILE *stream;
    bool is_file, is_pipe;
    pthread_t thread;
    pthread_mutex_t mutex; // of all below
    pthread_cond_t changed;
    char queue[QUEUE_BYTES];
    size_t begin, length; // of what waits in the queue, a ring
    size_t lost;          // lines
    bool is_writing;      // the thread writes what it took
    bool ends, has_ended;
};

static ssize_t take(void *context, const char *bytes, size_t length);
static bool write_at_once(AppLogWriter *writer, const char *bytes, size_t length);
static void add(AppLogWriter *writer, const char *bytes, size_t length);
static void put(AppLogWriter *writer, const char *bytes, size_t length);
static bool start_thread(AppLogWriter *writer);
static void *run(void *context);
static void write_all(int descriptor, const char *bytes, size_t length);

AppLogWriter *app_log_writer_create(int descriptor, FILE **out_stream) {
    AppLogWriter *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    struct stat status = {0};
    writer->descriptor = descriptor;
    writer->is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    writer->is_pipe = S_ISFIFO(status.st_mode);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    writer->stream = fopencookie(writer, "w", (cookie_io_functions_t){.write = take});
    if (writer->stream && setvbuf(writer->stream, NULL, _IOFBF, STREAM_BYTES) == 0 && start_thread(writer)) {
        *out_stream = writer->stream;
        return writer;
    }
    if (writer->stream) fclose(writer->stream);
    free(writer);
    return NULL;
}

void app_log_writer_destroy(AppLogWriter *writer) {
    if (!writer) return;
    fclose(writer->stream);
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&writer->mutex);
    writer->ends = true;
    pthread_cond_broadcast(&writer->changed);
    while (!writer->has_ended)
        if (pthread_cond_timedwait(&writer->changed, &writer->mutex, &deadline) == ETIMEDOUT) break;
    const bool has_ended = writer->has_ended;
    pthread_mutex_unlock(&writer->mutex);
    if (!has_ended) { // it hangs in a write, until the process ends
        pthread_detach(writer->thread);
        return;
    }
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
}

// The stream's write: takes all.
static ssize_t take(void *context, const char *bytes, size_t length) {
    AppLogWriter *writer = context;
    pthread_mutex_lock(&writer->mutex);
    const bool is_idle = writer->length == 0 && !writer->is_writing && writer->lost == 0;
    if (!is_idle || !write_at_once(writer, bytes, length)) add(writer, bytes, length);
    pthread_mutex_unlock(&writer->mutex);
    return (ssize_t)length;
}

// A pipe that can be written to has room for PIPE_BUF bytes. A terminal says nothing of the kind.
static bool write_at_once(AppLogWriter *writer, const char *bytes, size_t length) {
    struct pollfd state = {.fd = writer->descriptor, .events = POLLOUT};
    const bool has_room =
        writer->is_pipe && length <= PIPE_BUF && poll(&state, 1, 0) == 1 && state.revents == POLLOUT;
    if (!writer->is_file && !has_room) return false;
    write_all(writer->descriptor, bytes, length);
    return true;
}

static void add(AppLogWriter *writer, const char *bytes, size_t length) {
    char notice[NOTICE_BYTES] = "";
    if (writer->lost > 0)
        snprintf(notice, sizeof notice, "%swarning: nobody read the log: %zu line%s lost\n",
                 isatty(writer->descriptor) ? "\r\033[K" : "", writer->lost,
                 writer->lost == 1 ? " is" : "s are");
    if (writer->length + strlen(notice) + length > QUEUE_BYTES) {
        for (size_t i = 0; i < length; i++) writer->lost += bytes[i] == '\n';
        return;
    }
    writer->lost = 0;
    put(writer, notice, strlen(notice));
    put(writer, bytes, length);
    pthread_cond_broadcast(&writer->changed);
}

static void put(AppLogWriter *writer, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        writer->queue[(writer->begin + writer->length++) % QUEUE_BYTES] = bytes[i];
}

// Signals are the main thread's.
static bool start_thread(AppLogWriter *writer) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const bool started = pthread_create(&writer->thread, NULL, run, writer) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void *run(void *context) {
    AppLogWriter *writer = context;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        while (writer->length == 0 && !writer->ends) pthread_cond_wait(&writer->changed, &writer->mutex);
        if (writer->length == 0) break;
        char some[4096];
        size_t count = 0;
        for (; count < sizeof some && writer->length > 0; writer->length--) {
            some[count++] = writer->queue[writer->begin];
            writer->begin = (writer->begin + 1) % QUEUE_BYTES;
        }
        writer->is_writing = true;
        pthread_mutex_unlock(&writer->mutex);
        write_all(writer->descriptor, some, count);
        pthread_mutex_lock(&writer->mutex);
        writer->is_writing = false;
    }
    writer->has_ended = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

// What cannot be written, as to a closed pipe, is lost: there is nobody to tell.
static void write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd state = {.fd = descriptor, .events = POLLOUT};
            poll(&state, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return;
        } else if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
}
