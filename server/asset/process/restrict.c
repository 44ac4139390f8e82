// Limits of resources, Landlock for files, and seccomp for system calls.
#define _GNU_SOURCE // syscall
#include "process/restrict.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_FILES 64

#ifdef __SANITIZE_ADDRESS__
enum { has_shadow_memory = 1 }; // terabytes of address space
#elif defined(__SANITIZE_THREAD__)
enum { has_shadow_memory = 1 };
#else
enum { has_shadow_memory = 0 };
#endif

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64 // both little-endian, as the offsets of the filter's arguments are
#else
#define ARCHITECTURE 0
#endif

// What the C library, C++ and zlib call to read files and to use memory, and to end. Any other call fails
// with EPERM.
static const int allowed_calls[] = {
    SYS_read,           SYS_pread64,      SYS_readv,       SYS_write,           SYS_writev,
    SYS_close,          SYS_lseek,        SYS_openat,      SYS_fstat,           SYS_newfstatat,
    SYS_statx,          SYS_faccessat,    SYS_faccessat2,  SYS_readlinkat,      SYS_getcwd,
    SYS_fcntl,          SYS_brk,          SYS_mmap,        SYS_munmap,          SYS_mremap,
    SYS_mprotect,       SYS_madvise,      SYS_futex,       SYS_clock_gettime,   SYS_getrandom,
    SYS_sysinfo,        SYS_gettid,       SYS_getpid,      SYS_sched_yield,     SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit,
    SYS_exit_group,
#ifdef SYS_open // not on 64-bit ARM
    SYS_open,           SYS_stat,         SYS_lstat,       SYS_access,          SYS_readlink,
#endif
};
enum { CALL_COUNT = sizeof allowed_calls / sizeof *allowed_calls };

static bool limit(int resource, rlim_t soft, rlim_t hard);
static void read_beside(int rules, const char *path);
static void restrict_files(const char *path);
static void restrict_calls(void);

bool restrict_process(const char *path, int last_file, size_t memory, unsigned seconds, pid_t parent) {
    if (syscall(SYS_close_range, last_file + 1, ~0U, 0) != 0)
        for (int file = last_file + 1; file < 1024; file++) close(file);
    signal(SIGXCPU, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);      // of the thread that waits for it
    if (getppid() != parent) return false; // it has ended before
    const bool limited = limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_CPU, seconds, seconds + 1) &&
                         limit(RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES) &&
                         (has_shadow_memory || limit(RLIMIT_AS, memory, memory)) &&
                         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    restrict_files(path);
    restrict_calls();
    return limited;
}

// No more than the user already has.
static bool limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit now;
    if (getrlimit((unsigned)resource, &now) != 0) return false;
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < hard) hard = now.rlim_max;
    const struct rlimit wanted = {soft < hard ? soft : hard, hard};
    return setrlimit((unsigned)resource, &wanted) == 0;
}

static void restrict_files(const char *path) {
    const uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1; // that the first version knows
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = all};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) return;
    char *real = realpath(path, NULL);
    read_beside(rules, path);
    if (real) read_beside(rules, real);
    free(real);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

static void read_beside(int rules, const char *path) {
    char folder[4096];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof folder) return;
    memcpy(folder, path, length);
    folder[length] = '\0';
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
        .parent_fd = open(length > 0 ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (rule.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

// A call of another instruction set has another meaning by the same number. abort signals its own process.
static void restrict_calls(void) {
    enum { AFTER = 5 }; // steps behind the table
    struct sock_filter steps[CALL_COUNT + AFTER + 4], *step = steps;
    const uint32_t self = (uint32_t)getpid();
    if (ARCHITECTURE == 0) return;
    *step++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    *step++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    *step++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    *step++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALL_COUNT; i++) // to the last step, which allows
        *step++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed_calls[i],
                                               (uint8_t)(CALL_COUNT - i + AFTER - 2), 0);
    *step++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 2);
    *step++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
    *step++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 1, 0);
    *step++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    *step++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {(unsigned short)(step - steps), steps};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
