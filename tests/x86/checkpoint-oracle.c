/* checkpoint-oracle POINTS FOLDER PROGRAM ARGUMENTS...
 *
 * Runs a guest program to its end; then, for random instruction counts N < M:
 * to N, saves, restores, to M, saves, and to its end. Output, exit status and
 * counts must be those of the undisturbed run, and the checkpoint at M the
 * same, byte by byte, as one that a run from the start saves at M: registers,
 * memory, descriptors, timers and all (but not for a program with two
 * arguments, of which the second is a folder for its files). Prints what differs; exit status 1. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit/random.h"
#include "x86/linux/linux.h"

struct outcome {
	struct linux_result result;
	uint64_t contexts;
	int output;
};

struct oracle {
	struct linux_program program;
	const char *folder;
	bool makes_files;
	unsigned failures;
	uint64_t seed;
};

static uint64_t random_below(struct oracle *oracle, uint64_t limit)
{
	return random_draw(&oracle->seed) % limit;
}

static void fail(struct oracle *oracle, uint64_t at, const char *what)
{
	printf("# at %" PRIu64 ": %s\n", at, what);
	oracle->failures++;
}

static int new_output(void)
{
	return memfd_create("output", 0);
}

/* A system that has loaded the program (from == NULL) or a checkpoint, run to
 * `pause` (0: to the end), where it is saved to `to`. */
static struct outcome run(struct oracle *oracle, const char *from,
			  uint64_t pause, const char *to, int output)
{
	struct linux_options options = {
		.clock = LINUX_CLOCK_SIMULATED, .pause_at = pause,
		.seed = 5, .quantum = from ? 1 : 7001,
	};
	struct outcome outcome = { .output = output };
	struct linux_program program = oracle->program;
	int null = open("/dev/null", O_RDWR);
	int standard[3] = { null, output, output };
	struct error error = { "" };
	struct linux_system *system = linux_create(&options, &error);

	memcpy(program.standard, standard, sizeof standard);
	if (from ? linux_load_checkpoint(system, from, standard, &error)
		 : linux_load(system, &program, &error) < 0)
		fail(oracle, pause, error.text);
	else if (linux_run(system, &outcome.result, &error))
		fail(oracle, pause, error.text);
	else if ((outcome.result.end == LINUX_END_PAUSE) != (pause != 0))
		fail(oracle, pause, "the run does not stop where it should");
	else if (pause && linux_save_checkpoint(system, to, &error))
		fail(oracle, pause, error.text);
	outcome.contexts = linux_contexts(system);
	linux_free(system);
	close(null);
	return outcome;
}

static char *contents(int file, size_t *size)
{
	struct stat status = { 0 };
	char *bytes;

	fstat(file, &status);
	*size = (size_t)status.st_size;
	bytes = xmalloc(*size + 1);
	if (pread(file, bytes, *size, 0) != (ssize_t)*size)
		*size = 0;
	return bytes;
}

static bool same_bytes(int a, int b)
{
	size_t size[2];
	char *bytes[2] = { contents(a, &size[0]), contents(b, &size[1]) };
	bool same = size[0] == size[1] && !memcmp(bytes[0], bytes[1], size[0]);

	free(bytes[0]);
	free(bytes[1]);
	return same;
}

/* Moves all bytes to another file; leaves the first one empty. */
static void copy(int from, int to)
{
	size_t size;
	char *bytes = contents(from, &size);

	if (write(to, bytes, size) != (ssize_t)size ||
	    ftruncate(from, 0) != 0 || lseek(from, 0, SEEK_SET) != 0)
		abort();
	free(bytes);
}

static bool same_files(const char *a, const char *b)
{
	int first = open(a, O_RDONLY), second = open(b, O_RDONLY);
	bool same = first >= 0 && second >= 0 && same_bytes(first, second);

	close(first);
	close(second);
	return same;
}

static void compare(struct oracle *oracle, uint64_t at,
		    const struct outcome *whole, const struct outcome *piece)
{
	if (!same_bytes(whole->output, piece->output))
		fail(oracle, at, "the output differs");
	if (whole->result.exit_status != piece->result.exit_status ||
	    whole->result.signal != piece->result.signal ||
	    whole->result.ended != piece->result.ended)
		fail(oracle, at, "the exit status differs");
	if (whole->result.instructions != piece->result.instructions)
		fail(oracle, at, "the number of instructions differs");
	if (whole->contexts != piece->contexts)
		fail(oracle, at, "the number of contexts differs");
}

static void try_point(struct oracle *oracle, const struct outcome *whole)
{
	uint64_t total = whole->result.instructions;
	uint64_t first = 1 + random_below(oracle, total - 2);
	uint64_t second = first + 1 + random_below(oracle, total - first - 1);
	char *at_first = xasprintf("%s/first", oracle->folder);
	char *at_second = xasprintf("%s/second", oracle->folder);
	char *direct = xasprintf("%s/direct", oracle->folder);
	int output = new_output(), other = new_output();
	struct outcome piece;

	/* Into the same file, which a guest knows by its inode. */
	run(oracle, NULL, second, direct, output);
	copy(output, other);
	run(oracle, NULL, first, at_first, output);
	run(oracle, at_first, second, at_second, output);
	if (!same_bytes(output, other))
		fail(oracle, second, "the output until there differs");
	/* Files that the program has made differ at least in time. */
	if (!oracle->makes_files && !same_files(direct, at_second))
		fail(oracle, second, "the state differs from the direct "
				     "run's");
	piece = run(oracle, at_second, 0, NULL, output);
	compare(oracle, first, whole, &piece);
	if (oracle->failures)
		printf("# points %" PRIu64 " and %" PRIu64 " of %" PRIu64
		       "\n", first, second, total);
	close(output);
	close(other);
	free(at_first);
	free(at_second);
	free(direct);
}

int main(int argc, char **argv)
{
	static const char *const environment[] = { "LC_ALL=C", NULL };
	struct oracle oracle = { .seed = 12345 };
	struct outcome whole;

	if (argc < 4)
		return 2;
	oracle.folder = argv[2];
	oracle.makes_files = argc > 5;
	oracle.program = (struct linux_program){
		.path = argv[3], .argv = (const char *const *)argv + 3,
		.envp = environment,
	};
	whole = run(&oracle, NULL, 0, NULL, new_output());
	if (!whole.result.ended || whole.result.exit_status != 5)
		fail(&oracle, 0, "the program fails");
	for (int i = atoi(argv[1]); i > 0 && !oracle.failures; i--)
		try_point(&oracle, &whole);
	printf("# %" PRIu64 " instructions\n", whole.result.instructions);
	return oracle.failures != 0;
}
