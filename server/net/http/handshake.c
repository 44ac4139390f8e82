// SHA-1 (RFC 3174) is no secret's keeper here: it shows that the server has read the key as a WebSocket's.

#include "http/handshake.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { KEY_LENGTH = 24, BLOCK = 64, DIGEST = 20 };

static void sha1(const uint8_t *bytes, size_t length, uint8_t out_digest[DIGEST]);
static void add_block(uint32_t state[5], const uint8_t block[BLOCK]);
static uint32_t rotate(uint32_t word, int by);

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool net_websocket_key_is_valid(const char *key) {
    return strlen(key) == KEY_LENGTH && strspn(key, alphabet) == KEY_LENGTH - 2 &&
           strcmp(key + KEY_LENGTH - 2, "==") == 0;
}

void net_websocket_accept(const char *key, char out_accept[NET_ACCEPT_LENGTH + 1]) {
    static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    uint8_t text[KEY_LENGTH + sizeof guid - 1];
    uint8_t digest[DIGEST + 1] = {0}; // padded to a multiple of three
    memcpy(text, key, KEY_LENGTH);
    memcpy(text + KEY_LENGTH, guid, sizeof guid - 1);
    sha1(text, sizeof text, digest);
    for (size_t i = 0; i < DIGEST + 1; i += 3) {
        const uint32_t group = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];
        for (int j = 0; j < 4; j++) *out_accept++ = alphabet[group >> (18 - 6 * j) & 63];
    }
    out_accept[-1] = '=';
    *out_accept = '\0';
}

// Of less than BLOCK * 2 - 8 bytes.
static void sha1(const uint8_t *bytes, size_t length, uint8_t out_digest[DIGEST]) {
    uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    uint8_t padded[2 * BLOCK] = {0};
    const size_t total = length + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(padded, bytes, length);
    padded[length] = 0x80;
    padded[total - 2] = (uint8_t)(length * 8 >> 8);
    padded[total - 1] = (uint8_t)(length * 8);
    for (size_t at = 0; at < total; at += BLOCK) add_block(state, padded + at);
    for (int i = 0; i < DIGEST; i++) out_digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static void add_block(uint32_t state[5], const uint8_t block[BLOCK]) {
    uint32_t words[80];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++) {
        const uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                               : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                               : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                        : (b ^ c ^ d) + 0xCA62C1D6;
        const uint32_t next = rotate(a, 5) + mixed + e + words[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

static uint32_t rotate(uint32_t word, int by) {
    return word << by | word >> (32 - by);
}
