/* An instruction in flight. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_FLOW_H
#define M2S_X86_TIMING_CORE_FLOW_H

#include <stdalign.h>
#include <stddef.h>

#include "x86/timing/core/core.h"

struct core_access {
	uint64_t address;    /* the place (x86_core_memory) */
	uint64_t linear;     /* the program's address */
	uint32_t size;       /* 0: no access */
};

/* An instruction in flight. What every instruction needs fills one line of the
 * host's cache. */
struct core_flow {
	alignas(64) const struct x86_inst *inst;
	const struct x86_template *form;
	uint64_t address, next;
	union {
		uint64_t first_uop; /* once `entered`: sequence number */
		/* Until then: core_pushed(). */
		uint64_t pushed;
	};
	union {
		struct {
			uint8_t delivered; /* slots, by the decoders */
			/* to issue, with those of a fused pair */
			uint8_t slots;
			uint8_t slots_fused;
			uint8_t next_slot, next_uop; /* the next to issue */
			uint8_t uops; /* issued ones that need a port */
			/* ports of the second of a fused pair */
			uint8_t branch_ports;
			uint8_t fetch; /* enum x86_core_fetch */
		};
		/* All of them, which begin together (core_course()). */
		uint64_t course;
	};
	uint32_t predecoded_at, decoded_at, issued_at;
	union {
		struct {
			bool fuses : 1;   /* with the next instruction */
			bool fused : 1;   /* with the previous instruction */
			bool entered : 1; /* its first slot has been renamed */
			/* End of the loop buffer: the renamer ends its cycle
			 * behind it. */
			bool ends_group : 1;
			bool diverts : 1;
			bool decoded_only : 1;
			/* A load's line, after it has been executed. */
			bool lost : 1;
			/* An entry of the store queue has been taken:
			 * store_number. */
			bool stores : 1;
			/* of load[] and store[] */
			uint8_t load_count : 2, store_count : 2;
			uint8_t traced : 1; /* came from the trace cache */
			bool accessed : 1; /* needs nothing of a cache */
			uint8_t order : 2; /* enum core_order */
		};
		/* All of them: narrow stores one after another would wait for
		 * each other. */
		uint16_t bits;
	};
	/* cycles by which a division takes longer: its result, the divider */
	int8_t division_latency, division_busy;
	/* Touched only by instructions that access memory. */
	/* in the store queue, + 1; 0: none yet */
	uint64_t store_number[2];
	struct core_access load[2], store[2];
};

_Static_assert(offsetof(struct core_flow, store_number) == 64, "a line");
_Static_assert(offsetof(struct core_flow, slots_fused) ==
			       offsetof(struct core_flow, course) + 2 &&
		       offsetof(struct core_flow, fetch) ==
			       offsetof(struct core_flow, course) + 7,
	       "core_course()");

/* What a path compares of an instruction that has just been pushed, besides its
 * form and addresses; as memo_input.rest. */
static inline uint64_t core_pushed_plain(const struct x86_inst *inst,
					 uint16_t bits)
{
	return (uint64_t)inst->length << 24 | (uint64_t)bits << 32;
}
static inline uint64_t core_pushed(const struct core_flow *flow, unsigned fetch,
				   uint16_t bits)
{
	return core_pushed_plain(flow->inst, bits) | fetch |
	       (uint64_t)(uint8_t)flow->division_latency << 8 |
	       (uint64_t)(uint8_t)flow->division_busy << 16;
}

/* core_flow.course of an instruction that has just been pushed; the host's lowest
 * byte is its first. Shifts, as a wide load would wait for narrow stores. */
static inline uint64_t core_course(const struct x86_template *form,
				   unsigned fetch)
{
	unsigned slots = form->slots ? form->slots : 1;
	unsigned fused = form->slots_fused;

	fused = fused && fused <= slots ? fused : slots;
	return slots << 8 | fused << 16 | (uint64_t)fetch << 56;
}

/* The same with X86_CORE_FETCH_ON. */
static inline uint64_t core_course_on(const struct x86_template *form)
{
	return (uint64_t)form->course << 8;
}

/* Sets an instruction to the state in which it was pushed. */
static inline void core_flow_begin(struct core_flow *flow)
{
	struct core_flow begun;

	flow->course = core_course(flow->form, flow->fetch);
	begun.bits = flow->bits;
	begun.fuses = begun.fused = false;
	begun.entered = begun.ends_group = false;
	begun.lost = begun.stores = false;
	begun.traced = false;
	begun.order = 0;
	flow->bits = begun.bits;
	flow->pushed = core_pushed(flow, flow->fetch, begun.bits);
}

#endif
