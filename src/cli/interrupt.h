/* SIGINT and SIGTERM ask the run to end cleanly; the second one ends the process at once. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/* Also ignores SIGPIPE, so that a closed pipe is seen as EPIPE by the write that meets it. */
void interrupt_install(void);

bool interrupted(void);

#endif
