#include "memsys/host-fault.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

/* Signal-handler plumbing: the one place where the process, not an object,
 * holds state. */
static _Thread_local struct host_fault *innermost;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction previous_segv, previous_bus;

/* Lets the earlier owner of the signal deal with it: by default the host
 * process dies of it when the access is repeated. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	struct sigaction *previous =
		signal == SIGSEGV ? &previous_segv : &previous_bus;

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
	if (info->si_code <= 0) /* sent by somebody: send it again */
		raise(signal);
}

static bool is_write(void *context)
{
#if defined(__x86_64__)
	const ucontext_t *user = context;

	return user->uc_mcontext.gregs[REG_ERR] & 2;
#else
	(void)context;
	return false;
#endif
}

static void handler(int signal, siginfo_t *info, void *context)
{
	struct host_fault *fault = innermost;
	const uint8_t *address = info->si_addr;

	if (info->si_code > 0 && info->si_code != SI_KERNEL)
		for (; fault; fault = fault->outer)
			if (address >= fault->base &&
			    address < fault->base + fault->size)
				break;
	if (!fault || info->si_code <= 0 || info->si_code == SI_KERNEL) {
		pass_on(signal, info, context);
		return;
	}
	fault->signal = signal;
	fault->code = info->si_code;
	fault->address = address;
	fault->write = is_write(context);
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
}

void host_fault_enter(struct host_fault *fault, const uint8_t *base,
		      size_t size)
{
	pthread_once(&once, install);
	fault->base = base;
	fault->size = size;
	fault->outer = innermost;
	innermost = fault;
}

void host_fault_leave(struct host_fault *fault)
{
	innermost = fault->outer;
}
