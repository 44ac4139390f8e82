#define _GNU_SOURCE // fopencookie, dup3
#include "base/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { QUEUE_BYTES = 256 << 10, STREAM_BYTES = 16 << 10, PATIENCE_S = 1, NOTICE_BYTES = 512 };

struct AppLogWriter {
    int descriptor;
    FILE *stream;
    AppLogLoss *tell_loss;
    void *context;
    char buffer[STREAM_BYTES]; // the stream's: it asks for none when memory is short
    pthread_t thread;
    pthread_mutex_t mutex; // of all below
    pthread_cond_t changed;
    bool is_file, is_pipe;
    char queue[QUEUE_BYTES];
    size_t begin, length; // of what waits in the queue, a ring
    size_t lost;          // lines
    int failure;          // errno of the write that lost them; 0: nobody read
    bool is_torn;         // a line in the file has no end
    bool is_writing;      // the thread writes what it took
    bool ends, has_ended;
};

static void look_at(AppLogWriter *writer);
static ssize_t take(void *context, const char *bytes, size_t length);
static bool write_at_once(AppLogWriter *writer, const char *bytes, size_t length);
static void write_to_file(AppLogWriter *writer, const char *bytes, size_t length);
static bool write_whole(AppLogWriter *writer, const char *bytes, size_t length);
static void add(AppLogWriter *writer, const char *bytes, size_t length);
static size_t describe_loss(const AppLogWriter *writer, char out_notice[NOTICE_BYTES]);
static size_t count_lines(const char *bytes, size_t length);
static void put(AppLogWriter *writer, const char *bytes, size_t length);
static bool start_thread(AppLogWriter *writer);
static void *run(void *context);
static bool write_all(int descriptor, const char *bytes, size_t length);

AppLogWriter *app_log_writer_create(int descriptor, AppLogLoss *tell_loss, void *context, FILE **out_stream) {
    AppLogWriter *writer = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->descriptor = descriptor;
    writer->tell_loss = tell_loss;
    writer->context = context;
    look_at(writer);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    writer->stream = fopencookie(writer, "w", (cookie_io_functions_t){.write = take});
    if (writer->stream && setvbuf(writer->stream, writer->buffer, _IOFBF, STREAM_BYTES) == 0 &&
        start_thread(writer)) {
        *out_stream = writer->stream;
        return writer;
    }
    if (writer->stream) fclose(writer->stream);
    free(writer);
    return NULL;
}

// dup3 replaces the file behind the descriptor in one step, so that no write finds it closed.
bool app_log_writer_redirect(AppLogWriter *writer, int other) {
    fflush(writer->stream);
    pthread_mutex_lock(&writer->mutex);
    const bool replaced = dup3(other, writer->descriptor, O_CLOEXEC) >= 0;
    if (replaced) look_at(writer);
    pthread_mutex_unlock(&writer->mutex);
    return replaced;
}

bool app_log_writer_destroy(AppLogWriter *writer) {
    if (!writer) return true;
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
        return false;
    }
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
    return true;
}

// Also forgets what is no trouble of the file that the descriptor is now.
static void look_at(AppLogWriter *writer) {
    struct stat status = {0};
    writer->is_file = fstat(writer->descriptor, &status) == 0 && S_ISREG(status.st_mode);
    writer->is_pipe = S_ISFIFO(status.st_mode);
    writer->is_torn = false;
}

// The stream's write: takes all.
static ssize_t take(void *context, const char *bytes, size_t length) {
    AppLogWriter *writer = context;
    pthread_mutex_lock(&writer->mutex);
    const bool is_idle = writer->length == 0 && !writer->is_writing;
    if (is_idle && writer->is_file)
        write_to_file(writer, bytes, length);
    else if (!is_idle || writer->lost > 0 || !write_at_once(writer, bytes, length))
        add(writer, bytes, length);
    pthread_mutex_unlock(&writer->mutex);
    return (ssize_t)length;
}

// A pipe that can be written to has room for PIPE_BUF bytes. A terminal says nothing of the kind.
static bool write_at_once(AppLogWriter *writer, const char *bytes, size_t length) {
    struct pollfd state = {.fd = writer->descriptor, .events = POLLOUT};
    if (!writer->is_pipe || length > PIPE_BUF || poll(&state, 1, 0) != 1 || state.revents != POLLOUT)
        return false;
    write_all(writer->descriptor, bytes, length);
    return true;
}

static void write_to_file(AppLogWriter *writer, const char *bytes, size_t length) {
    char notice[NOTICE_BYTES];
    const size_t notice_length = describe_loss(writer, notice);
    if (notice_length > 0 && write_whole(writer, notice, notice_length)) writer->lost = 0;
    if (writer->lost > 0 || !write_whole(writer, bytes, length)) {
        writer->failure = errno;
        writer->lost += count_lines(bytes, length);
    }
}

// Appends whole lines. What is left of a line that the disk did not take gets its end first.
static bool write_whole(AppLogWriter *writer, const char *bytes, size_t length) {
    if (writer->is_torn && !write_all(writer->descriptor, "\n", 1)) return false;
    writer->is_torn = false;
    const off_t before = lseek(writer->descriptor, 0, SEEK_END);
    if (write_all(writer->descriptor, bytes, length)) return true;
    const int failure = errno;
    writer->is_torn = lseek(writer->descriptor, 0, SEEK_END) > before;
    errno = failure;
    return false;
}

static void add(AppLogWriter *writer, const char *bytes, size_t length) {
    char notice[NOTICE_BYTES];
    const size_t notice_length = describe_loss(writer, notice);
    if (writer->length + notice_length + length > QUEUE_BYTES) {
        writer->failure = 0;
        writer->lost += count_lines(bytes, length);
        return;
    }
    writer->lost = 0;
    put(writer, notice, notice_length);
    put(writer, bytes, length);
    pthread_cond_broadcast(&writer->changed);
}

// 0: nothing is lost.
static size_t describe_loss(const AppLogWriter *writer, char out_notice[NOTICE_BYTES]) {
    char reason[256] = "nobody read the log";
    FILE *file = writer->lost > 0 ? fmemopen(out_notice, NOTICE_BYTES, "w") : NULL;
    if (!file) return 0;
    if (writer->failure)
        snprintf(reason, sizeof reason, "the log could not be written: %s", strerror(writer->failure));
    writer->tell_loss(writer->context, file, writer->lost, reason);
    const long length = ftell(file);
    fclose(file);
    return length > 0 ? (size_t)length : 0;
}

static size_t count_lines(const char *bytes, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += bytes[i] == '\n';
    return count;
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

// False: nothing more can be written, as to a closed pipe or a full disk; see errno.
static bool write_all(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd state = {.fd = descriptor, .events = POLLOUT};
            poll(&state, 1, -1);
        } else if (written < 0 && errno != EINTR) {
            return false;
        } else if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}
