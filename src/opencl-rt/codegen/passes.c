#include "opencl-rt/codegen/passes.h"

const struct codegen_pass codegen_passes[CODEGEN_PASSES] = {
	{ STAGE_FLOW, machine_simplify_flow },
	{ STAGE_REUSE, machine_reuse },
	{ STAGE_COMBINE, machine_combine },
	{ STAGE_JOIN, machine_join_accesses },
	{ STAGE_UNUSED, machine_drop_unused },
	{ STAGE_PREDICATE, machine_predicate },
	{ STAGE_COPIES, machine_join_copies },
	{ STAGE_TURN, machine_prepare_turns },
};
