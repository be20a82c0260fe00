/* --help and --version. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "diagnostics.h"

exit_status help_print(void);
exit_status version_print(void);

#endif
