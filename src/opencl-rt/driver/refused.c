/* What this device does not have: each call checks what it can, says so once,
 * and answers the specification's error for a device without it. */
#include "opencl-rt/driver/internal.h"

static cl_int refuse_call(struct opencl_driver *driver, const char *call,
			  const char *what, cl_int error)
{
	driver_unsupported(driver, call, what);
	return error;
}

static bool is_context(struct opencl_driver *driver, uint64_t handle)
{
	return object_find(driver, handle, OBJECT_CONTEXT);
}

/* --- Programs and devices ----------------------------------------------- */

cl_int serve_clCreateProgramWithBuiltInKernels(
	struct opencl_driver *driver,
	struct request_clCreateProgramWithBuiltInKernels *request)
{
	cl_int status;

	if (!is_context(driver, request->context))
		return CL_INVALID_CONTEXT;
	if (!request->devices || !request->num_devices || !request->names)
		return CL_INVALID_VALUE;
	status = device_list_check(driver, request->num_devices,
				   request->devices);
	/* No name is one of a built-in kernel. */
	return status == CL_SUCCESS ? CL_INVALID_VALUE : status;
}

/* Properties for a way to divide devices that none here can be divided by. */
cl_int serve_clCreateSubDevices(struct opencl_driver *driver,
				struct request_clCreateSubDevices *request)
{
	if (!device_is_ours(driver, request->device))
		return CL_INVALID_DEVICE;
	return refuse_call(
	    driver, "clCreateSubDevices",
	    "the simulated device cannot be partitioned; the program "
	    "gets an error",
	    CL_INVALID_VALUE);
}

cl_int serve_clCreateSubDevicesEXT(
	struct opencl_driver *driver,
	struct request_clCreateSubDevicesEXT *request)
{
	if (!device_is_ours(driver, request->device))
		return CL_INVALID_DEVICE;
	return refuse_call(
	    driver, "clCreateSubDevicesEXT",
	    "the simulated device cannot be partitioned; the program "
	    "gets an error",
	    CL_INVALID_VALUE);
}

cl_int serve_clEnqueueNativeKernel(
	struct opencl_driver *driver,
	struct request_clEnqueueNativeKernel *request)
{
	if (!object_find(driver, request->queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return refuse_call(
	    driver, "clEnqueueNativeKernel",
	    "the simulated device runs no functions of the host; the "
	    "program gets an error",
	    CL_INVALID_OPERATION);
}

/* --- Sharing with OpenGL and EGL ---------------------------------------- */

static const char no_sharing[] =
	"nothing is shared with OpenGL or EGL; the program gets an error";

/* The error is that of a context that was not made from a GL context, also
 * for something that is no context at all. */
#define SHARING_CONTEXT(name)                                                  \
	cl_int serve_##name(struct opencl_driver *driver,                      \
			    struct request_##name *request)                    \
	{                                                                      \
		(void)request;                                                 \
		return refuse_call(driver, #name, no_sharing,                  \
				   CL_INVALID_CONTEXT);                        \
	}
SHARING_CONTEXT(clCreateFromGLBuffer)
SHARING_CONTEXT(clCreateFromGLTexture)
SHARING_CONTEXT(clCreateFromGLTexture2D)
SHARING_CONTEXT(clCreateFromGLTexture3D)
SHARING_CONTEXT(clCreateFromGLRenderbuffer)
SHARING_CONTEXT(clCreateEventFromGLsyncKHR)
SHARING_CONTEXT(clCreateFromEGLImageKHR)
SHARING_CONTEXT(clCreateEventFromEGLSyncKHR)

#define SHARING_OBJECT(name)                                                   \
	cl_int serve_##name(struct opencl_driver *driver,                      \
			    struct request_##name *request)                    \
	{                                                                      \
		return memory_find(driver, request->object)                    \
			       ? CL_INVALID_GL_OBJECT                          \
			       : CL_INVALID_MEM_OBJECT;                        \
	}
SHARING_OBJECT(clGetGLObjectInfo)
SHARING_OBJECT(clGetGLTextureInfo)

#define SHARING_COMMAND(name)                                                  \
	cl_int serve_##name(struct opencl_driver *driver,                      \
			    struct request_##name *request)                    \
	{                                                                      \
		if (!object_find(driver, request->queue, OBJECT_QUEUE))        \
			return CL_INVALID_COMMAND_QUEUE;                       \
		return refuse_call(driver, #name, no_sharing,                  \
				   CL_INVALID_CONTEXT);                        \
	}
SHARING_COMMAND(clEnqueueAcquireGLObjects)
SHARING_COMMAND(clEnqueueReleaseGLObjects)
SHARING_COMMAND(clEnqueueAcquireEGLObjectsKHR)
SHARING_COMMAND(clEnqueueReleaseEGLObjectsKHR)

cl_int serve_clGetGLContextInfoKHR(
	struct opencl_driver *driver,
	struct request_clGetGLContextInfoKHR *request)
{
	(void)request;
	return refuse_call(driver, "clGetGLContextInfoKHR", no_sharing,
			   CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
}

/* --- Later versions of OpenCL ------------------------------------------- */

#define LATER(name)                                                            \
	cl_int serve_##name(struct opencl_driver *driver,                      \
			    struct request_##name *request)                    \
	{                                                                      \
		(void)request;                                                 \
		return refuse_call(                                            \
		    driver, #name,                                             \
		    "the platform has OpenCL 1.2, which lacks this "           \
		    "call; the program gets an error",                         \
		    CL_INVALID_OPERATION);                                     \
	}
LATER(clCreatePipe)
LATER(clGetPipeInfo)
LATER(clSVMAlloc)
LATER(clSVMFree)
LATER(clEnqueueSVMFree)
LATER(clEnqueueSVMMemcpy)
LATER(clEnqueueSVMMemFill)
LATER(clEnqueueSVMMap)
LATER(clEnqueueSVMUnmap)
LATER(clCreateSamplerWithProperties)
LATER(clSetKernelArgSVMPointer)
LATER(clSetKernelExecInfo)
LATER(clGetKernelSubGroupInfoKHR)
LATER(clCloneKernel)
LATER(clCreateProgramWithIL)
LATER(clEnqueueSVMMigrateMem)
LATER(clGetDeviceAndHostTimer)
LATER(clGetHostTimer)
LATER(clGetKernelSubGroupInfo)
LATER(clSetDefaultDeviceCommandQueue)
LATER(clSetProgramReleaseCallback)
LATER(clSetProgramSpecializationConstant)
LATER(clCreateBufferWithProperties)
LATER(clCreateImageWithProperties)
LATER(clSetContextDestructorCallback)
