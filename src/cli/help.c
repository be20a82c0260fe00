#include "help.h"

#include "options.h"
#include "output.h"
#include "sink.h"

#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 26, LAST_COLUMN = 79, TEXT_MAX_BYTES = 512 };

typedef struct entry {
    const char *term;
    const char *text;
} entry;

static const entry set_specs[] = {
    {"squares, cubes", "1, 4, 9, ... and 1, 8, 27, ..."},
    {"powers:K", "1, 2^K, 3^K, ..."},
    {"powers-of:B", "1, B, B^2, ..."},
    {"triangular", "1, 3, 6, 10, ..."},
    {"fibonacci", "1, 2, 3, 5, 8, ..."},
    {"primes", "2, 3, 5, 7, ..."},
    {"moser", "Moser-de Bruijn: sums of distinct powers of 4"},
    {"all", "every positive integer"},
    {"{2,4,7}", "the numbers listed (quote the braces)"},
    {"allbut{2,5}", "every positive integer except these"},
    {"additive{5,12}", "a, b and a+b"},
    {"poly:k^2+k", "positive values of the polynomial at k = 1, 2, 3, ..."},
    {"beatty:phi", "floor(k*alpha) for phi, sqrt2, e, P/Q or a decimal"},
    {"random{SEED,P/Q}", "each number with probability P/Q, reproducibly"},
    {"file:PATH", "numbers in a file; '#' starts a comment"},
};

static const entry examples[] = {
    {"subgame-gpu -n 2^26", "cold heaps of the squares"},
    {"subgame-gpu --nim -n 2^20 --json", "a report as JSON"},
    {"subgame-gpu --set primes -n 1e6 -f list", "a listing"},
    {"subgame-gpu --set '{2,4,7}' --nim -n 40 -f list", "a finite set"},
    {"subgame-gpu --nim -n 1e6 -f npy -o nim.npy", "an array for NumPy"},
    {"subgame-gpu --remoteness --misere -n 1e5", "how long misere play lasts"},
    {"subgame-gpu --crossover --plot times.svg", "which way wins when"},
};

static const entry exit_codes[] = {
    {"0", "done"},
    {"1", "failure: memory, device, output"},
    {"2", "bad usage, or a set file that cannot be read"},
    {"3", "verification failed"},
    {"130", "interrupted"},
};

static const char *const group_titles[GROUP_COUNT] = {"Mode", "Game", "Range", "Engine", "Output", "Safety", "Other"};

/* Up to the next blank; what stands in parentheses stays together. */
static size_t word_length(const char *word) {
    const char *end = word[0] == '(' ? strchr(word, ')') : NULL;
    return end != NULL ? (size_t)(end - word) + 1 : strcspn(word, " ");
}

/* Prints the term at column 2 and the text from `column` on, broken between words. */
static void print_entry(sink *out, const char *term, const char *text, size_t column) {
    size_t at = strlen(term) + 2;
    sink_format(out, "  %s", term);
    if (at + 2 > column) {
        sink_char(out, '\n');
        at = 0;
    }
    for (const char *word = text; *word != '\0';) {
        size_t length = word_length(word);
        if (at > column && at + 1 + length > LAST_COLUMN) {
            sink_char(out, '\n');
            at = 0;
        }
        if (at <= column)
            sink_format(out, "%*s", (int)(column - at), "");
        else
            sink_char(out, ' ');
        at = (at <= column ? column : at + 1) + length;
        sink_write(out, word, length);
        word += length + (word[length] == ' ');
    }
    sink_char(out, '\n');
}

static void print_entries(sink *out, const char *title, const entry *entries, size_t count, size_t column) {
    sink_format(out, "\n%s\n", title);
    for (size_t i = 0; i < count; i++)
        print_entry(out, entries[i].term, entries[i].text, column);
}

/* Help text, names to choose from and default of one option, as its table row says. */
static void print_option(sink *out, const option_row *row) {
    char term[64], text[TEXT_MAX_BYTES];
    char letter[8] = "   ";
    if (row->short_name != '\0')
        snprintf(letter, sizeof letter, "-%c,", row->short_name);
    snprintf(term, sizeof term, "%s --%s%s%s", letter, row->name, row->value_name != NULL ? " " : "",
             row->value_name != NULL ? row->value_name : "");
    size_t used = (size_t)snprintf(text, sizeof text, "%s", row->help);
    for (int i = 0; row->choice != NULL && row->choice(i) != NULL && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? ": " : ", ", row->choice(i));
    if (row->initial != NULL && used < sizeof text)
        snprintf(text + used, sizeof text - used, " (default %s)", row->initial);
    print_entry(out, term, text, HELP_COLUMN);
}

static void print_formats(sink *out) {
    sink_text(out, "\nFormats\n");
    for (int i = 0; output_format_name(i) != NULL; i++)
        print_entry(out, output_format_name(i), output_format_at(i)->purpose, HELP_COLUMN);
}

exit_status help_print(void) {
    static sink out;
    sink_open_stdout(&out);
    sink_text(&out, "usage: " COMMAND_NAME " [MODE] [GAME] -n N [OPTIONS]\n\n"
                    "Evaluates impartial subtraction games: from a heap of p tokens a move takes s,\n"
                    "for a member s of the subtraction set. A heap size is cold when the player to\n"
                    "move loses, and hot when the player to move wins.\n");
    for (int group = 0; group < GROUP_COUNT; group++) {
        sink_format(&out, "\n%s\n", group_titles[group]);
        for (size_t i = 0; i < option_table_length; i++)
            if ((int)option_table[i].group == group)
                print_option(&out, &option_table[i]);
    }
    print_entries(&out, "Sets", set_specs, sizeof set_specs / sizeof set_specs[0], HELP_COLUMN);
    print_formats(&out);
    print_entries(&out, "Examples", examples, sizeof examples / sizeof examples[0], 2 * HELP_COLUMN + 1);
    print_entries(&out, "Exit status", exit_codes, sizeof exit_codes / sizeof exit_codes[0], 7);
    return sink_close(&out);
}

exit_status version_print(void) {
    static sink out;
    sink_open_stdout(&out);
    sink_format(&out, COMMAND_NAME " %d.%d.%d (libsubgame %s)\n", SG_VERSION_MAJOR, SG_VERSION_MINOR, SG_VERSION_PATCH,
                sg_version());
    return sink_close(&out);
}
