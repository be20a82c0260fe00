#include "options.h"

#include "output.h"

static const char *near_choice(int index) {
    return sg_near_name((sg_near)index);
}

static const char *engine_choice(int index) {
    return sg_engine_name((sg_engine)index);
}

static const char *backend_choice(int index) {
    return sg_backend_name((sg_backend)index);
}

#define FIELD(member) offsetof(cli_options, member)

/* Columns: name, short, value, group, kind, field, then what the kind needs. */
const option_row option_table[] = {
    {"cold", 0, NULL, GROUP_MODE, OPTION_MODE, FIELD(mode), .fixed = MODE_COLD,
     .help = "which heap sizes are cold (default)"},
    {"nim", 0, NULL, GROUP_MODE, OPTION_MODE, FIELD(mode), .fixed = MODE_NIM,
     .help = "the nim-value (Grundy value) of every heap size"},
    {"remoteness", 0, NULL, GROUP_MODE, OPTION_MODE, FIELD(mode), .fixed = MODE_REMOTENESS,
     .help = "how many moves the game lasts when the winner hurries and the loser delays"},
    {"devices", 0, NULL, GROUP_MODE, OPTION_MODE, FIELD(mode), .fixed = MODE_DEVICES,
     .help = "no game: list what there is to compute on, and why there is no GPU"},
    {"calibrate", 0, NULL, GROUP_MODE, OPTION_MODE, FIELD(mode), .fixed = MODE_CALIBRATE,
     .help = "no game: measure this machine, and keep what its operations cost for later runs"},
    {"crossover", 0, NULL, GROUP_MODE, OPTION_FLAG, FIELD(crossover), .modes = IN_ALL,
     .help = "with --cold or --nim: time engines and backends against each other on up to N heap sizes, if given, and "
             "find where they cross"},

    {"set", 0, "SPEC", GROUP_GAME, OPTION_TEXT, FIELD(set), .initial = "squares", .modes = IN_SOLVES | IN_CROSSOVER,
     .help = "subtraction set, see below"},
    {"hotspots", 0, "SPEC", GROUP_GAME, OPTION_TEXT, FIELD(hotspots),
     .help = "heap sizes that are hot by decree; a set as well, in which 0 is allowed"},
    {"misere", 0, NULL, GROUP_GAME, OPTION_FLAG, FIELD(misere), .help = "who cannot move wins, instead of losing"},

    {"limit", 'n', "N", GROUP_RANGE, OPTION_NUMBER, FIELD(limit), .maximum = UINT64_MAX,
     .modes = IN_SOLVES | IN_CROSSOVER,
     .help = "evaluate the heap sizes 0 .. N-1; numbers are exact: 2^34, 1e9, 3*2^20, 1_000_000"},
    {"from", 0, "K", GROUP_RANGE, OPTION_NUMBER, FIELD(from), .maximum = UINT64_MAX, .initial = "0",
     .help = "start the listing at heap size K"},

    {"engine", 0, "NAME", GROUP_ENGINE, OPTION_CHOICE, FIELD(engine), .choice = engine_choice,
     .list_field = FIELD(engines), .initial = "auto", .modes = IN_SOLVES | IN_CROSSOVER,
     .help = "method of solution; with --crossover a list"},
    {"backend", 0, "NAME", GROUP_ENGINE, OPTION_CHOICE, FIELD(backend), .choice = backend_choice,
     .list_field = FIELD(backends), .initial = "auto", .modes = IN_SOLVES | IN_CROSSOVER,
     .help = "where to compute; with --crossover a list"},
    {"device", 0, "I", GROUP_ENGINE, OPTION_NUMBER, FIELD(device), .maximum = UINT32_MAX, .initial = "0",
     .modes = IN_SOLVES | IN_CROSSOVER, .help = "index of the CUDA device, as --devices lists them"},
    {"threads", 0, "T", GROUP_ENGINE, OPTION_NUMBER, FIELD(threads), .minimum = 1, .maximum = 1024, .word = "auto",
     .initial = "auto", .modes = IN_SOLVES | IN_CROSSOVER, .help = "threads to use; auto is one per processor"},
    {"memory", 0, "SIZE", GROUP_ENGINE, OPTION_SIZE, FIELD(memory_bytes), .minimum = 1, .maximum = UINT64_MAX,
     .word = "auto", .initial = "auto", .modes = IN_SOLVES | IN_CROSSOVER,
     .help = "refuse runs that need more: 16G, 512M, 1.5GiB or a number of bytes; auto is what there is"},
    {"base-threshold", 0, "N", GROUP_ENGINE, OPTION_NUMBER, FIELD(base_threshold), .minimum = 1, .maximum = UINT64_MAX,
     .word = "auto", .initial = "auto", .help = "the recursion solves blocks of at most N heap sizes directly"},
    {"rows", 0, "M", GROUP_ENGINE, OPTION_NUMBER, FIELD(rows), .minimum = 1, .maximum = 65536, .word = "auto",
     .initial = "auto", .help = "the recursion splits heap sizes into M residue rows"},
    {"level-batch", 0, "N", GROUP_ENGINE, OPTION_NUMBER, FIELD(level_batch), .minimum = 1, .maximum = 65536,
     .word = "auto", .initial = "auto", .help = "nim-values by levels: N levels are solved in one recursion"},
    {"seconds", 0, "S", GROUP_ENGINE, OPTION_NUMBER, FIELD(seconds), .minimum = 1, .maximum = 86400, .word = "auto",
     .initial = "auto", .modes = IN_CALIBRATE | IN_CROSSOVER,
     .help = "about how long --calibrate (auto: 20) or --crossover (auto: 60) may take"},
    {"near", 0, "NAME", GROUP_ENGINE, OPTION_CHOICE, FIELD(near), .choice = near_choice, .initial = "auto",
     .help = "nim-values by tiles on a device: who decides base cases; auto measures"},

    {"output", 'o', "FILE", GROUP_OUTPUT, OPTION_TEXT, FIELD(output), .modes = IN_SOLVES | IN_CALIBRATE | IN_CROSSOVER,
     .help = "write the data to FILE, and the summary or JSON to standard output"},
    {"format", 'f', "NAME", GROUP_OUTPUT, OPTION_CHOICE, FIELD(format), .choice = output_format_name,
     .initial = "summary", .modes = IN_SOLVES | IN_CROSSOVER, .help = "form of the data"},
    {"offset", 0, "K", GROUP_OUTPUT, OPTION_NUMBER, FIELD(offset), .maximum = UINT64_MAX, .initial = "0",
     .help = "first index of a bfile"},
    {"plot", 0, "FILE", GROUP_OUTPUT, OPTION_TEXT, FIELD(plot), .modes = IN_CROSSOVER,
     .help = "draw --crossover with gnuplot: FILE.svg or FILE.png"},
    {"json", 0, NULL, GROUP_OUTPUT, OPTION_FLAG, FIELD(json), .modes = IN_ALL,
     .help = "print the summary as one JSON object"},
    {"quiet", 'q', NULL, GROUP_OUTPUT, OPTION_FLAG, FIELD(quiet), .modes = IN_ALL,
     .help = "print no summary and no progress"},
    {"no-progress", 0, NULL, GROUP_OUTPUT, OPTION_FLAG, FIELD(no_progress), .modes = IN_ALL,
     .help = "draw no progress line on the terminal"},

    {"verify", 0, "N", GROUP_SAFETY, OPTION_NUMBER, FIELD(verify), .maximum = UINT64_MAX, .word = "full",
     .word_value = UINT64_MAX, .initial = "1024",
     .help = "check N sampled heap sizes against the definition of the game; full checks every one, 0 none"},

    {"help", 'h', NULL, GROUP_OTHER, OPTION_FLAG, FIELD(help), .modes = IN_ALL, .help = "show this help and exit"},
    {"version", 'V', NULL, GROUP_OTHER, OPTION_FLAG, FIELD(version), .modes = IN_ALL,
     .help = "show the version and exit"},
};

const size_t option_table_length = sizeof option_table / sizeof option_table[0];

_Static_assert(sizeof option_table / sizeof option_table[0] <= 64, "cli_options.given has a bit for each row");
