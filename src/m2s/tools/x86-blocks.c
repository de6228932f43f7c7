#include "m2s/tools/x86-blocks.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/output.h"
#include "x86/timing/blocks/blocks.h"
#include "x86/timing/blocks/kanata.h"
#include "x86/timing/blocks/listing.h"

enum { PROGRESS_SECONDS = 10, TRACED = 1000, PAGE = 4096 };

struct run {
	const struct options *options;
	struct x86_throughput *blocks;
	struct output trace; /* of the first block; or not open */
	struct output listing; /* of all; or not open */
	uint64_t line;
	uint64_t rows, failed, wrong;
	uint64_t cycles, instructions; /* simulated */
	struct timespec start, told;
};

int x86_blocks_check(const struct options *options, struct error *error)
{
	if (options->x86_blocks)
		return 0;
	if (options->x86_blocks_trace)
		return error_set(error, "--x86-blocks-trace: needs "
				 "--x86-blocks FILE");
	if (options->x86_blocks_bound)
		return error_set(error, "--x86-blocks-bound: needs "
				 "--x86-blocks FILE");
	if (options->x86_blocks_listing)
		return error_set(error, "--x86-blocks-listing: needs "
				 "--x86-blocks FILE");
	if (options->x86_preset &&
	    (!options->x86_sim || strcmp(options->x86_sim, "detailed")))
		return error_set(error, "--x86-preset: needs --x86-blocks "
				 "FILE or --x86-sim detailed, except as "
				 "--x86-preset help");
	return 0;
}

/* The bytes of a row's first field: their number, or -1. */
static int read_hex(const char *text, size_t length, uint8_t *code,
		    struct error *error)
{
	if (!length)
		return error_set(error, "expected the bytes of a block in hex");
	if (length % 2)
		return error_set(error, "expected an even number of hex "
					"digits, found %zu",
				 length);
	if (length / 2 > X86_BLOCK_BYTES)
		return error_set(error, "the block has %zu bytes, expected at "
					"most %d", length / 2, X86_BLOCK_BYTES);
	for (size_t i = 0; i < length; i += 2) {
		char digits[3] = { text[i], text[i + 1], 0 };

		if (!isxdigit((unsigned char)digits[0]) ||
		    !isxdigit((unsigned char)digits[1]))
			return error_set(error, "'%s' is not a byte in hex",
					 digits);
		code[i / 2] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return (int)(length / 2);
}

/* A row's first field: the block, or its setup, a colon and the block. Returns
 * the block's number of bytes, or -1. */
static int read_row(const char *text, size_t length, uint8_t *code,
		    uint8_t *setup, size_t *setup_size, struct error *error)
{
	const char *colon = memchr(text, ':', length);
	size_t first = colon ? (size_t)(colon - text) : 0;
	int size;

	*setup_size = 0;
	if (!colon)
		return read_hex(text, length, code, error);
	size = read_hex(text, first, setup, error);
	if (size < 0)
		return -1;
	*setup_size = (size_t)size;
	return read_hex(colon + 1, length - first - 1, code, error);
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) +
	       (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void tell_progress(struct run *run)
{
	if (run->options->quiet || run->rows % 64 ||
	    seconds_since(&run->told) < PROGRESS_SECONDS)
		return;
	clock_gettime(CLOCK_MONOTONIC, &run->told);
	fprintf(stderr, "m2s: %" PRIu64 " blocks, %.0f a second\n", run->rows,
		(double)run->rows / seconds_since(&run->start));
}

/* For kanata_create(): the block lies at the beginning of a page. */
static size_t block_code(void *owner, const struct x86_core_retired *what,
			 uint8_t *code, size_t size, bool *wide)
{
	const struct x86_block *block = owner;
	size_t offset = what->inst->address % PAGE;
	size_t left = offset < block->size ? block->size - offset : 0;

	*wide = true;
	if (size > left)
		size = left;
	memcpy(code, block->code + offset, size);
	return size;
}

/* Measures a block; the first one with a trace if that is asked for. */
static int simulate_block(struct run *run, const struct x86_block *block,
			  struct x86_block_time *time, struct error *error)
{
	struct kanata *kanata;
	int status;

	if (!run->trace.stream || run->rows > 1)
		return x86_throughput_measure(run->blocks, block, time, error);
	kanata = kanata_create(TRACED, block_code, (void *)block);
	x86_throughput_observe(run->blocks, kanata_retired, kanata);
	status = x86_throughput_measure(run->blocks, block, time, error);
	x86_throughput_observe(run->blocks, NULL, NULL);
	kanata_write(kanata, run->trace.stream);
	kanata_free(kanata);
	return status;
}

/* The block is measured once more, when it is known which executions count. */
static void list_block(struct run *run, const char *text, size_t length,
		       const struct x86_block *block,
		       const struct x86_block_time *time)
{
	struct block_listing *listing = block_listing_create(block, time);
	struct x86_block_time again;
	struct error error;

	x86_throughput_observe(run->blocks, block_listing_retired, listing);
	if (!x86_throughput_measure(run->blocks, block, &again, &error)) {
		fprintf(run->listing.stream, "%.*s on %s: ", (int)length, text,
			run->options->x86_preset);
		block_listing_write(listing, run->listing.stream);
		fputc('\n', run->listing.stream);
	}
	x86_throughput_observe(run->blocks, NULL, NULL);
	block_listing_free(listing);
}

static void measure(struct run *run, const char *text, size_t length)
{
	uint8_t code[X86_BLOCK_BYTES], setup[X86_BLOCK_BYTES];
	struct x86_block block = { .code = code, .setup = setup };
	struct x86_block_time time;
	struct error error;
	int size = read_row(text, length, code, setup, &block.setup_size,
			    &error);

	block.size = (size_t)size;
	run->rows++;
	printf("%.*s,", (int)length, text);
	if (size < 0) {
		run->wrong++;
		fprintf(stderr, "m2s: %s:%" PRIu64 ": %s\n",
			run->options->x86_blocks, run->line, error.text);
	} else if (simulate_block(run, &block, &time, &error)) {
		run->failed++;
		if (!run->options->quiet)
			fprintf(stderr, "m2s: %s:%" PRIu64 ": the block cannot "
					"be run: %s\n",
				run->options->x86_blocks, run->line,
				error.text);
	} else {
		run->cycles += time.simulated;
		run->instructions += time.executed;
		printf("%.4g", time.cycles);
		if (run->options->x86_blocks_bound)
			printf(",%.4g", time.bound);
		if (run->listing.stream)
			list_block(run, text, length, &block, &time);
	}
	putchar('\n');
	tell_progress(run);
}

static void read_rows(struct run *run, FILE *stream)
{
	char *text = NULL;
	size_t room = 0;

	while (getline(&text, &room, stream) >= 0) {
		size_t length = strcspn(text, ",\r\n");

		run->line++;
		if (run->line == 1 && length == 3 && !memcmp(text, "hex", 3)) {
			puts(run->options->x86_blocks_bound ?
				     "hex,cycles,bound" : "hex,cycles");
			continue;
		}
		if (!length && !text[strspn(text, "\r\n")])
			continue; /* an empty line */
		measure(run, text, length);
	}
	free(text);
}

static void summarize(const struct run *run)
{
	double seconds = seconds_since(&run->start);

	if (run->options->quiet)
		return;
	fprintf(stderr, "m2s: %" PRIu64 " blocks on %s, %" PRIu64
		" could not be run, %" PRIu64 " are not hex; %.1f s, %.0f blocks "
		"a second, %.2f million cycles and %.2f million instructions a "
		"second\n",
		run->rows, run->options->x86_preset, run->failed, run->wrong,
		seconds, (double)run->rows / seconds,
		(double)run->cycles / seconds / 1e6,
		(double)run->instructions / seconds / 1e6);
}

static int open_outputs(struct run *run, struct error *error)
{
	const struct options *options = run->options;
	const struct output_rules rules = { .overwrite = options->overwrite };

	if (options->x86_blocks_trace &&
	    output_open(&run->trace, options->x86_blocks_trace, &rules, error))
		return -1;
	return options->x86_blocks_listing
		       ? output_open(&run->listing, options->x86_blocks_listing,
				     &rules, error)
		       : 0;
}

/* `status` as that of output_close(). */
static int close_outputs(struct run *run, int status, struct error *error)
{
	if (run->trace.stream)
		status = output_close(&run->trace, status, error);
	if (run->listing.stream)
		status = output_close(&run->listing, status, error);
	return status;
}

static FILE *open_rows(const char *path, struct error *error)
{
	FILE *stream = fopen(path, "re");

	if (!stream)
		error_set(error, "%s: %s", path, strerror(errno));
	return stream;
}

int x86_blocks_command(const struct options *options, const char *program,
		       struct error *error)
{
	struct run run = { .options = options };
	FILE *stream;
	bool unread;

	if (program)
		return error_set(error, "--x86-blocks %s: this option runs no "
				 "program, but the command line has '%s'",
					options->x86_blocks,
				 program);
	if (!options->x86_preset)
		return error_set(error, "--x86-blocks %s: needs --x86-preset "
					"NAME, one of %s", options->x86_blocks,
				 x86_core_names());
	run.blocks = x86_throughput_create(options->x86_preset, error);
	if (!run.blocks)
		return error_prefix(error, "--x86-preset");
	stream = NULL;
	if (open_outputs(&run, error) ||
	    !(stream = open_rows(options->x86_blocks, error))) {
		x86_throughput_free(run.blocks);
		return close_outputs(&run, -1, error);
	}
	clock_gettime(CLOCK_MONOTONIC, &run.start);
	run.told = run.start;
	read_rows(&run, stream);
	unread = ferror(stream);
	fclose(stream);
	summarize(&run);
	x86_throughput_free(run.blocks);
	if (close_outputs(&run, 0, error))
		return -1;
	if (unread)
		return error_set(error, "%s: cannot read the file",
				 options->x86_blocks);
	if (run.wrong)
		return error_set(error, "%s: %" PRIu64 " of %" PRIu64
				 " rows do not begin with a block in hex",
				 options->x86_blocks, run.wrong, run.rows);
	return 0;
}
