/* From accesses to a DRAM's requests: an access is cut where its bytes leave a
 * row of a channel, and a write of scattered bytes where whole bursts between
 * them are free. */
#include "base/optimize.h"

#include "memsys/dram/internal.h"

#include "base/memory.h"

enum { CHUNK_REQUESTS = 64 };

/* --- Access ------------------------------------------------------------- */

static struct dram_request *request_take(struct dram *dram)
{
	struct dram_request *request = dram->free;

	if (!request) {
		struct dram_request *chunk =
			xcalloc(CHUNK_REQUESTS, sizeof *chunk);

		ARRAY_GROW(dram->chunks, dram->chunk_count,
			   dram->chunk_capacity);
		dram->chunks[dram->chunk_count++] = chunk;
		for (int i = 0; i < CHUNK_REQUESTS; i++) {
			chunk[i].next = dram->free;
			dram->free = &chunk[i];
		}
		request = dram->free;
	}
	dram->free = request->next;
	/* The next one has not been used for long if many are taken. */
	__builtin_prefetch(dram->free, 1);
	return request;
}

static struct dram_request *whole_create(struct dram *dram, bool write,
					 dram_done *done, void *owner,
					 uint64_t tag)
{
	struct dram_request *whole = request_take(dram);

	/* Only what a whole access has. */
	whole->dram = dram;
	whole->whole = whole;
	whole->pending = 0;
	whole->done = done;
	whole->owner = owner;
	whole->tag = tag;
	whole->write = write;
	return whole;
}

/* The part [address, end) of an access. */
static void submit_part(struct dram_request *whole, uint64_t address,
			uint64_t end, bool masked)
{
	struct dram *dram = whole->dram;

	for (uint64_t at = address; at < end;) {
		uint64_t next = (at | (dram->run_bytes - 1)) + 1;
		struct dram_request *request = request_take(dram);
		unsigned channel;

		*request = (struct dram_request){
			.dram = dram, .whole = whole, .write = whole->write,
			.masked = masked,
		};
		if (next > end)
			next = end;
		channel = dram_locate(dram, at, next - at, request);
		whole->pending++;
		dram_put(dram, channel, request);
		at = next;
	}
}

void dram_submit(struct dram *dram, bool write, uint64_t address,
		 uint32_t size, dram_done *done, void *owner, uint64_t tag)
{
	submit_part(whole_create(dram, write, done, owner, tag), address,
		    address + (size ? size : 1), false);
}

/* --- Masked writes ------------------------------------------------------ */

/* Written bytes between which no whole burst is free. */
struct stretch {
	uint64_t address, end;
	bool holes;
};

/* The next stretch from *left on, whose bits it takes away; false: none. */
static bool next_stretch(const struct dram_written *written, uint32_t burst,
			 uint64_t *left, struct stretch *stretch)
{
	uint64_t limit = written->address + written->extent;

	if (!*left)
		return false;
	stretch->address = 0;
	stretch->end = 0;
	stretch->holes = false;
	while (*left) {
		/* Bits without a gap, at once. */
		unsigned first = (unsigned)__builtin_ctzll(*left);
		uint64_t rest = ~(*left >> first);
		unsigned bits = rest ? (unsigned)__builtin_ctzll(rest) : 64;
		uint64_t at = written->address +
			      ((uint64_t)first << written->grain);
		uint64_t end = at + ((uint64_t)bits << written->grain);

		if (!stretch->end)
			stretch->address = at;
		else if (at / burst > (stretch->end - 1) / burst + 1)
			break;
		else
			stretch->holes = true;
		stretch->end = end < limit ? end : limit;
		*left &= bits + first < 64 ? ~0ull << (first + bits) : 0;
	}
	return true;
}

void dram_write(struct dram *dram, const struct dram_written *written,
		dram_done *done, void *owner, uint64_t tag)
{
	struct dram_request *whole = whole_create(dram, true, done, owner, tag);
	uint64_t left = written->mask;
	struct stretch stretch;

	while (next_stretch(written, dram->burst_bytes, &left, &stretch))
		submit_part(whole, stretch.address, stretch.end, stretch.holes);
}

uint32_t dram_write_bursts(const struct dram_written *written,
			   uint32_t burst_bytes)
{
	uint64_t left = written->mask;
	struct stretch stretch;
	uint32_t bursts = 0;

	while (next_stretch(written, burst_bytes, &left, &stretch))
		bursts += (uint32_t)((stretch.end - 1) / burst_bytes -
				     stretch.address / burst_bytes + 1);
	return bursts;
}
