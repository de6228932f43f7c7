/* The tracee's words: memory, and struct user with its registers. */
#include <errno.h>
#include <stddef.h>

#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/peek.h"
#include "x86/linux/processes/thread.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/state.h"

/* struct user of either ABI (asm/user_64.h, asm/user_32.h). */
struct user_layout {
	unsigned word, size, debug_registers;
};

static struct user_layout layout_of_user(const struct context *tracer)
{
	return tracer->abi32 ? (struct user_layout){4, 284, 252}
			     : (struct user_layout){8, 912, 848};
}

static bool is_debug_register(const struct user_layout *user, uint64_t address)
{
	return address - user->debug_registers <
	       (uint64_t)DEBUG_REGISTERS * user->word;
}

int64_t ptrace_peek_user(struct context *tracer, struct context *context,
			 uint64_t address, uint64_t data)
{
	struct user_layout user = layout_of_user(tracer);
	uint64_t value = 0;

	if (address % user.word || address >= user.size)
		return -EIO;
	if (address < registers_size(tracer->abi32))
		value = user_register(context,
				      (unsigned)(address / user.word),
				      tracer->abi32);
	else if (is_debug_register(&user, address))
		value = debug_register_get(
			context, (unsigned)((address - user.debug_registers) /
					    user.word));
	return guest_put_word(tracer, data, value);
}

int64_t ptrace_poke_user(struct context *tracer, struct context *context,
			 uint64_t address, uint64_t data)
{
	struct user_layout user = layout_of_user(tracer);

	if (address % user.word || address >= user.size)
		return -EIO;
	if (address < registers_size(tracer->abi32))
		return user_register_set(context,
					 (unsigned)(address / user.word),
					 tracer->abi32, data);
	if (is_debug_register(&user, address))
		return debug_register_set(
			context, (unsigned)((address - user.debug_registers) /
					    user.word), data);
	return -EIO;
}

/* ---- Memory ---- */

int64_t ptrace_peek(struct context *tracer, struct context *context,
		    uint64_t address, uint64_t data)
{
	unsigned word = tracer->abi32 ? 4 : 8;
	uint64_t value = 0;

	if (memory_peek(context->process->memory, address, &value, word) !=
	    word)
		return -EIO;
	return guest_put_word(tracer, data, value);
}

int64_t ptrace_poke(struct context *tracer, struct context *context,
		    uint64_t address, uint64_t data)
{
	unsigned word = tracer->abi32 ? 4 : 8;

	return memory_poke(context->process->memory, address, &data, word) ==
			       word
		       ? 0
		       : -EIO;
}

/* ---- Thread-local storage ---- */

int64_t ptrace_get_thread_area(struct context *tracer,
			       struct context *context, uint64_t address,
			       uint64_t data)
{
	return context->cpu->mode != X86_MODE_32
		       ? -EIO
		       : thread_area_get(tracer, context, (int)address, data);
}

int64_t ptrace_set_thread_area(struct context *tracer,
			       struct context *context, uint64_t address,
			       uint64_t data)
{
	return context->cpu->mode != X86_MODE_32
		       ? -EIO
		       : thread_area_set(tracer, context, (int)address, data);
}

int64_t ptrace_arch_prctl(struct context *tracer, struct context *context,
			  uint64_t address, uint64_t data)
{
	return tracer->abi32 || context->cpu->mode != X86_MODE_64
		       ? -EIO
		       : thread_base(tracer, context, data, address);
}
