/* Stops of the debugged process: see debug.h. */
#include "x86/linux/debug.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/access.h"
#include "x86/linux/process.h"

enum { WATCHES = 64, BREAKPOINTS = 10000, INTERRUPT_PERIOD = 4096 };

struct watchpoint {
	uint64_t address, size;
	enum linux_watch kind;
};

struct linux_debug {
	const struct linux_debugger *debugger;
	struct process *process;
	bool inside;             /* stopped() is being called */
	uint64_t ignored;        /* signals that do not stop: bit number - 1 */
	struct watchpoint watch[WATCHES];
	size_t watch_count;
	uint64_t breakpoint[BREAKPOINTS]; /* in no order */
	size_t breakpoint_count;
	bool exec;               /* execve() succeeded, to be reported */
	struct signal_information *signal; /* of the stop; may be changed */
	unsigned until_poll;     /* instructions before a look for an
	                          * interruption */
};

/* ---- Stopping ---- */

static bool is_debugged(const struct context *context)
{
	const struct linux_debug *debug = context->process->system->debug;

	return debug && debug->process == context->process;
}

static void report(struct linux_debug *debug, struct linux_stop *stop)
{
	struct process *process = debug->process;
	struct linux_system *system = process->system;

	stop->process = process->pid;
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->process == process)
			context->resume = LINUX_RESUME_RUN;
	debug->inside = true;
	debug->debugger->stopped(debug->debugger->owner, system, stop);
	debug->inside = false;
}

static void stop_in(struct context *context, enum linux_stop_kind kind)
{
	struct linux_stop stop = { .kind = kind, .thread = context->tid };

	report(context->process->system->debug, &stop);
}

static struct context *first_thread(const struct linux_debug *debug)
{
	struct context *context = debug->process->system->contexts;

	while (context &&
	       (context->process != debug->process || context->ended))
		context = context->next;
	return context;
}

void debug_start(struct linux_system *system)
{
	const struct linux_debugger *debugger = system->options->debugger;
	struct process *program = system->processes;

	while (program && !program->loaded)
		program = program->next;
	if (!debugger || system->debug || !program || program->ended)
		return;
	system->debug = xcalloc(1, sizeof *system->debug);
	system->debug->debugger = debugger;
	system->debug->process = program;
	stop_in(first_thread(system->debug), LINUX_STOP_START);
}

void debug_free(struct linux_system *system)
{
	free(system->debug);
	system->debug = NULL;
}

void debug_poll(struct linux_system *system, struct context *current)
{
	struct linux_debug *debug = system->debug;

	if (!debug || !debug->process ||
	    !debug->debugger->interrupted(debug->debugger->owner))
		return;
	if (!current || !is_debugged(current) || current->ended)
		current = first_thread(debug);
	if (current)
		stop_in(current, LINUX_STOP_INTERRUPT);
}

bool debug_deadlock(struct linux_system *system, const char *text)
{
	struct linux_debug *debug = system->debug;
	struct linux_stop stop = { .kind = LINUX_STOP_DEADLOCK,
				   .text = text };

	if (!debug || !debug->process || !first_thread(debug))
		return false;
	stop.thread = first_thread(debug)->tid;
	report(debug, &stop);
	return true;
}

bool debug_holds(const struct linux_system *system)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->resume == LINUX_RESUME_HOLD)
			return true;
	return false;
}

void debug_signal_entered(struct context *context)
{
	context->stepped = true;
}

bool debug_signal(struct context *context,
		  struct signal_information *information)
{
	struct linux_debug *debug = context->process->system->debug;
	struct linux_stop stop = {
		.kind = LINUX_STOP_SIGNAL, .thread = context->tid,
		.signal = information->number,
		.address = information->address,
	};

	if (!is_debugged(context) || debug->inside)
		return true;
	if (context->debug_signal == information->number) {
		context->debug_signal = 0;
		return true;
	}
	if (debug->ignored >> (information->number - 1) & 1)
		return true;
	debug->signal = information;
	report(debug, &stop);
	debug->signal = NULL;
	return information->number && !context->ended;
}

void debug_exec(struct context *context)
{
	struct linux_debug *debug = context->process->system->debug;

	if (!is_debugged(context) || debug->inside)
		return;
	/* They were addresses of the old program. */
	debug->breakpoint_count = debug->watch_count = 0;
	debug->exec = true; /* reported when the call is over */
}

void debug_ended(struct process *process)
{
	struct linux_debug *debug = process->system->debug;
	struct linux_stop stop = {
		.kind = process->exit_signal ? LINUX_STOP_KILLED
					     : LINUX_STOP_EXITED,
		.signal = process->exit_signal,
		.status = process->exit_status,
	};

	if (!debug || debug->process != process)
		return;
	if (!debug->inside)
		report(debug, &stop);
	debug->process = NULL;
}

/* ---- Running ---- */

static const struct watchpoint *
watch_hit(const struct linux_debug *debug, const struct x86_access *access,
	  size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < debug->watch_count; j++) {
			const struct watchpoint *watch = debug->watch + j;

			if (watch->kind == LINUX_WATCH_WRITE &&
			    !access[i].write)
				continue;
			if (watch->kind == LINUX_WATCH_READ &&
			    !access[i].read)
				continue;
			if (access[i].address < watch->address + watch->size &&
			    watch->address < access[i].address + access[i].size)
				return watch;
		}
	return NULL;
}

/* Instruction traces run one instruction at a time, which no breakpoint
 * stops. */
static bool traced(const struct linux_system *system)
{
	return log_stream(system->log, LOG_X86_ISA) ||
	       log_stream(system->log, LOG_X86_CALL);
}

enum x86_stop debug_run(struct context *context, uint64_t instructions)
{
	struct linux_debug *debug = context->process->system->debug;
	struct x86_access access[X86_ACCESSES_MAX];
	const struct watchpoint *watch = NULL;
	uint64_t before;
	enum x86_stop stop;

	context->stopped_at_breakpoint = false;
	if (!is_debugged(context))
		return trace_run(context, instructions);
	if (context->resume == LINUX_RESUME_STEP ||
	    traced(context->process->system))
		instructions = 1;
	if (debug->until_poll <= instructions) {
		debug->until_poll = INTERRUPT_PERIOD;
		debug_poll(context->process->system, context);
		if (context->ended || !is_debugged(context) ||
		    context->resume == LINUX_RESUME_HOLD)
			return X86_STOP_QUANTUM;
		if (context->resume == LINUX_RESUME_STEP)
			instructions = 1;
	}
	debug->until_poll -= instructions < debug->until_poll
				     ? (unsigned)instructions
				     : debug->until_poll;
	if (x86_breakpoint_at(context->process->memory->emulator,
			      context->cpu->rip)) {
		context->stopped_at_breakpoint = true;
		return X86_STOP_QUANTUM;
	}
	if (debug->watch_count && x86_near_watch(context->cpu)) {
		instructions = 1;
		watch = watch_hit(debug, access,
				  x86_accesses(context->cpu, access));
	}
	before = x86_instructions(context->cpu);
	stop = trace_run(context, instructions);
	context->stepped = x86_instructions(context->cpu) != before;
	if (stop == X86_STOP_BREAKPOINT)
		context->stopped_at_breakpoint = true;
	/* Before what is watched: the next round looks closely. */
	if (stop == X86_STOP_BREAKPOINT || stop == X86_STOP_WATCH)
		stop = X86_STOP_QUANTUM;
	context->watch_hit = watch && context->stepped;
	if (watch) {
		context->watch_kind = watch->kind;
		context->watch_address = watch->address;
	}
	return stop;
}

void debug_after(struct context *context)
{
	struct linux_debug *debug = context->process->system->debug;
	struct linux_stop stop = { .thread = context->tid };

	if (context->ended || !is_debugged(context) || context->in_call)
		return;
	if (debug->exec) {
		debug->exec = false;
		stop.kind = LINUX_STOP_EXEC;
		stop.path = context->process->memory->executable;
		report(debug, &stop);
		return;
	}
	if (context->watch_hit) {
		context->watch_hit = context->stepped = false;
		stop.kind = LINUX_STOP_WATCH;
		stop.address = context->watch_address;
		stop.watch = (enum linux_watch)context->watch_kind;
		report(debug, &stop);
		return;
	}
	if (context->stopped_at_breakpoint) {
		context->stopped_at_breakpoint = context->stepped = false;
		stop_in(context, LINUX_STOP_BREAKPOINT);
		return;
	}
	if (context->resume == LINUX_RESUME_STEP && context->stepped &&
	    context->cpu->rip - context->step_start >=
		    context->step_end - context->step_start) {
		context->stepped = false;
		stop_in(context, LINUX_STOP_STEP);
	}
}

/* ---- What the debugger does ---- */

static struct context *find_thread(struct linux_system *system, int thread)
{
	struct context *context = system->debug && system->debug->process
					  ? context_find(system, thread)
					  : NULL;

	return context && is_debugged(context) ? context : NULL;
}

int linux_debug_next_thread(struct linux_system *system, int after)
{
	int next = 0;

	if (!system->debug || !system->debug->process)
		return 0;
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (is_debugged(context) && !context->ended &&
		    context->tid > after && (!next || context->tid < next))
			next = context->tid;
	return next;
}

const char *linux_debug_thread_name(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	return context ? context->name : NULL;
}

const char *linux_debug_thread_state(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	if (!context)
		return NULL;
	if (context->process->stopped)
		return "stopped";
	return context->in_call ? context->wait.what : "runs";
}

uint64_t linux_debug_instructions(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	return context ? x86_instructions(context->cpu) : 0;
}

struct x86_cpu *linux_debug_cpu(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	return context ? context->cpu : NULL;
}

uint64_t linux_debug_rip(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	if (!context)
		return 0;
	/* Both `syscall` and `int $0x80` are two bytes long. */
	return context->cpu->rip - (context->in_call ? 2 : 0);
}

int linux_debug_set_rip(struct linux_system *system, int thread, uint64_t rip)
{
	struct context *context = find_thread(system, thread);

	if (!context)
		return -1;
	if (rip == linux_debug_rip(system, thread))
		return 0;
	if (context->in_call) {
		wait_clear(context);
		context->in_call = context->resumed = false;
		context->interrupted = false;
	}
	context->cpu->rip = rip & context->cpu->address_mask;
	return 0;
}

int64_t linux_debug_call(struct linux_system *system, int thread)
{
	struct context *context = find_thread(system, thread);

	return context && context->in_call ? context->call_number : -1;
}

int linux_debug_siginfo(struct linux_system *system, uint8_t *bytes)
{
	struct linux_debug *debug = system->debug;

	if (!debug || !debug->process || !debug->signal)
		return -1;
	signal_pack(debug->signal, debug->process->memory->abi32, bytes);
	return 0;
}

static struct guest_memory *memory_of(struct linux_system *system)
{
	return system->debug && system->debug->process
		       ? system->debug->process->memory
		       : NULL;
}

void linux_debug_symbol(struct linux_system *system, uint64_t address,
			char *text, size_t size)
{
	struct guest_memory *memory = memory_of(system);

	text[0] = 0;
	if (memory)
		symbol_describe(system, memory->space, address, text, size);
}

/* A field of the C library's structures: 0, or -1. */
static int read_field(struct linux_system *system, struct guest_memory *memory,
		      const char *name, uint64_t base, uint64_t index,
		      uint64_t *value)
{
	uint32_t field[3]; /* bits, count, offset */
	uint64_t where;

	*value = 0;
	if (!symbol_find(system, memory->space, name, &where) ||
	    space_read(memory->space, where, field, sizeof field))
		return -1;
	return space_read(memory->space,
			  base + field[2] + index * (field[0] / 8), value,
			  memory->abi32 ? 4 : 8);
}

int linux_debug_thread_local(struct linux_system *system, int thread,
			     uint64_t module, uint64_t offset,
			     uint64_t *address)
{
	struct guest_memory *memory = memory_of(system);
	struct context *context = find_thread(system, thread);
	uint64_t id = 1, vector, block;

	if (!memory || !context ||
	    (module && read_field(system, memory,
				  "_thread_db_link_map_l_tls_modid", module,
				  0, &id)) ||
	    read_field(system, memory, "_thread_db_pthread_dtvp",
		       context->cpu->segment[memory->abi32 ? X86_GS : X86_FS]
			       .base,
		       0, &vector) ||
	    read_field(system, memory, "_thread_db_dtv_dtv", vector, id,
		       &block) ||
	    block == (memory->abi32 ? UINT32_MAX : UINT64_MAX))
		return -1;
	*address = block + offset;
	return 0;
}

bool linux_debug_is_32(struct linux_system *system)
{
	struct guest_memory *memory = memory_of(system);

	return memory && memory->abi32;
}

bool linux_debug_has_avx(struct linux_system *system)
{
	struct guest_memory *memory = memory_of(system);

	return memory &&
	       x86_emulator_model(memory->emulator)->has[X86_FEATURE_AVX];
}

const char *linux_debug_executable(struct linux_system *system)
{
	struct guest_memory *memory = memory_of(system);

	return memory ? memory->executable : NULL;
}

const uint8_t *linux_debug_auxiliary(struct linux_system *system, size_t *size)
{
	struct guest_memory *memory = memory_of(system);

	*size = memory ? memory->auxiliary_size : 0;
	return memory ? memory->auxiliary : NULL;
}

int linux_debug_open(struct linux_system *system, const char *path)
{
	struct context *context = system->debug && system->debug->process
					  ? first_thread(system->debug)
					  : NULL;
	uint64_t descriptor;
	int64_t opened;
	int host;

	if (!context)
		return -ENOENT;
	/* By way of the guest's descriptors, where opening ends. */
	opened = path_open(context, AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
	if (opened < 0)
		return (int)opened;
	descriptor = (uint64_t)opened;
	host = fcntl(file_get(context->process, (int)opened)->host,
		     F_DUPFD_CLOEXEC, 0);
	if (host < 0)
		host = -errno;
	call_close(context, &descriptor);
	return host;
}

/* ---- Memory ---- */

static size_t in_page(uint64_t address, size_t size)
{
	size_t here = SPACE_PAGE - address % SPACE_PAGE;

	return size < here ? size : here;
}

size_t linux_debug_read(struct linux_system *system, uint64_t address,
			void *buffer, size_t size)
{
	struct guest_memory *memory = memory_of(system);
	size_t done = 0;

	while (memory && done < size) {
		size_t piece = in_page(address + done, size - done);

		if (space_read(memory->space, address + done,
			       (uint8_t *)buffer + done, piece))
			break;
		done += piece;
	}
	return done;
}

/* Bytes within one page, which may be read-only or code. */
static int write_piece(struct space *space, uint64_t address,
		       const void *buffer, size_t size)
{
	const struct space_region *region = space_region_at(space, address);
	uint64_t page = address - address % SPACE_PAGE;
	int protection, result;

	if (!region || region->shared || region->protection & SPACE_WRITE)
		return space_write(space, address, buffer, size);
	protection = region->protection;
	if (space_protect(space, page, SPACE_PAGE, SPACE_READ | SPACE_WRITE))
		return -1;
	result = space_write(space, address, buffer, size);
	return space_protect(space, page, SPACE_PAGE, protection) ? -1
								   : result;
}

size_t linux_debug_write(struct linux_system *system, uint64_t address,
			 const void *buffer, size_t size)
{
	struct guest_memory *memory = memory_of(system);
	size_t done = 0;

	while (memory && done < size) {
		size_t piece = in_page(address + done, size - done);

		if (write_piece(memory->space, address + done,
				(const uint8_t *)buffer + done, piece))
			break;
		done += piece;
	}
	return done;
}

/* ---- Breakpoints and watchpoints ---- */

int linux_debug_breakpoint(struct linux_system *system, uint64_t address,
			   bool insert)
{
	struct guest_memory *memory = memory_of(system);
	struct linux_debug *debug = system->debug;
	size_t at = 0;

	if (!memory)
		return -1;
	while (at < debug->breakpoint_count && debug->breakpoint[at] != address)
		at++;
	if (!insert) {
		if (at < debug->breakpoint_count)
			debug->breakpoint[at] =
				debug->breakpoint[--debug->breakpoint_count];
		x86_breakpoint_remove(memory->emulator, address);
		return 0;
	}
	if (at == BREAKPOINTS)
		return -1;
	if (at == debug->breakpoint_count)
		debug->breakpoint[debug->breakpoint_count++] = address;
	x86_breakpoint_insert(memory->emulator, address);
	return 0;
}

/* Tells the emulator the range that covers all watchpoints. */
static void watch_range(const struct linux_debug *debug)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < debug->watch_count; i++) {
		const struct watchpoint *watch = &debug->watch[i];

		if (watch->address < start)
			start = watch->address;
		if (watch->address + watch->size > end)
			end = watch->address + watch->size;
	}
	x86_watch(debug->process->memory->emulator, end ? start : 0, end);
}

int linux_debug_watchpoint(struct linux_system *system, uint64_t address,
			   uint64_t size, enum linux_watch kind, bool insert)
{
	struct linux_debug *debug = system->debug;
	struct watchpoint *watch;
	size_t at = 0;

	if (!memory_of(system))
		return -1;
	for (; at < debug->watch_count; at++) {
		watch = debug->watch + at;
		if (watch->address == address && watch->size == size &&
		    watch->kind == kind)
			break;
	}
	if (!insert) {
		if (at < debug->watch_count)
			debug->watch[at] = debug->watch[--debug->watch_count];
		watch_range(debug);
		return 0;
	}
	if (at == WATCHES || !size || address + size < address)
		return -1;
	debug->watch[at] = (struct watchpoint){ address, size, kind };
	if (at == debug->watch_count)
		debug->watch_count++;
	watch_range(debug);
	return 0;
}

/* ---- Going on ---- */

int linux_debug_resume(struct linux_system *system, int thread,
		       enum linux_resume how, uint64_t start, uint64_t end)
{
	struct context *context = find_thread(system, thread);

	if (!context)
		return -1;
	context->resume = (uint8_t)how;
	context->stepped = false;
	context->step_start = start;
	context->step_end = end;
	return 0;
}

int linux_debug_signal(struct linux_system *system, int thread, int signal)
{
	struct context *context = find_thread(system, thread);
	struct signal_information *stopped_for;

	if (!context)
		return -1;
	stopped_for = system->debug->signal;
	if (stopped_for && (stopped_for->number == signal || !signal)) {
		stopped_for->number = signal;
		return 0;
	}
	if (stopped_for) {
		*stopped_for = (struct signal_information){
			.number = signal, .pid = context->process->pid,
		};
		return 0;
	}
	if (!signal)
		return 0;
	/* Not stopped for one: it comes as if sent, without another stop. */
	signal_send_context(context, &(struct signal_information){
					     .number = signal,
					     .pid = context->process->pid,
				     });
	context->debug_signal = signal;
	return 0;
}

void linux_debug_stop_for(struct linux_system *system, int signal, bool stop)
{
	uint64_t bit = UINT64_C(1) << (signal - 1);

	if (!system->debug || signal < 1 || signal > SIGNALS)
		return;
	if (stop)
		system->debug->ignored &= ~bit;
	else
		system->debug->ignored |= bit;
}

void linux_debug_detach(struct linux_system *system)
{
	struct linux_debug *debug = system->debug;
	struct guest_memory *memory = memory_of(system);

	if (!memory)
		return;
	while (debug->breakpoint_count)
		x86_breakpoint_remove(
			memory->emulator,
			debug->breakpoint[--debug->breakpoint_count]);
	debug->watch_count = 0;
	watch_range(debug);
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->process == debug->process)
			context->resume = LINUX_RESUME_RUN;
	debug->process = NULL;
}

void linux_debug_kill(struct linux_system *system)
{
	if (memory_of(system))
		process_exit(system->debug->process, 0, SIGKILL);
}
