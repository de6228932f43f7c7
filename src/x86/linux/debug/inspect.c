/* The parts of the guest that a debugger reads and changes: see debug.h. */
#include <errno.h>
#include <fcntl.h>

#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/debug/debugger.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/open.h"
#include "x86/linux/memory/peek.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/symbol.h"
#include "x86/linux/wait.h"

/* ---- Threads ---- */

struct context *debug_find_thread(struct linux_system *system, int thread)
{
	struct context *context = system->debug && system->debug->process
					  ? context_find(system, thread)
					  : NULL;

	return context && debug_is_debugged(context) ? context : NULL;
}

int linux_debug_next_thread(struct linux_system *system, int after)
{
	int next = 0;

	if (!system->debug || !system->debug->process)
		return 0;
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (debug_is_debugged(context) && !context->ended &&
		    context->tid > after && (!next || context->tid < next))
			next = context->tid;
	return next;
}

const char *linux_debug_thread_name(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	return context ? context->name : NULL;
}

const char *linux_debug_thread_state(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	if (!context)
		return NULL;
	if (context->process->stopped)
		return "stopped";
	return context->call.active ? context->wait.what : "runs";
}

uint64_t linux_debug_instructions(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	return context ? x86_instructions(context->cpu) : 0;
}

struct x86_cpu *linux_debug_cpu(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	return context ? context->cpu : NULL;
}

uint64_t linux_debug_rip(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	if (!context)
		return 0;
	/* Both `syscall` and `int $0x80` are two bytes long. */
	return context->cpu->rip - (context->call.active ? 2 : 0);
}

int linux_debug_set_rip(struct linux_system *system, int thread, uint64_t rip)
{
	struct context *context = debug_find_thread(system, thread);

	if (!context)
		return -1;
	if (rip == linux_debug_rip(system, thread))
		return 0;
	if (context->call.active) {
		wait_clear(context);
		context->call.active = context->call.resumed = false;
		context->call.interrupted = false;
	}
	context->cpu->rip = rip & context->cpu->address_mask;
	return 0;
}

int64_t linux_debug_call(struct linux_system *system, int thread)
{
	struct context *context = debug_find_thread(system, thread);

	return context && context->call.active ? context->call.number : -1;
}

int linux_debug_siginfo(struct linux_system *system, uint8_t *bytes)
{
	struct linux_debug *debug = system->debug;

	if (!debug || !debug->process || !debug->signal)
		return -1;
	signal_pack(debug->signal, debug->process->memory->abi32, bytes);
	return 0;
}

/* ---- The process ---- */

void linux_debug_symbol(struct linux_system *system, uint64_t address,
			char *text, size_t size)
{
	struct guest_memory *memory = debug_memory(system);

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
	struct guest_memory *memory = debug_memory(system);
	struct context *context = debug_find_thread(system, thread);
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
	struct guest_memory *memory = debug_memory(system);

	return memory && memory->abi32;
}

bool linux_debug_has_avx(struct linux_system *system)
{
	struct guest_memory *memory = debug_memory(system);

	return memory &&
	       x86_emulator_model(memory->emulator)->has[X86_FEATURE_AVX];
}

const char *linux_debug_executable(struct linux_system *system)
{
	struct guest_memory *memory = debug_memory(system);

	return memory ? confine_name(system->debug->process,
				     memory->executable)
		      : NULL;
}

const uint8_t *linux_debug_auxiliary(struct linux_system *system, size_t *size)
{
	struct guest_memory *memory = debug_memory(system);

	*size = memory ? memory->auxiliary_size : 0;
	return memory ? memory->auxiliary : NULL;
}

int linux_debug_open(struct linux_system *system, const char *path)
{
	struct context *context = system->debug && system->debug->process
					  ? debug_first_thread(system->debug)
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

size_t linux_debug_read(struct linux_system *system, uint64_t address,
			void *buffer, size_t size)
{
	return memory_peek(debug_memory(system), address, buffer, size);
}

size_t linux_debug_write(struct linux_system *system, uint64_t address,
			 const void *buffer, size_t size)
{
	return memory_poke(debug_memory(system), address, buffer, size);
}
