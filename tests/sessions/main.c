// Sessions by seed: simulated clients of the whole server in one process, without a socket or a clock. A seed
// that fails is run again with fewer and fewer acts, and told.
//
//     sessions [--seeds COUNT] [--first SEED] [--jobs COUNT]
//     sessions --seed SEED [--acts NUMBER,NUMBER,…]     one session, with all that is said
#include "session.h"
#include "shrink.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_JOBS = 16,
    TWICE_EVERY = 8,    // sessions: one is run twice
    MOST_SECONDS = 120, // of one
    WARM_UP = 6,        // sessions until memory is what it stays
    MOST_LEFT = 8192,   // bytes; a thread may leave some of its own
};

typedef struct Result {
    uint64_t seed;
    uint64_t sessions;
    bool has_failed;
    char failure[SESSION_FAILURE];
} Result;

typedef struct Options {
    uint64_t first, seeds;
    int jobs;
    bool is_one;
    int acts[1024], act_count; // -1: all
} Options;

typedef struct Attempt {
    uint64_t seed;
    Result *result;
} Attempt;

static void count_memory_exactly(char **argv);
static bool read_options(int argc, char **argv, Options *options);
static int run_all(const Options *options, Result *results);
static void run_job(const Options *options, int job, Result *result);
static bool run_one(Session *session, uint64_t seed, const int *acts, int act_count, const char *folder,
                    bool twice, FILE *trace, Result *result);
static bool wait_for(pid_t child, Result *result);
static bool fails(void *context, const int *acts, int act_count);
static int report(uint64_t seed, Result *result);
static void name_folder(pid_t process, char *out_path, size_t size);
static void make_folder(char *out_path, size_t size);
static void remove_folder(const char *path);

int main(int argc, char **argv) {
    Options options;
    static Session session;
    count_memory_exactly(argv);
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "sessions [--seeds COUNT] [--first SEED] [--jobs COUNT] | --seed SEED [--acts NUMBER,…]\n");
        return 2;
    }
    Result *results = mmap(NULL, (MOST_JOBS + 1) * sizeof *results, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) return 2;
    if (!options.is_one) return run_all(&options, results);
    char folder[64];
    make_folder(folder, sizeof folder);
    const bool passed = run_one(&session, options.first, options.act_count < 0 ? NULL : options.acts,
                                options.act_count, folder, true, stdout, results);
    printf("%s\n", passed ? "passed" : results->failure);
    remove_folder(folder);
    return passed ? 0 : 1;
}

// Starts the program anew without glibc's caches of free memory, which count as memory in use, and with one
// arena for all threads: a further one takes memory whenever two of them meet.
static void count_memory_exactly(char **argv) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_MAX, 0); // what lies outside the heap is not counted
    if (getenv("GLIBC_TUNABLES") || setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) != 0) return;
    execv("/proc/self/exe", argv);
}

static bool read_options(int argc, char **argv, Options *options) {
    *options = (Options){.first = 1, .seeds = 200, .jobs = 1, .act_count = -1};
    for (int i = 1; i < argc; i++) {
        if (i + 1 == argc) return false;
        const char *name = argv[i], *value = argv[++i];
        if (strcmp(name, "--seeds") == 0) {
            options->seeds = strtoull(value, NULL, 10);
        } else if (strcmp(name, "--first") == 0) {
            options->first = strtoull(value, NULL, 10);
        } else if (strcmp(name, "--seed") == 0) {
            options->first = strtoull(value, NULL, 10);
            options->is_one = true;
        } else if (strcmp(name, "--jobs") == 0) {
            options->jobs = atoi(value);
        } else if (strcmp(name, "--acts") == 0) {
            options->act_count = 0;
            for (char *end = (char *)value; *value && options->act_count < 1024; value = *end ? end + 1 : end)
                options->acts[options->act_count++] = (int)strtol(value, &end, 10);
        } else {
            return false;
        }
    }
    return options->jobs >= 1 && options->jobs <= MOST_JOBS;
}

// Each job in a process of its own: one that crashes is a failure of its seed.
static int run_all(const Options *options, Result *results) {
    pid_t children[MOST_JOBS];
    const time_t begin = time(NULL);
    uint64_t sessions = 0;
    int failed = -1;
    for (int job = 0; job < options->jobs; job++) {
        children[job] = fork();
        if (children[job] < 0) return 2;
        if (children[job] > 0) continue;
        run_job(options, job, &results[job]);
        exit(results[job].has_failed ? 1 : 0);
    }
    for (int job = 0; job < options->jobs; job++) {
        if (!wait_for(children[job], &results[job])) failed = job;
        sessions += results[job].sessions;
    }
    printf("%llu sessions in %lld s%s\n", (unsigned long long)sessions, (long long)(time(NULL) - begin),
           failed < 0 ? ", all as promised" : "");
    return failed < 0 ? 0 : report(results[failed].seed, &results[failed]);
}

static void run_job(const Options *options, int job, Result *result) {
    static Session session;
    char folder[64];
    size_t in_use = 0;
    make_folder(folder, sizeof folder);
    for (uint64_t i = (uint64_t)job; i < options->seeds && !result->has_failed;
         i += (uint64_t)options->jobs) {
        result->seed = options->first + i;
        alarm(MOST_SECONDS);
        run_one(&session, result->seed, NULL, 0, folder, result->seed % TWICE_EVERY == 0, NULL, result);
        result->sessions++;
        const size_t now_in_use = mallinfo2().uordblks;
        if (result->sessions == WARM_UP) in_use = now_in_use;
        if (result->sessions > WARM_UP && now_in_use > in_use + MOST_LEFT && !result->has_failed) {
            result->has_failed = true;
            snprintf(result->failure, sizeof result->failure,
                     "%zu bytes of earlier sessions are still in use", now_in_use - in_use);
        }
    }
    free(session.frames);
}

// The same bytes a second time, from other addresses.
static bool run_one(Session *session, uint64_t seed, const int *acts, int act_count, const char *folder,
                    bool twice, FILE *trace, Result *result) {
    uint64_t hash = 0, again = 0;
    bool passed = session_run(session, seed, acts, act_count, folder, trace, &hash);
    if (passed && twice) {
        const size_t in_use = mallinfo2().uordblks;
        passed = session_run(session, seed, acts, act_count, folder, NULL, &again);
        const char *reason = NULL;
        if (hash != again) reason = "the same session says something else the second time";
        if (mallinfo2().uordblks > in_use + MOST_LEFT) reason = "memory of the session is left";
        if (passed && reason) {
            passed = false;
            snprintf(session->failure, sizeof session->failure, "%s", reason);
        }
    }
    if (passed) return true;
    result->has_failed = true;
    memcpy(result->failure, session->failure, sizeof result->failure);
    return false;
}

// Whether it has ended well. Its folder goes with it.
static bool wait_for(pid_t child, Result *result) {
    int status = 0;
    char folder[64];
    const bool has_ended = waitpid(child, &status, 0) == child;
    name_folder(child, folder, sizeof folder);
    remove_folder(folder);
    if (has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (!result->failure[0])
        snprintf(result->failure, sizeof result->failure, "the process ended with %s %d",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    result->has_failed = true;
    return false;
}

static bool fails(void *context, const int *acts, int act_count) {
    const Attempt *attempt = context;
    static Session session;
    Result *result = attempt->result;
    *result = (Result){.seed = attempt->seed};
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        char folder[64];
        make_folder(folder, sizeof folder);
        alarm(MOST_SECONDS);
        if (!freopen("/dev/null", "w", stderr)) exit(2);
        run_one(&session, attempt->seed, acts, act_count, folder, true, NULL, result);
        exit(result->has_failed ? 1 : 0);
    }
    return !wait_for(child, result);
}

static int report(uint64_t seed, Result *result) {
    int acts[1024];
    Setup setup;
    setup_from_seed(&setup, seed);
    for (int i = 0; i < setup.act_count; i++) acts[i] = i;
    printf("seed %llu: %s\n", (unsigned long long)seed, result->failure);
    fflush(stdout);
    Attempt attempt = {seed, result};
    if (!fails(&attempt, acts, setup.act_count)) {
        printf("it does not fail alone\n");
        return 1;
    }
    const int count = shrink_acts(acts, setup.act_count, fails, &attempt);
    fails(&attempt, acts, count);
    printf("%d of its %d acts are enough: %s\n\n", count, setup.act_count, result->failure);
    printf("    --seed %llu --acts ", (unsigned long long)seed);
    for (int i = 0; i < count; i++) printf("%s%d", i > 0 ? "," : "", acts[i]);
    printf("\n\n");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        static Session session;
        char folder[64];
        uint64_t hash;
        make_folder(folder, sizeof folder);
        session_run(&session, seed, acts, count, folder, stdout, &hash);
        fflush(stdout);
        _exit(0);
    }
    if (child > 0) wait_for(child, result);
    return 1;
}

// In memory where the system has such a place.
static void name_folder(pid_t process, char *out_path, size_t size) {
    snprintf(out_path, size, "%s/tweed-sessions-%ld", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp",
             (long)process);
}

static void make_folder(char *out_path, size_t size) {
    static const char *const folders[] = {"",
                                          "/bin",
                                          "/share",
                                          "/share/tweed",
                                          "/share/tweed/scripts",
                                          "/share/tweed/scripts/characters",
                                          "/share/tweed/scripts/fabrics",
                                          "/share/tweed/scripts/scenes"};
    char path[256];
    name_folder(getpid(), out_path, size);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", out_path, folders[i]);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof path, "%s/tokens", out_path);
    FILE *file = fopen(path, "w");
    if (!file || chmod(path, 0600) != 0) exit(2);
    fputs("operator operator-0123456789\nobserver observer-0123456789\n", file);
    fclose(file);
}

static void remove_folder(const char *path) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf -- %s", path);
    if (system(command) != 0) fprintf(stderr, "%s is left\n", path);
}
