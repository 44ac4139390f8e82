// Names to addresses (getaddrinfo, once at the start, so it may block) and addresses to text.

#include "address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

bool net_address_resolve(const char *host, uint16_t port, const char *purpose,
                         struct sockaddr_storage *out_address, NetError *out_error) {
    static const int families[] = {AF_INET, AF_INET6};
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    int status = EAI_NONAME;
    for (size_t i = 0; i < sizeof families / sizeof *families && status != EAI_MEMORY; i++) {
        struct addrinfo hints = {
            .ai_family = families[i], .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
        struct addrinfo *found;
        status = getaddrinfo(host, service, &hints, &found);
        if (status != 0) continue;
        memset(out_address, 0, sizeof *out_address);
        memcpy(out_address, found->ai_addr, found->ai_addrlen);
        freeaddrinfo(found);
        return true;
    }
    snprintf(out_error->text, sizeof out_error->text, "cannot %s \"%.80s\": %s", purpose, host,
             status == EAI_MEMORY ? "out of memory" : gai_strerror(status));
    return false;
}

bool net_address_is_loopback(const struct sockaddr_storage *address) {
    if (address->ss_family == AF_INET) {
        return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
    }
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}

uint16_t net_address_port(const struct sockaddr_storage *address) {
    return address->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)address)->sin6_port)
                                          : ntohs(((const struct sockaddr_in *)address)->sin_port);
}

void net_address_print(const struct sockaddr_storage *address, char *out_text, size_t size) {
    char host[INET6_ADDRSTRLEN] = "?";
    bool is_six = address->ss_family == AF_INET6;
    const void *bytes = is_six ? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
                               : (const void *)&((const struct sockaddr_in *)address)->sin_addr;
    inet_ntop(address->ss_family, bytes, host, sizeof host);
    snprintf(out_text, size, is_six ? "[%s]:%u" : "%s:%u", host, (unsigned)net_address_port(address));
}
