/* Transfers of a GPU that has one memory with the cores, as traffic there: what they
 * read or write of the program passes the coherent way, the buffer's bytes the one
 * of the first compute unit, past its caches. How long a transfer takes is known before;
 * its blocks begin one after the other in that time, and later where a module does
 * not take them. */
#include <stdlib.h>

#include "base/memory.h"
#include "m2s/gpu/internal.h"
#include "memsys/memsys.h"

enum { PAGE = 1 << GPU_PAGE_BITS };

struct gpu_transfer {
	struct gpu *gpu;
	struct gpu_transfer *next;
	struct module *program, *device;
	bool to_device;
	uint64_t *pages;  /* the program's */
	uint32_t offset;  /* in the first page */
	uint32_t address; /* the device's */
	uint64_t bytes, begun, done;
	picoseconds begin, time;
};

static uint64_t place(const struct gpu_transfer *transfer, uint64_t at)
{
	uint64_t byte = transfer->offset + at;

	return transfer->pages[byte / PAGE] + byte % PAGE;
}

/* The bytes from there on that lie in one block on both sides. */
static unsigned part(const struct gpu_transfer *transfer, uint64_t at)
{
	uint64_t program = module_block_size(transfer->program);
	uint64_t device = module_block_size(transfer->device);
	uint64_t left = transfer->bytes - at;

	program -= place(transfer, at) % program;
	device -= (transfer->address + at) % device;
	if (left > program)
		left = program;
	return (unsigned)(left < device ? left : device);
}

static void drop(struct gpu_transfer *transfer)
{
	struct gpu_transfer **at = &transfer->gpu->transfers;

	while (*at != transfer)
		at = &(*at)->next;
	*at = transfer->next;
	free(transfer->pages);
	free(transfer);
}

static void again(const struct gpu_transfer *transfer, event_action *action,
		  picoseconds delay, uint64_t tag)
{
	event_schedule(transfer->gpu->events, delay,
		       memsys_dispatcher_source(transfer->gpu->memsys), action,
		       (void *)(uintptr_t)transfer, tag);
}

/* Starts the access of a block on one side; the tag is its first byte. */
static bool start(struct gpu_transfer *transfer, bool of_program, bool writes,
		  uint64_t at, module_done *done)
{
	enum memsys_access_kind kind = writes ? MEMSYS_NC_STORE
				       : of_program ? MEMSYS_LOAD
						    : MEMSYS_UNCACHED_LOAD;

	return module_access_by(
		of_program ? transfer->program : transfer->device, kind, 0,
		of_program ? place(transfer, at) : transfer->address + at,
		part(transfer, at), done, transfer, at, NULL);
}

static void written(void *owner, uint64_t at)
{
	struct gpu_transfer *transfer = owner;

	transfer->done += part(transfer, at);
	if (transfer->done == transfer->bytes)
		drop(transfer);
}

static void write_block(void *owner, uint64_t at)
{
	struct gpu_transfer *transfer = owner;

	if (!start(transfer, !transfer->to_device, true, at, written))
		again(transfer, write_block, transfer->gpu->period, at);
}

static void read_blocks(void *owner, uint64_t tag)
{
	struct gpu_transfer *transfer = owner;
	picoseconds now = event_queue_now(transfer->gpu->events), due;

	(void)tag;
	while (transfer->begun < transfer->bytes) {
		due = transfer->begin +
		      (picoseconds)((double)transfer->time *
				    (double)transfer->begun /
				    (double)transfer->bytes);
		if (due <= now && start(transfer, transfer->to_device, false,
					transfer->begun, write_block)) {
			transfer->begun += part(transfer, transfer->begun);
			continue;
		}
		again(transfer, read_blocks,
		      due > now ? due - now : transfer->gpu->period, 0);
		return;
	}
}

void gpu_transfer(struct gpu *gpu, const struct opencl_transfer *what,
		  picoseconds time)
{
	struct gpu_transfer *transfer;
	picoseconds now = event_queue_now(gpu->events);
	uint64_t *pages = gpu_find_pages(gpu, what->pointer, what->bytes,
					 what->direction ==
						 OPENCL_FROM_DEVICE);

	if (!pages)
		return;
	transfer = xmalloc(sizeof *transfer);
	*transfer = (struct gpu_transfer){
		.gpu = gpu, .next = gpu->transfers,
		.program = memsys_coherent_entry(gpu->memsys, 0),
		.device = memsys_entry(gpu->memsys, MEMSYS_EVERGREEN, 0, 0),
		.to_device = what->direction == OPENCL_TO_DEVICE,
		.pages = pages, .offset = what->pointer % PAGE,
		.address = what->address, .bytes = what->bytes,
		.begin = gpu->elsewhere, .time = time,
	};
	gpu->transfers = transfer;
	again(transfer, read_blocks,
	      transfer->begin > now ? transfer->begin - now : 0, 0);
}

void gpu_transfers_free(struct gpu *gpu)
{
	while (gpu->transfers)
		drop(gpu->transfers);
}
