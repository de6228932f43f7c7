/* What a program's system calls may do: anything with its own files and
 * memory, and nothing beyond them.
 *
 * The input: four bytes, the first of which says how the guest is confined;
 * then records of a call and its arguments, which are chosen by what the call
 * wants (calls/arguments.c). Whatever they do, nothing outside the guest's
 * root changes, nothing of it or of the simulator's memory gets to the guest,
 * read-only files stay as they are, no forbidden network is reached, and the
 * simulator's own descriptors, ids and limits are as before. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/calls/calls.h"
#include "fuzz/fuzz.h"
#include "memsys/space/space.h"
#include "x86/linux/linux.h"
#include "x86/linux/state.h"

enum {
	INSTRUCTIONS_MAX = 30000,
	MILLISECONDS_MAX = 200,
	PAGES_SEARCHED = 64,    /* of each region */
	FILE_MAX = 16 << 20,
};

int LLVMFuzzerInitialize(int *count, char ***list)
{
	(void)count;
	(void)list;
	world_create(host_leave());
	return 0;
}

struct run {
	struct linux_system *system;
	struct timespec start;
	uint64_t instructions;
	unsigned idle; /* how often nobody had executed any */
};

/* The time is over, or everybody waits for what may never come. */
static bool is_over(void *owner)
{
	struct run *run = owner;
	uint64_t instructions = linux_instructions(run->system);
	struct timespec now;

	run->idle = instructions == run->instructions ? run->idle + 1 : 0;
	run->instructions = instructions;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return run->idle > 3 ||
	       (now.tv_sec - run->start.tv_sec) * 1000 +
			       (now.tv_nsec - run->start.tv_nsec) / 1000000 >
		       MILLISECONDS_MAX;
}

/* ---- Secrets in the guest's memory ---- */

static void search_region(void *owner, const struct space_region *region)
{
	const struct space *space = owner;
	uint8_t page[SPACE_PAGE];
	uint64_t end = region->start + PAGES_SEARCHED * SPACE_PAGE;

	if (end > region->end)
		end = region->end;
	for (uint64_t at = region->start; at < end; at += SPACE_PAGE)
		if (!space_read(space, at, page, sizeof page) &&
		    memmem(page, sizeof page, world_secret, 32))
			fuzz_fail("the guest's memory has the secret at 0x%llx",
				  (unsigned long long)at);
}

static void search_guests(const struct linux_system *system)
{
	for (const struct process *process = system->processes; process;
	     process = process->next)
		if (!process->ended && process->memory)
			space_visit(process->memory->space, search_region,
				    process->memory->space);
}

/* ---- */

static void limit_files(rlim_t size)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ size, RLIM_INFINITY });
}

static void run_guest(uint8_t flags)
{
	static const char *const argv[] = { "/0", NULL };
	static const char *const envp[] = { "A=b", NULL };
	struct run run = { 0 };
	struct linux_options options = {
		.max_instructions = INSTRUCTIONS_MAX, .quantum = 500,
		.stack_size = 64 << 10, .clock = LINUX_CLOCK_SIMULATED,
		.root = world_root, .read_only = flags & INPUT_READ_ONLY,
		.writable = flags & INPUT_WRITABLE ? "/w" : NULL,
		.no_network = flags & INPUT_NO_NETWORK, .stop = is_over,
		.stop_owner = &run,
	};
	struct linux_result result = { 0 };
	struct error error = { "" };
	struct linux_system *system = linux_create(&options, &error);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	run.system = system;
	clock_gettime(CLOCK_MONOTONIC, &run.start);
	/* The guest's limit; ours does not hold for the memory of forks. */
	limit_files(FILE_MAX);
	if (!system || linux_load(system, &(struct linux_program){
				.path = "/0", .argv = argv, .envp = envp,
				.cwd = "/", .standard = { null, null, null } },
				&error) < 0)
		fuzz_fail("%s", error.text);
	limit_files(RLIM_INFINITY);
	if (linux_run(system, &result, &error) && !error.text[0])
		fuzz_fail("failed without a message");
	search_guests(system);
	linux_free(system);
	close(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t program[PROGRAM_SIZE];
	uint8_t flags;

	if (size < INPUT_HEADER)
		return 0;
	flags = data[0];
	/* Folders that are writable are so among others that are not. */
	if (!(flags & INPUT_READ_ONLY))
		flags &= (uint8_t)~INPUT_WRITABLE;
	program_make(program, data, size);
	world_reset(flags, program, sizeof program);
	host_remember();
	run_guest(flags);
	host_check();
	world_check(flags);
	return 0;
}
