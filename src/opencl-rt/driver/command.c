/* Commands: waiting, order and execution.
 *
 * The device is simulated inside the call that makes a command ready: mostly
 * its own clEnqueue. A command stays in its queue only while events that the
 * program itself completes (user events) hold it back. */
#include <stdlib.h>

#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/internal.h"
#include "opencl-rt/driver/command-order.h"

/* A tick of the profiling timer, ps: no command is instantaneous. */
enum { TIMER_TICK = 1000 };

/* The host's part of a launch, up to the submission. */
static void pass_submit(struct opencl_driver *driver,
			const struct command *command)
{
	const struct opencl_costs *costs = &driver->options.costs;
	const struct queue *queue = command->event->queue;

	if (command->launches)
		time_pass(driver, OPENCL_TIME_LAUNCH, 0, costs->submit);
	if (queue && queue->properties & CL_QUEUE_PROFILING_ENABLE)
		time_pass(driver, OPENCL_TIME_LAUNCH, 0, costs->profiling);
}

/* The device's part, up to the start. */
static void pass_start(struct opencl_driver *driver,
		       const struct command *command)
{
	const struct opencl_costs *costs = &driver->options.costs;

	if (command->launches)
		time_pass(driver, OPENCL_TIME_LAUNCH, 0, costs->launch);
}

cl_int wait_list_read(struct opencl_driver *driver, struct queue *queue,
		      uint64_t count, uint64_t list, struct wait_list *wait)
{
	struct event *event;
	uint64_t handle;

	wait->links = NULL;
	wait->count = 0;
	if (!count != !list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (uint64_t i = 0; i < count; i++) {
		if (program_read_words(driver, list + i * driver->word,
				       &handle, 1))
			return CL_INVALID_EVENT_WAIT_LIST;
		event = object_find(driver, handle, OBJECT_EVENT);
		if (!event)
			return CL_INVALID_EVENT_WAIT_LIST;
		if (event->context != queue->context)
			return CL_INVALID_CONTEXT;
	}
	if (!count)
		return CL_SUCCESS;
	wait->links = xcalloc(count, sizeof *wait->links);
	for (; wait->count < count; wait->count++) {
		program_read_words(driver, list + wait->count * driver->word,
				   &handle, 1);
		event = object_find(driver, handle, OBJECT_EVENT);
		object_use(&event->object);
		wait->links[wait->count].event = event;
	}
	return CL_SUCCESS;
}

void wait_list_drop(struct opencl_driver *driver, struct wait_list *wait)
{
	while (wait->count)
		object_drop(driver,
			    &wait->links[--wait->count].event->object);
	free(wait->links);
	wait->links = NULL;
}

void *command_create(struct opencl_driver *driver, struct queue *queue,
		     cl_command_type type, uint64_t size,
		     struct wait_list *wait, uint64_t handle)
{
	struct command *command = xcalloc(1, size);

	command->event = event_create(driver, queue->context, queue, type,
				      handle);
	if (handle) /* else the event's one use is the command's */
		object_use(&command->event->object);
	command->wait = *wait;
	return command;
}

static void command_free(struct opencl_driver *driver, struct command *command)
{
	if (command->drop)
		command->drop(driver, command);
	wait_list_drop(driver, &command->wait);
	object_drop(driver, &command->event->object);
	free(command);
}

static void submitted(struct opencl_driver *driver,
		      const struct command *command)
{
	struct event *event = command->event;

	if (event->status != CL_QUEUED)
		return;
	pass_submit(driver, command);
	event->time[EVENT_SUBMIT] = time_now(driver);
	event_set_status(driver, event, CL_SUBMITTED);
}

static void account_end(struct opencl_driver *driver,
			const struct event *event, int64_t status,
			uint64_t bytes)
{
	struct opencl_account *account = driver->options.account;
	picoseconds start = event->time[EVENT_START];

	account_command(account, &(struct command_count){
		.type = event->type,
		.commands = 1,
		.failed = status < 0,
		.bytes = account_bytes_now(account) - bytes,
		.time = event->time[EVENT_END] - start,
	});
}

static void execute(struct opencl_driver *driver, struct command *command)
{
	struct event *event = command->event;
	uint64_t bytes = account_bytes_now(driver->options.account);
	int64_t status = CL_COMPLETE;

	submitted(driver, command);
	for (uint32_t i = 0; i < command->wait.count; i++)
		if (command->wait.links[i].event->status < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	if (status == CL_COMPLETE) {
		pass_start(driver, command);
		event->time[EVENT_START] = time_now(driver);
		event_set_status(driver, event, CL_RUNNING);
		if (command->run)
			status = command->run(driver, command);
		if (command->run &&
		    time_now(driver) == event->time[EVENT_START])
			time_pass(driver, OPENCL_TIME_COPY, 0, TIMER_TICK);
		event->time[EVENT_END] = time_now(driver);
	}
	account_end(driver, event, status, bytes);
	event_set_status(driver, event, status);
	command_free(driver, command);
}

void commands_run(struct opencl_driver *driver)
{
	struct command *command;

	while (!driver->failed && (command = command_order_take(driver)))
		execute(driver, command);
}

/* Freeing a command may free its queue and whatever that uses. */
void commands_discard(struct opencl_driver *driver)
{
	struct queue **queues = xcalloc(driver->objects.count, sizeof *queues);
	struct command *command;
	size_t count = 0;

	for (struct object *o = driver->objects.first; o; o = o->next) {
		if (o->kind != OBJECT_QUEUE)
			continue;
		object_use(o);
		queues[count++] = (struct queue *)o;
	}
	for (size_t i = 0; i < count; i++)
		while ((command = command_order_discard(queues[i])))
			command_free(driver, command);
	while (count)
		object_drop(driver, &queues[--count]->object);
	free(queues);
	driver->ready_count = 0;
}

void queue_flush(struct opencl_driver *driver, struct queue *queue)
{
	struct command *command;

	while ((command = queue->unsubmitted)) {
		queue->unsubmitted = command->next;
		submitted(driver, command);
	}
}

cl_int command_submit(struct opencl_driver *driver, struct command *command,
		      bool blocking)
{
	struct event *event = command->event;
	struct queue *queue = event->queue;
	int64_t status = CL_SUCCESS;

	object_use(&event->object);
	command_order_add(driver, command);
	commands_run(driver);
	if (blocking) {
		queue_flush(driver, queue);
		if (event_ended(event)) {
			status = blocking_result(driver, event);
		} else {
			ticket_add(driver, event);
			status = OPENCL_AGAIN;
		}
	}
	object_drop(driver, &event->object);
	return status;
}
