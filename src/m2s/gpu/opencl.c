#include "m2s/gpu/opencl.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/protocol.h"
#include "sim/turn.h"
#include "x86/linux/linux.h"

/* The guest library and the system-call layer never see each other's header. */
_Static_assert((int)OPENCL_SYSTEM_CALL == (int)LINUX_CALL_SIMULATOR,
	       "the reserved system call has two numbers");

struct process_driver {
	int process;
	struct opencl_driver *driver;
};

/* The request that a GPU which shares its memory works for: one at a time. */
struct request {
	struct turn *turn;   /* NULL: none */
	struct opencl_driver *driver;
	int process;
	uint64_t address;
	bool orphan;         /* the process has ended */
	int status;
	struct error error;
};

struct opencl {
	struct gpu *gpu;
	struct linux_system *guest;
	struct opencl_driver_options options;
	bool shares;         /* the GPU shares its memory */
	struct request request;
	/* Few: the one that asked last is first. */
	struct process_driver *list;
	size_t count, capacity;
};

static int read_guest(void *owner, uint64_t address, void *buffer,
		      uint64_t size)
{
	const struct opencl *opencl = owner;

	return opencl->request.orphan
		       ? -1
		       : linux_guest_read(opencl->guest, address, buffer, size);
}

typedef int guest_write(struct linux_system *guest, uint64_t address,
			const void *buffer, uint64_t size);

static int write_by(guest_write *write, const struct opencl *opencl,
		    uint64_t address, const void *buffer, uint64_t size)
{
	return opencl->request.orphan
		       ? -1
		       : write(opencl->guest, address, buffer, size);
}

static int write_guest(void *owner, uint64_t address, const void *buffer,
		       uint64_t size)
{
	return write_by(linux_guest_write, owner, address, buffer, size);
}

static int deliver_guest(void *owner, uint64_t address, const void *buffer,
			 uint64_t size)
{
	return write_by(linux_guest_deliver, owner, address, buffer, size);
}

static int run_ndrange(void *owner, struct evg_ndrange *ndrange,
		       struct error *error)
{
	return gpu_run(((struct opencl *)owner)->gpu, ndrange, error);
}

static void share(void *owner, const struct opencl_shared_buffer *buffers,
		  size_t count)
{
	struct opencl *opencl = owner;

	/* Of a process that has ended nothing is left. */
	gpu_share(opencl->gpu, buffers, opencl->request.orphan ? 0 : count);
}

static void transfer(void *owner, const struct opencl_transfer *what,
		     picoseconds time)
{
	struct opencl *opencl = owner;

	if (!opencl->request.orphan)
		gpu_transfer(opencl->gpu, what, time);
}

static picoseconds now(void *owner)
{
	return gpu_now(((struct opencl *)owner)->gpu);
}

static void advance(void *owner, enum opencl_time kind, uint64_t bytes,
		    picoseconds time)
{
	gpu_advance(((struct opencl *)owner)->gpu, kind, bytes, time);
}

/* --- Requests in turns with the cores -------------------------------------- */

static void serve(void *owner)
{
	struct opencl *opencl = owner;
	struct request *request = &opencl->request;

	request->status = opencl_driver_request(request->driver,
						request->address,
						&request->error);
}

static void give_way(void *owner)
{
	turn_give_way(((struct opencl *)owner)->request.turn);
}

/* The request has ended. */
static void end_request(struct opencl *opencl)
{
	struct request *request = &opencl->request;

	turn_free(request->turn);
	request->turn = NULL;
	if (request->orphan)
		opencl_driver_free(request->driver);
	request->orphan = false;
}

bool opencl_work(struct opencl *opencl)
{
	struct request *request = &opencl->request;

	if (!gpu_is_due(opencl->gpu))
		return false;
	turn_go_on(request->turn);
	if (!gpu_wants_caller(opencl->gpu) || !request->orphan)
		return gpu_wants_caller(opencl->gpu);
	/* Nobody will ask for the answer. */
	if (turn_go_on(request->turn))
		end_request(opencl);
	return request->turn == NULL;
}

/* Begins a request, or goes on with one whose kernel has ended. */
static int serve_in_turns(struct opencl *opencl, struct opencl_driver *driver,
			  int process, uint64_t address, struct error *error)
{
	struct request *request = &opencl->request;
	int status;

	if (request->turn && (request->process != process ||
			      request->address != address || request->orphan ||
			      !gpu_wants_caller(opencl->gpu)))
		return LINUX_REQUEST_WAITS;
	if (!request->turn) {
		*request = (struct request){
			.turn = turn_create(serve, opencl), .driver = driver,
			.process = process, .address = address,
		};
		if (!request->turn)
			return error_set(error, "the host has no thread for a "
					 "GPU that shares its memory");
	}
	if (!turn_go_on(request->turn))
		return LINUX_REQUEST_WAITS;
	status = request->status;
	if (status < 0)
		*error = request->error;
	end_request(opencl);
	linux_wake_requests(opencl->guest);
	return status;
}

/* --- Life ------------------------------------------------------------------- */

struct opencl *opencl_create(struct gpu *gpu,
			     const struct opencl_driver_options *options)
{
	struct opencl *opencl = xcalloc(1, sizeof *opencl);

	opencl->gpu = gpu;
	opencl->shares = gpu_shares(gpu);
	if (opencl->shares)
		gpu_set_give_way(gpu, give_way, opencl);
	opencl->options = *options;
	return opencl;
}

void opencl_set_guest(struct opencl *opencl, struct linux_system *guest)
{
	opencl->guest = guest;
}

void opencl_free(struct opencl *opencl)
{
	if (!opencl)
		return;
	if (opencl->request.turn) {
		bool listed = !opencl->request.orphan;

		gpu_abandon(opencl->gpu);
		opencl->request.orphan = true;
		while (!turn_go_on(opencl->request.turn))
			;
		opencl->request.orphan = !listed;
		end_request(opencl);
	}
	for (size_t i = 0; i < opencl->count; i++)
		opencl_driver_free(opencl->list[i].driver);
	free(opencl->list);
	free(opencl);
}

/* Makes a driver for a process; the index of its entry, or -1. */
static int add(struct opencl *opencl, int process, struct error *error)
{
	bool shares = gpu_reaches_programs(opencl->gpu);
	struct opencl_machine machine = {
		.owner = opencl,
		.read = read_guest,
		.write = write_guest,
		.deliver = deliver_guest,
		.run = run_ndrange,
		.share = shares ? share : NULL,
		.transfer = shares ? transfer : NULL,
		.now = now,
		.advance = advance,
	};
	struct opencl_driver *driver =
		opencl_driver_create(&machine, &opencl->options, error);

	if (!driver)
		return -1;
	ARRAY_GROW(opencl->list, opencl->count, opencl->capacity);
	opencl->list[opencl->count] =
		(struct process_driver){ process, driver };
	return (int)opencl->count++;
}

static int find(const struct opencl *opencl, int process)
{
	for (size_t i = 0; i < opencl->count; i++)
		if (opencl->list[i].process == process)
			return (int)i;
	return -1;
}

int opencl_request(struct opencl *opencl, int process, uint64_t address,
		   struct error *error)
{
	int index = find(opencl, process), status;
	struct process_driver entry;
	picoseconds start;

	if (index < 0)
		index = add(opencl, process, error);
	if (index < 0)
		return -1;
	entry = opencl->list[index];
	opencl->list[index] = opencl->list[0];
	opencl->list[0] = entry;
	if (opencl->shares)
		return serve_in_turns(opencl, entry.driver, process, address,
				      error);
	start = gpu_now(opencl->gpu);
	status = opencl_driver_request(entry.driver, address, error);
	/* The host waited for the GPU. */
	linux_clock_advance(opencl->guest,
			    (gpu_now(opencl->gpu) - start) / 1000);
	return status;
}

void opencl_register(const struct opencl *opencl, bool host,
		     struct stats *stats)
{
	if (opencl->options.account)
		account_register(opencl->options.account, host, stats);
}

void opencl_released(struct opencl *opencl, int process)
{
	int index = find(opencl, process);

	if (index < 0)
		return;
	if (opencl->request.turn &&
	    opencl->request.driver == opencl->list[index].driver)
		opencl->request.orphan = true;
	else
		opencl_driver_free(opencl->list[index].driver);
	opencl->list[index] = opencl->list[--opencl->count];
}
