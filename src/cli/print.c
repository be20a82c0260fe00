#include "print.h"

#include <inttypes.h>
#include <stdio.h>

const char *grouped_text(uint64_t value, char text[NUMBER_TEXT_BYTES]) {
    char digits[NUMBER_TEXT_BYTES];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

const char *bytes_text(uint64_t bytes, char text[NUMBER_TEXT_BYTES]) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024.0 && unit < 6) {
        value /= 1024.0;
        unit++;
    }
    snprintf(text, NUMBER_TEXT_BYTES, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

const char *duration_text(double seconds, char text[NUMBER_TEXT_BYTES]) {
    if (seconds < 1.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%.1f ms", 1000.0 * seconds);
    else if (seconds < 60.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%.2f s", seconds);
    else if (seconds < 3600.0)
        snprintf(text, NUMBER_TEXT_BYTES, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, NUMBER_TEXT_BYTES, "%d h %02d min", (int)seconds / 3600, (int)seconds / 60 % 60);
    return text;
}

const char *rate_text(double per_second, char text[NUMBER_TEXT_BYTES]) {
    static const char *const units[] = {"", " thousand", " million", " billion", " trillion"};
    size_t unit = 0;
    while (per_second >= 1000.0 && unit < 4) {
        per_second /= 1000.0;
        unit++;
    }
    snprintf(text, NUMBER_TEXT_BYTES, "%.1f%s", per_second, units[unit]);
    return text;
}

void print_label(sink *out, const char *label) {
    sink_format(out, "%-*s", LABEL_COLUMNS, label);
}

void print_foreign(sink *out, const char *text, size_t max_bytes) {
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (i == max_bytes) {
            sink_text(out, "...");
            break;
        }
        sink_char(out, (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
    }
}
