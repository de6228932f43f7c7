#include "m2s/simulation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "m2s/gpu.h"
#include "m2s/paths.h"
#include "m2s/reports.h"
#include "m2s/summary.h"
#include "opencl-rt/driver/driver.h"
#include "opencl-rt/protocol.h"
#include "x86/linux/linux.h"

/* Memory of a Radeon HD 5870. */
enum { DEVICE_MEMORY = 1 << 30 };

/* The guest library and the system-call layer never see each other's header. */
_Static_assert((int)OPENCL_SYSTEM_CALL == (int)LINUX_CALL_SIMULATOR,
	       "the reserved system call has two numbers");

extern char **environ;

struct simulation {
	const struct options *options;
	char **argv;
	double start; /* host time */
	struct paths paths;
	struct report_formats formats;
	struct log *log;
	struct stats *stats;
	struct gpu *gpu;
	struct opencl_driver *driver;
	struct linux_system *guest;
	const char **environment;
	bool (*stop)(void *owner);
	void *stop_owner;
};

static bool should_stop(void *owner)
{
	struct simulation *s = owner;

	if (s->options->max_time &&
	    host_seconds() - s->start >= (double)s->options->max_time)
		return true;
	return s->stop(s->stop_owner);
}

static int read_guest(void *owner, uint64_t address, void *buffer,
		      uint64_t size)
{
	return linux_guest_read(((struct simulation *)owner)->guest, address,
				buffer, size);
}

static int write_guest(void *owner, uint64_t address, const void *buffer,
		       uint64_t size)
{
	return linux_guest_write(((struct simulation *)owner)->guest, address,
				 buffer, size);
}

static int run_ndrange(void *owner, struct evg_ndrange *ndrange,
		       struct error *error)
{
	return gpu_run(((struct simulation *)owner)->gpu, ndrange, error);
}

static picoseconds now(void *owner)
{
	return gpu_now(((struct simulation *)owner)->gpu);
}

static void advance(void *owner, picoseconds time)
{
	gpu_advance(((struct simulation *)owner)->gpu, time);
}

static int serve_request(void *owner, uint64_t address, struct error *error)
{
	return opencl_driver_request(((struct simulation *)owner)->driver,
				     address, error);
}

static char *redirect(void *owner, const char *path, bool abi32)
{
	return paths_redirect(&((struct simulation *)owner)->paths, path,
			      abi32);
}

static int choose_kind(const char *option, const char *text, bool allowed,
		       bool *detailed, struct error *error)
{
	*detailed = false;
	if (!text || !strcmp(text, "functional"))
		return 0;
	if (allowed && !strcmp(text, "detailed")) {
		*detailed = true;
		return 0;
	}
	return error_set(error, "--%s %s: expected functional%s", option, text,
			 allowed ? " or detailed"
				 : " (detailed x86 simulation is not there "
				   "yet)");
}

static int open_logs(struct simulation *s, struct error *error)
{
	s->log = log_create();
	for (int i = 0; i < LOG_CHANNEL_COUNT; i++)
		if (s->options->log_path[i] &&
		    log_open(s->log, (enum log_channel)i,
			     s->options->log_path[i], error))
			return -1;
	return 0;
}

static int create_gpu(struct simulation *s, bool detailed, struct error *error)
{
	const struct options *options = s->options;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct gpu_options gpu = {
		.detailed = detailed,
		.threads = options->threads ? (unsigned)options->threads
					    : (unsigned)processors,
		.evg_config = options->evg_config,
		.mem_config = options->mem_config,
		.net_config = options->net_config,
		.max_cycles = options->evg_max_cycles,
		.max_instructions = options->evg_max_inst,
		.max_kernels = options->evg_max_kernels,
		.progress = !options->quiet && isatty(STDERR_FILENO),
		.kernel_report = options->evg_report_kernel != NULL ||
				 options->document != NULL,
		.stop = should_stop,
		.stop_owner = s,
		.stats = s->stats,
		.log = s->log,
	};

	s->gpu = gpu_create(&gpu, error);
	return s->gpu ? 0 : -1;
}

static int create_driver(struct simulation *s, struct error *error)
{
	struct opencl_machine machine = {
		.owner = s,
		.read = read_guest,
		.write = write_guest,
		.run = run_ndrange,
		.now = now,
		.advance = advance,
	};
	struct opencl_driver_options driver = {
		.compiler = s->paths.compiler,
		.cache_folder = s->paths.cache,
		.kernel_binary = s->options->evg_kernel_binary,
		.memory_size = DEVICE_MEMORY,
		.frequency = gpu_config(s->gpu)->frequency,
		.compute_units = gpu_config(s->gpu)->compute_units,
		.log = s->log,
	};

	s->driver = opencl_driver_create(&machine, &driver, error);
	return s->driver ? 0 : -1;
}

/* The caller's environment with the variables of --env in place. */
static const char **make_environment(const struct options *options)
{
	size_t count = 0;
	const char **result;

	while (environ[count])
		count++;
	result = xcalloc(count + options->environment_count + 1,
			 sizeof *result);
	memcpy(result, environ, count * sizeof *result);
	for (size_t i = 0; i < options->environment_count; i++) {
		const char *variable = options->environment[i];
		size_t name = strcspn(variable, "=") + 1, at = 0;

		while (at < count && strncmp(result[at], variable, name))
			at++;
		result[at] = variable;
		if (at == count)
			count++;
	}
	return result;
}

static int create_linux(struct simulation *s, struct error *error)
{
	struct linux_options options = {
		.log = s->log,
		.max_instructions = s->options->x86_max_inst,
		.opencl_i386 = s->paths.opencl_i386,
		.opencl_x86_64 = s->paths.opencl_x86_64,
		.redirect = redirect,
		.redirect_owner = s,
		.request = serve_request,
		.request_owner = s,
		.stop = should_stop,
		.stop_owner = s,
	};
	struct linux_program program = {
		.path = s->argv[s->options->program_index],
		.argv = (const char *const *)s->argv +
			s->options->program_index,
		.standard = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO },
	};

	s->guest = linux_create(&options, error);
	if (!s->guest)
		return -1;
	linux_register_stats(s->guest, s->stats);
	s->environment = make_environment(s->options);
	program.envp = s->environment;
	return linux_load(s->guest, &program, error) < 0 ? -1 : 0;
}

static int create(struct simulation *s, struct error *error)
{
	bool detailed, ignored;

	if (choose_kind("x86-sim", s->options->x86_sim, false, &ignored,
			error) ||
	    choose_kind("evg-sim", s->options->evg_sim, true, &detailed,
			error) ||
	    report_formats_parse(&s->formats, s->options->report_format,
				 error) ||
	    open_logs(s, error))
		return -1;
	paths_find(&s->paths);
	s->stats = stats_create();
	if (create_gpu(s, detailed, error) || create_driver(s, error) ||
	    create_linux(s, error))
		return -1;
	return reports_check(s->options, &s->formats, detailed, error);
}

struct simulation *simulation_create(const struct options *options,
				     char **argv, bool (*stop)(void *owner),
				     void *stop_owner, struct error *error)
{
	struct simulation *s = xcalloc(1, sizeof *s);

	s->options = options;
	s->argv = argv;
	s->start = host_seconds();
	s->stop = stop;
	s->stop_owner = stop_owner;
	if (create(s, error)) {
		simulation_free(s);
		return NULL;
	}
	return s;
}

void simulation_free(struct simulation *s)
{
	if (!s)
		return;
	linux_free(s->guest);
	opencl_driver_free(s->driver);
	gpu_free(s->gpu);
	stats_free(s->stats);
	log_free(s->log);
	paths_clear(&s->paths);
	free(s->environment);
	free(s);
}

int simulation_run(struct simulation *s, struct simulation_result *result,
		   struct error *error)
{
	struct linux_result end = { 0 };
	const char *reason, *limit;
	int status;

	*error = (struct error){ "" };
	status = linux_run(s->guest, &end, error);
	limit = gpu_limit(s->gpu);
	reason = limit ? limit : linux_end_name(end.end);
	if (status && !limit)
		return -1;
	result->exit_status = end.ended ? end.exit_status : 0;
	result->signal = end.ended ? end.signal : 0;
	if (reports_write(s->options, &s->formats, s->stats,
			  end.end == LINUX_END_FINISHED ? NULL : reason,
			  error))
		return -1;
	if (s->options->document)
		stats_describe(s->stats, stdout);
	if (!s->options->quiet) {
		struct summary summary = {
			.real_time = host_seconds() - s->start,
			.end = reason,
			.x86_instructions = linux_instructions(s->guest),
			.contexts = linux_contexts(s->guest),
			.simulated = gpu_now(s->gpu),
			.detailed = s->options->evg_sim &&
				    !strcmp(s->options->evg_sim, "detailed"),
		};

		gpu_summarize(s->gpu, &summary.gpu);
		summary_print(&summary, stderr);
	}
	return 0;
}
