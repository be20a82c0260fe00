/* --calibrate: measures what the planner's costs are on this machine, and keeps them for later runs. */
#ifndef CLI_CALIBRATE_COMMAND_H
#define CLI_CALIBRATE_COMMAND_H

#include "options.h"

exit_status calibrate_command(sg_context *context, const cli_options *options);

#endif
