// Unix sockets without uv_pipe_bind, since libuv removes any file at the path on closing.

#include "unix_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

typedef enum Occupant {
    OCCUPANT_NONE,
    OCCUPANT_STALE,
    OCCUPANT_LIVE,
    OCCUPANT_OTHER,
    OCCUPANT_UNKNOWN
} Occupant;

static int new_socket(void);
static bool clear_path(const struct sockaddr_un *address, NetError *out_error);
static bool bind_private(int file, const struct sockaddr_un *address, struct stat *out_status);
static void set_error(const char *path, const char *why, NetError *out_error);

int net_unix_socket_bind(const char *path, dev_t *out_device, ino_t *out_inode, NetError *out_error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        char why[64];
        snprintf(why, sizeof why, "the path must have 1 to %zu bytes", sizeof address.sun_path - 1);
        set_error(path, why, out_error);
        return -1;
    }
    memcpy(address.sun_path, path, length);
    if (!clear_path(&address, out_error)) return -1;

    struct stat status;
    int file = new_socket();
    if (file < 0 || !bind_private(file, &address, &status)) {
        set_error(path, strerror(errno), out_error);
        if (file >= 0) close(file);
        return -1;
    }
    *out_device = status.st_dev;
    *out_inode = status.st_ino;
    return file;
}

void net_unix_socket_remove(const char *path, dev_t device, ino_t inode) {
    struct stat status;
    if (lstat(path, &status) != 0 || !S_ISSOCK(status.st_mode)) return; // inode numbers are reused
    if (status.st_dev == device && status.st_ino == inode) unlink(path);
}

static int new_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static Occupant find_occupant(const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status) != 0) return errno == ENOENT ? OCCUPANT_NONE : OCCUPANT_UNKNOWN;
    if (!S_ISSOCK(status.st_mode)) return OCCUPANT_OTHER;
    int probe = new_socket();
    if (probe < 0) return OCCUPANT_UNKNOWN;
    // The socket does not block: a live server whose queue is full says EAGAIN.
    int failure = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 ? 0 : errno;
    close(probe);
    errno = failure;
    if (failure == 0 || failure == EAGAIN) return OCCUPANT_LIVE;
    return failure == ECONNREFUSED ? OCCUPANT_STALE : OCCUPANT_UNKNOWN;
}

// Removes a stale socket. False, with the error, where the path is taken.
static bool clear_path(const struct sockaddr_un *address, NetError *out_error) {
    switch (find_occupant(address)) {
    case OCCUPANT_NONE:
        return true;
    case OCCUPANT_STALE:
        if (unlink(address->sun_path) == 0) return true;
        break;
    case OCCUPANT_LIVE:
        set_error(address->sun_path, "another server listens there", out_error);
        return false;
    case OCCUPANT_OTHER:
        set_error(address->sun_path, "there is a file that is not a socket", out_error);
        return false;
    case OCCUPANT_UNKNOWN:
        break;
    }
    set_error(address->sun_path, strerror(errno), out_error);
    return false;
}

// Nobody can connect before listen(2), so the mode is set in time.
static bool bind_private(int file, const struct sockaddr_un *address, struct stat *out_status) {
    if (bind(file, (const struct sockaddr *)address, sizeof *address) != 0) return false;
    if (chmod(address->sun_path, S_IRUSR | S_IWUSR) == 0 && lstat(address->sun_path, out_status) == 0)
        return true;
    int failure = errno;
    unlink(address->sun_path);
    errno = failure;
    return false;
}

static void set_error(const char *path, const char *why, NetError *out_error) {
    snprintf(out_error->text, sizeof out_error->text, "cannot listen on %.107s: %s", path, why);
}
