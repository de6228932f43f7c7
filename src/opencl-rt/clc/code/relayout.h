/* Changing the code of a binary's kernels: each is opened (edit.h), changed and
 * laid out again, and what names places in the code (relocations, source lines)
 * follows it to where it has gone. */
#ifndef M2S_OPENCL_RT_CLC_CODE_RELAYOUT_H
#define M2S_OPENCL_RT_CLC_CODE_RELAYOUT_H

#include "evergreen/kernel/kernel.h"
#include "evergreen/kernel/lines.h"
#include "opencl-rt/clc/code/edit.h"

struct relayout {
	struct evg_lines *lines; /* of the program; NULL: none */
	/* Whether a kernel is to be changed. */
	bool (*wants)(const struct relayout *relayout,
		      const struct evg_code *code);
	/* Changes it: 0, or -1 and *error. */
	int (*change)(void *context, const struct evg_kernel *kernel,
		      struct edit *edit, struct error *error);
	void *context;
};

/* All kernels of a binary, in place; `name` is for messages. -1 and *error,
 * which names the kernel. */
int relayout_image(const struct relayout *relayout, const char *name,
		   void *image, size_t size, struct error *error);

#endif
