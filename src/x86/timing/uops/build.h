/* From a form and a description to micro-operations. Internal to
 * x86/timing/uops. */
#ifndef M2S_X86_TIMING_UOPS_BUILD_H
#define M2S_X86_TIMING_UOPS_BUILD_H

#include "x86/timing/uops/form.h"
#include "x86/timing/uops/uop.h"

enum { X86_BUILD_UOPS = 250, X86_BUILD_PLACES = 24 };

/* The uops of an instruction in the making. */
struct x86_build {
	const struct x86_uop_core *core;
	const struct x86_inst *inst;
	const struct x86_form_line *line;
	struct x86_uop uop[X86_BUILD_UOPS];
	unsigned count;
	unsigned slots;     /* issue slots that the uops take */
};

/* Fills in the uops of a line of the table. */
void x86_build_uops(struct x86_build *build);

/* Fills in where the uops compute: domain.c. */
void x86_build_domain(struct x86_build *build);

/* The place of a register operand. */
uint8_t x86_operand_place(const struct x86_uop_core *core,
			  const struct x86_operand *operand);

/* Latencies between places: latency.c. */
enum { X86_LATENCY_UNKNOWN = -1 }; /* 0: no dependency */

struct x86_latencies {
	unsigned inputs, outputs;
	uint8_t input[X86_BUILD_PLACES], output[X86_BUILD_PLACES];
	int16_t latency[X86_BUILD_PLACES][X86_BUILD_PLACES];
};

/* Places of memory in the matrix: the data of a load, the data of a store. */
enum {
	X86_INPUT_MEMORY = X86_PLACE_INTERNAL, /* + 1: the second load's */
	/* + 1: the second store's */
	X86_OUTPUT_MEMORY = X86_PLACE_INTERNAL + 2,
	/* places of the builder's own from here on */
	X86_BUILD_INTERNAL = X86_PLACE_INTERNAL + 4,
};

/* Fills in what the instruction reads and writes, with the row's latencies, and
 * completes latencies that the row lacks. `zero_idiom`: the row says that the
 * instruction waits for no input. */
void x86_latencies_of(struct x86_latencies *latencies,
		      const struct x86_uop_core *core,
		      const struct x86_inst *inst,
		      const struct x86_form_line *line);

/* Ports of uops that are not made yet, a set for each uop. */
struct x86_build_ports {
	uint16_t ports[X86_BUILD_UOPS];
	unsigned count;
};

/* Takes one set out. */
uint16_t x86_build_take_ports(struct x86_build_ports *ports, unsigned at);

/* The ports of a row, by what their uops do. */
struct x86_build_roles {
	struct x86_build_ports compute, load, address, data;
};

void x86_build_roles_of(struct x86_build *build, struct x86_build_roles *roles);

/* Parts of a uop. A uop, source or result that has no room replaces the last
 * uop, or is left out. */
struct x86_uop *x86_build_add_uop(struct x86_build *build,
				  enum x86_uop_kind kind, uint32_t ports);
void x86_build_add_source(struct x86_uop *uop, unsigned place);
void x86_build_add_result(struct x86_uop *uop, unsigned place, int latency);
bool x86_uop_waits_for(const struct x86_uop *uop, unsigned place);

/* Adds the uops that compute, one for each set of `ports`, which is empty
 * afterwards. */
void x86_build_computes(struct x86_build *build,
			const struct x86_latencies *latencies,
			struct x86_build_ports *ports);

/* Gives every uop its issue slot. Loads are fused with the uops that use them,
 * and addresses with data of stores, until the uops take as many slots as the
 * row says. Uops move so that fused ones are neighbours. */
void x86_build_slots(struct x86_build *build,
		     const struct x86_latencies *latencies);

/* classic.c: fills in the template of an instruction on a core with pools, all
 * but what its mnemonic says. */
void x86_build_classic(struct x86_build *build, struct x86_template *t,
		       const struct x86_pools *pools);
/* Its core, for places. */
extern const struct x86_uop_core x86_classic_core;

/* caching.c: what an instruction does to caches besides loading and storing; the hint
 * (enum x86_hint) of a prefetch instruction, which cores with pools have, too. */
void x86_build_caching(struct x86_template *t, const struct x86_inst *inst);
uint8_t x86_hint_of(const struct x86_inst *inst);

/* Whether rsp changes by a constant that the stack engine adds: PUSH, POP,
 * CALL, RET and related instructions. */
bool x86_stack_engine(const struct x86_inst *inst);

#endif
