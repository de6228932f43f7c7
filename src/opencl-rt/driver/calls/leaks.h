/* --cl-leaks: the objects that a program has not released when it ends. */
#ifndef M2S_OPENCL_RT_DRIVER_CALLS_LEAKS_H
#define M2S_OPENCL_RT_DRIVER_CALLS_LEAKS_H

struct opencl_driver;

/* Counts them for --cl-report, and warns of them if the options say so. */
void leaks_tell(struct opencl_driver *driver);

#endif
