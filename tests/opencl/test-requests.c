/* Random requests: whatever a program sends, the driver answers, or ends the
 * simulation with a message; it never crashes or hangs. Kernels are not run
 * (random sizes would take forever). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/api/library.h"
#include "opencl/support.h"
#include "unit/random.h"

enum { REQUESTS = 40000, WORDS = 512, HANDLES = 64 };

static uint64_t state;

static uint64_t random_number(void)
{
	return random_draw(&state);
}

/* What a field holds, as api.def says: F number, S text, P address. */
#define KIND_NUMBER 'F'
#define KIND_ENUM 'F'
#define KIND_BITS 'F'
#define KIND_TEXT 'S'
#define KIND_ADDRESS 'P'
#define KIND_OBJECT 'P'
#define KIND_OBJECTS 'P'
#define KIND_MADE 'P'
#define KIND_SIZES 'P'
#define KIND_VALUE 'P'

struct field {
	const char *name;
	char kind;
};
#define FIELD(name, kind, detail) { #name, KIND_##kind },
#define CALL(name, major, minor, state, fields)                                \
	static const struct field fields_##name[] = { fields{ NULL, 0 } };
#define INTERNAL(name, fields)                                                 \
	static const struct field fields_##name[] = { fields{ NULL, 0 } };
#include "opencl-rt/api.def"

enum call_state { WORKS, LIBRARY, REFUSED };

static const struct call {
	const char *name;
	enum call_state state;
	const struct field *fields;
} calls[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields)                                \
	[OPENCL_##name] = { #name, state, fields_##name },
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"
};

/* The program's memory: all that requests point to, with room behind it for
 * the largest transfer. */
static struct {
	char handles[HANDLES][16];
	uint64_t words[WORDS];
	char room[1 << 20];
} memory;

static uint64_t random_handle(void)
{
	return ADDRESS(&memory.handles[random_number() % HANDLES]);
}

static uint64_t random_pointer(void)
{
	return ADDRESS(&memory.words[random_number() % WORDS]);
}

/* Objects that make deeper paths reachable. */
enum {
	PLATFORM,
	DEVICE,
	CONTEXT,
	QUEUE,
	PROGRAM,
	KERNEL,
	BUFFER,
	IMAGE,
	SAMPLER,
	EVENT,
	KNOWN
};
static uint64_t known[KNOWN];

/* Anything at all. */
static uint64_t wild_field(void)
{
	static const uint64_t special[] = {
		0,    1,    2,    3,          4,
		16,   64,   256,  4096,       4112,
		4144, 4498, 8192, UINT32_MAX, (uint64_t)-1,
	};

	switch (random_number() % 4) {
	case 0:
		return random_handle();
	case 1:
		return known[CONTEXT + random_number() % (KNOWN - CONTEXT)];
	case 2:
		return random_pointer();
	default:
		return special[random_number() %
			       (sizeof special / sizeof *special)];
	}
}

/* Mostly what belongs there, by the field's name. */
static uint64_t random_field(const struct field *field)
{
	static const struct {
		const char *name;
		int known;
	} objects[] = {
		{ "platform", PLATFORM }, { "device", DEVICE },
		{ "context", CONTEXT },   { "queue", QUEUE },
		{ "program", PROGRAM },   { "kernel", KERNEL },
		{ "buffer", BUFFER },     { "source", BUFFER },
		{ "target", BUFFER },     { "image", IMAGE },
		{ "sampler", SAMPLER },
	};
	const char *name = field->name;

	if (random_number() % 8 == 0)
		return wild_field();
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
		if (!strcmp(name, objects[i].name))
			return random_number() % 4
				       ? known[objects[i].known +
					       (name[0] != 'b' &&
						objects[i].known == BUFFER &&
						random_number() % 2)]
				       : random_handle();
	if (!strcmp(name, "handle") || !strcmp(name, "event") ||
	    !strcmp(name, "object"))
		return random_handle();
	if (!strcmp(name, "param_name"))
		return 0x900 + random_number() % 0x900;
	if (!strcmp(name, "flags") || !strcmp(name, "properties"))
		return random_number() % 4;
	if (!strcmp(name, "order"))
		return CL_R + random_number() % 13;
	if (!strcmp(name, "data_type"))
		return CL_SNORM_INT8 + random_number() % 15;
	if (!strcmp(name, "type") && random_number() % 2)
		return CL_MEM_OBJECT_BUFFER + random_number() % 7;
	if (field->kind == 'F')
		return random_number() % 5 ? random_number() % 4
					   : 256 * (random_number() % 16);
	return random_number() % 2 ? 0 : random_pointer();
}

static void fill_memory(void)
{
	for (size_t i = 0; i < WORDS; i++)
		memory.words[i] = random_number() % 2 ? random_number() % 64
						      : wild_field();
	/* Strings end. */
	memory.words[WORDS - 1] = 0;
}

static void sent(struct opencl_header *header)
{
	CU_ASSERT_EQUAL_FATAL(library_transport(header), 0);
	CU_ASSERT_EQUAL_FATAL(header->status, CL_SUCCESS);
}
#define SENT(name, ...) sent(&REQUEST(name, __VA_ARGS__).header)

/* Objects whose handles are in `memory`: a result may be written over them
 * without harm to this process. */
static void make_objects(void)
{
	static const char *source =
		"__kernel void k(__global int *p, int n, __local float4 *q,\n"
		"  __read_only image2d_t i, sampler_t s)\n"
		"{ q[get_local_id(0)] = n; p[get_global_id(0)] = n; }\n";
	cl_program program = support_build(source, NULL);
	unsigned char *binary;
	size_t size;

	for (int i = CONTEXT; i < KNOWN; i++)
		known[i] = ADDRESS(&memory.handles[i]);
	known[PLATFORM] = ADDRESS(support.platform);
	known[DEVICE] = ADDRESS(support.device);
	clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size,
			 NULL);
	binary = malloc(size);
	clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary,
			 NULL);
	clReleaseProgram(program);
	SENT(clCreateContext, 0, 1, ADDRESS(&support.device), 0, 0,
	     known[CONTEXT]);
	SENT(clCreateCommandQueue, known[CONTEXT], known[DEVICE], 2,
	     known[QUEUE]);
	SENT(clCreateProgramWithBinary, known[CONTEXT], 1,
	     ADDRESS(&support.device), ADDRESS(&size), ADDRESS(&binary), 0,
	     known[PROGRAM]);
	SENT(clBuildProgram, known[PROGRAM], 0, 0, 0, 0, 0);
	SENT(clCreateKernel, known[PROGRAM], ADDRESS("k"), known[KERNEL]);
	SENT(clCreateBuffer, known[CONTEXT], 0, 1 << 16, 0, known[BUFFER]);
	SENT(clCreateImage2D, known[CONTEXT], 0, ADDRESS("format"), CL_RGBA,
	     CL_UNORM_INT8, 16, 8, 0, 0, known[IMAGE]);
	SENT(clCreateSampler, known[CONTEXT], 1, CL_ADDRESS_REPEAT,
	     CL_FILTER_LINEAR, known[SAMPLER]);
	SENT(clCreateUserEvent, known[CONTEXT], known[EVENT]);
	free(binary);
}

static void run_seed(uint64_t seed)
{
	union {
		struct opencl_header header;
		uint64_t words[32];
	} request;
	const size_t header = sizeof request.header / 8;
	unsigned answered = 0, ended = 0, succeeded = 0;
	struct error error;
	uint64_t call;

	state = seed;
	support.skip_kernels = 1;
	make_objects();
	for (int i = 0; i < REQUESTS; i++) {
		if (i % 64 == 0)
			fill_memory();
		call = random_number() % OPENCL_CALL_COUNT;
		/* The compiler is slow, and tested elsewhere. */
		if (call == OPENCL_clCreateProgramWithSource ||
		    (calls[call].state == REFUSED && random_number() % 16))
			continue;
		memset(&request, 0, sizeof request);
		request.header.protocol = OPENCL_PROTOCOL;
		request.header.call = call;
		request.header.word = random_number() % 4 ? 8 : 4;
		for (size_t f = 0; calls[call].fields[f].name; f++)
			request.words[header + f] =
				random_field(&calls[call].fields[f]);
		error.text[0] = 0;
		if (opencl_driver_request(support.driver, ADDRESS(&request),
					  &error) < 0) {
			ended++;
			CU_ASSERT_NOT_EQUAL(strlen(error.text), 0);
		} else {
			answered++;
			succeeded += request.header.status == CL_SUCCESS;
		}
	}
	printf("# seed %llu: %u answered (%u with success), %u would end the "
	       "simulation\n", (unsigned long long)seed, answered, succeeded,
	       ended);
	/* These two the library made. */
	free(support.queue);
	free(support.context);
	CU_ASSERT(succeeded > REQUESTS / 20);
}

static void test_first_seed(void)
{
	run_seed(1);
}

static void test_second_seed(void)
{
	run_seed(20260);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random requests", test_first_seed },
		{ "other random requests", test_second_seed },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "opencl requests", NULL, NULL, support_start, support_abandon,
		  tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
