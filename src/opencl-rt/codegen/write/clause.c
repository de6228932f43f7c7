#include "opencl-rt/codegen/write/clause.h"

#include "evergreen/asm/asm.h"

/* Whether something reads the 32 constants of a window. */
static bool reads_window(const struct codegen_group *groups, unsigned count,
			 unsigned first)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
			for (unsigned k = 0; k < 3; k++) {
				unsigned select = groups[i]
							  .group.inst[s]
							  .source[k]
							  .select;

				if (groups[i].group.slot_mask >> s & 1 &&
				    k < groups[i].group.inst[s].source_count &&
				    select >= first && select < first + 32)
					return true;
			}
	return false;
}

void write_clause(FILE *out, struct write_lines *lines, const char *name,
		  const struct codegen_group *groups, unsigned count)
{
	char text[4096];

	fprintf(out, "\t%s:%s%s\n", name,
		reads_window(groups, count, EVG_SELECT_KCACHE0)
			? " KCACHE0(CB0:0-31)"
			: "",
		reads_window(groups, count, EVG_SELECT_KCACHE1)
			? " KCACHE1(CB0:32-63)"
			: "");
	for (unsigned i = 0; i < count; i++) {
		evg_alu_group_format_exact(text, sizeof text, &groups[i].group,
					   i);
		fputs(text, out);
	}
	write_lines_add_clause(lines, groups, count);
}
