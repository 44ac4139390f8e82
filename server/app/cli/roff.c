// Writes roff. In it a backslash begins a request, and so does a full stop or an apostrophe at the beginning
// of a line.
#include "cli/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { CELLS = 4 };

typedef struct Cell {
    const char *text;
    size_t length;
} Cell;

// The kind of the line that was written last.
typedef enum Block { BLOCK_NONE, BLOCK_TEXT, BLOCK_TABLE, BLOCK_CODE } Block;

static void write_character(FILE *file, const char *c, bool begins_line);
static void write_inline(FILE *file, const char *text, size_t length);
static const char *end_of_link(const char *text, const char *end, size_t *out_shown);
static void write_heading(FILE *file, const char *line, size_t length);
static void write_code_line(FILE *file, const char *line, size_t length);
static void write_row(FILE *file, const char *line, size_t length);
static int split_row(const char *line, size_t length, Cell out_cells[CELLS]);

void app_roff_section(FILE *file, const char *title) {
    fprintf(file, ".SH \"%s\"\n", title);
}

void app_roff_text(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) write_character(file, text + i, i == 0);
}

void app_roff_line(FILE *file, const char *text) {
    write_inline(file, text, strlen(text));
    fputc('\n', file);
}

void app_roff_notes(FILE *file, const char *notes) {
    bool is_code = false, is_first = true, is_apart = false;
    for (const char *line = notes; *line;) {
        const size_t length = strcspn(line, "\n");
        const bool indented = length > 2 && line[0] == ' ' && line[1] == ' ';
        if (indented != is_code && length > 0) fputs(indented ? ".PP\n.nf\n.RS 2\n" : ".RE\n.fi\n", file);
        if (length > 0) {
            if ((is_apart || is_code) && !indented && !is_first) fputs(".PP\n", file);
            is_code = indented;
            if (indented)
                write_code_line(file, line + 2, length - 2);
            else
                app_roff_text(file, line, length), fputc('\n', file);
            is_first = false;
        }
        is_apart = length == 0;
        line += length + (line[length] == '\n');
    }
    if (is_code) fputs(".RE\n.fi\n", file);
}

void app_roff_markdown(FILE *file, const char *markdown) {
    Block block = BLOCK_NONE;
    for (const char *line = markdown; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *next = line + length + (line[length] == '\n');
        if (strncmp(line, "```", 3) == 0) {
            fputs(block == BLOCK_CODE ? ".RE\n.fi\n" : ".PP\n.nf\n.RS 2\n", file);
            block = block == BLOCK_CODE ? BLOCK_NONE : BLOCK_CODE;
        } else if (block == BLOCK_CODE) {
            write_code_line(file, line, length);
        } else if (line[0] == '#') {
            write_heading(file, line, length);
            block = BLOCK_NONE;
        } else if (line[0] == '|') {
            if (block == BLOCK_TABLE) write_row(file, line, length); // after its head and the rule below
            if (strncmp(line, "| ---", 5) == 0) block = BLOCK_TABLE;
        } else if (length > 0 && strncmp(line, "- **", 4) != 0) {
            if (block != BLOCK_NONE) fputs(".PP\n", file);
            write_inline(file, line, length);
            fputc('\n', file);
            block = BLOCK_TEXT;
        } else if (length == 0 && block == BLOCK_TABLE) {
            block = BLOCK_TEXT;
        }
        line = next;
    }
}

static void write_character(FILE *file, const char *c, bool begins_line) {
    if (*c == '\\')
        fputs("\\e", file);
    else if (*c == '-')
        fputs("\\-", file);
    else if (*c == '\'')
        fputs("\\(aq", file);
    else if (*c == '`')
        fputs("\\(ga", file);
    else if (*c == '^')
        fputs("\\(ha", file);
    else if (*c == '~')
        fputs("\\(ti", file);
    else
        fprintf(file, "%s%c", begins_line && *c == '.' ? "\\&" : "", *c);
}

static void write_inline(FILE *file, const char *text, size_t length) {
    bool is_code = false, is_bold = false;
    const char *end = text + length;
    for (const char *c = text; c < end; c++) {
        size_t shown = 0;
        const char *after = !is_code && *c == '[' ? end_of_link(c, end, &shown) : NULL;
        if (after) {
            write_inline(file, c + 1, shown);
            c = after - 1;
        } else if (*c == '`') {
            is_code = !is_code;
            fputs(is_code ? "\\fB" : "\\fR", file);
        } else if (!is_code && c + 1 < end && c[0] == '*' && c[1] == '*') {
            is_bold = !is_bold;
            fputs(is_bold ? "\\fB" : "\\fR", file);
            c++;
        } else {
            const bool is_escaped = !is_code && *c == '\\' && c + 1 < end && ispunct((unsigned char)c[1]);
            if (is_escaped) c++;
            write_character(file, c, c == text);
        }
    }
}

// Of "[shown](target)": what follows it. NULL: it is no link.
static const char *end_of_link(const char *text, const char *end, size_t *out_shown) {
    const char *bracket = memchr(text, ']', (size_t)(end - text));
    if (!bracket || bracket + 1 >= end || bracket[1] != '(') return NULL;
    const char *parenthesis = memchr(bracket, ')', (size_t)(end - bracket));
    if (!parenthesis) return NULL;
    *out_shown = (size_t)(bracket - text - 1);
    return parenthesis + 1;
}

// # is the page's own title, ## a section, ### a part of it.
static void write_heading(FILE *file, const char *line, size_t length) {
    const size_t level = strspn(line, "#");
    if (level == 1) {
        app_roff_section(file, "DESCRIPTION");
        return;
    }
    fputs(level == 2 ? ".SH \"" : ".SS \"", file);
    for (size_t i = level + 1; i < length; i++) {
        const char c = level == 2 ? (char)toupper((unsigned char)line[i]) : line[i];
        write_character(file, &c, false);
    }
    fputs("\"\n", file);
}

static void write_code_line(FILE *file, const char *line, size_t length) {
    app_roff_text(file, line, length);
    fputc('\n', file);
}

// The key, and below it the other cells: the meaning is a sentence, the value and its default are not.
static void write_row(FILE *file, const char *line, size_t length) {
    Cell cells[CELLS];
    const int count = split_row(line, length, cells);
    fputs(".TP\n", file);
    for (int i = 0; i < count; i++) {
        if (cells[i].length == 0) continue;
        if (i == 2) fputs(".br\nValue: ", file);
        if (i == 3) fputs(".br\nDefault: ", file);
        write_inline(file, cells[i].text, cells[i].length);
        fputc('\n', file);
    }
}

// "| a | b |"; a bar with a backslash before it separates nothing.
static int split_row(const char *line, size_t length, Cell out_cells[CELLS]) {
    int count = 0;
    size_t start = 2;
    for (size_t at = 2; at < length && count < CELLS; at++) {
        if (line[at] != '|' || line[at - 1] == '\\') continue;
        size_t end = at;
        while (end > start && line[end - 1] == ' ') end--;
        out_cells[count++] = (Cell){line + start, end - start};
        start = at + 2;
    }
    return count;
}
