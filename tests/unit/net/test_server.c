// The server: addresses, limits on connections, and shutdown.

#include "net_harness.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>

// Starts a server that cannot listen and returns why, in the harness's transcript.
static const char *listen_error(Harness *harness) {
    harness->server = net_server_create(&harness->loop, &harness->options, &harness->callbacks, harness);
    assert_non_null(harness->server);
    NetError error = {{0}};
    assert_false(net_server_listen(harness->server, &error));
    assert_int_equal(net_server_port(harness->server), 0);
    harness_note(harness, "%s", error.text);
    harness_finish(harness);
    return harness->transcript;
}

static void test_a_port_in_use_is_an_error(void **state) {
    (void)state;
    Harness first;
    harness_init(&first);
    harness_start(&first);
    assert_true(net_server_port(first.server) > 0);
    Harness second;
    harness_init(&second);
    second.options.tcp_port = net_server_port(first.server);
    char expected[128];
    sprintf(expected, "cannot listen on 127.0.0.1:%u: address already in use", second.options.tcp_port);
    assert_string_equal(listen_error(&second), expected);
    harness_finish(&first);
}

static void test_only_loopback_is_listened_on_by_default(void **state) {
    (void)state;
    static const struct {
        const char *host;
        const char *error;
    } cases[] = {
        {"0.0.0.0", "cannot listen on 0.0.0.0:0: it is not a loopback address"},
        {"::", "cannot listen on [::]:0: it is not a loopback address"},
        {"192.0.2.1", "cannot listen on 192.0.2.1:0: it is not a loopback address"},
        {"no such host", "cannot listen on \"no such host\":"},
        {"300.0.0.1", "cannot listen on \"300.0.0.1\":"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Harness harness;
        harness_init(&harness);
        harness.options.tcp_host = cases[i].host;
        size_t length = strlen(cases[i].error); // what a resolver adds differs
        assert_memory_equal(listen_error(&harness), cases[i].error, length);
    }
    static const char *const good[] = {"127.0.0.1", "127.9.8.7", "localhost"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Harness harness;
        harness_init(&harness);
        harness.options.tcp_host = good[i];
        harness_start(&harness);
        harness_finish(&harness);
    }
    Harness elsewhere; // an address that no machine has: it is the binding that fails
    harness_init(&elsewhere);
    elsewhere.options.tcp_host = "192.0.2.1";
    elsewhere.options.loopback_only = false;
    assert_string_equal(listen_error(&elsewhere), "cannot listen on 192.0.2.1:0: address not available");
    Harness everywhere;
    harness_init(&everywhere);
    everywhere.options.tcp_host = "0.0.0.0";
    everywhere.options.loopback_only = false;
    harness_start(&everywhere);
    peer_open(&everywhere, 0);
    harness_finish(&everywhere);
}

static void test_a_server_may_listen_on_nothing(void **state) {
    (void)state;
    Harness harness;
    harness_init(&harness);
    harness.options.tcp_host = NULL;
    harness_start(&harness);
    assert_int_equal(net_server_port(harness.server), 0);
    harness_finish(&harness);
    net_server_close(NULL, NULL);
}

static void test_a_connection_has_id_and_address(void **state) {
    Harness *harness = *state;
    harness_start(harness);
    for (unsigned i = 1; i <= 3; i++) {
        int peer = peer_open(harness, 0);
        struct sockaddr_in address;
        socklen_t size = sizeof address;
        getsockname(peer, (struct sockaddr *)&address, &size);
        char expected[64];
        sprintf(expected, "127.0.0.1:%u", ntohs(address.sin_port));
        assert_string_equal(net_connection_address(harness->newest), expected);
        assert_int_equal(net_connection_id(harness->newest), i);
        assert_null(net_connection_user(harness->newest));
        net_connection_set_user(harness->newest, harness);
        assert_ptr_equal(net_connection_user(harness->newest), harness);
        peer_close(harness, peer);
        RUN_UNTIL(harness, net_server_client_count(harness->server) == 0);
    }
}

// A path of its own for each test, in a new folder that remove_folder removes.
typedef struct UnixPath {
    char folder[64];
    char path[96];
} UnixPath;

static UnixPath new_path(void) {
    UnixPath path;
    strcpy(path.folder, "/tmp/tweed-net-XXXXXX");
    assert_non_null(mkdtemp(path.folder));
    sprintf(path.path, "%s/socket", path.folder);
    return path;
}

static void start_unix(Harness *harness, const UnixPath *path) {
    harness_init(harness);
    harness->options.tcp_host = NULL;
    harness->options.unix_path = path->path;
    harness_start(harness);
}

static int unix_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(peer, (struct sockaddr *)&address, sizeof address) == 0) return peer;
    close(peer);
    return -1;
}

static void test_a_unix_socket_is_private_and_works(void **state) {
    (void)state;
    UnixPath path = new_path();
    mode_t mask = umask(0);
    Harness harness;
    start_unix(&harness, &path);
    umask(mask);
    struct stat status;
    assert_int_equal(lstat(path.path, &status), 0);
    assert_int_equal(status.st_mode, S_IFSOCK | 0600);
    int peer = unix_connect(path.path);
    assert_true(peer >= 0);
    RUN_UNTIL(&harness, harness.open_count == 1);
    assert_string_equal(net_connection_address(harness.newest), "unix");
    peer_send(&harness, peer, "GET / HTTP/1.1\n"); // no web page reaches here: a line like any other
    RUN_UNTIL(&harness, harness.message_count == 1);
    send_text(harness.newest, "reply\n");
    net_connection_finish(harness.newest, NET_CLOSE_FINISHED);
    size_t length;
    char *received = peer_read_to_end(&harness, peer, &length);
    assert_string_equal(received, "reply\n");
    free(received);
    close(peer);
    harness_finish(&harness);
    assert_int_equal(rmdir(path.folder), 0); // the file is gone
}

static void test_a_stale_unix_socket_is_replaced(void **state) {
    (void)state;
    UnixPath path = new_path();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path.path);
    int stale = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(stale, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(stale, 1), 0);
    close(stale);
    Harness harness;
    start_unix(&harness, &path);
    int peer = unix_connect(path.path);
    assert_true(peer >= 0);
    close(peer);
    harness_finish(&harness);
    assert_int_equal(rmdir(path.folder), 0);
}

static void test_a_live_unix_socket_is_left_alone(void **state) {
    (void)state;
    UnixPath path = new_path();
    Harness first;
    start_unix(&first, &path);
    Harness second;
    harness_init(&second);
    second.options.unix_path = path.path; // and TCP, which must not stay open
    char expected[160];
    sprintf(expected, "cannot listen on %s: another server listens there", path.path);
    assert_string_equal(listen_error(&second), expected);
    int peer = unix_connect(path.path);
    assert_true(peer >= 0);
    close(peer);
    harness_finish(&first);
    assert_int_equal(rmdir(path.folder), 0);
}

static void test_a_file_that_is_no_socket_is_left_alone(void **state) {
    (void)state;
    UnixPath path = new_path();
    close(open(path.path, O_CREAT | O_WRONLY, 0600));
    Harness harness;
    harness_init(&harness);
    harness.options.unix_path = path.path;
    char expected[160];
    sprintf(expected, "cannot listen on %s: there is a file that is not a socket", path.path);
    assert_string_equal(listen_error(&harness), expected);
    assert_int_equal(unlink(path.path), 0);

    start_unix(&harness, &path); // someone else's file, put there while the server ran
    unlink(path.path);
    close(open(path.path, O_CREAT | O_WRONLY, 0600));
    harness_finish(&harness);
    assert_int_equal(unlink(path.path), 0);
    assert_int_equal(rmdir(path.folder), 0);
}

static void test_a_bad_unix_path_is_an_error(void **state) {
    (void)state;
    Harness harness;
    harness_init(&harness);
    harness.options.unix_path = "/tmp/no-such-folder-for-tweed/socket";
    assert_string_equal(listen_error(&harness),
                        "cannot listen on /tmp/no-such-folder-for-tweed/socket: No such file or directory");
    char path[120];
    memset(path, 'x', sizeof path);
    path[108] = '\0';
    harness_init(&harness);
    harness.options.unix_path = path;
    assert_non_null(strstr(listen_error(&harness), ": the path must have 1 to 107 bytes"));
}

static void refuse(NetConnection *connection) {
    harness_of(connection)->refused_count++;
    send_text(connection, "too many\n");
}

static void start_with_limit(Harness *harness, unsigned limit) {
    harness->options.max_clients = limit;
    harness->callbacks.on_refused = refuse;
    harness_start(harness);
}

static void test_one_client_too_many_is_told_so(void **state) {
    Harness *harness = *state;
    start_with_limit(harness, 2);
    int first = peer_open(harness, 0);
    peer_open(harness, 0);
    int third = peer_open(harness, 0);
    assert_int_equal(net_server_client_count(harness->server), 2);
    peer_send(harness, third, "{}\n"); // unread input must not lose the line
    size_t length;
    char *received = peer_read_to_end(harness, third, &length);
    assert_string_equal(received, "too many\n");
    free(received);
    peer_close(harness, third);
    run_for(harness, 20);
    assert_string_equal(harness->transcript, "open\nopen\n");

    peer_close(harness, first);
    RUN_UNTIL(harness, harness->close_count == 1);
    peer_open(harness, 0);
    assert_int_equal(harness->open_count, 3);
}

static void test_a_flood_is_told_so_and_leaves_the_others_alone(void **state) {
    Harness *harness = *state;
    enum { FLOOD = 300, LIMIT = 8 };
    start_with_limit(harness, LIMIT);
    int peers[FLOOD];
    for (int i = 0; i < FLOOD; i++) {
        peers[i] = peer_create(0);
        peer_connect(harness, peers[i], net_server_port(harness->server));
        if (i % 100 == 99) run_once(harness);
    }
    run_for(harness, 50);
    assert_in_range(harness->refused_count, 1, 256); // the others wait in the kernel's queue
    RUN_UNTIL(harness, harness->open_count + harness->refused_count == FLOOD); // none of the refused closes
    assert_int_equal(harness->open_count, LIMIT);
    run_for(harness, 20);
    for (int i = 0; i < FLOOD; i++) {
        char received[16] = "";
        assert_int_equal(peer_take(peers[i], received, sizeof received), i < LIMIT ? -1 : 9);
    }
    send_text(harness->newest, "hello\n");
    RUN_UNTIL(harness, harness->drained_count == 1);
    assert_int_equal(net_server_client_count(harness->server), LIMIT);
    peers_close(harness);
    RUN_UNTIL(harness, net_server_client_count(harness->server) == 0);
}

static int lowest_free_file(void) {
    int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
}

static void test_few_files_make_new_peers_wait(void **state) {
    Harness *harness = *state;
    enum { PEERS = 12, RESERVE = 8, ROOM = 5 };
    harness->options.reserved_files = RESERVE;
    int peers[PEERS];
    for (int i = 0; i < PEERS; i++) peers[i] = peer_create(0);

    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    struct rlimit few = {(rlim_t)lowest_free_file() + 40, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    harness_start(harness);
    const unsigned possible = net_server_max_clients(harness->server);
    assert_in_range(possible, 25, 32);
    char warning[128];
    snprintf(warning, sizeof warning,
             "log 1: at most %u connections, not 256: the limit of open files is %d, and 8 are reserved",
             possible, (int)few.rlim_cur);
    assert_int_equal(harness->log_count, 1);
    assert_non_null(strstr(harness->transcript, warning));
    int taken[40];
    int taken_count = 0;
    while (lowest_free_file() + RESERVE + ROOM < (int)few.rlim_cur)
        taken[taken_count++] = open("/dev/null", O_RDONLY);

    for (int i = 0; i < PEERS; i++) peer_connect(harness, peers[i], net_server_port(harness->server));
    run_for(harness, 300);
    assert_in_range(harness->open_count, ROOM - 1, ROOM); // libuv holds one that is not accepted
    assert_int_equal(harness->log_count, 2);
    assert_non_null(strstr(harness->transcript, "log 1: new connections wait: only 8 of "));
    for (int i = 0; i < RESERVE - 1; i++) taken[taken_count++] = open("/dev/null", O_RDONLY);
    assert_true(taken[taken_count - 1] >= 0); // the reserve was there

    for (int i = 0; i < taken_count; i++) close(taken[i]);
    RUN_UNTIL(harness, harness->open_count == PEERS); // accepted when files are free again
    setrlimit(RLIMIT_NOFILE, &before);
}

static NetBuffer *pull_last_frame(NetConnection *connection) {
    if (net_connection_user(connection)) return NULL;
    net_connection_set_user(connection, connection);
    return text_buffer("last frame\n");
}

static void test_closing_gives_everyone_the_last_frame_and_an_end(void **state) {
    (void)state;
    Harness harness;
    harness_init(&harness);
    harness.callbacks.on_pull = pull_last_frame;
    harness_start(&harness);
    int peers[10];
    for (int i = 0; i < 10; i++) peers[i] = peer_open(&harness, 0);
    int port = net_server_port(harness.server);
    uint64_t start = now_ms();
    net_server_close(harness.server, harness_on_closed);
    net_server_close(harness.server, NULL); // once is enough
    assert_false(harness.is_closed);
    for (int i = 0; i < 10; i++) {
        size_t length;
        char *received = peer_read_to_end(&harness, peers[i], &length);
        assert_string_equal(received, "last frame\n");
        free(received);
        if (i < 9) close(peers[i]); // the tenth does not close by itself
    }
    RUN_UNTIL(&harness, harness.is_closed);
    assert_true(now_ms() - start < 1000);
    assert_int_equal(harness.close_count, 10);
    assert_non_null(strstr(harness.transcript, "close: the server is stopping\n"));
    assert_false(uv_loop_alive(&harness.loop));
    assert_int_equal(uv_loop_close(&harness.loop), 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int late = peer_create(0);
    assert_int_equal(connect(late, (struct sockaddr *)&address, sizeof address), -1);
    close(late);
    close(peers[9]);
}

// Finishing connections count: there are never more connections than clients and refused ones.
static void test_a_finishing_client_keeps_its_place(void **state) {
    Harness *harness = *state;
    static char megabyte[1000001];
    memset(megabyte, 'z', 1000000);
    start_with_limit(harness, 1);
    int slow = peer_open(harness, 4096);
    send_text(harness->newest, megabyte);
    net_connection_finish(harness->newest, NET_CLOSE_FINISHED);
    run_for(harness, 20);
    int second = peer_open(harness, 0);
    assert_int_equal(harness->refused_count, 1);
    peer_close(harness, slow);
    RUN_UNTIL(harness, harness->close_count == 1);
    peer_close(harness, second);
    peer_open(harness, 0);
    assert_int_equal(harness->refused_count, 1);
}

static void test_closing_waits_for_a_slow_peer_only_so_long(void **state) {
    (void)state;
    static char megabyte[1000001];
    memset(megabyte, 'z', 1000000);
    Harness harness;
    harness_init(&harness);
    harness_start(&harness);
    int peer = peer_open(&harness, 4096);
    send_text(harness.newest, megabyte);
    uint64_t start = now_ms();
    net_server_close(harness.server, harness_on_closed);
    harness_finish_closed(&harness);
    assert_in_range(now_ms() - start, 1900, 2900);
    close(peer);
}

static void answer_and_close(NetConnection *connection, char *message, size_t length) {
    harness_on_message(connection, message, length);
    send_text(connection, "bye\n");
    net_server_close(net_connection_server(connection), harness_on_closed);
}

static void test_a_server_may_be_closed_by_a_message(void **state) {
    (void)state;
    Harness harness;
    harness_init(&harness);
    harness.callbacks.on_message = answer_and_close;
    harness_start(&harness);
    int peer = peer_open(&harness, 0);
    peer_send(&harness, peer, "stop\nmore\n");
    size_t length;
    char *received = peer_read_to_end(&harness, peer, &length);
    assert_string_equal(received, "bye\n");
    free(received);
    close(peer);
    RUN_UNTIL(&harness, harness.is_closed);
    assert_string_equal(harness.transcript, "open\nmessage stop\nclose: the server is stopping\n");
    assert_int_equal(uv_loop_close(&harness.loop), 0);
}

static void wake_again(NetConnection *connection) {
    Harness *harness = harness_of(connection);
    harness->drained_count++;
    net_connection_wake(connection);
}

// simulation.step works like this: the loop must stay free for the others.
static void test_a_step_after_each_drain_does_not_lock_the_loop(void **state) {
    Harness *harness = *state;
    harness->callbacks.on_drained = wake_again;
    harness_start(harness);
    peer_open(harness, 0);
    net_connection_wake(harness->newest);
    RUN_UNTIL(harness, harness->drained_count > 100);
    int other = peer_open(harness, 0);
    peer_send(harness, other, "{}\n");
    RUN_UNTIL(harness, harness->message_count == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_port_in_use_is_an_error),
        cmocka_unit_test(test_only_loopback_is_listened_on_by_default),
        cmocka_unit_test(test_a_server_may_listen_on_nothing),
        HARNESS_TEST(test_a_connection_has_id_and_address),
        cmocka_unit_test(test_a_unix_socket_is_private_and_works),
        cmocka_unit_test(test_a_stale_unix_socket_is_replaced),
        cmocka_unit_test(test_a_live_unix_socket_is_left_alone),
        cmocka_unit_test(test_a_file_that_is_no_socket_is_left_alone),
        cmocka_unit_test(test_a_bad_unix_path_is_an_error),
        HARNESS_TEST(test_one_client_too_many_is_told_so),
        HARNESS_TEST(test_a_flood_is_told_so_and_leaves_the_others_alone),
        HARNESS_TEST(test_few_files_make_new_peers_wait),
        cmocka_unit_test(test_closing_gives_everyone_the_last_frame_and_an_end),
        HARNESS_TEST(test_a_finishing_client_keeps_its_place),
        cmocka_unit_test(test_closing_waits_for_a_slow_peer_only_so_long),
        cmocka_unit_test(test_a_server_may_be_closed_by_a_message),
        HARNESS_TEST(test_a_step_after_each_drain_does_not_lock_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
