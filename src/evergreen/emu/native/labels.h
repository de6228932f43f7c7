/* Labels in the code of chains, and jumps to them, also forward: parts of CF
 * instructions, each for all, some and no active lanes, and the ends of
 * chains. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_LABELS_H
#define M2S_EVERGREEN_EMU_NATIVE_LABELS_H

#include "evergreen/emu/native/build.h"
#include "evergreen/emu/native/general.h"
#include "evergreen/emu/native/stack.h"

struct native_labels {
	struct native_code *code;
	uint32_t *first; /* by address: the number of the first part */
	size_t *place;   /* by part and kind; 0: not bound */
	uint32_t count;
	uint32_t next; /* the label that will be bound right behind this code */
	struct native_jump {
		size_t hole;
		uint32_t label; /* `count` + number for an exit */
	} * jumps;
	uint32_t jump_count, jump_capacity;
	struct evg_chain_exit *exits;
	uint32_t exit_count, exit_capacity;
};

/* Kinds of code of a part: those of enum evg_lanes and, with rows in registers
 * (native/region.h), for some lanes and for none. */
enum {
	NATIVE_RESIDENT_SOME = EVG_LANES_KINDS,
	NATIVE_RESIDENT_NONE,
	NATIVE_KINDS
};

/* `parts`: the number of parts of each CF instruction, by address. */
void native_labels_begin(struct native_labels *labels, struct native_code *code,
			 const uint32_t *parts, uint32_t cf_count);
void native_labels_free(struct native_labels *labels);

uint32_t native_label(const struct native_labels *labels, uint32_t address,
		      uint32_t part, unsigned kind);
uint32_t native_exit_label(struct native_labels *labels,
			   const struct evg_chain_exit *exit);
/* Binds the label to this place. */
void native_bind(struct native_labels *labels, uint32_t label);
/* Emits a jump, unless it leads to the label that comes next. */
void native_jump(struct native_labels *labels, enum native_condition condition,
		 uint32_t label);
/* Emits the code of the exits, and sets the distances of all jumps. */
void native_labels_end(struct native_labels *labels);

#endif
