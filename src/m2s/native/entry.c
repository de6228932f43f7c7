/* What libm2s-opencl calls in a native program: one request at a time, as the
 * driver wants it. The run begins with the first request, and ends with the
 * program. */
#include <dlfcn.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "m2s/native/run.h"
#include "m2s/native/signals.h"
#include "m2s/simulation.h"
#include "opencl-rt/protocol.h"

__attribute__((visibility("default"))) int
opencl_native_request(struct opencl_header *header);

/* Seconds that a request may take when the program is to end: kernels are
 * asked to stop many times a second. */
enum { PATIENCE = 10 };

/* A shared library has nowhere else to keep this. */
static struct {
	pthread_mutex_t lock;
	struct native_run *run;
	bool failed; /* there will be none */
	bool forked; /* a parent had one */
	_Atomic bool ending;
	int exit_status; /* of the program, once it has called exit() */
	pid_t process;   /* whose run it is */
	/* The request by which the guest library made its platform known. */
	struct request_clGetPlatformIDs platform;
} native = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void enter(void)
{
	native_requests++;
	pthread_mutex_lock(&native.lock);
}

static void leave(void)
{
	pthread_mutex_unlock(&native.lock);
	native_requests--;
}

static const char *stop_reason(void)
{
	const char *reason = native_signals_reason();

	return reason || !native.ending ? reason : "ProgramEnd";
}

/* --- Ends ---------------------------------------------------------------- */

/* For a thread that comes while another one ends the process. */
static _Noreturn void wait_for_end(void)
{
	leave();
	for (;;)
		pause();
}

/* As m2s would: what the program has printed so far is not lost. */
static _Noreturn void end_process(int status)
{
	native.process = 0;
	fflush(NULL);
	_exit(status);
}

/* Called by the watching thread. */
static void end_by_signal(int number)
{
	struct timespec until;

	native.ending = true;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE;
	native_requests++;
	if (pthread_mutex_timedlock(&native.lock, &until))
		fputs("m2s: warning: the reports are missing: a request does "
		      "not end\n", stderr);
	else
		native_run_end(native.run, number ? "Signal" : "MaxTime",
		       number ? "Signal" : "MaxTime");
	if (!number)
		end_process(SIMULATION_EXIT_LIMIT);
	native_signals_die(number);
}

/* Called in the thread that holds the lock, in the middle of something. */
static void end_by_crash(int number)
{
	fprintf(stderr, "m2s: error: signal %d (%s) inside an OpenCL call: a "
		"pointer that the program gave it is wrong, or m2s is\n",
		number, strsignal(number));
	native.ending = true;
	native_run_end(native.run, "Signal", "Signal");
}

/* The end of a request that ends the run: a limit, or an error. */
static _Noreturn void end_by_request(const struct error *error)
{
	const char *limit = native_run_limit(native.run);

	if (stop_reason())
		wait_for_end();
	if (!limit)
		fprintf(stderr, "m2s: error: %s\n", error->text);
	native_run_end(native.run, limit ? limit : "Error",
		       limit ? limit : "Error");
	end_process(limit ? SIMULATION_EXIT_LIMIT : 1);
}

/* After main() and exit handlers, when the loader ends libraries. Another
 * thread's kernel is stopped. A handler of a signal may have called exit() in
 * the middle of a request of this thread. */
__attribute__((destructor)) static void end_by_exit(void)
{
	bool interrupted = native_requests;
	bool stops = false;
	int status;

	if (!native.run)
		return;
	if (!interrupted && pthread_mutex_trylock(&native.lock)) {
		stops = true;
		native.ending = true;
		pthread_mutex_lock(&native.lock);
	}
	/* A signal that comes meanwhile waits for the reports. */
	native_requests++;
	status = native_run_end(native.run, "ContextsFinished",
				stops || interrupted ? "ContextsFinished" : NULL);
	native_requests--;
	if (!interrupted)
		pthread_mutex_unlock(&native.lock);
	/* As m2s does: a program that ended well has not. */
	if (status && !native.exit_status)
		end_process(1);
}

static void note_exit_status(int status, void *unused)
{
	(void)unused;
	native.exit_status = status;
}

/* Called by libm2s-exit.so before the process ends without exit handlers: maybe a
 * child of vfork(), in our memory. */
static void end_abruptly(void)
{
	if (native.process == getpid())
		end_by_exit();
}

static void hook_exit(void)
{
	_Atomic(void (*)(void)) *hook = dlsym(RTLD_DEFAULT, "m2s_exit_hook");

	if (hook)
		*hook = end_abruptly;
}

/* --- fork ---------------------------------------------------------------- */

static void before_fork(void)
{
	enter();
}

static void after_fork(void)
{
	leave();
}

/* The child begins anew: the threads of its parent's run are missing, and the
 * reports are the parent's. */
static void in_child(void)
{
	if (native.run) {
		native_run_forget_output(native.run);
		native.forked = true;
	}
	native.run = NULL;
	native_signals_forked();
	pthread_mutex_init(&native.lock, NULL);
	native_requests = 0;
}

/* --- Requests ------------------------------------------------------------ */

/* ICD loaders ask for platforms once, and in a forked child no more. */
static void make_platform_known(void)
{
	struct request_clGetPlatformIDs request = native.platform;
	struct error error;
	uint32_t count;

	request.num_entries = request.platforms = 0;
	request.num_platforms = (uintptr_t)&count;
	native_run_request(native.run, (uintptr_t)&request, &error);
}

static int begin(void)
{
	static const struct native_host host = { stop_reason, leave, enter };
	static bool handlers;
	struct error error = { "" };

	if (native.failed)
		return -1;
	native.run = native_run_create(&host, native.forked, &error);
	if (!native.run) {
		fprintf(stderr, "m2s: error: %s\n", error.text);
		native.failed = true;
		return -1;
	}
	native.process = getpid();
	if (native.forked)
		make_platform_known();
	if (!handlers) {
		pthread_atfork(before_fork, after_fork, in_child);
		on_exit(note_exit_status, NULL);
		hook_exit();
	}
	handlers = true;
	if (native_run_told(native.run))
		native_signals_start(native_run_max_time(native.run),
				     end_by_signal, end_by_crash);
	return 0;
}

static int serve(struct opencl_header *header)
{
	struct error error = { "" };
	int status;

	enter();
	if (stop_reason())
		wait_for_end();
	if (!native.run && begin()) {
		leave();
		return 1;
	}
	if (header->call == OPENCL_clGetPlatformIDs)
		native.platform = *(struct request_clGetPlatformIDs *)header;
	status = native_run_request(native.run, (uint64_t)(uintptr_t)header,
				    &error);
	if (status < 0)
		end_by_request(&error);
	if (native_signals_reason())
		wait_for_end();
	leave();
	return status;
}

/* 0 when the request was served, 1 when it was not and the user knows why. The
 * program's rounding mode, its traps and its flags of exceptions are not those of
 * the GPU. */
int opencl_native_request(struct opencl_header *header)
{
	const unsigned power_on = 0x1f80; /* of MXCSR */
	unsigned before = _mm_getcsr();
	int status;

	_mm_setcsr(power_on);
	status = serve(header);
	_mm_setcsr(before);
	return status;
}
