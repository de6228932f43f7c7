/* What the objects of each kind have of their own. */
#include "opencl-rt/driver/internal.h"

#define KIND(id, noun, error)                                                  \
	[OBJECT_##id] = { error, noun##_end, noun##_free },
const struct object_row object_kinds[OBJECT_KIND_COUNT] = { OBJECT_KINDS };
#undef KIND
