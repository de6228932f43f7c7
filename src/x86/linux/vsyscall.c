/* Three system calls at fixed addresses of x86-64 processes, from before the
 * vDSO. Linux emulates them: executing the address makes the call and returns
 * (arch/x86/entry/vsyscall/vsyscall_64.c, vsyscall=xonly, the default). Nothing
 * can be read there. */
#include <sys/syscall.h>
#include <sys/time.h>

#include "x86/linux/call.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/vsyscall.h"

enum { FETCH = 16 /* in a page fault's error code */, STEP = 1024, CALLS = 3 };

static const int numbers[CALLS] = { SYS_gettimeofday, SYS_time, SYS_getcpu };

/* What each argument's pointer is written with. */
static const uint64_t sizes[CALLS][2] = {
	{ sizeof(struct timeval), sizeof(struct timezone) },
	{ sizeof(time_t) },
	{ sizeof(unsigned), sizeof(unsigned) },
};

static bool writable(const struct context *context, uint64_t address,
		     uint64_t size)
{
	const struct space *space = context->cpu->space;

	return !address || !size ||
	       space_check(space, address, size, SPACE_WRITE) ||
	       (guest_grow(context, address, size) &&
		space_check(space, address, size, SPACE_WRITE));
}

bool vsyscall_enter(struct context *context)
{
	struct x86_cpu *cpu = context->cpu;
	const struct x86_fault *from = &cpu->fault;
	uint64_t nr = (cpu->rip - VSYSCALL_START) / STEP, back;

	if (context->process->memory->abi32 || from->vector != 14 ||
	    !(from->error_code & FETCH) ||
	    cpu->rip != VSYSCALL_START + nr * STEP || nr >= CALLS ||
	    !writable(context, cpu->reg[X86_RDI], sizes[nr][0]) ||
	    !writable(context, cpu->reg[X86_RSI], sizes[nr][1]) ||
	    guest_get(context, cpu->reg[X86_RSP], &back, sizeof back))
		return false;
	cpu->rip = back;
	cpu->reg[X86_RSP] += sizeof back;
	cpu->reg[X86_RAX] = (uint64_t)numbers[nr];
	/* getcpu's third argument means nothing. */
	call_enter(context, numbers[nr], false);
	return true;
}
