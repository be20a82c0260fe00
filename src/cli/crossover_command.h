/* --crossover. */
#ifndef CLI_CROSSOVER_COMMAND_H
#define CLI_CROSSOVER_COMMAND_H

#include "options.h"

exit_status crossover_command(sg_context *context, const cli_options *options);

#endif
