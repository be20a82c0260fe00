/* The plot is gnuplot's: it gets the data and what to do with them through a pipe. */
#include "crossover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TITLE_BYTES = 120 };

/* Curves are drawn on to where they cross, but no further than this. */
static const double LOG2_DRAWN_MOST = 64;

/* Starts gnuplot with `input` (-1: none) as its standard input; *child is its process. */
static int start_gnuplot(char *argument, int input, pid_t *child) {
    char program[] = "gnuplot", *arguments[] = {program, argument, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    if (input >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0 && input < 0)
        error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool ended_well(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

exit_status crossover_plot_check(void) {
    pid_t child;
    char version[] = "--version";
    int error = start_gnuplot(version, -1, &child);
    if (error == 0 && ended_well(child))
        return EXIT_DONE;
    return fail("--plot needs gnuplot, which cannot be run%s%s (Debian: gnuplot-nox)", error != 0 ? ": " : "",
                error != 0 ? strerror(error) : "");
}

/* Between single quotes gnuplot takes everything as it is, but for the quote itself. */
static void write_quoted(FILE *gnuplot, const char *text) {
    fputc('\'', gnuplot);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', gnuplot);
        fputc((unsigned char)*text < 0x20 ? '?' : *text, gnuplot);
    }
    fputc('\'', gnuplot);
}

static double last_log2(const crossover *sweep) {
    double last = log2((double)sweep->facts[sweep->octaves - 1].n);
    for (size_t i = 0; i < sweep->crossing_count; i++)
        if (sweep->crossings[i].kind == CROSSING_EXTRAPOLATED && sweep->crossings[i].log2_n < LOG2_DRAWN_MOST)
            last = fmax(last, sweep->crossings[i].log2_n + 1);
    return ceil(last);
}

static void write_script(const crossover *sweep, const char *path, FILE *gnuplot) {
    bool vector = strcmp(strrchr(path, '.'), ".svg") == 0;
    fprintf(gnuplot, "set terminal %s size 900,600\nset output ", vector ? "svg background 'white'" : "pngcairo");
    write_quoted(gnuplot, path);
    char title[TITLE_BYTES];
    snprintf(title, sizeof title, "subtract %s: %s", sg_game_set_name(sweep->game),
             sweep->mode == SG_MODE_COLD ? "cold heap sizes" : "nim-values");
    fputs("\nset title ", gnuplot);
    write_quoted(gnuplot, title);
    fputs(" noenhanced\nset xlabel 'log2 n'\nset ylabel 'seconds'\nset logscale y\nset format y '10^{%L}'\nset "
          "grid\nset key left top\n",
          gnuplot);
    double last = last_log2(sweep); /* one octave alone would be an empty range */
    fprintf(gnuplot, "set xrange [%d:%g]\n", FIRST_OCTAVE, last > FIRST_OCTAVE ? last : FIRST_OCTAVE + 1);
    for (size_t i = 0; i < sweep->series_count; i++) {
        fprintf(gnuplot, "$series%zu << END\n", i);
        for (size_t k = 0; k < sweep->series[i].count; k++)
            fprintf(gnuplot, "%g %.6f\n", log2((double)sweep->series[i].points[k].n),
                    sweep->series[i].points[k].seconds);
        fputs("END\n", gnuplot);
    }
    const char *separator = "plot ";
    for (size_t i = 0; i < sweep->series_count; i++) {
        const crossover_series *series = &sweep->series[i];
        if (series->count == 0)
            continue;
        fprintf(gnuplot, "%s$series%zu with linespoints linetype %zu title '%s'", separator, i, i + 1, series->name);
        separator = ", ";
        if (series->fit.factor > 0)
            fprintf(gnuplot, ", %g * 2**(%g * x) * x**%u with lines linetype %zu dashtype 2 notitle",
                    series->fit.factor, series->fit.exponent, series->fit.log_power, i + 1);
    }
    fputc('\n', gnuplot);
}

exit_status crossover_plot(const crossover *sweep, const char *path) {
    int ends[2];
    pid_t child;
    if (sweep->octaves == 0)
        return fail("--plot '%s': nothing was measured", path);
    if (pipe(ends) != 0)
        return fail("cannot run gnuplot: %s", strerror(errno));
    /* The child must not hold the end that we write to, or it would wait for itself. */
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    char standard_input[] = "-";
    int error = start_gnuplot(standard_input, ends[0], &child);
    close(ends[0]);
    FILE *gnuplot = error == 0 ? fdopen(ends[1], "w") : NULL;
    if (gnuplot == NULL) {
        close(ends[1]);
        return fail("cannot run gnuplot: %s", strerror(error != 0 ? error : errno));
    }
    write_script(sweep, path, gnuplot);
    bool written = fclose(gnuplot) == 0;
    if (!ended_well(child) || !written)
        return fail("gnuplot could not draw '%s'", path);
    return EXIT_DONE;
}
