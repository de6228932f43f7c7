#include <llvm-c/DebugInfo.h>

#include "opencl-rt/codegen/select/select.h"

enum { USERS = 4 }; /* from an instruction to the user of its user ... */

static LLVMMetadataRef line_of(LLVMValueRef inst)
{
	LLVMMetadataRef line = LLVMInstructionGetDebugLoc(inst);

	return line && LLVMDILocationGetLine(line) ? line : NULL;
}

void select_line(struct selection *selection, LLVMValueRef inst)
{
	LLVMMetadataRef line = NULL;

	for (unsigned n = 0; n < USERS && inst; n++) {
		LLVMUseRef use;

		line = line_of(inst);
		if (line)
			break;
		use = LLVMGetFirstUse(inst);
		inst = use ? LLVMGetUser(use) : NULL;
		if (inst && !LLVMIsAInstruction(inst))
			inst = NULL;
	}
	selection->machine.line = line;
}
