/* The cost of an instruction's addresses: blocks of memory and bank conflicts,
 * per static instruction. Counted only after evg_ndrange_count_traffic, because
 * every address must be examined. */
#ifndef M2S_EVERGREEN_EMU_COUNT_TRAFFIC_H
#define M2S_EVERGREEN_EMU_COUNT_TRAFFIC_H

#include <stdalign.h>

#include "evergreen/emu/emu.h"

struct evg_wavefront;

enum {
	EVG_TRAFFIC_HASH = 2048,
	EVG_TRAFFIC_SHAPES = 256,
	EVG_TRAFFIC_WAYS = 64,
	/* One more shape, for addresses that are new every time. */
	EVG_TRAFFIC_LAST = EVG_TRAFFIC_SHAPES,
	/* After this number of new addresses in a row, an instruction is looked
	 * up only once in EVG_TRAFFIC_RETRY times. */
	EVG_TRAFFIC_MISSES = 16,
	EVG_TRAFFIC_RETRY = 32,
};

/* A set of addresses whose cost is known. An instruction's addresses are mostly
 * those of an earlier execution, or of another instruction, moved by a common
 * distance. If the distance is a whole number of blocks, the cost is the
 * same. */
struct evg_traffic_shape {
	alignas(64) uint32_t address[EVG_WAVEFRONT_SIZE];
	uint64_t mask, mask2;
	uint32_t cost;
};

/* The traffic counts of a work-group object. One host thread at a time counts
 * here. */
struct evg_traffic {
	struct evg_traffic_model model;
	struct evg_step step; /* the accesses of the instruction at `line` */
	uint32_t line;
	/* By line of the code. */
	struct evg_traffic_count {
		uint64_t transactions, conflicts;
	} *counts;
	/* By line: the latest shapes, by evg_traffic_way, and the last one.
	 * There are several, because masks change from iteration to iteration
	 * and work-groups begin at different places in a block. */
	struct evg_traffic_recent {
		uint8_t shape[EVG_TRAFFIC_WAYS];
		uint8_t last, misses, skipped;
	} *recent;
	/* The shapes, which all lines share so that few are in use. An unused
	 * shape has the kind (evg_traffic_kind) 0 and no contents. The second
	 * addresses are rare and stored elsewhere; NULL until there are
	 * some. */
	uint32_t kind[EVG_TRAFFIC_SHAPES + 1];
	struct evg_traffic_shape *shapes;
	uint32_t (*address2)[EVG_WAVEFRONT_SIZE];
	/* A hash table of the blocks that the instruction with the number
	 * `stamp` has touched. Created when it is first needed, which is
	 * rare. */
	uint32_t stamp;
	struct evg_traffic_block {
		uint32_t block, stamp;
	} *hash;
	void (*add)(struct evg_traffic *traffic, uint32_t line,
		    /* A function of simd/traffic.c. */
		    const struct evg_step *step);
};

/* Bits of a kind: the facts besides addresses and masks that determine the
 * cost. */
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

/* The index among a line's shapes for a mask and for the place of the first
 * address in its block. The multipliers are odd numbers without a pattern
 * (Knuth, The Art of Computer Programming, volume 3, 6.4). */
static inline unsigned evg_traffic_way(uint64_t mask, uint32_t place)
{
	return (unsigned)((mask * 0x9e3779b97f4a7c15u +
			   place * 0xc2b2ae3d27d4eb4fu) >> 58);
}

struct evg_simd;
/* Traffic counts for a kernel whose code has `line_count` lines. */
struct evg_traffic *evg_traffic_create(const struct evg_traffic_model *model,
				       uint32_t line_count,
				       const struct evg_simd *simd);
void evg_traffic_free(struct evg_traffic *traffic); /* NULL is fine */

/* Adds the accesses of an executed instruction, if it has any. */
void evg_traffic_count(struct evg_traffic *traffic, uint32_t line,
		       const struct evg_step *step);
/* Adds the accesses that are noted in traffic->step, if any, and clears the
 * note. */
void evg_traffic_take_noted(struct evg_traffic *traffic);
static inline void evg_traffic_take(struct evg_traffic *traffic)
{
	if (traffic->step.memory_bytes)
		evg_traffic_take_noted(traffic);
}
/* Counts an atomic operation at traffic->line: each lane's is an access of its
 * own. */
static inline void evg_traffic_count_atomic(struct evg_traffic *traffic,
					    uint64_t lanes)
{
	traffic->counts[traffic->line].transactions +=
		(uint64_t)__builtin_popcountll(lanes);
}
/* The number of distinct blocks that a step in global memory touches. Any
 * addresses are allowed. */
uint32_t evg_traffic_blocks(struct evg_traffic *traffic,
			    const struct evg_step *step);
/* traffic->address2, which is created when it is first needed. */
uint32_t (*evg_traffic_second(struct evg_traffic *traffic))[EVG_WAVEFRONT_SIZE];
/* Begins the notes of the instruction at `line` about its accesses to local
 * memory. */
void evg_traffic_begin(struct evg_traffic *traffic, uint32_t line);

#endif
