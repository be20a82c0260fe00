#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupt_flag;

static void remember(int signal_number) {
    (void)signal_number;
    interrupt_flag = 1;
}

void interrupt_install(void) {
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND; /* no SA_RESTART: a write that blocks on a full pipe must end too */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool interrupted(void) {
    return interrupt_flag != 0;
}
