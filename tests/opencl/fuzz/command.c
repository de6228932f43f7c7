#include "command.h"

int command_begin(struct command *c, int own_faults, int blocks)
{
	*c = (struct command){ .queue = any(QUEUE, NULL), .own = own_faults,
			       .fault = draw_fault(own_faults + WAIT_FAULTS),
			       .keeps = draw(2) };

	if (!c->queue)
		return 0;
	if (blocks)
		open_gates();
	c->event = draw(3) ? any(EVENT, c->queue->context) : NULL;
	if (c->fault == own_faults + 2 || c->fault == own_faults + 1)
		c->event = any(EVENT, c->queue->context);
	if (c->fault == own_faults + 3)
		c->event = stranger(EVENT, c->queue->context);
	if (c->fault > own_faults && !c->event)
		return 0;
	EVERY_SIDE {
		c->list[s][0] = ON(c->event);
		c->list[s][1] = c->fault == own_faults + 2 ? NULL
							   : ON(c->event);
	}
	return 1;
}

cl_uint wait_count(const struct command *c)
{
	if (c->fault == c->own) /* a count without a list */
		return 1;
	if (c->fault == c->own + 1) /* and the other way round */
		return 0;
	return c->event ? 2 : 0;
}

const cl_event *wait_list(const struct command *c, int s)
{
	return c->event && c->fault != c->own ? c->list[s] : NULL;
}

static cl_int wait_want(const struct command *c)
{
	return c->fault == c->own + 3 ? CL_INVALID_CONTEXT
				      : CL_INVALID_EVENT_WAIT_LIST;
}

int command_end(struct command *c, const char *name, const cl_int wants[])
{
	cl_int want = c->fault < 0	  ? CL_SUCCESS
		      : c->fault < c->own ? wants[c->fault]
					  : wait_want(c);
	int fine = checked(name, c->fault, want);
	struct slot *event;

	if (!c->keeps)
		return fine;
	EVERY_SIDE
		if (got[s] != CL_SUCCESS)
			c->handles[s] = NULL;
	event = keep(EVENT, c->handles, c->queue->context, fine);
	if (event)
		event->state = c->queue->flags & CL_QUEUE_PROFILING_ENABLE
				       ? PROFILED
				       : COMMAND;
	return fine;
}
