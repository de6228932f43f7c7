#include <string.h>

#include "opencl-rt/api/library.h"

cl_int clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
			cl_uint *num_platforms)
{
	return SEND(clGetPlatformIDs, num_entries, ADDRESS(platforms),
		    ADDRESS(num_platforms), ADDRESS(&library_platform),
		    ADDRESS(&library_device));
}

/* cl_khr_icd: how a loader finds the platform. */
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(
	cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
			      cl_uint *num_platforms)
{
	return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
			 size_t param_value_size, void *param_value,
			 size_t *param_value_size_ret)
{
	return SEND(clGetPlatformInfo, ADDRESS(platform), param_name,
		    param_value_size, ADDRESS(param_value),
		    ADDRESS(param_value_size_ret));
}

cl_int clUnloadCompiler(void)
{
	return CL_SUCCESS;
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
	return SEND(clUnloadPlatformCompiler, ADDRESS(platform));
}

/* An extension function is any that its name finds; those of the core have
 * symbols, but programs ask for them here, too. */
void *clGetExtensionFunctionAddress(const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} functions[] = {
		{ "clIcdGetPlatformIDsKHR",
		  (void (*)(void))clIcdGetPlatformIDsKHR },
#define CALL(name, major, minor, state, fields)                                \
	{ #name, (void (*)(void))name },
#include "opencl-rt/api.def"
	};

	if (!name)
		return NULL;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return (void *)(uintptr_t)functions[i].function;
	return NULL;
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
					       const char *name)
{
	return platform == (cl_platform_id)&library_platform
		       ? clGetExtensionFunctionAddress(name)
		       : NULL;
}
