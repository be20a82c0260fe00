#include "calibrate_command.h"
#include "crossover_command.h"
#include "devices_command.h"
#include "help.h"
#include "interrupt.h"
#include "options.h"
#include "solve_command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A standard stream that was closed by the caller would lend its number to the next file that opens, and messages
 * would end up in the data. A read-only stand-in keeps the number and refuses to be written. */
static void occupy_standard_streams(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != descriptor)
            _exit(EXIT_FAILED);
}

/* Idle OpenMP threads spin by default, which on a machine with other work delays every parallel step by a time slice of
 * the scheduler: measured 5 times slower in all with one busy neighbour, and no faster without. The policy can only be
 * set in the environment before the program starts, so it is started once more. */
static void start_with_passive_waiting(char **argv) {
    if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
        execv("/proc/self/exe", argv); /* where that is not possible, the program runs on as it is */
}

int main(int argc, char **argv) {
    static cli_options options;
    sg_context *context = NULL;
    start_with_passive_waiting(argv);
    occupy_standard_streams();
    interrupt_install();
    if (sg_context_create(&context) != SG_OK)
        return fail("out of memory");
    exit_status status = options_parse(context, argc, argv, &options);
    if (status == EXIT_DONE && options.help)
        status = help_print();
    else if (status == EXIT_DONE && options.version)
        status = version_print();
    else if (status == EXIT_DONE && options.mode == MODE_DEVICES)
        status = devices_command(context, &options);
    else if (status == EXIT_DONE && options.mode == MODE_CALIBRATE)
        status = calibrate_command(context, &options);
    else if (status == EXIT_DONE && options.mode == MODE_CROSSOVER)
        status = crossover_command(context, &options);
    else if (status == EXIT_DONE)
        status = solve_command(context, &options);
    sg_context_destroy(context);
    return (int)status;
}
