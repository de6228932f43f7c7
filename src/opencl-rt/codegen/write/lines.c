#include "opencl-rt/codegen/write/lines.h"

#include "base/memory.h"

void write_lines_add(struct write_lines *lines, struct write_line line)
{
	ARRAY_GROW(lines->list, lines->count, lines->capacity);
	lines->list[lines->count++] = line;
}

void write_lines_add_clause(struct write_lines *lines,
			    const struct codegen_group *groups, unsigned count)
{
	size_t clause = lines->count;

	write_lines_add(lines, (struct write_line){ .line = NULL });
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < groups[i].group.inst_count; k++) {
			const void *line =
				groups[i].line[groups[i].group.order[k]];

			if (!lines->list[clause].line)
				lines->list[clause].line = line;
			write_lines_add(lines,
					(struct write_line){ .line = line });
		}
}
