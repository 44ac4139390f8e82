// Datagrams to one receiver: what arrives, and what is refused or dropped.
#include "net/datagram.h"
#include "unit_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int receiver(struct sockaddr_storage *address, socklen_t size) {
    const int file = socket(address->ss_family, SOCK_DGRAM, 0);
    if (file >= 0 && bind(file, (struct sockaddr *)address, size) == 0) {
        getsockname(file, (struct sockaddr *)address, &size);
        return file;
    }
    if (file >= 0) close(file);
    return -1;
}

static void close_all(uv_loop_t *loop, NetDatagrams *datagrams) {
    uv_close((uv_handle_t *)&datagrams->socket, NULL);
    assert_int_equal(uv_run(loop, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(loop), 0);
}

static void assert_arrives(const char *host, int file, uint16_t port) {
    uv_loop_t loop;
    NetDatagrams datagrams;
    NetError error;
    char received[64];
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_true(net_datagrams_open(&datagrams, &loop, host, port, true, &error));
    assert_int_equal(net_datagrams_send(&datagrams, "one", 3), 0);
    assert_int_equal(net_datagrams_send(&datagrams, "another", 7), 0);
    assert_int_equal(recv(file, received, sizeof received, 0), 3);
    assert_memory_equal(received, "one", 3);
    assert_int_equal(recv(file, received, sizeof received, 0), 7);
    assert_memory_equal(received, "another", 7);
    close(file); // nobody is there now, and that is no error
    for (int i = 0; i < 10; i++) assert_int_equal(net_datagrams_send(&datagrams, "gone", 4), 0);
    static char too_long[70000];
    assert_int_equal(net_datagrams_send(&datagrams, too_long, sizeof too_long), UV_EMSGSIZE);
    close_all(&loop, &datagrams);
}

static void test_datagrams_arrive_whole(void **state) {
    (void)state;
    struct sockaddr_storage address = {.ss_family = AF_INET};
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int file = receiver(&address, sizeof *four);
    assert_true(file >= 0);
    assert_arrives("127.0.0.1", file, ntohs(four->sin_port));

    address = (struct sockaddr_storage){.ss_family = AF_INET6};
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    six->sin6_addr = in6addr_loopback;
    file = receiver(&address, sizeof *six);
    if (file >= 0) assert_arrives("::1", file, ntohs(six->sin6_port)); // where there is IPv6
}

static void test_strangers_are_refused(void **state) {
    (void)state;
    const char *cases[][2] = {
        {"192.0.2.1", "cannot send to 192.0.2.1:54321: it is not a loopback address"},
        {"2001:db8::1", "cannot send to [2001:db8::1]:54321: it is not a loopback address"},
        {"300.0.0.1", "cannot send to \"300.0.0.1\":"}};
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        NetDatagrams datagrams;
        NetError error;
        assert_false(net_datagrams_open(&datagrams, &loop, cases[i][0], 54321, true, &error));
        assert_memory_equal(error.text, cases[i][1], strlen(cases[i][1]));
    }
    NetDatagrams datagrams;
    NetError error;
    assert_true(net_datagrams_open(&datagrams, &loop, "192.0.2.1", 54321, false, &error));
    close_all(&loop, &datagrams);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_datagrams_arrive_whole),
        cmocka_unit_test(test_strangers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
