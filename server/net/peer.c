// A blocking connection. Only pselect waits, so signals are unblocked only there.

#include "net/peer.h"

#include "framer.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 65536 };
static const size_t LONGEST_LINE = (size_t)1 << 30;

struct NetPeer {
    int socket;
    NetFramer framer;
    bool holds_signals;
    sigset_t usual_signals; // while it waits
    char bytes[READ_BYTES];
};

static NetPeer *create(int socket, NetError *out_error);
static int connect_to(int family, const struct sockaddr *address, socklen_t length);
static bool take_pending_signal(const NetPeer *peer);
static int wait_readable(const NetPeer *peer, int64_t deadline_ms);
static int64_t now_ms(void);
static void set_error(NetError *out_error, const char *doing, const char *why);
static void ignore_signal(int number);

NetPeer *net_peer_connect_tcp(const char *host, uint16_t port, NetError *out_error) {
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found;
    const int status = getaddrinfo(host, service, &hints, &found);
    if (status != 0) {
        set_error(out_error, "cannot look the name up", gai_strerror(status));
        return NULL;
    }
    int socket = -1;
    for (const struct addrinfo *at = found; at && socket < 0; at = at->ai_next)
        socket = connect_to(at->ai_family, at->ai_addr, at->ai_addrlen);
    freeaddrinfo(found);
    return create(socket, out_error);
}

NetPeer *net_peer_connect_unix(const char *path, NetError *out_error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        set_error(out_error, "cannot connect", "the path is too long for a socket");
        return NULL;
    }
    memcpy(address.sun_path, path, strlen(path));
    return create(connect_to(AF_UNIX, (const struct sockaddr *)&address, sizeof address), out_error);
}

void net_peer_close(NetPeer *peer) {
    if (!peer) return;
    close(peer->socket);
    net_framer_finish(&peer->framer);
    free(peer);
}

// Blocked signals stay pending until they are taken or pselect unblocks them. The handler does nothing, but
// without one the signal would end the process there.
void net_peer_hold_signals(NetPeer *peer) {
    const struct sigaction action = {.sa_handler = ignore_signal};
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &peer->usual_signals);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    peer->holds_signals = true;
}

int net_peer_socket(const NetPeer *peer) {
    return peer->socket;
}

bool net_peer_send(NetPeer *peer, const char *bytes, size_t length, NetError *out_error) {
    while (length > 0) {
        const ssize_t sent = send(peer->socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            set_error(out_error, "cannot send", strerror(errno));
            return false;
        }
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

NetPeerEvent net_peer_read(NetPeer *peer, int timeout_ms, char **out_line, size_t *out_length,
                           NetError *out_error) {
    const int64_t deadline_ms = timeout_ms < 0 ? INT64_MAX : now_ms() + timeout_ms;
    for (;;) {
        if (take_pending_signal(peer)) return NET_PEER_SIGNAL;
        const NetFramerResult result = net_framer_next(&peer->framer, out_line, out_length);
        if (result == NET_FRAMER_MESSAGE) return NET_PEER_LINE;
        const int ready = result == NET_FRAMER_MORE ? wait_readable(peer, deadline_ms) : -1;
        if (ready == 0) return NET_PEER_TIMEOUT;
        if (ready < 0 && result == NET_FRAMER_MORE && errno == EINTR)
            return peer->holds_signals ? NET_PEER_SIGNAL : NET_PEER_TIMEOUT;
        const ssize_t size = ready < 0 ? -1 : recv(peer->socket, peer->bytes, sizeof peer->bytes, 0);
        if (size == 0 || (size < 0 && errno == ECONNRESET)) return NET_PEER_ENDED;
        if (size < 0 && ready > 0 && errno == EINTR) continue;
        if (size < 0 || !net_framer_feed(&peer->framer, peer->bytes, (size_t)size)) {
            set_error(out_error, "cannot read",
                      result == NET_FRAMER_TOO_LONG ? "a line of more than 1 GiB"
                      : size < 0                    ? strerror(errno)
                                                    : "out of memory");
            return NET_PEER_FAILED;
        }
    }
}

// `socket` is open, or -1 with the reason in errno.
static NetPeer *create(int socket, NetError *out_error) {
    NetPeer *peer = socket >= 0 ? malloc(sizeof *peer) : NULL;
    if (peer) {
        peer->socket = socket;
        peer->holds_signals = false;
        net_framer_init(&peer->framer, LONGEST_LINE);
        return peer;
    }
    set_error(out_error, "cannot connect", socket >= 0 ? "out of memory" : strerror(errno));
    if (socket >= 0) close(socket);
    return NULL;
}

static int connect_to(int family, const struct sockaddr *address, socklen_t length) {
    const int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0 || connect(made, address, length) == 0) return made;
    const int why = errno;
    close(made);
    errno = why;
    return -1;
}

static bool take_pending_signal(const NetPeer *peer) {
    if (!peer->holds_signals) return false;
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    return sigtimedwait(&held, NULL, &(struct timespec){0}) > 0;
}

// Returns as select does.
static int wait_readable(const NetPeer *peer, int64_t deadline_ms) {
    fd_set sockets;
    FD_ZERO(&sockets);
    FD_SET(peer->socket, &sockets);
    int64_t left_ms = deadline_ms == INT64_MAX ? 0 : deadline_ms - now_ms();
    if (left_ms < 0) left_ms = 0;
    const struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000};
    return pselect(peer->socket + 1, &sockets, NULL, NULL, deadline_ms == INT64_MAX ? NULL : &left,
                   peer->holds_signals ? &peer->usual_signals : NULL);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void set_error(NetError *out_error, const char *doing, const char *why) {
    snprintf(out_error->text, sizeof out_error->text, "%s: %s", doing, why);
}

static void ignore_signal(int number) {
    (void)number;
}
