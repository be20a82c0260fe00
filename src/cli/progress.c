#include "progress.h"

#include "clock.h"
#include "interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_MAX_COLUMNS = 256, BAR_MAX_COLUMNS = 40, BAR_MIN_COLUMNS = 8 };

/* Short runs show nothing at all, which is calmer than a line that flashes. */
static const double SECONDS_BEFORE_FIRST_DRAW = 0.3;
static const double SECONDS_BETWEEN_DRAWS = 0.1;

void progress_init(progress *line, bool wanted) {
    memset(line, 0, sizeof *line);
    line->shown = wanted && isatty(STDERR_FILENO) == 1;
}

static int terminal_columns(void) {
    int columns = 80;
    struct winsize size;
    const char *text = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col;
    else if (text != NULL && atoi(text) > 0)
        columns = atoi(text);
    return columns < LINE_MAX_COLUMNS ? columns : LINE_MAX_COLUMNS;
}

static void format_remaining(char *text, size_t size, double seconds) {
    if (!(seconds < 360000.0))
        snprintf(text, size, "--:--");
    else if (seconds < 3600.0)
        snprintf(text, size, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(text, size, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
}

static void format_rate(char *text, size_t size, double per_second) {
    static const struct {
        double unit;
        const char *name;
    } scales[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, " "}};
    size_t scale = 0;
    while (scale < 3 && per_second < scales[scale].unit)
        scale++;
    snprintf(text, size, "%.1f%sheaps/s", per_second / scales[scale].unit, scales[scale].name);
}

/* "solve  [######......]  45.1%  12.3 M heaps/s  ETA 0:12", the bar as wide as the terminal leaves room for. */
static void format_line(char *text, const progress *line, const sg_progress *report, double now) {
    double elapsed = now - line->phase_start;
    double gained = report->fraction - line->start_fraction;
    double done_pos = report->done_pos > line->start_pos ? (double)(report->done_pos - line->start_pos) : 0.0;
    char remaining[32], rate[48], numbers[128];
    format_remaining(remaining, sizeof remaining, gained > 0 ? elapsed * (1.0 - report->fraction) / gained : 1e30);
    format_rate(rate, sizeof rate, elapsed > 0 ? done_pos / elapsed : 0.0);
    bool has_rate = report->total_pos > 0;
    snprintf(numbers, sizeof numbers, " %5.1f%%%s%s  ETA %s", 100.0 * report->fraction, has_rate ? "  " : "",
             has_rate ? rate : "", remaining);

    int columns = terminal_columns() - 1; /* the last column would wrap on some terminals */
    int bar = columns - (int)strlen(report->phase) - (int)strlen(numbers) - 4;
    if (bar > BAR_MAX_COLUMNS)
        bar = BAR_MAX_COLUMNS;
    int used = snprintf(text, LINE_MAX_COLUMNS + 1, "%s", report->phase);
    if (bar >= BAR_MIN_COLUMNS) {
        int filled = (int)((double)bar * report->fraction);
        char cells[BAR_MAX_COLUMNS + 1];
        memset(cells, '.', (size_t)bar);
        memset(cells, '#', (size_t)(filled < 0 ? 0 : filled > bar ? bar : filled));
        cells[bar] = '\0';
        used += snprintf(text + used, (size_t)(LINE_MAX_COLUMNS + 1 - used), "  [%s]", cells);
    }
    snprintf(text + used, (size_t)(LINE_MAX_COLUMNS + 1 - used), "%s", numbers);
    if (columns > 0)
        text[columns] = '\0';
}

static void begin_phase(progress *line, const sg_progress *report, double now) {
    if (line->phase == NULL)
        line->last_draw = now + SECONDS_BEFORE_FIRST_DRAW - SECONDS_BETWEEN_DRAWS;
    line->phase = report->phase;
    line->phase_start = now;
    line->start_fraction = report->fraction;
    line->start_pos = report->done_pos;
}

bool progress_report(void *user, const sg_progress *report) {
    progress *line = user;
    if (line->shown) {
        double now = clock_seconds();
        if (line->phase == NULL || strcmp(line->phase, report->phase) != 0)
            begin_phase(line, report, now);
        if (now - line->last_draw >= SECONDS_BETWEEN_DRAWS) {
            char text[LINE_MAX_COLUMNS + 1];
            format_line(text, line, report, now);
            fprintf(stderr, "\r%s\033[K", text);
            fflush(stderr);
            line->last_draw = now;
            line->drawn = true;
        }
    }
    return !interrupted();
}

void progress_clear(progress *line) {
    if (line->drawn)
        fputs("\r\033[K", stderr);
    line->drawn = false;
}
