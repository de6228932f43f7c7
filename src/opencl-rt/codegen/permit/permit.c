#include "opencl-rt/codegen/permit/permit.h"

#include <string.h>

static const char *const attributes[] = {
#define PERMIT(name, attribute) attribute,
#include "opencl-rt/codegen/permit/permit.def"
};

unsigned permits_of(LLVMValueRef function)
{
	unsigned set = 0;

	for (unsigned i = 0; i < PERMIT_COUNT; i++) {
		unsigned length = (unsigned)strlen(attributes[i]);
		LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
			function, LLVMAttributeFunctionIndex, attributes[i],
			length);
		const char *value =
			attribute ? LLVMGetStringAttributeValue(attribute,
								&length)
				  : NULL;

		if (value && length == strlen("true") &&
		    !memcmp(value, "true", length))
			set |= 1u << i;
	}
	return set;
}
