/* Values that lie in the lane's own memory for a time: the declarations that
 * these files share.
 *
 *     spill.c     the rounds
 *     untie.c     values that wait in a register that a store needs
 *     use.c       where each register is used, and what is possible with it
 *     choice.c    which registers are moved
 *     rewrite.c   the stores, fetches and repeated operations instead of them */
#ifndef M2S_OPENCL_RT_CODEGEN_SPILL_SPILL_H
#define M2S_OPENCL_RT_CODEGEN_SPILL_SPILL_H

#include "opencl-rt/codegen/machine.h"

enum {
	/* Uses of a value that are no farther apart, with no control flow
	 * between them, share a register: instructions. */
	MOVE_NEAR = 8,
};

/* What becomes of a register. */
enum move {
	MOVE_NONE,
	MOVE_MEMORY,         /* stored behind each write, fetched for reads */
	MOVE_AGAIN,          /* computed again for reads */
};

struct move_register {
	bool possible;       /* to move it */
	bool again;          /* to compute it again */
	unsigned writes;
	unsigned writer;     /* the last one */
	/* From where on its place is taken: that of its tuple's first member. */
	int first;
	double cost;         /* of its moves, weighted by loops */
	enum move move;
	uint32_t slot;       /* MOVE_MEMORY: dword of scratch memory */
};

/* Where registers are used. */
struct move_uses {
	const struct machine *machine;
	struct move_register *registers;
	/* For each register the instructions that use it: at[start[r]] up to,
	 * but not, at[start[r + 1]]. */
	unsigned *start, *at;
	/* For each instruction: how many places of control flow come before,
	 * and whether a fetch or a store may be put in front of it. */
	unsigned *stretch;
	bool *begins;
};

/* Of a machine whose registers have their first and last uses. To be freed with
 * move_uses_free(). */
struct move_uses move_uses_find(const struct machine *machine);
void move_uses_free(struct move_uses *uses);
/* Whether two instructions can use one register between them. */
bool move_is_near(const struct move_uses *uses, unsigned first,
		  unsigned second);

/* Gives values that are computed long before a store registers of their own, so
 * that only a copy in front of the store has a tuple or a channel. */
void move_untie(struct machine *machine);
/* Chooses what is moved so that, as far as possible, no more than `room` dwords
 * have a value at once. The number of moved registers. */
unsigned move_choose(struct move_uses *uses, int room);
/* Moves what was chosen, to scratch memory behind what there is so far. */
void move_rewrite(struct machine *machine, struct move_uses *uses);

#endif
