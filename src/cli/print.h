/* Numbers and lines as people read them: aligned, plain ASCII, with thousands separators, which appear nowhere else. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include "sink.h"

enum { LABEL_COLUMNS = 16, NUMBER_TEXT_BYTES = 32 };

/* Each writes to `text` and returns it: 1234567 as "1,234,567"; bytes as "1.5 GiB"; seconds as "1.50 s" or "3 min 07
 * s"; a number of anything as "3.7 billion". */
const char *grouped_text(uint64_t value, char text[NUMBER_TEXT_BYTES]);
const char *bytes_text(uint64_t bytes, char text[NUMBER_TEXT_BYTES]);
const char *duration_text(double seconds, char text[NUMBER_TEXT_BYTES]);
const char *rate_text(double per_second, char text[NUMBER_TEXT_BYTES]);

/* What a line is about, at its beginning; "" for a line that goes on with the last subject. */
void print_label(sink *out, const char *label);

/* A text that we did not write, such as a path: control characters become '?', and it is cut after `max_bytes`. */
void print_foreign(sink *out, const char *text, size_t max_bytes);

#endif
