/* The OpenCL device that a GPU configuration describes. */
#ifndef M2S_M2S_DEVICE_OPTIONS_H
#define M2S_M2S_DEVICE_OPTIONS_H

#include "evergreen/timing/config.h"
#include "opencl-rt/driver/driver.h"

/* Fills in name, limits, rates and costs. Other members stay as they are. */
void device_options_fill(const struct evg_config *config,
			 struct opencl_driver_options *options);

#endif
