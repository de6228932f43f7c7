#include "memsys/space/host-fault.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* Signal-handler plumbing: the one place where the process, not an object,
 * holds state. */
static _Thread_local struct host_fault *innermost;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction previous_segv, previous_bus, previous_fpe;

/* Lets the earlier owner of the signal deal with it: by default the host
 * process dies of it when the access is repeated. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	struct sigaction *previous = signal == SIGSEGV ? &previous_segv :
				     signal == SIGBUS ? &previous_bus :
							&previous_fpe;

	if (previous->sa_flags & SA_SIGINFO) {
		previous->sa_sigaction(signal, info, context);
		return;
	}
	if (previous->sa_handler != SIG_DFL &&
	    previous->sa_handler != SIG_IGN) {
		previous->sa_handler(signal);
		return;
	}
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (info->si_code <= 0) /* sent by a process: send it again */
		raise(signal);
}

/* The error code of a page fault: 1 present, 2 write. */
static unsigned error_code(void *context)
{
#if defined(__x86_64__)
	const ucontext_t *user = context;

	return (unsigned)user->uc_mcontext.gregs[REG_ERR];
#else
	(void)context;
	return 0;
#endif
}

static uint32_t mxcsr(void *context)
{
#if defined(__x86_64__)
	const ucontext_t *user = context;

	return user->uc_mcontext.fpregs ? user->uc_mcontext.fpregs->mxcsr : 0;
#else
	(void)context;
	return 0;
#endif
}

static bool holds(const struct host_fault *fault, const uint8_t *address)
{
	if (fault->holds)
		return fault->holds(fault->owner, address);
	return address >= fault->base && address < fault->base + fault->size;
}

/* The innermost frame that wants this signal. */
static struct host_fault *find_frame(int signal, const siginfo_t *info)
{
	struct host_fault *fault = innermost;
	const uint8_t *address = info->si_addr;

	/* Sent by a process, or without an address: not caused by an access. */
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		return NULL;
	if (signal == SIGFPE) {
		if (info->si_code < FPE_FLTDIV || info->si_code > FPE_FLTSUB)
			return NULL;
		while (fault && !fault->arithmetic)
			fault = fault->outer;
		return fault;
	}
	while (fault && !holds(fault, address))
		fault = fault->outer;
	return fault;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	struct host_fault *fault = find_frame(signal, info);

	if (!fault) {
		pass_on(signal, info, context);
		return;
	}
	fault->signal = signal;
	fault->code = info->si_code;
	fault->address = info->si_addr;
	fault->write = error_code(context) & 2;
	fault->present = error_code(context) & 1;
	fault->mxcsr = mxcsr(context);
	innermost = fault;
	siglongjmp(fault->environment, 1);
}

static void install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_sigaction = handler;
	/* NODEFER: the mask need not be restored after siglongjmp(). */
	action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &previous_segv);
	sigaction(SIGBUS, &action, &previous_bus);
	sigaction(SIGFPE, &action, &previous_fpe);
}

void host_fault_enter(struct host_fault *fault, const uint8_t *base,
		      size_t size)
{
	pthread_once(&once, install);
	fault->base = base;
	fault->size = size;
	fault->holds = NULL;
	fault->arithmetic = false;
	fault->outer = innermost;
	innermost = fault;
}

void host_fault_leave(struct host_fault *fault)
{
	innermost = fault->outer;
}
