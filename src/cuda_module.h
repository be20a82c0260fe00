/* The CUDA backend lives in a module of its own, libsubgame_cuda.so, opened at run time: the same program starts where
 * CUDA is not installed. */
#ifndef SG_CUDA_MODULE_H
#define SG_CUDA_MODULE_H

#include "backend.h"

/* Changes with backend.h and with every structure that it reaches: a module of another build is refused. */
#define SG_CUDA_INTERFACE               SG_CUDA_INTERFACE_TEXT_(2)
#define SG_CUDA_INTERFACE_TEXT_(number) "subgame backend interface " #number

/* The module's one symbol: its operators, or NULL when it was built for another interface. */
typedef const sg_operators *(*sg_cuda_entry_fn)(const char *interface);
#define SG_CUDA_ENTRY_NAME "sg_cuda_operators"

/* The module's operators. SG_ERROR_BACKEND with the reason: no module, no driver, a library that it needs is missing, a
 * module of another build. */
sg_status sg_cuda_module_open(sg_context *context, const sg_operators **operators);

/* Whether there is a module file at all. */
bool sg_cuda_module_exists(void);

/* SG_ERROR_BACKEND when the driver's own library is missing, without which no module can do anything. */
sg_status sg_cuda_driver_check(sg_context *context);

#endif
