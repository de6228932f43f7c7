/* Any bytes as a sequence of OpenCL requests: the driver answers each, or says
 * why not, and touches only the memory that the program has.
 *
 * The input is a list of requests: a byte for the call, then a byte for each
 * of its fields (see field_value). Calls that start the kernel compiler are
 * left out. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "opencl-rt/driver/driver.h"
#include "opencl-rt/protocol.h"

/* The program's memory: a request, then what its fields point to. */
enum { MEMORY = 0x1000, SIZE = 0x2000, OPERANDS = MEMORY + 0x200 };

struct program {
	uint8_t memory[SIZE];
};

static int check(uint64_t address, uint64_t size)
{
	return address < MEMORY || size > SIZE ||
	       address - MEMORY > SIZE - size ? -1 : 0;
}

static int read_memory(void *owner, uint64_t address, void *buffer,
		       uint64_t size)
{
	struct program *program = owner;

	if (check(address, size))
		return -1;
	memcpy(buffer, program->memory + (address - MEMORY), size);
	return 0;
}

static int write_memory(void *owner, uint64_t address, const void *buffer,
			uint64_t size)
{
	struct program *program = owner;

	if (check(address, size))
		return -1;
	memcpy(program->memory + (address - MEMORY), buffer, size);
	return 0;
}

static int run(void *owner, struct evg_ndrange *ndrange, struct error *error)
{
	(void)owner, (void)ndrange, (void)error;
	return 0;
}

static picoseconds now(void *owner)
{
	(void)owner;
	return 0;
}

static void advance(void *owner, enum opencl_time kind, uint64_t bytes,
		    picoseconds time)
{
	(void)owner, (void)kind, (void)bytes, (void)time;
}

static const size_t request_size[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields) \
	[OPENCL_##name] = sizeof(struct request_##name),
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"
};

/* The top three bits choose the kind. Handles, which the library allocates,
 * and pointers are both addresses in the program. */
static uint64_t field_value(uint8_t byte)
{
	uint64_t low = byte & 31;

	switch (byte >> 5) {
	case 0: case 1:
		return byte & 63;
	case 2: case 3: case 4:
		return OPERANDS + 16 * (byte & 127);
	case 5:
		return UINT64_C(1) << (2 * low);
	case 6:
		return 0 - low;
	default:
		return 0x1000 + low; /* OpenCL's enumerations */
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct program program;
	const struct opencl_machine machine = {
		.owner = &program,
		.read = read_memory,
		.write = write_memory,
		.run = run,
		.now = now,
		.advance = advance,
	};
	const struct opencl_driver_options options = {
		.compiler = "/nonexistent", .memory_size = 1 << 26,
		.frequency = 850, .compute_units = 20,
		.device_name = "fuzz", .local_memory = 32768,
		.register_slots = 248, .max_wavefronts = 32,
		.costs = {
			.transfer_bandwidth = { 6, 6 }, .staging = 256,
			.staging_bandwidth = 5, .pin_block = 4096,
			.pin_bandwidth = 16, .copy_bandwidth = 127,
		},
	};
	struct error error = { "" };
	struct opencl_driver *driver =
		opencl_driver_create(&machine, &options, &error);
	size_t at = 0;

	if (!driver)
		fuzz_fail("%s", error.text);
	/* Words of 0, 1, 2 and addresses, to be counts, handles, texts. */
	memset(&program, 0, sizeof program);
	for (size_t i = OPERANDS - MEMORY; i < SIZE; i += 8) {
		uint64_t word = i / 8 % 5 < 3 ? i / 8 % 5
					      : OPERANDS + i % 0x1000;

		memcpy(program.memory + i, &word, sizeof word);
	}
	while (at < size) {
		unsigned call = data[at++] % OPENCL_CALL_COUNT;
		struct opencl_header header = {
			.protocol = OPENCL_PROTOCOL, .call = call,
			.word = size & 1 ? 4 : 8,
		};
		uint64_t words[64];
		size_t fields = (request_size[call] - sizeof header) / 8;

		if (call == OPENCL_clBuildProgram ||
		    call == OPENCL_clCompileProgram ||
		    call == OPENCL_clLinkProgram)
			continue;
		for (size_t i = 0; i < fields; i++)
			words[i] = field_value(at < size ? data[at++] : 0);
		memcpy(program.memory, &header, sizeof header);
		memcpy(program.memory + sizeof header, words, 8 * fields);
		if (opencl_driver_request(driver, MEMORY, &error)) {
			if (!error.text[0])
				fuzz_fail("failed without a message");
			break;
		}
	}
	opencl_driver_free(driver);
	return 0;
}
