/* Our own code generator: from a kernel in LLVM's IR to the assembler's
 * text. */
#ifndef M2S_OPENCL_RT_CODEGEN_GENERATE_H
#define M2S_OPENCL_RT_CODEGEN_GENERATE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "base/error.h"
#include "evergreen/isa/chip.h"
#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/stage/stage.h"
#include "opencl-rt/codegen/write/lines.h"

/* What a launch must know beside the code. */
struct codegen_facts {
	uint32_t local_size, scratch_size; /* bytes; of a work-item */
	/* False: the generator does not know the control flow. */
	bool structured;
	/* From the caller: control flow block by block, which takes longer and
	 * knows all graphs without loops of several beginnings. */
	bool dispatched;
	/* From the caller: the ways of reads and writes of global memory, texts
	 * for path/ways.h, or NULL. */
	const char *read_path, *write_path;
	enum evg_chip chip; /* from the caller */
	/* The chip cannot run the kernel. */
	bool unsuitable;
	/* A stage has made a fault, which is no fault of the kernel. */
	bool broken;
	/* The bytes of all tables of the module, from the caller. */
	uint32_t table_size;
	/* The first of the literals that stand for places in them. */
	uint32_t first_table;
	/* The stage to be printed, from the caller. */
	enum stage print_after;
	/* From the caller: print how the clauses are scheduled. */
	bool schedule_report;
	/* From the caller: a set of 1 << stage, whose passes do not run. */
	unsigned without;
	/* From the caller: how many registers the kernel may have; 0: what its
	 * work-groups need. */
	unsigned registers;
	/* The source line of each instruction; lines.list is the caller's to
	 * free. */
	struct write_lines lines;
};

/* Generates the code of a function. `kernel` has the places of its arguments.
 * Everything must have been inlined; there are no switches, and there is one
 * return. Returns text for evg_assemble(), to be freed with free(). NULL and
 * *error, which names what the generator does not know. */
char *codegen_generate(LLVMValueRef function, const struct evg_kernel *kernel,
		       struct codegen_facts *facts, struct error *error);

#endif
