#include "opencl-rt/api/library.h"

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type,
		      cl_uint num_entries, cl_device_id *devices,
		      cl_uint *num_devices)
{
	return SEND(clGetDeviceIDs, ADDRESS(platform), device_type, num_entries,
		    ADDRESS(devices), ADDRESS(num_devices));
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param_name,
		       size_t param_value_size, void *param_value,
		       size_t *param_value_size_ret)
{
	return SEND(clGetDeviceInfo, ADDRESS(device), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clCreateSubDevices(cl_device_id in_device,
			  const cl_device_partition_property *properties,
			  cl_uint num_devices, cl_device_id *out_devices,
			  cl_uint *num_devices_ret)
{
	return SEND(clCreateSubDevices, ADDRESS(in_device), ADDRESS(properties),
		    num_devices, ADDRESS(out_devices),
		    ADDRESS(num_devices_ret));
}

cl_int clRetainDevice(cl_device_id device)
{
	return SEND(clRetainDevice, ADDRESS(device));
}

cl_int clReleaseDevice(cl_device_id device)
{
	return SEND(clReleaseDevice, ADDRESS(device));
}

cl_int clCreateSubDevicesEXT(cl_device_id in_device,
			     const cl_device_partition_property_ext *properties,
			     cl_uint num_entries, cl_device_id *out_devices,
			     cl_uint *num_devices)
{
	(void)properties, (void)num_entries, (void)out_devices;
	(void)num_devices;
	return SEND(clCreateSubDevicesEXT, ADDRESS(in_device));
}

cl_int clRetainDeviceEXT(cl_device_id device)
{
	return SEND(clRetainDeviceEXT, ADDRESS(device));
}

cl_int clReleaseDeviceEXT(cl_device_id device)
{
	return SEND(clReleaseDeviceEXT, ADDRESS(device));
}
