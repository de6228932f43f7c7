#include "opencl-rt/codegen/path/path.h"

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

bool path_is_cached_by_amd(const struct selection *selection,
			   LLVMValueRef pointer)
{
	const unsigned wanted = EVG_QUALIFIER_CONST | EVG_QUALIFIER_RESTRICT;
	struct search search = { .count = 0 };
	unsigned index = 0;

	follow(&search, pointer);
	if (search.failed || !search.argument)
		return false;
	while (LLVMGetParam(selection->function, index) != search.argument)
		index++;
	return (selection->kernel->arguments[index].qualifiers & wanted) ==
	       wanted;
}
