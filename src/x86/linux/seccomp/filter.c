/* The filters of a thread: holding, inheriting and leaving them. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/seccomp/filter.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/state.h"

struct seccomp_filter *seccomp_hold(struct seccomp_filter *filter)
{
	if (filter)
		filter->references++;
	return filter;
}

void seccomp_drop(struct seccomp_filter *filter)
{
	while (filter && !--filter->references) {
		struct seccomp_filter *before = filter->before;

		free(filter->code);
		free(filter);
		filter = before;
	}
}

void seccomp_clone(struct context *child, const struct context *parent)
{
	if (!parent->seccomp)
		return;
	child->seccomp = xcalloc(1, sizeof *child->seccomp);
	*child->seccomp = *parent->seccomp;
	seccomp_hold(child->seccomp->filter);
}

void seccomp_leave(struct context *context)
{
	if (!context->seccomp)
		return;
	seccomp_drop(context->seccomp->filter);
	free(context->seccomp);
	context->seccomp = NULL;
}

void seccomp_count(const struct context *context, int *mode, int *filters)
{
	*mode = *filters = 0;
	if (!context || !context->seccomp)
		return;
	*mode = context->seccomp->strict ? SECCOMP_MODE_STRICT
					 : SECCOMP_MODE_FILTER;
	for (const struct seccomp_filter *filter = context->seccomp->filter;
	     filter; filter = filter->before)
		++*filters;
}
