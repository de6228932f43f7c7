/* Comes behind the language's own header. */
#ifdef cl_khr_fp64
/* Up to OpenCL C 1.1 clang wants its own pragma, and cl_amd_fp64 it does not
 * know. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#else
/* The program asks what the device has, and no more: its constants stay
 * single. */
#define cl_khr_fp64 1
#define cl_amd_fp64 1
#endif
