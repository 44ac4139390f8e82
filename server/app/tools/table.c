// Drawing with the few control sequences that every terminal has.
#include "tools/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void print_cut(const char *text, size_t columns);

void app_table_begin(AppTable *table) {
    *table = (AppTable){.on_terminal = isatty(STDOUT_FILENO) == 1};
    if (table->on_terminal) fputs("\033[?1049h\033[?25l", stdout); // the other screen, no cursor
}

void app_table_end(AppTable *table) {
    if (table->on_terminal) fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    for (size_t i = 0; i < table->count; i++) free(table->rows[i].key);
    free(table->rows);
    *table = (AppTable){0};
}

AppTableRow *app_table_row(AppTable *table, const char *key) {
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].key, key) == 0) return &table->rows[i];
    AppTableRow *rows = realloc(table->rows, (table->count + 1) * sizeof *rows);
    if (rows) table->rows = rows;
    const size_t length = strlen(key);
    char *copy = rows ? malloc(length + 1) : NULL;
    if (!copy) return NULL;
    memcpy(copy, key, length + 1);
    rows[table->count] = (AppTableRow){.key = copy, .key_length = length};
    return &rows[table->count++];
}

void app_table_remove(AppTable *table, const char *key) {
    const size_t length = strlen(key);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const AppTableRow row = table->rows[i];
        if (strncmp(row.key, key, length) == 0 && (row.key[length] == '\0' || row.key[length] == ' '))
            free(row.key);
        else
            table->rows[kept++] = row;
    }
    table->count = kept;
}

void app_table_draw(const AppTable *table, const char *head) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    fputs("\033[H", stdout); // from the upper left corner
    print_cut(head, size.ws_col);
    const size_t room =
        size.ws_row > 3 ? size.ws_row - 2u : 1; // below the head, and above the line of the cursor
    const size_t shown = table->count <= room ? table->count : room - 1;
    char line[512];
    for (size_t i = 0; i < shown; i++) {
        snprintf(line, sizeof line, "%-23.200s %s", table->rows[i].key, table->rows[i].text);
        print_cut(line, size.ws_col);
    }
    if (table->count == 0) print_cut("waiting for frames…", size.ws_col);
    if (shown < table->count) {
        snprintf(line, sizeof line, "… and %zu more", table->count - shown);
        print_cut(line, size.ws_col);
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

void app_table_print_name(const char *name) {
    for (const char *c = name; *c; c++) putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
}

static void print_cut(const char *text, size_t columns) {
    for (const char *c = text; *c; c++) {
        const bool begins_character = ((unsigned char)*c & 0xc0) != 0x80;
        if (begins_character && columns-- == 0) break;
        putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
    }
    fputs("\033[K\r\n", stdout); // clears what is left of the line
}
