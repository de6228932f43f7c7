/* Any kernel, most often one of legal code: it runs to its end, to a fault with
 * a message or to its instruction limit, in the same way on every host
 * instruction set, as native code, and step by step: the same outcome, memory
 * and figures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/resource.h"
#include "fuzz/evg-kernel.h"
#include "fuzz/fuzz.h"

enum { BUFFER = 65536, IMAGE_SIDE = 16, TAIL = 64, LIMIT = 2000 };

/* What one way of running it came to. */
struct outcome {
	int result;
	struct error error;
	uint8_t buffer[BUFFER];
	struct evg_stats stats;
};

struct job {
	struct evg_program program;
	struct evg_kernel kernel;
	struct evg_bindings *bindings;
	uint32_t global, local, local_memory;
};

static void bind(struct job *job, uint32_t address)
{
	static const uint8_t formats[] = {26, 13, 14, 35, 32, 1, 16, 34};

	for (unsigned i = 0; i < EVG_FETCH_RESOURCES; i++) {
		struct evg_image *image = &job->bindings->images[i];

		if (i < 4 || (i > 150 && i % 2))
			continue;
		*image = (struct evg_image){
			.dimension = (enum evg_image_dimension)(1 + i % 6),
			.address = address,
			.width = IMAGE_SIDE, .height = 1 + i % IMAGE_SIDE,
			.depth = 1 + i % 4,
			.row_pitch = 16 * IMAGE_SIDE,
			.slice_pitch = 16 * IMAGE_SIDE * IMAGE_SIDE,
			.data_format = formats[i % 8],
			.number_format = (enum evg_number_format)(i % 3),
			.format_signed = i >> 3 & 1,
			.select = {0, 1, 2, 3},
		};
		if (i < EVG_RATS)
			job->bindings->rats[i] = *image;
	}
	for (unsigned i = 0; i < EVG_SAMPLERS; i++)
		job->bindings->samplers[i] = (struct evg_sampler){
			.bound = i != 17,
			.filter = (enum evg_filter)(i & 1),
			.wrap = {(enum evg_wrap)(i % 4), (enum evg_wrap)(i / 2 % 4),
				 (enum evg_wrap)(i / 4 % 4)},
		};
}

/* Fills *outcome; `log` makes it run step by step. */
static void run(struct job *job, const struct evg_simd *simd, bool interpreted,
		struct log *log, struct outcome *outcome)
{
	struct error error = {""};
	struct evg_memory *memory = evg_memory_create(1 << 20, &error);
	uint32_t buffer = evg_memory_allocate(memory, BUFFER, false, "buffer");
	uint32_t arguments[TAIL / 4] = {
		[9] = buffer, [10] = 0x3f800000, [11] = 7, [12] = buffer};
	struct evg_launch launch = {
		.kernel = &job->kernel,
		.memory = memory,
		.work_dim = 1,
		.global_size = {job->global, 1, 1},
		.local_size = {job->local, 1, 1},
		.arguments = (const uint8_t *)arguments,
		.bindings = job->bindings,
		.local_memory = job->local_memory,
		.log = log,
	};
	struct evg_run_options options = {
		.threads = 1,
		.interpreted = interpreted,
		.max_group_instructions = LIMIT,
	};
	uint8_t *bytes = evg_memory_host(memory, buffer, BUFFER);
	struct evg_ndrange *ndrange;
	uint64_t random = 5870;

	for (unsigned i = 0; i < BUFFER; i += 8) {
		uint64_t some = random_draw(&random);

		memcpy(bytes + i, &some, 8);
	}
	bind(job, buffer);
	memset(outcome, 0, sizeof *outcome);
	ndrange = evg_ndrange_create_for(&launch, simd, &error);
	outcome->result = -2;
	if (ndrange) {
		outcome->result =
			evg_ndrange_run_options(ndrange, &options, &error);
		evg_ndrange_stats(ndrange, &outcome->stats);
		evg_ndrange_free(ndrange);
	}
	/* Which kernel; and where, and the words of what is not an
	 * instruction. */
	if (outcome->result < 0 &&
	    (strncmp(error.text, "kernel 'fuzz': ", 15) ||
	     (strstr(error.text, "field ") &&
	      (!strstr(error.text, "words ") || !strstr(error.text, " at ")))))
		fuzz_fail("it fails with '%s'", error.text);
	if (outcome->result > 0)
		fuzz_fail("it stopped without a fault");
	/* Behind the end of the text may be anything. */
	if (outcome->result < 0)
		snprintf(outcome->error.text, sizeof outcome->error.text, "%s",
			 error.text);
	memcpy(outcome->buffer, bytes, BUFFER);
	evg_memory_free(memory);
	/* The plan is of one instruction set. */
	evg_code_free(job->kernel.code);
	job->kernel.code = NULL;
}

static void compare(const struct outcome *a, const struct outcome *b,
		    const char *how)
{
	if (a->result != b->result)
		fuzz_fail("%s: %d instead of %d: '%s' '%s'", how, b->result,
			  a->result, b->error.text, a->error.text);
	if (strcmp(a->error.text, b->error.text))
		fuzz_fail("%s: '%s' instead of '%s'", how, b->error.text,
			  a->error.text);
	for (unsigned i = 0; i < BUFFER; i++)
		if (a->buffer[i] != b->buffer[i])
			fuzz_fail("%s: byte %u of the buffer is %02x instead "
				  "of %02x", how, i, b->buffer[i],
				  a->buffer[i]);
	if (memcmp(&a->stats, &b->stats, sizeof a->stats))
		fuzz_fail("%s: other figures", how);
}

static void run_all(struct job *job)
{
	static struct outcome first, other;
	static struct log *log;
	const struct evg_simd *best = evg_simd_best();

	if (!log) {
		log = log_create();
		log_open(log, LOG_EVG_ISA, fopen("/dev/null", "w"));
	}
	run(job, &evg_simd_v2, true, NULL, &first);
	if (best != &evg_simd_v2) {
		run(job, &evg_simd_v3, true, NULL, &other);
		compare(&first, &other, "AVX2");
		run(job, &evg_simd_v3, false, NULL, &other);
		compare(&first, &other, "AVX2, native");
	}
	if (best == &evg_simd_v4) {
		run(job, &evg_simd_v4, true, NULL, &other);
		compare(&first, &other, "AVX-512");
		run(job, &evg_simd_v4, false, NULL, &other);
		compare(&first, &other, "AVX-512, native");
	}
	run(job, best, true, log, &other);
	/* What was counted of a clause that ends early differs. */
	other.stats = first.stats;
	compare(&first, &other, "step by step");
}

static void damage(uint32_t *words, unsigned units, struct fuzz_bytes *bytes)
{
	for (unsigned flips = fuzz_byte(bytes) % 4; flips; flips--) {
		uint32_t where = fuzz_word(bytes) % (64 * units);

		words[where / 32] ^= UINT32_C(1) << where % 32;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t sizes[] = {64, 1, 33, 100, 256, 64, 64, 128};
	static uint32_t words[2 * FUZZ_KERNEL_UNITS];
	struct fuzz_bytes bytes = {data, data + size};
	uint8_t how = fuzz_byte(&bytes), what = fuzz_byte(&bytes);
	struct job job = {
		.bindings = xcalloc(1, sizeof *job.bindings),
		.local = sizes[how % 8],
		.local_memory = 1024,
	};
	unsigned units;

	job.global = job.local * (1 + (how >> 3) % 3);
	job.kernel = (struct evg_kernel){
		.name = "fuzz",
		.program = &job.program,
		.registers = 6 + what % 32,
		.stack_size = 8,
		.attributes = "",
		.tail_offset = TAIL,
		.scratch_size = 64,
		.float_mode = evg_float_mode_decode(
			how & 32 ? fuzz_byte(&bytes) : EVG_FLOAT_MODE_DEFAULT,
			what >> 7),
		.flow = {.loops = {{3, 0, 1}, {2, 1, 2}, {0}, {5000, 0, 1}},
			 .loops_given = 15, .bools = 2, .bools_given = 15},
	};
	if (how >> 6 == 3) { /* as the bytes are */
		units = (unsigned)(bytes.end - bytes.at) / 8;
		if (units > FUZZ_KERNEL_UNITS)
			units = FUZZ_KERNEL_UNITS;
		memcpy(words, bytes.at, 8 * units);
	} else {
		units = fuzz_kernel_make(&bytes, job.kernel.registers, words);
	}
	if (how >> 6 == 2)
		damage(words, units, &bytes);
	job.program = (struct evg_program){
		.text = (uint8_t *)words,
		.text_size = 8 * units,
		.kernels = &job.kernel,
		.kernel_count = 1,
		.build_options = "",
	};
	job.kernel.code_size = 8 * units;
	if (units)
		run_all(&job);
	free(job.bindings);
	return 0;
}
