/* --devices: what a solve can run on, and why there is no GPU. */
#ifndef CLI_DEVICES_COMMAND_H
#define CLI_DEVICES_COMMAND_H

#include "options.h"

exit_status devices_command(sg_context *context, const cli_options *options);

#endif
