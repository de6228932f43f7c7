/* Buffers: creation, transfers, boxes, fills, mappings, sub-buffers. */
#include <stdlib.h>
#include <string.h>

#include "opencl/support.h"
#include "unit/random.h"

static uint64_t random_state = 12345;

static unsigned random_number(void)
{
	return (unsigned)random_draw(&random_state);
}

static void fill_random(unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)random_number();
}

static cl_int create_error(cl_mem_flags flags, size_t size, void *pointer)
{
	cl_int status = 1;

	CU_ASSERT_PTR_NULL(clCreateBuffer(support.context, flags, size, pointer,
					  &status));
	return status;
}

static void test_create_errors(void)
{
	char bytes[16];
	cl_int status;

	CU_ASSERT_PTR_NULL(clCreateBuffer(NULL, 0, 16, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_CONTEXT);
	CU_ASSERT_EQUAL(create_error(1 << 20, 16, NULL), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(create_error(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16,
				     NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(create_error(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
				     16, bytes),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(create_error(0, 0, NULL), CL_INVALID_BUFFER_SIZE);
	CU_ASSERT_EQUAL(create_error(0, (size_t)1 << 40, NULL),
			CL_INVALID_BUFFER_SIZE);
	CU_ASSERT_EQUAL(create_error(0, 16, bytes), CL_INVALID_HOST_PTR);
	CU_ASSERT_EQUAL(create_error(CL_MEM_COPY_HOST_PTR, 16, NULL),
			CL_INVALID_HOST_PTR);
	CU_ASSERT_EQUAL(create_error(CL_MEM_COPY_HOST_PTR, 16, (void *)16),
			CL_INVALID_HOST_PTR);
	/* errcode_ret is optional. */
	CU_ASSERT_PTR_NULL(
		clCreateBuffer(support.context, 0, 0, NULL, NULL));
}

/* The device runs out of memory, and gets it back. */
static void test_memory_is_freed(void)
{
	size_t size = (size_t)20 << 20; /* of 64 MiB */
	cl_mem buffers[8];
	cl_int status = CL_SUCCESS;
	int count;

	for (int round = 0; round < 3; round++) {
		for (count = 0; count < 8; count++) {
			buffers[count] = clCreateBuffer(support.context, 0,
							size, NULL, &status);
			if (!buffers[count])
				break;
		}
		CU_ASSERT_EQUAL(status, CL_MEM_OBJECT_ALLOCATION_FAILURE);
		CU_ASSERT_EQUAL(count, 3);
		while (count > 0)
			ASSERT_OK(clReleaseMemObject(buffers[--count]));
	}
}

static void test_info(void)
{
	char bytes[512];
	cl_mem buffer, sub, parent;
	cl_buffer_region region = { 256, 128 };
	cl_context context;
	cl_mem_flags flags;
	cl_uint number;
	void *pointer;
	size_t size;

	buffer = clCreateBuffer(support.context, CL_MEM_USE_HOST_PTR,
				sizeof bytes, bytes, NULL);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof number,
				     &number, NULL));
	CU_ASSERT_EQUAL(number, CL_MEM_OBJECT_BUFFER);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags,
				     NULL));
	CU_ASSERT_EQUAL(flags, CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size,
				     NULL));
	CU_ASSERT_EQUAL(size, sizeof bytes);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer,
				     &pointer, NULL));
	CU_ASSERT_PTR_EQUAL(pointer, bytes);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context,
				     &context, NULL));
	CU_ASSERT_PTR_EQUAL(context, support.context);
	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT,
				     sizeof parent, &parent, NULL));
	CU_ASSERT_PTR_NULL(parent);

	sub = clCreateSubBuffer(buffer, CL_MEM_READ_ONLY,
				CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
	ASSERT_OK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof flags, &flags,
				     NULL));
	CU_ASSERT_EQUAL(flags, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR);
	ASSERT_OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof size, &size,
				     NULL));
	CU_ASSERT_EQUAL(size, 256);
	ASSERT_OK(clGetMemObjectInfo(sub, CL_MEM_HOST_PTR, sizeof pointer,
				     &pointer, NULL));
	CU_ASSERT_PTR_EQUAL(pointer, bytes + 256);
	/* The parent lives as long as its part. */
	ASSERT_OK(clReleaseMemObject(buffer));
	ASSERT_OK(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT,
				     sizeof parent, &parent, NULL));
	CU_ASSERT_PTR_EQUAL(parent, buffer);
	ASSERT_OK(clGetMemObjectInfo(parent, CL_MEM_REFERENCE_COUNT,
				     sizeof number, &number, NULL));
	CU_ASSERT_EQUAL(number, 0);
	ASSERT_OK(clReleaseMemObject(sub));
	CU_ASSERT_EQUAL(clGetMemObjectInfo(parent, CL_MEM_SIZE, sizeof size,
					   &size, NULL),
			CL_INVALID_MEM_OBJECT);
}

static void test_transfer(void)
{
	unsigned char bytes[1000], got[1000];
	cl_mem buffer;

	fill_random(bytes, sizeof bytes);
	buffer = support_buffer(sizeof bytes, NULL);
	support_read(buffer, got, sizeof got);
	for (size_t i = 0; i < sizeof got; i++)
		CU_ASSERT_EQUAL_FATAL(got[i], 0);
	ASSERT_OK(clEnqueueWriteBuffer(support.queue, buffer, CL_TRUE, 100, 300,
				       bytes, 0, NULL, NULL));
	ASSERT_OK(clEnqueueReadBuffer(support.queue, buffer, CL_FALSE, 150, 200,
				      got, 0, NULL, NULL));
	ASSERT_OK(clFinish(support.queue));
	CU_ASSERT_EQUAL(memcmp(got, bytes + 50, 200), 0);
	ASSERT_OK(clReleaseMemObject(buffer));

	buffer = support_buffer(sizeof bytes, bytes);
	support_read(buffer, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, sizeof bytes), 0);
	ASSERT_OK(clReleaseMemObject(buffer));
}

static void test_transfer_errors(void)
{
	cl_mem buffer = support_buffer(64, NULL), hidden;
	cl_event wrong = (cl_event)buffer;
	cl_context other;
	unsigned freed;
	cl_mem foreign;
	char bytes[64];

	CU_ASSERT_EQUAL(clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, 64, bytes,
					    0, NULL, NULL),
			CL_INVALID_COMMAND_QUEUE);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, NULL, CL_TRUE, 0, 64,
					    bytes, 0, NULL, NULL),
			CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 1,
					    64, bytes, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE,
					    (size_t)-32, 64, bytes, 0, NULL,
					    NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    64, NULL, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    0, bytes, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    64, bytes, 1, NULL, NULL),
			CL_INVALID_EVENT_WAIT_LIST);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    64, bytes, 0, &wrong, NULL),
			CL_INVALID_EVENT_WAIT_LIST);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0,
					    64, bytes, 1, &wrong, NULL),
			CL_INVALID_EVENT_WAIT_LIST);

	hidden = clCreateBuffer(support.context, CL_MEM_HOST_NO_ACCESS, 64,
				NULL, NULL);
	CU_ASSERT_EQUAL(clEnqueueWriteBuffer(support.queue, hidden, CL_TRUE, 0,
					     64, bytes, 0, NULL, NULL),
			CL_INVALID_OPERATION);
	clReleaseMemObject(hidden);
	hidden = clCreateBuffer(support.context, CL_MEM_HOST_WRITE_ONLY, 64,
				NULL, NULL);
	ASSERT_OK(clEnqueueWriteBuffer(support.queue, hidden, CL_TRUE, 0, 64,
				       memset(bytes, 0, 64), 0, NULL, NULL));
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, hidden, CL_TRUE, 0,
					    64, bytes, 0, NULL, NULL),
			CL_INVALID_OPERATION);
	clReleaseMemObject(hidden);

	other = clCreateContext(NULL, 1, &support.device, NULL, NULL, NULL);
	foreign = clCreateBuffer(other, 0, 64, NULL, NULL);
	CU_ASSERT_EQUAL(clEnqueueReadBuffer(support.queue, foreign, CL_TRUE, 0,
					    64, bytes, 0, NULL, NULL),
			CL_INVALID_CONTEXT);
	freed = support.handles_freed;
	ASSERT_OK(clReleaseContext(other));
	CU_ASSERT_EQUAL(support.handles_freed, freed);
	ASSERT_OK(clReleaseMemObject(foreign)); /* and with it the context */
	CU_ASSERT_EQUAL(support.handles_freed, freed + 2);
	clReleaseMemObject(buffer);
}

/* Where a native program would crash, the simulation ends with a message. */
static void test_bad_pointer(void)
{
	cl_mem buffer = support_buffer(64, NULL);

	clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 0, 64, (void *)64,
			    0, NULL, NULL);
	CU_ASSERT_EQUAL(support.ended, 1);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(support.error.text, "clEnqueueReadBuffer"));
	CU_ASSERT_PTR_NOT_NULL(strstr(support.error.text, "0x40"));
	support.ended = 0;
	clReleaseMemObject(buffer);
}

static void test_copy(void)
{
	unsigned char bytes[256], got[256];
	cl_mem source, target, sub;
	cl_buffer_region region = { 256, 256 };

	fill_random(bytes, sizeof bytes);
	source = support_buffer(256, bytes);
	target = support_buffer(512, NULL);
	ASSERT_OK(clEnqueueCopyBuffer(support.queue, source, target, 16, 300,
				      100, 0, NULL, NULL));
	ASSERT_OK(clEnqueueReadBuffer(support.queue, target, CL_TRUE, 300, 100,
				      got, 0, NULL, NULL));
	CU_ASSERT_EQUAL(memcmp(got, bytes + 16, 100), 0);
	CU_ASSERT_EQUAL(clEnqueueCopyBuffer(support.queue, source, source, 0,
					    99, 100, 0, NULL, NULL),
			CL_MEM_COPY_OVERLAP);
	ASSERT_OK(clEnqueueCopyBuffer(support.queue, source, source, 0, 100,
				      100, 0, NULL, NULL));
	CU_ASSERT_EQUAL(clEnqueueCopyBuffer(support.queue, source, target, 200,
					    0, 100, 0, NULL, NULL),
			CL_INVALID_VALUE);
	sub = clCreateSubBuffer(target, 0, CL_BUFFER_CREATE_TYPE_REGION,
				&region, NULL);
	CU_ASSERT_EQUAL(clEnqueueCopyBuffer(support.queue, sub, target, 0, 250,
					    100, 0, NULL, NULL),
			CL_MEM_COPY_OVERLAP);
	clReleaseMemObject(sub);
	clReleaseMemObject(source);
	clReleaseMemObject(target);
}

static void test_fill(void)
{
	const unsigned char pattern[4] = { 1, 2, 3, 4 };
	unsigned char got[64];
	cl_mem buffer = support_buffer(64, NULL);

	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, pattern, 4, 8, 16,
				      0, NULL, NULL));
	support_read(buffer, got, sizeof got);
	for (int i = 0; i < 64; i++)
		CU_ASSERT_EQUAL(got[i], i >= 8 && i < 24 ? pattern[i % 4] : 0);
	CU_ASSERT_EQUAL(clEnqueueFillBuffer(support.queue, buffer, pattern, 3,
					    0, 9, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueFillBuffer(support.queue, buffer, pattern, 4,
					    2, 16, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueFillBuffer(support.queue, buffer, pattern, 4,
					    0, 18, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueFillBuffer(support.queue, buffer, NULL, 4, 0,
					    16, 0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueFillBuffer(support.queue, buffer, pattern, 4,
					    52, 16, 0, NULL, NULL),
			CL_INVALID_VALUE);
	clReleaseMemObject(buffer);
}

/* Sizes that are no multiple of what the driver may fill at once. */
static void test_fill_large(void)
{
	enum { SIZE = 3 * 4096, FIRST = 48, LAST = SIZE - 16 };
	static unsigned char got[SIZE];
	unsigned char pattern[16];
	cl_mem buffer = support_buffer(SIZE, NULL);
	int wrong = 0;

	for (int i = 0; i < 16; i++)
		pattern[i] = i + 1;
	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, pattern, 16,
				      FIRST, LAST - FIRST, 0, NULL, NULL));
	support_read(buffer, got, sizeof got);
	for (int i = 0; i < SIZE; i++)
		wrong += got[i] != (i >= FIRST && i < LAST ? pattern[i % 16]
							   : 0);
	CU_ASSERT_EQUAL(wrong, 0);
	clReleaseMemObject(buffer);
}

/* Zeros for which whole pages are given back, in the middle of others. */
static void test_fill_zeros(void)
{
	enum { SIZE = 5 << 20, FIRST = 4096 + 8, LAST = SIZE - 4096 - 16 };
	const unsigned char mark = 0xa5, zero = 0;
	unsigned char *got = malloc(SIZE);
	cl_mem buffer = support_buffer(SIZE, NULL);
	int wrong = 0;

	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, &mark, 1, 0, SIZE,
				      0, NULL, NULL));
	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, &zero, 1, FIRST,
				      LAST - FIRST, 0, NULL, NULL));
	support_read(buffer, got, SIZE);
	for (int i = 0; i < SIZE; i++)
		wrong += got[i] != (i >= FIRST && i < LAST ? zero : mark);
	CU_ASSERT_EQUAL(wrong, 0);
	clReleaseMemObject(buffer);
	free(got);
}

/* Random boxes against a byte-by-byte reference. */
static void test_rect(void)
{
	enum { ROW = 20, SLICE = 160, SIZE = 8 * SLICE };
	unsigned char bytes[SIZE], host[SIZE], reference[SIZE], got[SIZE];
	size_t a[3], b[3], region[3], from, to;
	cl_mem buffer, other;

	for (int round = 0; round < 200; round++) {
		fill_random(bytes, SIZE);
		fill_random(host, SIZE);
		for (int i = 0; i < 3; i++) {
			static const size_t limits[3] = { ROW, SLICE / ROW, 8 };

			region[i] = 1 + random_number() % limits[i];
			a[i] = random_number() % (limits[i] - region[i] + 1);
			b[i] = random_number() % (limits[i] - region[i] + 1);
		}
		buffer = support_buffer(SIZE, bytes);
		other = support_buffer(SIZE, host);
		memcpy(reference, round % 3 == 0 ? host : bytes, SIZE);
		if (round % 3 == 2)
			memcpy(reference, host, SIZE);
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				for (size_t x = 0; x < region[0]; x++) {
					from = (a[2] + z) * SLICE +
					       (a[1] + y) * ROW + a[0] + x;
					to = (b[2] + z) * SLICE +
					     (b[1] + y) * ROW + b[0] + x;
					if (round % 3 == 1)
						reference[from] = host[to];
					else
						reference[to] = bytes[from];
				}
		switch (round % 3) {
		case 0: /* buffer -> host */
			ASSERT_OK(clEnqueueReadBufferRect(
				support.queue, buffer, CL_TRUE, a, b, region,
				ROW, SLICE, ROW, SLICE, host, 0, NULL, NULL));
			CU_ASSERT_EQUAL(memcmp(host, reference, SIZE), 0);
			break;
		case 1: /* host -> buffer */
			ASSERT_OK(clEnqueueWriteBufferRect(
				support.queue, buffer, CL_TRUE, a, b, region,
				ROW, SLICE, ROW, SLICE, host, 0, NULL, NULL));
			support_read(buffer, got, SIZE);
			CU_ASSERT_EQUAL(memcmp(got, reference, SIZE), 0);
			break;
		case 2: /* buffer -> buffer */
			ASSERT_OK(clEnqueueCopyBufferRect(
				support.queue, buffer, other, a, b, region, ROW,
				SLICE, ROW, SLICE, 0, NULL, NULL));
			support_read(other, got, SIZE);
			CU_ASSERT_EQUAL(memcmp(got, reference, SIZE), 0);
			break;
		}
		clReleaseMemObject(buffer);
		clReleaseMemObject(other);
	}
}

/* Overlap in one buffer, against a byte map. */
static void test_rect_overlap(void)
{
	enum { ROW = 8, SLICE = 32, SIZE = 4 * SLICE };
	size_t a[3], b[3], region[3], from;
	unsigned char used[SIZE];
	cl_mem buffer = support_buffer(SIZE, NULL);
	cl_int status;
	int shared;

	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 3; i++) {
			static const size_t limits[3] = { ROW, SLICE / ROW, 4 };

			region[i] = 1 + random_number() % limits[i];
			a[i] = random_number() % (limits[i] - region[i] + 1);
			b[i] = random_number() % (limits[i] - region[i] + 1);
		}
		memset(used, 0, sizeof used);
		shared = 0;
		for (int pass = 0; pass < 2; pass++)
			for (size_t z = 0; z < region[2]; z++)
				for (size_t y = 0; y < region[1]; y++)
					for (size_t x = 0; x < region[0]; x++) {
						const size_t *o = pass ? b : a;

						from = (o[2] + z) * SLICE +
						       (o[1] + y) * ROW + o[0] +
						       x;
						shared |= used[from];
						used[from] = 1;
					}
		status = clEnqueueCopyBufferRect(support.queue, buffer, buffer,
						 a, b, region, ROW, SLICE, ROW,
						 SLICE, 0, NULL, NULL);
		CU_ASSERT_EQUAL(status,
				shared ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
	}
	clReleaseMemObject(buffer);
}

static void test_rect_errors(void)
{
	const size_t zero[3] = { 0, 0, 0 }, region[3] = { 8, 4, 2 };
	const size_t empty[3] = { 8, 0, 2 };
	cl_mem buffer = support_buffer(64, NULL);
	char host[64] = { 0 };

#define READ(origin, box, row, slice)                                          \
	clEnqueueReadBufferRect(support.queue, buffer, CL_TRUE, origin, zero,  \
				box, row, slice, 0, 0, host, 0, NULL, NULL)
	ASSERT_OK(READ(zero, region, 0, 0));
	ASSERT_OK(READ(zero, region, 8, 32));
	CU_ASSERT_EQUAL(READ(zero, empty, 0, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(zero, region, 7, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(zero, region, 8, 31), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(zero, region, 8, 36), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(zero, region, 9, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(region, region, 0, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(NULL, region, 0, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(READ(zero, region, (size_t)-1, 0), CL_INVALID_VALUE);
#undef READ
	clReleaseMemObject(buffer);
}

static cl_uint map_count(cl_mem buffer)
{
	cl_uint count = 99;

	ASSERT_OK(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count,
				     &count, NULL));
	return count;
}

static void test_map(void)
{
	unsigned char bytes[256], got[256], *map;
	unsigned freed = support.mappings_freed;
	cl_int status;
	cl_mem buffer;

	fill_random(bytes, sizeof bytes);
	buffer = support_buffer(sizeof bytes, bytes);
	map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE,
				 CL_MAP_READ | CL_MAP_WRITE, 32, 64, 0, NULL,
				 NULL, &status);
	CU_ASSERT_EQUAL_FATAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(map_count(buffer), 1);
	CU_ASSERT_EQUAL(memcmp(map, bytes + 32, 64), 0);
	map[5] ^= 255;
	bytes[37] ^= 255;
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer, map, 0, NULL,
					  NULL));
	CU_ASSERT_EQUAL(map_count(buffer), 0);
	CU_ASSERT_EQUAL(support.mappings_freed, freed + 1);
	support_read(buffer, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, sizeof bytes), 0);
	CU_ASSERT_EQUAL(clEnqueueUnmapMemObject(support.queue, buffer, map, 0,
						NULL, NULL),
			CL_INVALID_VALUE);

	/* What a read-only mapping gets written is lost. */
	map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE, CL_MAP_READ, 0,
				 256, 0, NULL, NULL, &status);
	map[0] ^= 255;
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer, map, 0, NULL,
					  NULL));
	support_read(buffer, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, sizeof bytes), 0);

	map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE,
				 CL_MAP_WRITE_INVALIDATE_REGION, 128, 128, 0,
				 NULL, NULL, &status);
	memset(map, 7, 128);
	memset(bytes + 128, 7, 128);
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer, map, 0, NULL,
					  NULL));
	support_read(buffer, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, sizeof bytes), 0);

	/* Mapped to the end: the storage goes back with the buffer. */
	map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE, CL_MAP_READ, 0,
				 256, 0, NULL, NULL, &status);
	CU_ASSERT_PTR_NOT_NULL(map);
	freed = support.mappings_freed;
	ASSERT_OK(clReleaseMemObject(buffer));
	CU_ASSERT_EQUAL(support.mappings_freed, freed + 1);
}

static void test_map_host_ptr(void)
{
	static unsigned char bytes[512];
	unsigned char *map, *second, value = 9;
	cl_buffer_region region = { 256, 256 };
	cl_mem buffer, sub;
	cl_int status;

	fill_random(bytes, sizeof bytes);
	buffer = clCreateBuffer(support.context, CL_MEM_USE_HOST_PTR,
				sizeof bytes, bytes, NULL);
	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, &value, 1, 300, 4,
				      0, NULL, NULL));
	map = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE, CL_MAP_READ,
				 16, 400, 0, NULL, NULL, &status);
	CU_ASSERT_PTR_EQUAL(map, bytes + 16);
	CU_ASSERT_EQUAL(bytes[300], 9);
	second = clEnqueueMapBuffer(support.queue, buffer, CL_TRUE, CL_MAP_READ,
				    16, 4, 0, NULL, NULL, &status);
	CU_ASSERT_PTR_EQUAL(second, map);
	CU_ASSERT_EQUAL(map_count(buffer), 2);
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer, map, 0, NULL,
					  NULL));
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, buffer, map, 0, NULL,
					  NULL));
	CU_ASSERT_EQUAL(map_count(buffer), 0);

	sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION,
				&region, &status);
	map = clEnqueueMapBuffer(support.queue, sub, CL_TRUE, CL_MAP_WRITE, 44,
				 4, 0, NULL, NULL, &status);
	CU_ASSERT_PTR_EQUAL(map, bytes + 300);
	map[0] = 77;
	ASSERT_OK(clEnqueueUnmapMemObject(support.queue, sub, map, 0, NULL,
					  NULL));
	ASSERT_OK(clEnqueueReadBuffer(support.queue, buffer, CL_TRUE, 300, 1,
				      &value, 0, NULL, NULL));
	CU_ASSERT_EQUAL(value, 77);
	clReleaseMemObject(sub);
	clReleaseMemObject(buffer);
}

/* Programs may touch these bytes without a mapping, as on devices that reach
 * the host's memory. */
static void test_host_memory(void)
{
	static unsigned char bytes[64], other[64];
	const size_t from[3] = { 0, 0, 0 }, to[3] = { 8, 1, 0 };
	const size_t region[3] = { 4, 2, 1 };
	unsigned char value = 9, got[64];
	cl_mem buffer, plain;

	fill_random(bytes, sizeof bytes);
	fill_random(other, sizeof other);
	buffer = clCreateBuffer(support.context, CL_MEM_USE_HOST_PTR,
				sizeof bytes, bytes, NULL);
	plain = support_buffer(sizeof other, other);
	bytes[3] ^= 1;
	support_read(buffer, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, sizeof got), 0);
	ASSERT_OK(clEnqueueFillBuffer(support.queue, buffer, &value, 1, 5, 1, 0,
				      NULL, NULL));
	ASSERT_OK(clEnqueueWriteBuffer(support.queue, buffer, CL_TRUE, 6, 1,
				       &value, 0, NULL, NULL));
	ASSERT_OK(clEnqueueCopyBuffer(support.queue, plain, buffer, 10, 52, 4,
				      0, NULL, NULL));
	ASSERT_OK(clEnqueueCopyBufferRect(support.queue, plain, buffer, from,
					  to, region, 16, 0, 16, 0, 0, NULL,
					  NULL));
	ASSERT_OK(clFinish(support.queue));
	CU_ASSERT_EQUAL(bytes[5], 9);
	CU_ASSERT_EQUAL(bytes[6], 9);
	CU_ASSERT_EQUAL(memcmp(bytes + 52, other + 10, 4), 0);
	CU_ASSERT_EQUAL(memcmp(bytes + 56, got + 56, 8), 0);
	CU_ASSERT_EQUAL(memcmp(bytes + 24, other, 4), 0);
	CU_ASSERT_EQUAL(memcmp(bytes + 40, other + 16, 4), 0);
	bytes[7] ^= 1;
	ASSERT_OK(clEnqueueCopyBuffer(support.queue, buffer, plain, 0, 0, 8, 0,
				      NULL, NULL));
	support_read(plain, got, sizeof got);
	CU_ASSERT_EQUAL(memcmp(got, bytes, 8), 0);
	clReleaseMemObject(plain);
	clReleaseMemObject(buffer);
}

static void test_map_errors(void)
{
	cl_mem buffer = clCreateBuffer(support.context, CL_MEM_HOST_READ_ONLY,
				       64, NULL, NULL);
	cl_int status;

#define MAP(flags, offset, size)                                               \
	(clEnqueueMapBuffer(support.queue, buffer, CL_TRUE, flags, offset,     \
			    size, 0, NULL, NULL, &status),                     \
	 status)
	CU_ASSERT_EQUAL(MAP(CL_MAP_READ, 1, 64), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(MAP(CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(MAP(8, 0, 64), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(MAP(CL_MAP_WRITE, 0, 64), CL_INVALID_OPERATION);
#undef MAP
	CU_ASSERT_EQUAL(clEnqueueUnmapMemObject(support.queue, buffer, &status,
						0, NULL, NULL),
			CL_INVALID_VALUE);
	clReleaseMemObject(buffer);
}

static cl_int sub_error(cl_mem buffer, cl_mem_flags flags, size_t origin,
			size_t size)
{
	cl_buffer_region region = { origin, size };
	cl_int status = 1;

	CU_ASSERT_PTR_NULL(clCreateSubBuffer(buffer, flags,
					     CL_BUFFER_CREATE_TYPE_REGION,
					     &region, &status));
	return status;
}

static void test_sub_buffer_errors(void)
{
	cl_mem buffer = clCreateBuffer(support.context, CL_MEM_READ_ONLY, 1024,
				       NULL, NULL);
	cl_buffer_region region = { 0, 256 };
	cl_int status;
	cl_mem sub;

	CU_ASSERT_EQUAL(sub_error(NULL, 0, 0, 64), CL_INVALID_MEM_OBJECT);
	CU_ASSERT_EQUAL(sub_error(buffer, CL_MEM_WRITE_ONLY, 0, 64),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(sub_error(buffer, CL_MEM_ALLOC_HOST_PTR, 0, 64),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(sub_error(buffer, 0, 0, 0), CL_INVALID_BUFFER_SIZE);
	CU_ASSERT_EQUAL(sub_error(buffer, 0, 1024, 1), CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(sub_error(buffer, 0, 4, 64),
			CL_MISALIGNED_SUB_BUFFER_OFFSET);
	CU_ASSERT_PTR_NULL(clCreateSubBuffer(buffer, 0, 1, &region, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	CU_ASSERT_PTR_NULL(clCreateSubBuffer(
		buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &status));
	CU_ASSERT_EQUAL(status, CL_INVALID_VALUE);
	sub = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION,
				&region, &status);
	CU_ASSERT_EQUAL(status, CL_SUCCESS);
	CU_ASSERT_EQUAL(sub_error(sub, 0, 0, 64), CL_INVALID_MEM_OBJECT);
	clReleaseMemObject(sub);
	clReleaseMemObject(buffer);
}

static int destroyed[4], destroyed_count;

static void CL_CALLBACK on_destroy(cl_mem buffer, void *data)
{
	(void)buffer;
	destroyed[destroyed_count++] = *(int *)data;
}

/* Newest first, and only when the last reference is gone. */
static void test_destructor_callbacks(void)
{
	static int numbers[3] = { 1, 2, 3 };
	cl_mem buffer = support_buffer(64, NULL);

	destroyed_count = 0;
	for (int i = 0; i < 3; i++)
		ASSERT_OK(clSetMemObjectDestructorCallback(buffer, on_destroy,
							   &numbers[i]));
	CU_ASSERT_EQUAL(clSetMemObjectDestructorCallback(buffer, NULL, NULL),
			CL_INVALID_VALUE);
	ASSERT_OK(clRetainMemObject(buffer));
	ASSERT_OK(clReleaseMemObject(buffer));
	CU_ASSERT_EQUAL(destroyed_count, 0);
	ASSERT_OK(clReleaseMemObject(buffer));
	CU_ASSERT_EQUAL_FATAL(destroyed_count, 3);
	CU_ASSERT_EQUAL(destroyed[0], 3);
	CU_ASSERT_EQUAL(destroyed[1], 2);
	CU_ASSERT_EQUAL(destroyed[2], 1);
}

static void test_migrate(void)
{
	cl_mem buffer = support_buffer(64, NULL), wrong = NULL;

	ASSERT_OK(clEnqueueMigrateMemObjects(support.queue, 1, &buffer,
					     CL_MIGRATE_MEM_OBJECT_HOST, 0,
					     NULL, NULL));
	CU_ASSERT_EQUAL(clEnqueueMigrateMemObjects(support.queue, 0, &buffer, 0,
						   0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueMigrateMemObjects(support.queue, 1, &buffer, 8,
						   0, NULL, NULL),
			CL_INVALID_VALUE);
	CU_ASSERT_EQUAL(clEnqueueMigrateMemObjects(support.queue, 1, &wrong, 0,
						   0, NULL, NULL),
			CL_INVALID_MEM_OBJECT);
	clReleaseMemObject(buffer);
}

/* --- How long transfers take ------------------------------------------------ */

enum { KB = 1024, MB = 1024 * KB };

/* ns at the rates that were measured under SDK 2.6: less than the 8 GB/s of the
 * bus without 24 bytes in 152. */
static double download(double bytes)
{
	return bytes / 5.39;
}

static double readback(double bytes)
{
	return bytes / 3.01;
}

static double write_time(cl_mem buffer, size_t size, const void *bytes)
{
	picoseconds before = support.now;

	ASSERT_OK(clEnqueueWriteBuffer(support.queue, buffer, CL_TRUE, 0, size,
				       bytes, 0, NULL, NULL));
	return (double)(support.now - before) / 1e3;
}

static double map_time(cl_mem_flags flags, size_t size)
{
	cl_mem buffer = clCreateBuffer(support.context, flags, size, NULL,
				       NULL);
	picoseconds before = support.now;

	CU_ASSERT_PTR_NOT_NULL(clEnqueueMapBuffer(support.queue, buffer,
						  CL_TRUE, CL_MAP_READ, 0,
						  size, 0, NULL, NULL, NULL));
	clReleaseMemObject(buffer);
	return (double)(support.now - before) / 1e3;
}

/* Staged up to 32 KB, pinned above that, and mapped pinned memory as it is;
 * 5 us each, and 25 us for a queue with profiling. */
static void test_transfer_time(void)
{
	static unsigned char bytes[64 * KB];
	cl_mem buffer = support_buffer(sizeof bytes, NULL);

	CU_ASSERT_DOUBLE_EQUAL(write_time(buffer, 32 * KB, bytes),
			       30000 + 32 * KB / 5.0 + download(32 * KB), 1);
	CU_ASSERT_DOUBLE_EQUAL(write_time(buffer, 64 * KB, bytes),
			       30000 + 64 * KB / 16.0 + download(64 * KB), 1);
	CU_ASSERT_DOUBLE_EQUAL(map_time(CL_MEM_ALLOC_HOST_PTR, 64 * KB),
			       30000 + readback(64 * KB), 1);
	CU_ASSERT_DOUBLE_EQUAL(map_time(0, 64 * KB),
			       30000 + 64 * KB / 16.0 + readback(64 * KB), 1);
	clReleaseMemObject(buffer);
}

static double long_time(struct opencl_costs *costs, uint64_t bytes,
			bool pinned)
{
	return (double)opencl_transfer_time(costs, OPENCL_TO_DEVICE, bytes,
					    pinned) / 1e3;
}

/* Blocks of 16 MB are pinned while the one before is on the bus. */
static void test_pinning(void)
{
	struct opencl_costs costs = { .transfer_bandwidth = { 4, 2 },
				      .staging = 32 * KB,
				      .pin_block = 16 * MB,
				      .staging_bandwidth = 5,
				      .pin_bandwidth = 16 };

	CU_ASSERT_DOUBLE_EQUAL(long_time(&costs, 16 * MB, false),
			       MB + 4 * MB, 1);
	CU_ASSERT_DOUBLE_EQUAL(long_time(&costs, 16 * MB + 1, false),
			       MB + 4 * MB, 2);
	CU_ASSERT_DOUBLE_EQUAL(long_time(&costs, 40 * MB, false),
			       MB + 10 * MB, 1);
	CU_ASSERT_DOUBLE_EQUAL(long_time(&costs, 40 * MB, true), 10 * MB, 1);
	/* Pinning takes longer than the bus. */
	costs.pin_bandwidth = 1;
	CU_ASSERT_DOUBLE_EQUAL(long_time(&costs, 40 * MB, false),
			       40 * MB + 2 * MB, 1);
	CU_ASSERT_EQUAL(opencl_transfer_time(&costs, OPENCL_TO_DEVICE, 0,
					     false), 0);
	/* A rate of its own for each direction and for either memory. */
	CU_ASSERT_EQUAL(opencl_transfer_time(&costs, OPENCL_FROM_DEVICE, 4000,
					     true), 2000000);
	costs.pageable_bandwidth[OPENCL_FROM_DEVICE] = 1;
	CU_ASSERT_EQUAL(opencl_transfer_time(&costs, OPENCL_FROM_DEVICE,
					     40000, false), 40000000);
	CU_ASSERT_EQUAL(opencl_transfer_time(&costs, OPENCL_FROM_DEVICE, 4000,
					     true), 2000000);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "creation errors", test_create_errors },
		{ "device memory is given back", test_memory_is_freed },
		{ "queries", test_info },
		{ "read and write", test_transfer },
		{ "transfer errors", test_transfer_errors },
		{ "a bad pointer ends the simulation", test_bad_pointer },
		{ "copy", test_copy },
		{ "fill", test_fill },
		{ "fill of more than a page", test_fill_large },
		{ "fill with zeros", test_fill_zeros },
		{ "random boxes", test_rect },
		{ "overlapping boxes", test_rect_overlap },
		{ "box errors", test_rect_errors },
		{ "map", test_map },
		{ "map host memory", test_map_host_ptr },
		{ "host memory without a map", test_host_memory },
		{ "map errors", test_map_errors },
		{ "sub-buffer errors", test_sub_buffer_errors },
		{ "destructor callbacks", test_destructor_callbacks },
		{ "migrate", test_migrate },
		{ "transfer times", test_transfer_time },
		{ "pinning of long transfers", test_pinning },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl buffer", NULL, NULL, support_start, support_stop,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
