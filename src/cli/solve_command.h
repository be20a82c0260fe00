/* --cold, --nim and --remoteness: one solve, its data and its report. */
#ifndef CLI_SOLVE_COMMAND_H
#define CLI_SOLVE_COMMAND_H

#include "options.h"

exit_status solve_command(sg_context *context, const cli_options *options);

#endif
