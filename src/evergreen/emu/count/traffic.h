/* What an instruction's addresses cost: memory blocks and bank conflicts per
 * static instruction. Counted only when somebody asks (evg_ndrange_traffic),
 * since it looks at every address. */
#ifndef M2S_EVERGREEN_EMU_COUNT_TRAFFIC_H
#define M2S_EVERGREEN_EMU_COUNT_TRAFFIC_H

#include <stdalign.h>

#include "evergreen/emu/emu.h"

struct evg_wavefront;

enum {
	EVG_TRAFFIC_HASH = 2048,
	EVG_TRAFFIC_SHAPES = 256,
	EVG_TRAFFIC_WAYS = 64,
	/* One more, for addresses that are new time and again. */
	EVG_TRAFFIC_LAST = EVG_TRAFFIC_SHAPES,
	/* An instruction whose addresses so many times in turn were new is
	 * looked up only one time of so many. */
	EVG_TRAFFIC_MISSES = 16,
	EVG_TRAFFIC_RETRY = 32,
};

/* Addresses that were counted before. An instruction's addresses are mostly
 * those of another time, or of another instruction, all moved by the same
 * distance: then, if the distance is one of whole blocks, so are its costs. */
struct evg_traffic_shape {
	alignas(64) uint32_t address[EVG_WAVEFRONT_SIZE];
	uint64_t mask, mask2;
	uint32_t cost;
};

/* Of a work-group object: one host thread at a time counts here. */
struct evg_traffic {
	struct evg_traffic_model model;
	struct evg_step step; /* what the instruction at `line` touches */
	uint32_t line;
	/* By line of the code. */
	struct evg_traffic_count {
		uint64_t transactions, conflicts;
	} *counts;
	/* By line: the shapes that it had lately, by evg_traffic_way, and that
	 * which it had last. Several: masks change from iteration to iteration,
	 * and work-groups begin at different places in a block. */
	struct evg_traffic_recent {
		uint8_t shape[EVG_TRAFFIC_WAYS];
		uint8_t last, misses, skipped;
	} *recent;
	/* Shared by all lines, so that few are in use. What is not has a kind
	 * (evg_traffic_kind) of 0 and no contents. The second addresses are
	 * rare and elsewhere, or NULL when there have been none. */
	uint32_t kind[EVG_TRAFFIC_SHAPES + 1];
	struct evg_traffic_shape *shapes;
	uint32_t (*address2)[EVG_WAVEFRONT_SIZE];
	/* Blocks seen by the instruction whose number is `stamp`, by hashing:
	 * made when it is wanted, which is rare. */
	uint32_t stamp;
	struct evg_traffic_block {
		uint32_t block, stamp;
	} *hash;
	void (*add)(struct evg_traffic *traffic, uint32_t line,
		    const struct evg_step *step); /* one of simd/traffic.c */
};

/* What costs depend on besides addresses and masks. */
enum { EVG_TRAFFIC_LOCAL = 1 << 16, EVG_TRAFFIC_GLOBAL = 1 << 17 };

static inline uint32_t evg_traffic_kind(bool local, uint32_t bytes,
					bool merges)
{
	return local ? EVG_TRAFFIC_LOCAL | (uint32_t)merges << 8
		     : EVG_TRAFFIC_GLOBAL | bytes;
}

static inline bool evg_traffic_is_local(uint32_t kind)
{
	return kind & EVG_TRAFFIC_LOCAL;
}

static inline bool evg_traffic_merges(uint32_t kind)
{
	return kind >> 8 & 1;
}

static inline uint32_t evg_traffic_bytes(uint32_t kind)
{
	return kind & 0xff;
}

/* Which of a line's shapes one with a mask and a place of its first address in
 * a block would be. The multipliers are odd numbers without a pattern (Knuth,
 * The Art of Computer Programming, volume 3, 6.4). */
static inline unsigned evg_traffic_way(uint64_t mask, uint32_t place)
{
	return (unsigned)((mask * 0x9e3779b97f4a7c15u +
			   place * 0xc2b2ae3d27d4eb4fu) >> 58);
}

struct evg_simd;
/* For a kernel whose code has so many lines. */
struct evg_traffic *evg_traffic_create(const struct evg_traffic_model *model,
				       uint32_t line_count,
				       const struct evg_simd *simd);
void evg_traffic_free(struct evg_traffic *traffic); /* NULL is fine */

/* Adds an executed instruction's accesses, if it has any. */
void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step);
/* The same for what is noted in traffic->step, if anything; it then notes
 * nothing. */
void evg_traffic_take_noted(struct evg_traffic *traffic);
static inline void evg_traffic_take(struct evg_traffic *traffic)
{
	if (traffic->step.memory_bytes)
		evg_traffic_take_noted(traffic);
}
/* An atomic operation of traffic->line: each lane's is an access of its own. */
static inline void evg_traffic_count_atomic(struct evg_traffic *traffic,
					    uint64_t lanes)
{
	traffic->counts[traffic->line].transactions +=
		(uint64_t)__builtin_popcountll(lanes);
}
/* Distinct blocks that a step in global memory touches, whatever they are. */
uint32_t evg_traffic_blocks(struct evg_traffic *traffic,
			    const struct evg_step *step);
/* What is made when it is wanted: traffic->address2. */
uint32_t (*evg_traffic_second(struct evg_traffic *traffic))[EVG_WAVEFRONT_SIZE];
/* The instruction at `line` is about to note what it does in local memory. */
void evg_traffic_begin(struct evg_traffic *traffic, uint32_t line);

#endif
