/* A device that works in the cores' time. */
#include "evergreen/timing/timing.h"
#include "m2s/cores/internal.h"

_Static_assert((int)X86_PAGE_BITS == (int)EVG_SHARED_PAGE_BITS,
	       "cores and GPU have pages of one size");

uint64_t machine_device_cycle(const struct x86_machine *machine)
{
	const struct x86_machine_device *device = &machine->device;
	picoseconds due = device->due ? device->due(device->owner) : UINT64_MAX;

	return due == UINT64_MAX ? due
				 : clock_cycle_at(due, machine->frequency);
}

bool machine_device_look(struct x86_machine *machine, uint64_t cycle)
{
	const struct x86_machine_device *device = &machine->device;
	uint64_t due = machine_device_cycle(machine);
	picoseconds time;

	if (due > cycle)
		return false;
	time = clock_cycle_start(due, machine->frequency);
	event_queue_run(machine->events, time + 1);
	if (event_queue_now(machine->events) < time)
		event_queue_set_now(machine->events, time);
	if (device->work(device->owner)) {
		linux_wake_requests(machine->system);
		machine->look = 0;
	}
	return true;
}

bool x86_machine_place(void *owner, uint64_t page, bool written,
		       uint64_t *place)
{
	struct x86_machine *machine = owner;
	struct space *space = linux_guest_space(machine->system);
	uint64_t frame;
	bool writable, large;

	if (!space ||
	    x86_frames_find(x86_frames_table(machine->frames, space),
			    page >> X86_PAGE_BITS, written, &frame, &writable,
			    &large) == X86_FRAME_NONE)
		return false;
	*place = frame << X86_PAGE_BITS;
	return true;
}

struct memsys *x86_machine_memory(const struct x86_machine *machine,
				  struct event_queue **events)
{
	*events = machine->events;
	return machine->memsys;
}
