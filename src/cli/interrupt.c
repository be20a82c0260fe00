#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupt_flag;

static void remember(int signal_number) {
    (void)signal_number;
    interrupt_flag = 1;
}

/* Who started us in the background, deaf to Ctrl-C, wants it to stay so. */
static void catch_unless_ignored(int signal_number) {
    struct sigaction previous;
    if (sigaction(signal_number, NULL, &previous) == 0 && previous.sa_handler == SIG_IGN)
        return;
    struct sigaction action = {.sa_handler = remember};
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND; /* no SA_RESTART: a write that blocks on a full pipe must end too */
    sigaction(signal_number, &action, NULL);
}

void interrupt_install(void) {
    catch_unless_ignored(SIGINT);
    catch_unless_ignored(SIGTERM);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

bool interrupted(void) {
    return interrupt_flag != 0;
}
