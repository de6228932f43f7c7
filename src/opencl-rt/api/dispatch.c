/* The ICD dispatch table: every function of api.def by its name. What later
 * versions of OpenCL added stays empty; loaders do not call it on a platform
 * that says "OpenCL 1.2". */
#include "opencl-rt/api/library.h"

const cl_icd_dispatch library_dispatch = {
#define CALL(name, major, minor, state, fields) .name = name,
#include "opencl-rt/api.def"
};
