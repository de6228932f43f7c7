/* Platform, device, contexts and queues: queries, errors, reference counts. */
#include <string.h>

#include "opencl/support.h"

static void test_platform(void)
{
	cl_platform_id platforms[2];
	cl_uint count = 0;
	char text[64];
	size_t size;

	CU_ASSERT_EQUAL(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetPlatformIDs(0, platforms, NULL), CL_INVALID_VALUE);
	ASSERT_OK(clGetPlatformIDs(2, platforms, &count));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_PTR_EQUAL(platforms[0], support.platform);

	ASSERT_OK(clGetPlatformInfo(platforms[0], CL_PLATFORM_VERSION,
				    sizeof text, text, &size));
	CU_ASSERT_EQUAL(strncmp(text, "OpenCL 1.2 ", 11), 0);
	CU_ASSERT_EQUAL(size, strlen(text) + 1);
	CU_ASSERT_EQUAL(clGetPlatformInfo(platforms[0], CL_PLATFORM_VERSION,
					  size - 1, text, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetPlatformInfo(platforms[0], 0, sizeof text, text,
					  NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetPlatformInfo((cl_platform_id)text,
					  CL_PLATFORM_NAME, sizeof text, text,
					  NULL),
			CL_INVALID_PLATFORM);
	ASSERT_OK(clGetPlatformInfo(platforms[0], CL_PLATFORM_ICD_SUFFIX_KHR,
				    sizeof text, text, NULL));
	CU_ASSERT_STRING_EQUAL(text, "M2S");
}

static void test_device_ids(void)
{
	cl_device_id device;
	cl_uint count = 7;

	CU_ASSERT_EQUAL(clGetDeviceIDs(support.platform, CL_DEVICE_TYPE_CPU, 1,
				       &device, &count),
			CL_DEVICE_NOT_FOUND);
	CU_ASSERT_EQUAL(clGetDeviceIDs(support.platform, 0, 1, &device, NULL),
			CL_INVALID_DEVICE_TYPE);
	CU_ASSERT_EQUAL(clGetDeviceIDs(support.platform, CL_DEVICE_TYPE_ALL, 0,
				       &device, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetDeviceIDs((cl_platform_id)&count,
				       CL_DEVICE_TYPE_ALL, 1, &device, NULL),
			CL_INVALID_PLATFORM);
	ASSERT_OK(clGetDeviceIDs(support.platform, CL_DEVICE_TYPE_ALL, 1,
				 &device, &count));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_PTR_EQUAL(device, support.device);
	ASSERT_OK(clRetainDevice(device));
	ASSERT_OK(clReleaseDevice(device));
	CU_ASSERT_EQUAL(clRetainDevice(NULL), CL_INVALID_DEVICE);
}

/* Every query answers with its type's size and refuses a smaller place. */
static void test_device_info(void)
{
	static const struct {
		cl_device_info name;
		size_t size; /* 0: a string */
	} queries[] = {
		{ CL_DEVICE_MAX_WORK_ITEM_SIZES, 3 * sizeof(size_t) },
#define U32(name, value) { name, 4 },
#define U64(name, value) { name, 8 },
#define WORD(name, value) { name, sizeof(size_t) },
#define TEXT(name, value) { name, 0 },
#include "opencl-rt/driver/device-info.def"
	};
	unsigned char value[1024];
	size_t size, wanted;

	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		size = 0;
		ASSERT_OK(clGetDeviceInfo(support.device, queries[i].name, 0,
					  NULL, &size));
		ASSERT_OK(clGetDeviceInfo(support.device, queries[i].name,
					  sizeof value, value, NULL));
		wanted = queries[i].size ? queries[i].size
					 : strlen((char *)value) + 1;
		CU_ASSERT_EQUAL(size, wanted);
		CU_ASSERT_EQUAL(clGetDeviceInfo(support.device,
						queries[i].name, wanted - 1,
						value, NULL),
				CL_INVALID_VALUE);
	}
	CU_ASSERT_EQUAL(clGetDeviceInfo(support.device, 1, sizeof value, value,
					NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clGetDeviceInfo(NULL, CL_DEVICE_NAME, sizeof value,
					value, NULL),
			CL_INVALID_DEVICE);
}

/* What programs see of each device. */
static void test_presets(void)
{
	static const struct {
		const char *preset, *name;
		cl_uint units, megahertz;
		bool doubles;
		cl_ulong cache, memory;
	} devices[] = {
		{ "hd5870", "Radeon HD 5870 (m2s)", 20, 850, true, 512 << 10,
		  1024 << 20 },
		{ "hd5850", "Radeon HD 5850 (m2s)", 18, 725, true, 512 << 10,
		  1024 << 20 },
		{ "hd5770", "Radeon HD 5770 (m2s)", 10, 850, false,
		  256 << 10, 1024 << 20 },
		{ "hd5670", "Radeon HD 5670 (m2s)", 5, 775, false, 256 << 10,
		  512 << 20 },
		{ "hd5450", "Radeon HD 5450 (m2s)", 2, 650, false, 128 << 10,
		  512 << 20 },
		{ "llano", "Radeon HD 6550D (m2s)", 5, 600, false, 256 << 10,
		  512 << 20 },
		{ "multi2sim-4.2", "Evergreen of Multi2Sim 4.2 (m2s)", 20,
		  700, true, 512 << 10, 1024 << 20 },
	};

	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		cl_uint units, megahertz;
		cl_ulong config, cache, memory;
		char name[64], extensions[512];

		support_stop();
		support.preset = devices[i].preset;
		support_start();
		ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_NAME,
					  sizeof name, name, NULL));
		CU_ASSERT_STRING_EQUAL(name, devices[i].name);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_MAX_COMPUTE_UNITS,
					  sizeof units, &units, NULL));
		CU_ASSERT_EQUAL(units, devices[i].units);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_MAX_CLOCK_FREQUENCY,
					  sizeof megahertz, &megahertz, NULL));
		CU_ASSERT_EQUAL(megahertz, devices[i].megahertz);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_DOUBLE_FP_CONFIG,
					  sizeof config, &config, NULL));
		CU_ASSERT_EQUAL(config != 0, devices[i].doubles);
		ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_EXTENSIONS,
					  sizeof extensions, extensions,
					  NULL));
		CU_ASSERT_EQUAL(strstr(extensions, "fp64") != NULL,
				devices[i].doubles);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
					  sizeof cache, &cache, NULL));
		CU_ASSERT_EQUAL(cache, devices[i].cache);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_GLOBAL_MEM_SIZE,
					  sizeof memory, &memory, NULL));
		CU_ASSERT_EQUAL(memory, devices[i].memory);
		ASSERT_OK(clGetDeviceInfo(support.device,
					  CL_DEVICE_MAX_MEM_ALLOC_SIZE,
					  sizeof memory, &memory, NULL));
		CU_ASSERT_EQUAL(memory, devices[i].memory / 2);
	}
}

/* A program with doubles builds where there are units for them. */
static void test_doubles(void)
{
	static const char *const source =
		"__kernel void halve(__global double *x)\n"
		"{ x[get_global_id(0)] *= 0.5; }\n";

	for (int i = 0; i < 2; i++) {
		char log[2048] = "";
		cl_program program;
		cl_int status;

		support_stop();
		support.preset = i ? "hd5770" : "hd5850";
		support_start();
		program = clCreateProgramWithSource(
			support.context, 1, (const char **)&source, NULL,
			&status);
		ASSERT_OK(status);
		status = clBuildProgram(program, 0, NULL, "", NULL, NULL);
		if (status == CL_COMPILER_NOT_AVAILABLE) {
			printf("# no kernel compiler\n");
		} else {
			CU_ASSERT_EQUAL(status, i ? CL_BUILD_PROGRAM_FAILURE
						  : CL_SUCCESS);
			clGetProgramBuildInfo(program, support.device,
					      CL_PROGRAM_BUILD_LOG,
					      sizeof log, log, NULL);
			CU_ASSERT_EQUAL(strstr(log, "cl_khr_fp64") != NULL, i);
		}
		clReleaseProgram(program);
	}
}

static void test_device_values(void)
{
	cl_platform_id platform;
	cl_ulong bytes;
	cl_uint number;
	size_t size;
	char text[256];

	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_NAME, sizeof text,
				  text, NULL));
	CU_ASSERT_STRING_EQUAL(text, "Radeon HD 5870 (m2s)");
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_MAX_COMPUTE_UNITS,
				  sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, 20);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_MAX_CLOCK_FREQUENCY,
				  sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, 850);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_IMAGE_SUPPORT,
				  sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, CL_TRUE);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
				  sizeof size, &size, NULL));
	CU_ASSERT_EQUAL(size, 256);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_LOCAL_MEM_SIZE,
				  sizeof bytes, &bytes, NULL));
	CU_ASSERT_EQUAL(bytes, 32768);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_GLOBAL_MEM_SIZE,
				  sizeof bytes, &bytes, NULL));
	CU_ASSERT_EQUAL(bytes, 64 << 20);
	ASSERT_OK(clGetDeviceInfo(support.device, CL_DEVICE_PLATFORM,
				  sizeof platform, &platform, NULL));
	CU_ASSERT_PTR_EQUAL(platform, support.platform);
}

static void test_context(void)
{
	cl_context_properties properties[] = {
		CL_CONTEXT_PLATFORM, (cl_context_properties)support.platform, 0
	};
	cl_context_properties got[4];
	cl_device_id device, wrong = (cl_device_id)got;
	cl_context context;
	cl_int status;
	cl_uint count;
	size_t size;

	CU_ASSERT_PTR_NULL(clCreateContext(properties, 0, &support.device, NULL,
					   NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(clCreateContext(properties, 1, NULL, NULL, NULL,
					   &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(clCreateContext(properties, 1, &wrong, NULL, NULL,
					   &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_DEVICE);
	CU_ASSERT_PTR_NULL(clCreateContext(properties, 1, &support.device, NULL,
					   &status, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	properties[0] = 1;
	CU_ASSERT_PTR_NULL(clCreateContext(properties, 1, &support.device, NULL,
					   NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_PROPERTY);
	properties[0] = CL_CONTEXT_PLATFORM;
	properties[1] = 1;
	CU_ASSERT_PTR_NULL(clCreateContext(properties, 1, &support.device, NULL,
					   NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_PLATFORM);
	properties[1] = (cl_context_properties)support.platform;
	CU_ASSERT_PTR_NULL(clCreateContextFromType(
		properties, CL_DEVICE_TYPE_CPU, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_DEVICE_NOT_FOUND);

	context = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL,
					  NULL, &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	ASSERT_OK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got,
				   got, &size));
	CU_ASSERT_EQUAL(size, sizeof properties);
	CU_ASSERT_EQUAL(memcmp(got, properties, size), 0);
	ASSERT_OK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device,
				   &device, &size));
	CU_ASSERT_EQUAL(size, sizeof device);
	CU_ASSERT_PTR_EQUAL(device, support.device);
	ASSERT_OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES,
				   sizeof count, &count, NULL));
	CU_ASSERT_EQUAL(count, 1);
	ASSERT_OK(clReleaseContext(context));
	CU_ASSERT_EQUAL(clReleaseContext(context), CL_INVALID_CONTEXT);

	/* No properties: an empty answer. */
	ASSERT_OK(clGetContextInfo(support.context, CL_CONTEXT_PROPERTIES, 0,
				   NULL, &size));
	CU_ASSERT_EQUAL(size, 0);
}

static cl_uint context_references(cl_context context)
{
	cl_uint count = 0;

	ASSERT_OK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT,
				   sizeof count, &count, NULL));
	return count;
}

/* A handle lives as long as something may still name it. */
static void test_lifetime(void)
{
	cl_context context, found;
	cl_command_queue queue;
	unsigned freed = support.handles_freed;

	context = clCreateContext(NULL, 1, &support.device, NULL, NULL, NULL);
	CU_ASSERT_EQUAL(context_references(context), 1);
	ASSERT_OK(clRetainContext(context));
	CU_ASSERT_EQUAL(context_references(context), 2);
	ASSERT_OK(clReleaseContext(context));
	queue = clCreateCommandQueue(context, support.device, 0, NULL);
	CU_ASSERT_EQUAL(context_references(context), 1);
	ASSERT_OK(clReleaseContext(context));
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	CU_ASSERT_EQUAL(clReleaseContext(context), CL_INVALID_CONTEXT);
	ASSERT_OK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof found,
					&found, NULL));
	CU_ASSERT_PTR_EQUAL(found, context);
	CU_ASSERT_EQUAL(context_references(context), 0);
	ASSERT_OK(clReleaseCommandQueue(queue));
	CU_ASSERT_EQUAL(support.handles_freed, freed + 2);
	CU_ASSERT_EQUAL(clFinish(queue), CL_INVALID_COMMAND_QUEUE);
	CU_ASSERT_EQUAL(clRetainContext(context), CL_INVALID_CONTEXT);
}

/* An object of one kind is none of another. */
static void test_kinds(void)
{
	CU_ASSERT_EQUAL(clFinish((cl_command_queue)support.context),
			CL_INVALID_COMMAND_QUEUE);
	CU_ASSERT_EQUAL(clRetainMemObject((cl_mem)support.queue),
			CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(clReleaseContext(NULL), CL_INVALID_CONTEXT);
	CU_ASSERT_EQUAL(clReleaseEvent(NULL), CL_INVALID_EVENT);
	CU_ASSERT_EQUAL(clReleaseKernel(NULL), CL_INVALID_KERNEL);
	CU_ASSERT_EQUAL(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
}

static void test_queue(void)
{
	cl_command_queue_properties properties;
	cl_command_queue queue;
	cl_device_id device;
	cl_int status;

	CU_ASSERT_PTR_NULL(
		clCreateCommandQueue(NULL, support.device, 0, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_PTR_NULL(
		clCreateCommandQueue(support.context, NULL, 0, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_DEVICE);
	CU_ASSERT_PTR_NULL(clCreateCommandQueue(support.context, support.device,
						16, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);

	queue = clCreateCommandQueue(support.context, support.device,
				     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
				     &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	ASSERT_OK(clSetCommandQueueProperty(queue, CL_QUEUE_PROFILING_ENABLE,
					    CL_TRUE, &properties));
	CU_ASSERT_EQUAL(properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	ASSERT_OK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
					sizeof properties, &properties, NULL));
	CU_ASSERT_EQUAL(properties, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
					    CL_QUEUE_PROFILING_ENABLE);
	ASSERT_OK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device,
					&device, NULL));
	CU_ASSERT_PTR_EQUAL(device, support.device);
	ASSERT_OK(clFlush(queue));
	ASSERT_OK(clFinish(queue));
	ASSERT_OK(clReleaseCommandQueue(queue));
}

/* What the device does not have answers with the specification's error. */
static void test_refused(void)
{
	cl_int status;

	CU_ASSERT_PTR_NULL(clLinkProgram(support.context, 0, NULL, NULL, 0,
					 NULL, NULL, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueNativeKernel(support.queue, NULL, NULL, 0, 0,
					      NULL, NULL, 0, NULL, NULL),
			CL_INVALID_OPERATION);
	CU_ASSERT_EQUAL(clCreateSubDevices(support.device, NULL, 0, NULL, NULL),
			CL_INVALID_VALUE);
}

/* An ICD loader finds each function at the handle and by its name. */
static void test_icd(void)
{
	void *(*const *table)(void) = *(void *(*const **)(void))support.queue;

	CU_ASSERT_PTR_EQUAL((void *)(uintptr_t)table[0],
			    (void *)(uintptr_t)clGetPlatformIDs);
	CU_ASSERT_PTR_EQUAL(
		*(void **)support.queue,
		*(void **)support.platform);
	CU_ASSERT_PTR_NOT_NULL(
		clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"));
	CU_ASSERT_PTR_EQUAL(clGetExtensionFunctionAddressForPlatform(
				    support.platform, "clFinish"),
			    (void *)(uintptr_t)clFinish);
	CU_ASSERT_PTR_NULL(clGetExtensionFunctionAddressForPlatform(
		NULL, "clIcdGetPlatformIDsKHR"));
	CU_ASSERT_PTR_NULL(clGetExtensionFunctionAddress("clNothing"));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "platform", test_platform },
		{ "device ids", test_device_ids },
		{ "every device query has its size", test_device_info },
		{ "device values", test_device_values },
		{ "devices of the presets", test_presets },
		{ "programs with doubles", test_doubles },
		{ "contexts", test_context },
		{ "handles live as long as they can be named", test_lifetime },
		{ "kinds of objects are told apart", test_kinds },
		{ "queues", test_queue },
		{ "what is missing is refused", test_refused },
		{ "ICD dispatch table", test_icd },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl objects", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
