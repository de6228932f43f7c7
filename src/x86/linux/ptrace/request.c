/* The requests of a tracer: which there are, and those about signals and
 * system calls. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/ptrace.h>
#include <signal.h>

#include "base/memory.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/ptrace/tracee.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/state.h"

static const struct {
	uint64_t number;
	bool stopped;
	ptrace_request *handler;
} requests[] = {
#define REQUEST(number, stopped, handler) { number, stopped, ptrace_##handler },
#include "x86/linux/ptrace/requests.def"
};

int64_t ptrace_dispatch(struct context *tracer, struct context *context,
			const uint64_t *a)
{
	const struct tracee *tracee = context->tracee;
	bool stopped = tracee->stop != TRACEE_RUNS && !tracee->listening;

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		if (requests[i].number != a[0])
			continue;
		if (requests[i].stopped && !stopped)
			return -ESRCH;
		return requests[i].handler(tracer, context, a[2], a[3]);
	}
	return stopped ? -EIO : -ESRCH;
}

/* ---- Signals ---- */

enum { INFORMATION = 128 /* bytes of siginfo */ };

int64_t ptrace_get_signal(struct context *tracer, struct context *context,
			  uint64_t address, uint64_t data)
{
	uint8_t bytes[INFORMATION];

	(void)address;
	if (!context->tracee->signal.number)
		return -EINVAL;
	signal_pack(&context->tracee->signal, tracer->abi32, bytes);
	return guest_put(tracer, data, bytes, sizeof bytes);
}

int64_t ptrace_set_signal(struct context *tracer, struct context *context,
			  uint64_t address, uint64_t data)
{
	uint8_t bytes[INFORMATION];

	(void)address;
	if (!context->tracee->signal.number)
		return -EINVAL;
	if (guest_get(tracer, data, bytes, sizeof bytes))
		return -EFAULT;
	signal_unpack(&context->tracee->signal, tracer->abi32, bytes);
	return 0;
}

int64_t ptrace_peek_signals(struct context *tracer, struct context *context,
			    uint64_t address, uint64_t data)
{
	struct {
		uint64_t first;
		uint32_t flags;
		int32_t count;
	} which;
	const struct signal_queue *queue;
	int64_t done = 0;

	if (guest_get(tracer, address, &which, sizeof which))
		return -EFAULT;
	if (which.flags & ~(uint32_t)PTRACE_PEEKSIGINFO_SHARED ||
	    which.count < 0)
		return -EINVAL;
	queue = which.flags ? &context->process->signals.pending
			    : &context->signals.pending;
	for (; done < which.count && which.first + (uint64_t)done < queue->count;
	     done++) {
		uint8_t bytes[INFORMATION];

		signal_pack(queue->list + which.first + done, tracer->abi32,
			    bytes);
		if (guest_put(tracer, data + (uint64_t)done * INFORMATION,
			      bytes, sizeof bytes))
			return done ? done : -EFAULT;
	}
	return done;
}

int64_t ptrace_get_signal_mask(struct context *tracer, struct context *context,
			       uint64_t address, uint64_t data)
{
	uint64_t mask = context->signals.restore_mask
				? context->signals.saved_mask
				: context->signals.mask;

	if (address != sizeof mask)
		return -EINVAL;
	return guest_put(tracer, data, &mask, sizeof mask);
}

int64_t ptrace_set_signal_mask(struct context *tracer, struct context *context,
			       uint64_t address, uint64_t data)
{
	const uint64_t never = UINT64_C(1) << (SIGKILL - 1) |
			       UINT64_C(1) << (SIGSTOP - 1);
	uint64_t mask;

	if (address != sizeof mask)
		return -EINVAL;
	if (guest_get(tracer, data, &mask, sizeof mask))
		return -EFAULT;
	context->signals.mask = mask & ~never;
	context->signals.restore_mask = false;
	return 0;
}

/* ---- System calls ---- */

/* struct ptrace_syscall_info; its size depends on what the stop is. */
static size_t describe_call(const struct context *context,
			    struct ptrace_syscall_info *to)
{
	const struct x86_cpu *cpu = context->cpu;
	const struct tracee *tracee = context->tracee;

	*to = (struct ptrace_syscall_info){
		.arch = context->abi32 ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64,
		.instruction_pointer = cpu->rip,
		.stack_pointer = cpu->reg[X86_RSP],
	};
	if (tracee->stop == TRACEE_AT_FILTER) {
		to->op = PTRACE_SYSCALL_INFO_SECCOMP;
		to->seccomp.nr = (uint64_t)context->call.original_rax;
		for (int i = 0; i < CALL_ARGUMENTS; i++)
			to->seccomp.args[i] = context->call.argument[i];
		to->seccomp.ret_data = (uint32_t)tracee->message;
		return offsetof(struct ptrace_syscall_info,
				seccomp.ret_data) +
		       sizeof to->seccomp.ret_data;
	}
	if (tracee->stop == TRACEE_AT_CALL) {
		to->op = PTRACE_SYSCALL_INFO_ENTRY;
		to->entry.nr = (uint64_t)context->call.original_rax;
		for (int i = 0; i < CALL_ARGUMENTS; i++)
			to->entry.args[i] = context->call.argument[i];
		return offsetof(struct ptrace_syscall_info, entry) +
		       sizeof to->entry;
	}
	if (tracee->stop == TRACEE_AFTER_CALL) {
		to->op = PTRACE_SYSCALL_INFO_EXIT;
		to->exit.rval = context->process->memory->abi32
					? (int32_t)cpu->reg[X86_RAX]
					: (int64_t)cpu->reg[X86_RAX];
		to->exit.is_error = to->exit.rval < 0 && to->exit.rval >= -4095;
		return offsetof(struct ptrace_syscall_info, exit.is_error) + 1;
	}
	return offsetof(struct ptrace_syscall_info, entry);
}

int64_t ptrace_get_call(struct context *tracer, struct context *context,
			uint64_t address, uint64_t data)
{
	struct ptrace_syscall_info information;
	size_t size = describe_call(context, &information);

	if (guest_put(tracer, data, &information,
		      address < size ? address : size))
		return -EFAULT;
	return (int64_t)size;
}

/* ---- Options ---- */

int64_t ptrace_set_options(struct context *tracer, struct context *context,
			   uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	if (data & ~(uint64_t)KNOWN_OPTIONS)
		return -EINVAL;
	context->tracee->options = (uint32_t)data;
	return 0;
}

int64_t ptrace_get_event_message(struct context *tracer,
				 struct context *context, uint64_t address,
				 uint64_t data)
{
	(void)address;
	return guest_put_word(tracer, data, context->tracee->message);
}

int64_t ptrace_detach(struct context *tracer, struct context *context,
		      uint64_t address, uint64_t data)
{
	(void)tracer;
	(void)address;
	if (data > SIGNALS)
		return -EIO;
	context->tracee->resume = TRACEE_CONTINUES;
	tracee_resumes(context, (int)data);
	tracee_release(context);
	return 0;
}
