/* System calls: those in a list, by libseccomp. */
#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/sanitized.h"
#include "base/wall/internal.h"

static int add_calls(scmp_filter_ctx filter, const struct wall *wall)
{
	int result = SANITIZED ? seccomp_rule_add(filter, SCMP_ACT_ALLOW,
						  SYS_ptrace, 0)
			       : 0;

	for (size_t i = 0; i < wall->call_count && !result; i++) {
		const struct wall_call *call = &wall->calls[i];
		struct scmp_arg_cmp only =
			SCMP_CMP64(call->argument, SCMP_CMP_EQ, call->value);

		result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW,
						call->number, call->limited,
						&only);
	}
	return result;
}

static int add_refusals(scmp_filter_ctx filter, const struct wall *wall)
{
	int result = 0;

	for (size_t i = 0; i < wall->refusal_count && !result; i++) {
		const struct wall_refusal *refusal = &wall->refusals[i];
		struct scmp_arg_cmp only =
			SCMP_CMP64(refusal->argument, SCMP_CMP_MASKED_EQ,
				   refusal->mask, refusal->value);

		result = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM),
						refusal->number, 1, &only);
	}
	return result;
}

/* Builds a filter and gives it to the kernel: 0 or a negative errno. Calls of
 * the processor's other ABIs, which m2s never makes, end the process. */
static int install(uint32_t otherwise, const struct wall *wall,
		   int (*add)(scmp_filter_ctx, const struct wall *))
{
	scmp_filter_ctx filter = seccomp_init(otherwise);
	int result;

	if (!filter)
		return -ENOMEM;
	result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
				  SCMP_ACT_KILL_PROCESS);
	if (!result)
		result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	if (!result) /* a tree of comparisons, no list */
		result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (!result)
		result = add(filter, wall);
	if (!result)
		result = seccomp_load(filter);
	seccomp_release(filter);
	return result;
}

/* Two filters, of which the kernel obeys the stricter answer: a rule of
 * libseccomp cannot allow a call and refuse it for some arguments. What is not
 * listed answers as on a kernel without that call, which libraries know how
 * to do without. */
int filter_enter(const struct wall *wall, struct error *error)
{
	int result = 0;

	if (wall->refusal_count)
		result = install(SCMP_ACT_ALLOW, wall, add_refusals);
	if (!result && wall->call_count)
		result = install(SCMP_ACT_ERRNO(ENOSYS), wall, add_calls);
	if (result)
		return error_set(error, "the kernel does not accept a filter "
					"of system calls "
					"(CONFIG_SECCOMP_FILTER): %s",
				 strerror(-result));
	return 0;
}
