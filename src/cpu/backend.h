/* The CPU backend's entry. */
#ifndef SG_CPU_BACKEND_H
#define SG_CPU_BACKEND_H

#include "../backend.h"

const sg_operators *sg_cpu_operators(void);

#endif
