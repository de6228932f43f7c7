/* This header comes behind the language's own header. */
#ifdef cl_khr_fp64
/* Up to OpenCL C 1.1 clang demands its own pragma, and does not know
 * cl_amd_fp64. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#else
/* The program only asks whether the device has doubles: its constants stay
 * single. */
#define cl_khr_fp64 1
#define cl_amd_fp64 1
#endif
