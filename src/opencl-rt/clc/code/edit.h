/* The machine code of a kernel, opened for changes: groups of ALU clauses can
 * be inserted, replaced and removed. The whole is then laid out again.
 *
 * Sources that name the result of the previous group (PV, PS) are kept as links
 * to that group, so that groups can be inserted between. */
#ifndef M2S_OPENCL_RT_CLC_CODE_EDIT_H
#define M2S_OPENCL_RT_CLC_CODE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "evergreen/isa/code.h"

enum { EDIT_NO_REGISTER = 255 };

/* The origin of a PV or PS source. */
struct edit_link {
	uint32_t group;        /* id of the group; 0: not a link */
	uint8_t slot;          /* slot of that group */
	/* Register that also holds the value, or EDIT_NO_REGISTER. */
	uint8_t gpr, channel;
};

struct edit_group {
	struct evg_alu_group group;
	uint32_t id;
	uint32_t origin; /* address of the original group */
	struct edit_link link[EVG_SLOT_COUNT][3];
	/* Of each literal: its original place, in bytes from the kernel's
	 * start; 0: not relocated. */
	uint32_t relocation[4];
};

/* A CF instruction and its clause. */
struct edit_cf {
	const struct evg_code_cf *original;
	struct evg_cf_inst inst;
	struct edit_group *groups;  /* of an ALU clause */
	size_t count, capacity;
	uint32_t address;           /* after layout */
};

struct edit {
	const struct evg_code *code;
	/* By address, only those that control reaches. */
	struct edit_cf *cf;
	size_t cf_count;
	uint32_t next_id;
};

/* A relocated literal that has moved. */
struct edit_move {
	uint32_t from, to; /* bytes from the kernel's start */
};

/* Opens code, which must outlive the edit. `relocations`: places of relocated
 * words, in bytes from the kernel's start. */
struct edit *edit_open(const struct evg_code *code,
		       const uint32_t *relocations, size_t count);
void edit_free(struct edit *edit); /* NULL is fine */

/* Makes room for a group in front of the index-th. The new group has an id and
 * nothing else. Pointers to the clause's groups become invalid. */
struct edit_group *edit_insert(struct edit *edit, struct edit_cf *cf,
			       size_t index);
void edit_remove(struct edit_cf *cf, size_t index);

/* Puts an instruction into a slot of a group under construction, and updates
 * order and LAST. */
void edit_put(struct evg_alu_group *group, unsigned slot,
	      const struct evg_alu_inst *inst);

/* Writes the code to `text`, of `size` bytes, and zeroes the rest. A link
 * becomes PV or PS again where its group is the previous one, else a register.
 * A group that cannot read so many registers gets a group before it that moves
 * them to PV. *moves (free with free()) has the relocated literals. -1 and
 * *error when the code does not fit. */
int edit_write(struct edit *edit, uint8_t *text, uint32_t size,
	       struct edit_move **moves, size_t *move_count,
	       struct error *error);

/* After edit_write: calls `place` with the old and the new address of every
 * CF instruction, group and fetch, in 64-bit units. */
void edit_places(const struct edit *edit,
		 void (*place)(void *context, uint32_t from, uint32_t to),
		 void *context);

#endif
