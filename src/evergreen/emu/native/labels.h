/* Places in the code of chains, and jumps to them that may come before them:
 * parts of CF instructions, each for all, some and no active lanes, and the
 * ends of chains. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_LABELS_H
#define M2S_EVERGREEN_EMU_NATIVE_LABELS_H

#include "evergreen/emu/native/build.h"
#include "evergreen/emu/native/general.h"
#include "evergreen/emu/native/stack.h"

struct native_labels {
	struct native_code *code;
	uint32_t *first; /* of each address: its first part's number */
	size_t *place;   /* by part and kind; 0: not there */
	uint32_t count;
	uint32_t next; /* the label that comes right after this code */
	struct native_jump {
		size_t hole;
		uint32_t label; /* `count` + number: an exit */
	} * jumps;
	uint32_t jump_count, jump_capacity;
	struct evg_chain_exit *exits;
	uint32_t exit_count, exit_capacity;
};

/* Kinds of a part's code: enum evg_lanes, and for some and for none with rows in
 * registers (native/region.h). */
enum {
	NATIVE_RESIDENT_SOME = EVG_LANES_KINDS,
	NATIVE_RESIDENT_NONE,
	NATIVE_KINDS
};

/* `parts`: of each CF instruction, by address. */
void native_labels_begin(struct native_labels *labels, struct native_code *code,
			 const uint32_t *parts, uint32_t cf_count);
void native_labels_free(struct native_labels *labels);

uint32_t native_label(const struct native_labels *labels, uint32_t address,
		      uint32_t part, unsigned kind);
uint32_t native_exit_label(struct native_labels *labels,
			   const struct evg_chain_exit *exit);
/* Here it is. */
void native_bind(struct native_labels *labels, uint32_t label);
/* A jump, which is left out when it leads to what comes next. */
void native_jump(struct native_labels *labels, enum native_condition condition,
		 uint32_t label);
/* The exits' code, and all jumps' distances. */
void native_labels_end(struct native_labels *labels);

#endif
