/* Operations on doubles in the kernels of a program: every carrier becomes an
 * FP64 group. */
#include "opencl-rt/clc/double/fuse.h"

#include "opencl-rt/clc/code/relayout.h"
#include "opencl-rt/clc/double/double.h"
#include "opencl-rt/clc/ir/marker.h"

static bool is_tail_mark(const struct edit_cf *cf)
{
	return cf->inst.format == EVG_CF_EXPORT_RAT &&
	       cf->inst.rat_op == EVG_RAT_STORE_TYPED &&
	       cf->inst.rat_id == MARKER_TAIL;
}

/* Of tail marks (marker.h) in a row the last one stays. */
static void drop_marks(struct edit *edit)
{
	size_t kept = 0;

	for (size_t i = 0; i < edit->cf_count; i++) {
		if (i + 1 < edit->cf_count && is_tail_mark(&edit->cf[i]) &&
		    is_tail_mark(&edit->cf[i + 1]))
			continue;
		edit->cf[kept++] = edit->cf[i];
	}
	edit->cf_count = kept;
}

static bool has_carrier(const struct evg_code *code)
{
	for (uint32_t i = 0; i < code->group_count; i++)
		if (carrier_is(&code->groups[i].group))
			return true;
	return false;
}

/* Laying out again code in which nothing changes may only make it longer.
 * (Source lines are made anew for all kernels.) */
static bool wants(const struct relayout *relayout, const struct evg_code *code)
{
	return relayout->lines || has_carrier(code);
}

static int fuse_kernel(void *context, const struct evg_kernel *kernel,
		       struct edit *edit, struct error *error)
{
	int status = 0;

	(void)context;
	(void)kernel;
	for (size_t i = 0; !status && i < edit->cf_count; i++)
		status = fuse_clause(edit, &edit->cf[i], error);
	if (!status)
		drop_marks(edit);
	return status;
}

int double_fuse(const char *name, void *image, size_t size,
		struct evg_lines *lines, struct error *error)
{
	const struct relayout relayout = {
		.lines = lines, .wants = wants, .change = fuse_kernel,
	};

	return relayout_image(&relayout, name, image, size, error);
}
