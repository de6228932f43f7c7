/* Random kernels through our code generator on the emulator, beside the same
 * kernels evaluated here.
 *   test-random                   some kernels, and operations at the ends of
 *                                 the ranges
 *   test-random COUNT [FIRST]     COUNT kernels from seed FIRST on
 *   test-random print SEED        one kernel's source
 *   test-random reduce SEED       a smaller one that differs too
 * With --option=OPTION first, the compiler gets that option, too: -O0, or
 * --codegen-without=PASS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "codegen/random/ends.h"
#include "codegen/random/program.h"
#include "evergreen/emu/emu.h"
#include "opencl-rt/clc/process.h"
#include "unit/random.h"

enum { BATCH = 20, CHECKED = 1000, MEMORY = 1 << 22, PROGRESS = 1000 };

/* What the compiler gets beside the usual. */
static const char *option = "-w";

static struct {
	unsigned same, different, refused;
} counts;

/* --- Memory --------------------------------------------------------------- */

static void fill_memory(struct memory *memory, uint64_t seed)
{
	memset(memory, 0, sizeof *memory);
	memory->argument = (int)(seed % 4);
	for (unsigned b = 0; b < SIZES; b++)
		for (unsigned i = 0; i < INPUTS; i++) {
			uint64_t bits = random_draw(&seed);
			double real = ((double)(bits % 16384) - 8192) / 8;
			float single = (float)real;

			if (b < 4)
				memcpy(memory->input[b] + (i << b), &bits,
				       (size_t)1 << b);
			else if (b == 4)
				memcpy(memory->input[b] + i * 4, &single, 4);
			else
				memcpy(memory->input[b] + i * 8, &real, 8);
		}
}

static unsigned buffer_bytes(unsigned buffer)
{
	static const unsigned bytes[SIZES] = { 1, 2, 4, 8, 4, 8 };

	return bytes[buffer];
}

/* Zeros of both signs are the same. */
static bool same_element(unsigned buffer, const uint8_t *a, const uint8_t *b)
{
	enum element element = buffer == 4 ? FLOAT : DOUBLE;
	struct value x, y;

	if (!memcmp(a, b, buffer_bytes(buffer)))
		return true;
	if (buffer < 4)
		return false;
	element_load(element, a, &x, 0);
	element_load(element, b, &y, 0);
	return x.real[0] == y.real[0];
}

static bool same_memory(const struct memory *ours, const struct memory *theirs,
			bool say)
{
	for (unsigned b = 0; b < SIZES; b++)
		for (unsigned i = 0; i < ITEMS * ZONE; i++) {
			unsigned at = i * buffer_bytes(b);

			if (same_element(b, ours->output[b] + at,
					 theirs->output[b] + at))
				continue;
			if (say)
				printf("# buffer %u, work-item %u, element "
				       "%u\n", b, i / ZONE, i % ZONE);
			return false;
		}
	return !memcmp(ours->counters, theirs->counters,
		       sizeof ours->counters) &&
	       !memcmp(ours->own, theirs->own, sizeof ours->own);
}

/* --- The emulator --------------------------------------------------------- */

struct part {
	uint8_t *bytes;
	uint32_t size, address;
};

static unsigned list_parts(struct memory *memory, struct part *parts)
{
	unsigned count = 0;

	for (unsigned b = 0; b < SIZES; b++) {
		parts[count++] = (struct part){ memory->input[b],
						sizeof memory->input[b], 0 };
		parts[count++] = (struct part){ memory->output[b],
						sizeof memory->output[b], 0 };
	}
	parts[count++] = (struct part){ (uint8_t *)memory->counters,
					sizeof memory->counters, 0 };
	parts[count++] = (struct part){ (uint8_t *)memory->own,
					sizeof memory->own, 0 };
	return count;
}

static uint32_t load_text(const struct evg_program *program,
			  struct evg_memory *memory)
{
	uint32_t address = evg_memory_allocate(memory, program->text_size, true,
					       "text");
	uint8_t *host = evg_memory_host(memory, address, program->text_size);

	memcpy(host, program->text, program->text_size);
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t word;

		memcpy(&word, host + program->relocations[i], 4);
		word += address;
		memcpy(host + program->relocations[i], &word, 4);
	}
	return address;
}

static int run_launch(struct evg_launch *launch, struct error *error)
{
	struct evg_ndrange *ndrange = evg_ndrange_create(launch, error);
	int status = -1;

	if (ndrange)
		status = evg_ndrange_run(ndrange, 1, 20000000, error);
	if (status > 0)
		error_set(error, "no end");
	evg_ndrange_free(ndrange);
	return status;
}

static int run_device(const struct evg_kernel *kernel, struct memory *data,
		      struct error *error)
{
	struct evg_memory *memory = evg_memory_create(MEMORY, error);
	uint8_t arguments[256] = { 0 };
	struct evg_launch launch = {
		.kernel = kernel,
		.memory = memory,
		.work_dim = 1,
		.global_size = { ITEMS, 1, 1 },
		.local_size = { GROUP, 1, 1 },
		.arguments = arguments,
		.local_memory = kernel->local_size,
	};
	struct part parts[2 * SIZES + 2];
	unsigned count = list_parts(data, parts);
	int status;

	if (!memory)
		return -1;
	launch.text_address = load_text(kernel->program, memory);
	for (unsigned i = 0; i < count; i++) {
		parts[i].address = evg_memory_allocate(memory, parts[i].size,
						       false, "buffer");
		memcpy(evg_memory_host(memory, parts[i].address, parts[i].size),
		       parts[i].bytes, parts[i].size);
		memcpy(arguments + kernel->arguments[i].offset,
		       &parts[i].address, 4);
	}
	memcpy(arguments + kernel->arguments[count].offset, &data->argument, 4);
	status = run_launch(&launch, error);
	for (unsigned i = 0; i < count; i++)
		memcpy(parts[i].bytes,
		       evg_memory_host(memory, parts[i].address, parts[i].size),
		       parts[i].size);
	evg_memory_free(memory);
	return status;
}

/* --- Comparing ------------------------------------------------------------ */

/* Kernels as one program; *messages is to be freed. NULL: the compiler has
 * failed. */
static struct evg_program *compile(struct kernel *const *kernels,
				   unsigned count, char **messages)
{
	/* Some programs have few registers, so that values lie in memory for a
	 * time; in some nothing is optimized; in some control flow goes block
	 * by block. */
	static const char *const ways[] = {
		"-w", "-O0", "--codegen-registers=12", "-w",
		"--codegen-without=structure", "--codegen-registers=12",
	};
	const char *way = ways[(kernels[0]->number - 1) / BATCH %
			       ARRAY_SIZE(ways)];
	char *compiler = compiler_path(), *text = NULL;
	char *arguments[] = { compiler, (char *)way, (char *)option,
			      "-w", "-", "-o", "-", NULL };
	const struct process_limits limits = { .seconds = 300 };
	struct process_result result;
	struct evg_program *program = NULL;
	struct error error;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_head(out);
	for (unsigned i = 0; i < count; i++)
		print_kernel(out, kernels[i]);
	fclose(out);
	*messages = NULL;
	if (!process_run(arguments, text, size, false, &limits, &result,
			 &error)) {
		*messages = xstrdup(result.messages);
		if (!result.timed_out && !result.exit_status && !result.signal)
			program = evg_program_read("random", result.output,
						   result.output_size, &error);
		process_result_free(&result);
	}
	free(text);
	free(compiler);
	return program;
}

static uint64_t seed_of(const struct kernel *kernel)
{
	return kernel->number;
}

/* Of one kernel of a program. */
static bool is_same(const struct kernel *kernel,
		    const struct evg_program *program, bool say)
{
	struct memory *ours = xcalloc(1, sizeof *ours);
	struct memory *theirs = xcalloc(1, sizeof *theirs);
	const struct evg_kernel *found;
	char name[16];
	struct error error;
	bool same;

	snprintf(name, sizeof name, "k%u", kernel->number);
	found = evg_program_find(program, name);
	fill_memory(ours, seed_of(kernel));
	fill_memory(theirs, seed_of(kernel));
	kernel_run(kernel, theirs);
	if (!found) {
		same = false;
	} else if (run_device(found, ours, &error)) {
		if (say)
			printf("# %s: %s\n", name, error.text);
		same = false;
	} else {
		same = same_memory(ours, theirs, say);
	}
	free(ours);
	free(theirs);
	return same;
}

static bool is_refused(const struct kernel *kernel, const char *messages)
{
	char *text = xasprintf("kernel 'k%u': the code generator does not know",
			       kernel->number);
	bool refused = messages && strstr(messages, text);

	free(text);
	return refused;
}

/* The code generator has compiled it, and wrongly. */
static bool differs(const struct kernel *kernel)
{
	struct kernel *kernels[] = { (struct kernel *)kernel };
	char *messages;
	struct evg_program *program = compile(kernels, 1, &messages);
	bool different = program && !is_same(kernel, program, false);

	evg_program_free(program);
	free(messages);
	return different;
}


static void check(struct kernel *const *kernels, unsigned count)
{
	char *messages;
	struct evg_program *program = compile(kernels, count, &messages);

	/* One kernel that is refused takes the others with it. */
	for (unsigned i = 0; !program && count > 1 && i < count; i++)
		check(kernels + i, 1);
	if (!program && count == 1) {
		printf("# k%u is not compiled: %s", kernels[0]->number,
		       messages ? messages : "\n");
		if (is_refused(kernels[0], messages))
			counts.refused++;
		else
			counts.different++;
	}
	for (unsigned i = 0; program && i < count; i++) {
		if (is_same(kernels[i], program, true)) {
			counts.same++;
		} else {
			counts.different++;
			printf("# different: test-random reduce %u\n",
			       kernels[i]->number);
		}
	}
	evg_program_free(program);
	free(messages);
	fflush(stdout);
}

static void check_range(unsigned first, unsigned count)
{
	for (unsigned done = 0, some; done < count; done += some) {
		struct kernel *kernels[BATCH];
		unsigned i;

		some = BATCH - (first + done - 1) % BATCH;
		if (some > count - done)
			some = count - done;

		for (i = 0; i < some; i++)
			kernels[i] = kernel_make(first + done + i,
						 first + done + i);
		check(kernels, some);
		while (i--)
			kernel_free(kernels[i]);
		if ((done + some) / PROGRESS != done / PROGRESS)
			printf("# %u kernels, to seed %u: %u different, %u "
			       "refused\n", done + some,
			       first + done + some - 1, counts.different,
			       counts.refused);
		fflush(stdout);
	}
}

static int reduce(unsigned seed, bool print_only)
{
	struct kernel *kernel = kernel_make(seed, seed);
	bool different = !print_only && differs(kernel);

	if (different)
		kernel_reduce(kernel, differs);
	print_head(stdout);
	print_kernel(stdout, kernel);
	kernel_free(kernel);
	return different;
}

int main(int argc, char **argv)
{
	unsigned number = CHECKED;
	bool right = true;

	if (argc > 1 && !strncmp(argv[1], "--option=", 9)) {
		option = argv[1] + 9;
		argc--;
		argv++;
	}
	if (argc > 2 && (!strcmp(argv[1], "print") ||
			 !strcmp(argv[1], "reduce")))
		return reduce((unsigned)atoi(argv[2]),
			      !strcmp(argv[1], "print"));
	if (argc > 1) {
		number = (unsigned)atoi(argv[1]);
	} else {
		right = ends_check();
		printf("%sok - operations at the ends of the ranges\n",
		       right ? "" : "not ");
		right &= divisors_check();
		printf("%sok - division by known numbers\n",
		       right ? "" : "not ");
		right &= found_check();
		printf("%sok - what random kernels have found\n",
		       right ? "" : "not ");
	}
	check_range(argc > 2 ? (unsigned)atoi(argv[2]) : 1, number);
	printf("# %u kernels: %u the same, %u different, %u refused\n", number,
	       counts.same, counts.different, counts.refused);
	printf("%sok - random kernels compute what they say\n",
	       counts.different || !counts.same ? "not " : "");
	/* Some need more registers than there are. */
	printf("%sok - nearly all are compiled by the code generator\n",
	       counts.refused > number / 100 ? "not " : "");
	return !right || counts.different || !counts.same ||
	       counts.refused > number / 100;
}
