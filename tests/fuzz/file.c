// The folder lies where $TMPDIR says; run.py names one in memory, and clears it after a crash.
#include "file.h"

#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static void leave_folder(void) {
    DIR *files = opendir(folder);
    for (struct dirent *file; files && (file = readdir(files));) unlink(file->d_name);
    if (files) closedir(files);
    rmdir(folder);
}

void fuzz_enter_folder(void) {
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tweed-fuzz-XXXXXX", parent ? parent : "/tmp");
    FUZZ_CHECK(mkdtemp(folder) && chdir(folder) == 0, "%s", folder);
    atexit(leave_folder);
}

void fuzz_write_file(const char *name, const uint8_t *data, size_t size) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size, "%s/%s", folder, name);
    close(file);
}
