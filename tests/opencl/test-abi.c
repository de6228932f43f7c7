/* Requests as a 32-bit program sends them: the same structs, but arrays and
 * results in its memory are of 4-byte words. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "opencl-rt/api/library.h"
#include "opencl/support.h"

/* The program's memory, below 4 GiB as all its addresses are. */
static struct memory {
	uint32_t handles[4]; /* what the library would make */
	uint32_t word[16];
	char bytes[64];
} *memory;

#define AT(field) ((uint64_t)(uintptr_t)&memory->field)

static cl_int send_32(struct opencl_header *header)
{
	header->word = 4;
	CU_ASSERT_EQUAL(library_transport(header), 0);
	return (cl_int)header->status;
}
#define SEND_32(name, ...) send_32(&REQUEST(name, __VA_ARGS__).header)

static void start(void)
{
	support_start();
	memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	CU_ASSERT_PTR_NOT_EQUAL_FATAL(memory, MAP_FAILED);
}

static void stop(void)
{
	munmap(memory, sizeof *memory);
	support_stop();
}

static void test_words(void)
{
	memset(memory->word, 0xee, sizeof memory->word);
	ASSERT_OK(SEND_32(clGetDeviceInfo, ADDRESS(support.device),
			  CL_DEVICE_MAX_WORK_ITEM_SIZES, 12, AT(word[0]),
			  AT(word[4])));
	CU_ASSERT_EQUAL(memory->word[0], 256);
	CU_ASSERT_EQUAL(memory->word[2], 256);
	CU_ASSERT_EQUAL(memory->word[3], 0xeeeeeeee);
	CU_ASSERT_EQUAL(memory->word[4], 12);
	CU_ASSERT_EQUAL(memory->word[5], 0xeeeeeeee);
	CU_ASSERT_EQUAL(SEND_32(clGetDeviceInfo, ADDRESS(support.device),
				CL_DEVICE_MAX_WORK_GROUP_SIZE, 3, AT(word[0]),
				0),
			CL_INVALID_VALUE);
	ASSERT_OK(SEND_32(clGetDeviceInfo, ADDRESS(support.device),
			  CL_DEVICE_GLOBAL_MEM_SIZE, 8, AT(word[0]),
			  AT(word[4])));
	CU_ASSERT_EQUAL(memory->word[0], 64 << 20);
	CU_ASSERT_EQUAL(memory->word[4], 8);
}

/* Handles, wait lists and boxes in arrays of words. */
static void test_arrays(void)
{
	uint64_t context = ADDRESS(support.context);
	uint64_t queue = ADDRESS(support.queue);
	uint64_t buffer = AT(handles[0]), gate = AT(handles[1]);
	uint64_t part = AT(handles[2]);
	struct request_clEnqueueMapBuffer map;

	ASSERT_OK(SEND_32(clCreateBuffer, context, 0, 512, 0, buffer));
	ASSERT_OK(SEND_32(clCreateUserEvent, context, gate));
	memory->word[0] = (uint32_t)gate;
	memory->word[1] = 0xeeeeeeee; /* no part of a list of one */
	ASSERT_OK(SEND_32(clSetUserEventStatus, gate, CL_COMPLETE));
	ASSERT_OK(SEND_32(clWaitForEvents, 1, AT(word[0])));
	CU_ASSERT_EQUAL(SEND_32(clWaitForEvents, 2, AT(word[0])),
			CL_INVALID_EVENT);

	/* cl_buffer_region of two size_t. */
	memory->word[2] = 256;
	memory->word[3] = 16;
	ASSERT_OK(SEND_32(clCreateSubBuffer, buffer, 0,
			  CL_BUFFER_CREATE_TYPE_REGION, AT(word[2]), part));
	/* Origins (0 0 0), (1 1 0) and a region of 2 2 1. */
	memset(&memory->word[4], 0, 9 * sizeof *memory->word);
	memory->word[7] = memory->word[8] = 1;
	memory->word[10] = memory->word[11] = 2;
	memory->word[12] = 1;
	memcpy(memory->bytes, "abcdefghijklmnop", 16);
	ASSERT_OK(SEND_32(clEnqueueWriteBufferRect, queue, part, CL_TRUE,
			  AT(word[4]), AT(word[7]), AT(word[10]), 2, 0, 4, 0,
			  AT(bytes), 1, AT(word[0]), 0));
	map = REQUEST(clEnqueueMapBuffer, queue, part, CL_TRUE, CL_MAP_READ, 0,
		      4, 0, 0, 0, AT(bytes[32]), 0);
	ASSERT_OK(send_32(&map.header));
	CU_ASSERT_EQUAL(map.mapping, AT(bytes[32]));
	CU_ASSERT_EQUAL(memcmp(memory->bytes + 32, "fgjk", 4), 0);
	ASSERT_OK(SEND_32(clEnqueueUnmapMemObject, queue, part, map.mapping, 0,
			  0, 0));

	/* A handle as a result is one word. */
	memory->word[1] = 0xeeeeeeee;
	ASSERT_OK(SEND_32(clGetMemObjectInfo, part,
			  CL_MEM_ASSOCIATED_MEMOBJECT, 4, AT(word[0]), 0));
	CU_ASSERT_EQUAL(memory->word[0], (uint32_t)buffer);
	CU_ASSERT_EQUAL(memory->word[1], 0xeeeeeeee);
	ASSERT_OK(SEND_32(clReleaseMemObject, part));
	ASSERT_OK(SEND_32(clReleaseMemObject, buffer));
	ASSERT_OK(SEND_32(clReleaseEvent, gate));
	/* Take the notices here: the library must not free our handles. */
	for (struct request_notice n;;) {
		n = REQUEST(notice, 0, 0, 0, 0, 0, 0);
		if (send_32(&n.header) || n.kind == OPENCL_NOTICE_NONE)
			break;
	}
}

/* What is no request ends the simulation, with a message. */
static void test_bad_requests(void)
{
	static const uint64_t words[] = { 0, 2, 5, 16 };
	struct request_clFinish request;
	struct error error;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		request = REQUEST(clFinish, 0);
		request.header.word = words[i];
		CU_ASSERT_EQUAL(opencl_driver_request(
					support.driver,
					ADDRESS(&request), &error),
				-1);
	}
	request = REQUEST(clFinish, 0);
	request.header.call = OPENCL_CALL_COUNT;
	CU_ASSERT_EQUAL(opencl_driver_request(support.driver,
					      ADDRESS(&request), &error),
			-1);
	request = REQUEST(clFinish, 0);
	request.header.protocol ^= 1;
	CU_ASSERT_EQUAL(opencl_driver_request(support.driver,
					      ADDRESS(&request), &error),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "installation"));
	/* A bad address is an error of the call. */
	CU_ASSERT_EQUAL(opencl_driver_request(support.driver, 64, &error), 1);
	request = REQUEST(clFinish, 0);
	request.header.ticket = 77;
	CU_ASSERT_EQUAL(opencl_driver_request(support.driver,
					      ADDRESS(&request), &error),
			0);
	CU_ASSERT_EQUAL(request.header.status, CL_INVALID_VALUE);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "results in 4-byte words", test_words },
		{ "arrays of 4-byte words", test_arrays },
		{ "bad requests", test_bad_requests },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl abi", NULL, NULL, start, stop, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
