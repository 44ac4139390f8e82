#pragma once
// How many file descriptors are left. libuv 1.44, when there are none, accepts a peer and closes it without a
// word, so the server stops accepting while some are still free.

// The process's limit on open files (RLIMIT_NOFILE, soft), at most INT_MAX.
int net_files_limit(void);

// The lowest number free for a new file: below it all are in use. `any_file` is any open one. INT_MAX: none
// is free.
int net_files_lowest_free(int any_file);
