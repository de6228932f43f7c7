#include "opencl-rt/codegen/path/path.h"

#include "opencl-rt/codegen/path/ways.h"
#include "opencl-rt/codegen/target.h"

/* Values that a pointer is followed through. */
enum { MOST_VALUES = 64 };

struct search {
	LLVMValueRef seen[MOST_VALUES];
	unsigned count;
	LLVMValueRef argument; /* the only one so far, or NULL */
	bool failed;
};

static void follow(struct search *search, LLVMValueRef value);

static void follow_all(struct search *search, LLVMValueRef inst, unsigned first,
		       unsigned count)
{
	for (unsigned i = first; i < first + count; i++)
		follow(search, LLVMGetOperand(inst, i));
}

static void follow(struct search *search, LLVMValueRef value)
{
	for (unsigned i = 0; i < search->count; i++)
		if (search->seen[i] == value)
			return;
	if (search->failed || search->count == MOST_VALUES) {
		search->failed = true;
		return;
	}
	search->seen[search->count++] = value;
	if (LLVMIsAArgument(value)) {
		search->failed = search->argument != NULL;
		search->argument = value;
	} else if (LLVMIsAGetElementPtrInst(value) ||
		   LLVMIsABitCastInst(value)) {
		follow(search, LLVMGetOperand(value, 0));
	} else if (LLVMIsASelectInst(value)) {
		follow_all(search, value, 1, 2);
	} else if (LLVMIsAPHINode(value)) {
		follow_all(search, value, 0, LLVMCountIncoming(value));
	} else {
		search->failed = true;
	}
}

unsigned path_argument(const struct selection *selection, LLVMValueRef pointer)
{
	struct search search = { .count = 0 };
	unsigned index = 0;

	follow(&search, pointer);
	if (search.failed || !search.argument)
		return 0;
	while (LLVMGetParam(selection->function, index) != search.argument)
		index++;
	return index + 1;
}

static const struct evg_argument *find(const struct selection *selection,
				       LLVMValueRef pointer)
{
	unsigned number = path_argument(selection, pointer);

	return number ? &selection->kernel->arguments[number - 1] : NULL;
}

bool path_reads_past_caches(const struct selection *selection,
			    LLVMValueRef pointer)
{
	const unsigned wanted = EVG_QUALIFIER_CONST | EVG_QUALIFIER_RESTRICT;
	const struct evg_argument *argument = find(selection, pointer);
	enum way way = way_of(WAY_OF_READS, selection->read_path,
			      selection->kernel->name,
			      argument ? argument->name : NULL);

	if (way != WAY_AMD)
		return way == WAY_UNCACHED;
	return !argument || (argument->qualifiers & wanted) != wanted;
}

static bool is_of_global(LLVMValueRef pointer)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == SPACE_GLOBAL;
}

/* What only the CompletePath can do. */
static bool needs_complete(const struct selection *selection, LLVMValueRef inst)
{
	enum { DWORD = 4 };

	if (LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst))
		return is_of_global(LLVMGetOperand(inst, 0));
	return LLVMIsAStoreInst(inst) &&
	       is_of_global(LLVMGetOperand(inst, 1)) &&
	       LLVMStoreSizeOfType(selection->layout,
				   LLVMTypeOf(LLVMGetOperand(inst, 0))) < DWORD;
}

static bool kernel_needs_complete(const struct selection *selection)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(selection->function);

	for (; block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef inst = LLVMGetFirstInstruction(block);

		for (; inst; inst = LLVMGetNextInstruction(inst))
			if (needs_complete(selection, inst))
				return true;
	}
	return false;
}

bool path_writes_completely(struct selection *selection, LLVMValueRef pointer)
{
	const struct evg_argument *argument = find(selection, pointer);
	enum way way = way_of(WAY_OF_WRITES, selection->write_path,
			      selection->kernel->name,
			      argument ? argument->name : NULL);

	if (way != WAY_AMD)
		return way == WAY_COMPLETE;
	if (!selection->looked_for_complete) {
		selection->looked_for_complete = true;
		selection->needs_complete = kernel_needs_complete(selection);
	}
	return selection->needs_complete;
}
