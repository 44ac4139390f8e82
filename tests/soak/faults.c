// Preloaded into the server: allocations and system calls that fail when the test says so.
//
// The test and the server share the file that TWEED_FAULTS names, with the struct below: the test arms it,
// the server counts. Out of memory comes by number, so that every allocation of a request can be made to fail
// by turn; failing calls come by chance, from a seed. Behind the struct the file has the stack of the first
// failure, as backtrace_symbols_fd writes it.
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FRAMES = 24 };

typedef struct Faults {
    atomic_uint allocations_fail; // 0: none; 1: the one that the countdown reaches; 2: and all after it
    atomic_uint calls_fail;       // of 65,536; 0: none
    atomic_llong countdown;       // allocations until then
    atomic_ullong allocations;    // while armed
    atomic_ullong failed;         // allocations or calls
    atomic_ullong chance;         // state of the generator
    atomic_int threads;           // that can be there at once, beside those that are; negative: any number
} Faults;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static Faults own = {.threads = -1};
static Faults *faults = &own;
static int places = -1;

__attribute__((constructor)) static void share(void) {
    void *frames[2];
    backtrace(frames, 2); // allocates when it is called first
    const char *path = getenv("TWEED_FAULTS");
    places = path ? open(path, O_RDWR | O_CLOEXEC | O_APPEND) : -1;
    if (places < 0) return;
    void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, places, 0);
    if (shared != MAP_FAILED) faults = shared;
}

static void note_failure(void) {
    if (atomic_fetch_add(&faults->failed, 1) > 0) return;
    void *frames[FRAMES];
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), places);
}

static int allocation_fails(void) {
    const unsigned mode = atomic_load_explicit(&faults->allocations_fail, memory_order_relaxed);
    if (mode == 0) return 0;
    atomic_fetch_add(&faults->allocations, 1);
    const long long left = atomic_fetch_sub(&faults->countdown, 1);
    if (left > 0 || (left < 0 && mode == 1)) return 0;
    note_failure();
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return allocation_fails() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    return allocation_fails() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    return size > 0 && allocation_fails() ? NULL : __libc_realloc(memory, size);
}

// Splitmix64, shared by all threads.
static uint64_t draw(void) {
    uint64_t x = atomic_fetch_add(&faults->chance, UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// 0: the call is made. Otherwise one of `count` error numbers.
static int call_fails(const int *errors, int count) {
    const unsigned share = atomic_load_explicit(&faults->calls_fail, memory_order_relaxed);
    if (share == 0) return 0;
    const uint64_t drawn = draw();
    if ((drawn & 0xffff) >= share) return 0;
    note_failure();
    return errno = errors[(drawn >> 16) % (uint64_t)count];
}

#define FAILS(...)                                                                                           \
    call_fails((const int[]){__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)))
// The function that this one stands for.
#define REAL(name)                                                                                           \
    static __typeof__(name) *real;                                                                           \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

// Part of what was asked for, as a slow network gives it.
static size_t shorten(size_t size) {
    if (atomic_load_explicit(&faults->calls_fail, memory_order_relaxed) == 0 || size < 2) return size;
    const uint64_t drawn = draw();
    return drawn % 8 == 0 ? 1 + (size_t)(drawn >> 8) % size : size;
}

static int is_of_kind(int file, mode_t kind) {
    struct stat status;
    return fstat(file, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

ssize_t read(int file, void *bytes, size_t size) {
    REAL(read);
    const int is_socket = is_of_kind(file, S_IFSOCK);
    if (is_socket && FAILS(EINTR, EAGAIN)) return -1;
    return real(file, bytes, is_socket || is_of_kind(file, S_IFREG) ? shorten(size) : size);
}

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(write);
    const int is_socket = is_of_kind(file, S_IFSOCK), is_file = is_of_kind(file, S_IFREG);
    if ((is_socket && FAILS(EINTR, EAGAIN)) || (is_file && FAILS(EINTR, ENOSPC))) return -1;
    return real(file, bytes, is_socket || is_file ? shorten(size) : size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    if (FAILS(EINTR, EAGAIN)) return -1;
    return real(file, parts, count > 1 && shorten(2) == 1 ? 1 : count);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    REAL(sendmsg);
    return FAILS(EINTR, EAGAIN) ? -1 : real(socket, message, flags);
}

#pragma GCC diagnostic ignored "-Wpedantic" // glibc declares the address as a union
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags) {
    REAL(accept4);
    return FAILS(EINTR, EMFILE, ENFILE, ECONNABORTED, ENOMEM) ? -1 : real(socket, address, length, flags);
}

int open(const char *path, int flags, ...) {
    REAL(open);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return FAILS(EMFILE, ENFILE, EINTR, ENOSPC) ? -1 : real(path, flags, mode);
}

int epoll_wait(int file, struct epoll_event *events, int count, int timeout) {
    REAL(epoll_wait);
    return FAILS(EINTR) ? -1 : real(file, events, count, timeout);
}

int epoll_pwait(int file, struct epoll_event *events, int count, int timeout, const sigset_t *signals) {
    REAL(epoll_pwait);
    return FAILS(EINTR) ? -1 : real(file, events, count, timeout, signals);
}

int timerfd_create(int clock, int flags) {
    REAL(timerfd_create);
    return FAILS(EMFILE, ENFILE, ENOMEM) ? -1 : real(clock, flags);
}

int inotify_init1(int flags) {
    REAL(inotify_init1);
    return FAILS(EMFILE, ENFILE, ENOMEM) ? -1 : real(flags);
}

int inotify_add_watch(int file, const char *path, uint32_t mask) {
    REAL(inotify_add_watch);
    return FAILS(ENOSPC, ENOMEM, EACCES) ? -1 : real(file, path, mask);
}

typedef struct Start {
    void *(*run)(void *);
    void *context;
} Start;

static void *run_thread(void *context) {
    const Start start = *(Start *)context;
    __libc_free(context);
    void *result = start.run(start.context);
    if (atomic_load(&faults->threads) >= 0) atomic_fetch_add(&faults->threads, 1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context) {
    REAL(pthread_create);
    int left = atomic_load(&faults->threads);
    while (left > 0 && !atomic_compare_exchange_weak(&faults->threads, &left, left - 1)) {
    }
    Start *start = left != 0 ? __libc_malloc(sizeof *start) : NULL;
    if (start) {
        *start = (Start){run, context};
        return real(thread, attributes, run_thread, start);
    }
    note_failure();
    return EAGAIN;
}
