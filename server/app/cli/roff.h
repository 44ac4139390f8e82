// Text as the roff of man(7).
#pragma once

#include <stddef.h>
#include <stdio.h>

void app_roff_section(FILE *file, const char *title);

// Text within a line.
void app_roff_text(FILE *file, const char *text, size_t length);

// A line of text with its end; **bold**, `code` and [links](#target) of Markdown become fonts.
void app_roff_line(FILE *file, const char *text);

// Paragraphs of help: lines that begin with two spaces stay as they are, others are filled.
void app_roff_notes(FILE *file, const char *notes);

// The reference page as script_write_reference writes it: headings, paragraphs, lists, tables whose first
// column is a key, code. Its title and its contents are left out.
void app_roff_markdown(FILE *file, const char *markdown);
