#include "m2s/native/run.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/settings.h"
#include "m2s/gpu/from-options.h"
#include "m2s/native/file-names.h"
#include "m2s/native/native.h"
#include "m2s/native/words.h"
#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/calls/leaks.h"
#include "opencl-rt/driver/driver.h"
#include "report/progress.h"
#include "report/summary.h"

struct native_run {
	const struct native_host *host;
	bool told; /* M2S_OPTIONS is there */
	char **words; /* of M2S_OPTIONS, behind the first */
	char **command; /* for provenance */
	struct options options;
	struct paths paths;
	struct run_files files;
	struct timeline *timeline; /* --trace, or NULL */
	struct stats *stats;
	struct gpu *gpu;
	struct opencl_driver *driver;
	struct opencl_account *account; /* of --cl-report, or NULL */
	struct opencl_failures failures;
	struct progress progress;
	double start; /* host time */
	bool detailed, ended;
};

/* --- The machine of the driver ------------------------------------------ */

/* The program's memory is our own. A wrong pointer ends the program, as with any
 * other OpenCL library; only those that cannot be meant are refused. */
static bool is_address(uint64_t address, uint64_t size)
{
	const uint64_t first = 4096, end = UINT64_C(1) << 47;

	return address >= first && address < end && size <= end - address;
}

static int read_program(void *owner, uint64_t address, void *buffer,
			uint64_t size)
{
	(void)owner;
	if (!is_address(address, size))
		return -1;
	memcpy(buffer, (const void *)(uintptr_t)address, size);
	return 0;
}

static int write_program(void *owner, uint64_t address, const void *buffer,
			 uint64_t size)
{
	(void)owner;
	if (!is_address(address, size))
		return -1;
	memcpy((void *)(uintptr_t)address, buffer, size);
	return 0;
}

/* Not beyond the end: sanitizers of the program would see that. */
static int64_t string_length(void *owner, uint64_t address)
{
	(void)owner;
	return is_address(address, 1)
		       ? (int64_t)strlen((const char *)(uintptr_t)address)
		       : -1;
}

static int run_ndrange(void *owner, struct evg_ndrange *ndrange,
		       struct error *error)
{
	return gpu_run(((struct native_run *)owner)->gpu, ndrange, error);
}

static picoseconds now(void *owner)
{
	return gpu_now(((struct native_run *)owner)->gpu);
}

static void advance(void *owner, enum opencl_time kind, uint64_t bytes,
		    picoseconds time)
{
	gpu_advance(((struct native_run *)owner)->gpu, kind, bytes, time);
}

static void leave(void *owner)
{
	((struct native_run *)owner)->host->leave();
}

static void enter(void *owner)
{
	((struct native_run *)owner)->host->enter();
}

/* --- Stopping and progress ---------------------------------------------- */

static void print_progress(struct native_run *run)
{
	struct progress_facts facts = {
		.seconds = host_seconds() - run->start,
	};

	gpu_get_progress(run->gpu, &facts.kernel);
	progress_print(&run->progress, &facts);
}

static const char *kernel_stop(void *owner)
{
	struct native_run *run = owner;

	if (run->told && progress_is_due(&run->progress, true))
		print_progress(run);
	return run->host->stop_reason();
}

static bool compiler_stop(void *owner)
{
	return ((struct native_run *)owner)->host->stop_reason() != NULL;
}

/* --- Set-up -------------------------------------------------------------- */

/* The folder of m2s's programs, found from where this library is: in the build
 * tree, and where the installation is now. */
static char *programs_folder(void)
{
	static const char *const places[] = { "../..", "../../../bin" };
	char *library = NULL, *path, *folder = NULL;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)&native_run_create, &info))
		library = realpath(info.dli_fname, NULL);
	if (!library)
		return xstrdup(M2S_BINDIR);
	*strrchr(library, '/') = 0;
	for (size_t i = 0; !folder && i < ARRAY_SIZE(places); i++) {
		path = xasprintf("%s/%s/m2s-clc", library, places[i]);
		folder = realpath(path, NULL);
		free(path);
	}
	free(library);
	if (!folder)
		return xstrdup(M2S_BINDIR);
	*strrchr(folder, '/') = 0;
	return folder;
}

/* The command line that would give the same run, for the reports: ours, and the
 * program's. */
static void describe_command(struct native_run *run, size_t word_count)
{
	char text[4096];
	size_t size = 0, count = 0;
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);

	if (file >= 0)
		close(file);
	size = got > 0 ? (size_t)got : 0;
	text[size] = 0;
	run->command = xcalloc(word_count + size + 3, sizeof *run->command);
	run->command[count++] = xstrdup("m2s");
	run->command[count++] = xstrdup("--native");
	for (size_t i = 0; i < word_count; i++)
		run->command[count++] = xstrdup(run->words[i + 1]);
	for (size_t at = 0; at < size; at += strlen(text + at) + 1)
		run->command[count++] = xstrdup(text + at);
}

static int read_options(struct native_run *run, struct error *error)
{
	const char *line = getenv(NATIVE_OPTIONS);
	char *whole;
	size_t count;

	run->told = line != NULL;
	whole = xasprintf("m2s %s", line ? line : "");
	run->words = native_words_split(whole, &count, error);
	free(whole);
	if (!run->words ||
	    options_parse(&run->options, (int)count, run->words, error) ||
	    native_options_check(&run->options, error))
		return -1;
	if ((size_t)run->options.program_index != count)
		return error_set(error, NATIVE_OPTIONS ": %s: expected options "
				 "only", run->words[run->options.program_index]);
	run->options.native = true;
	describe_command(run, count - 1);
	run->options.argv = run->command;
	return 0;
}

static void add_program(struct native_run *run)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return;
	inputs_add_file(&run->files.inputs, "Program", file);
	close(file);
}

static int create_gpu(struct native_run *run, struct error *error)
{
	struct gpu_options gpu;

	gpu_options_read(&run->options, &run->files, run->detailed, &gpu);
	gpu.stop = kernel_stop;
	gpu.stop_owner = run;
	gpu.timeline = run->timeline;
	gpu.stats = run->stats;
	run->gpu = gpu_create(&gpu, error);
	return run->gpu ? settings_check(run->options.settings, error) : -1;
}

static int create_driver(struct native_run *run, struct error *error)
{
	const struct opencl_machine machine = {
		.owner = run,
		.read = read_program,
		.write = write_program,
		.string_length = string_length,
		.run = run_ndrange,
		.now = now,
		.advance = advance,
		.leave = leave,
		.enter = enter,
		.same_memory = true,
	};
	struct opencl_driver_options options;

	opencl_options_read(&run->options, &run->files, &run->paths, run->gpu,
			    &options);
	options.stop = compiler_stop;
	options.stop_owner = run;
	if (run->options.cl_report)
		run->account = xcalloc(1, sizeof *run->account);
	options.account = run->account;
	options.failures = &run->failures;
	run->driver = opencl_driver_create(&machine, &options, error);
	return run->driver ? 0 : -1;
}

static int create(struct native_run *run, bool forked, struct error *error)
{
	char *folder;

	if (read_options(run, error) ||
	    sim_kind_read("evg-sim", run->options.evg_sim, &run->detailed,
			  error))
		return -1;
	native_name_files(&run->options, forked);
	progress_init(&run->progress, run->options.progress,
		      run->options.quiet || !run->told);
	if (run_files_open(&run->files, &run->options, run->detailed, false,
			   error) ||
	    run_files_timeline(&run->files, &run->options, run->detailed,
			       &run->timeline, error))
		return -1;
	folder = programs_folder();
	paths_find_from(&run->paths, folder);
	free(folder);
	run->stats = stats_create();
	if (create_gpu(run, error) || create_driver(run, error))
		return -1;
	add_program(run);
	return run_files_start(&run->files, &run->options, error);
}

/* What belongs to a run that did not come about. */
static void discard(struct native_run *run)
{
	opencl_driver_free(run->driver);
	account_free(run->account);
	gpu_free(run->gpu);
	timeline_free(run->timeline);
	stats_free(run->stats);
	if (run->files.outputs)
		run_files_close(&run->files);
	paths_clear(&run->paths);
	options_clear(&run->options);
	native_words_free(run->words);
	native_words_free(run->command);
	free(run);
}

struct native_run *native_run_create(const struct native_host *host,
				     bool forked, struct error *error)
{
	struct native_run *run = xcalloc(1, sizeof *run);

	run->host = host;
	run->start = host_seconds();
	if (create(run, forked, error)) {
		discard(run);
		return NULL;
	}
	return run;
}

/* --- Use and end --------------------------------------------------------- */

int native_run_request(struct native_run *run, uint64_t address,
		       struct error *error)
{
	return run->ended ? 1
			  : opencl_driver_request(run->driver, address, error);
}

const char *native_run_limit(const struct native_run *run)
{
	return gpu_limit(run->gpu);
}

bool native_run_told(const struct native_run *run)
{
	return run->told;
}

uint64_t native_run_max_time(const struct native_run *run)
{
	return run->options.max_time;
}

static bool ends_with_csv(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcmp(path + length - 4, ".csv");
}

static int write_reports(struct native_run *run, const char *partial,
			 struct error *error)
{
	struct run_files *files = &run->files;

	leaks_tell(run->driver);
	if (run->account)
		account_register(run->account, files->provenance, run->stats);
	return run_files_report(files, &run->options, run->stats, partial,
				error) ||
			       gpu_write_intervals(run->gpu, partial, error) ||
			       (files->threads &&
				gpu_write_threads(run->gpu, files->threads,
						  error)) ||
			       (files->units &&
				gpu_write_pipeline(run->gpu, files->units,
						   error)) ||
			       (files->annotations &&
				gpu_write_annotations(
					run->gpu, files->annotations,
					ends_with_csv(
						run->options.evg_annotate),
					partial, error)) ||
			       (run->timeline &&
				output_close(files->timeline,
					     timeline_end(run->timeline,
							  partial, error),
					     error))
		       ? -1
		       : 0;
}

static void summarize(const struct native_run *run, const char *end)
{
	struct summary summary = {
		.real_time = host_seconds() - run->start,
		.end = end,
		.simulated = gpu_now(run->gpu),
		.detailed = run->detailed,
		.native = true,
	};

	gpu_summarize(run->gpu, &summary.gpu);
	summary_print(&summary, stderr);
}

int native_run_end(struct native_run *run, const char *end,
		   const char *partial)
{
	struct error error = { "" }, later;
	int status;

	if (run->ended)
		return 0;
	run->ended = true;
	progress_erase(&run->progress);
	status = write_reports(run, !partial && run->failures.unfinished
					    ? "KernelFailed"
					    : partial,
			       &error);
	if (outputs_end(run->files.outputs, end, status ? &later : &error))
		status = -1;
	if (status)
		fprintf(stderr, "m2s: error: %s\n", error.text);
	if (run->told && !run->options.quiet)
		summarize(run, end);
	if (run->failures.launches && !partial) {
		fprintf(stderr, "m2s: error: %llu kernel launch%s failed\n",
			(unsigned long long)run->failures.launches,
			run->failures.launches == 1 ? "" : "es");
		status = -1;
	}
	return status;
}

void native_run_forget_output(struct native_run *run)
{
	FILE *stream;

	for (int i = 0; i < LOG_CHANNEL_COUNT; i++) {
		stream = log_stream(run->files.log, (enum log_channel)i);
		if (stream && stream != stdout && stream != stderr)
			__fpurge(stream);
	}
	if (run->files.intervals && run->files.intervals->stream)
		__fpurge(run->files.intervals->stream);
	if (run->files.timeline && run->files.timeline->stream)
		__fpurge(run->files.timeline->stream);
}
