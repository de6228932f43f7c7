#include "evergreen/listing/listing.h"

#include <stdlib.h>

#include "evergreen/asm/asm.h"
#include "evergreen/isa/code.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/text.h"
#include "evergreen/listing/directives.h"

enum { LINE_SIZE = 2048 }; /* five slots with literals are about 600 */

size_t evg_code_line_format(char *buffer, size_t size,
			    const struct evg_code_line *line)
{
	struct evg_text text = {buffer, size, 0};
	char body[LINE_SIZE];

	switch (line->kind) {
	case EVG_LINE_CF:
		evg_cf_format_exact(body, sizeof(body), &line->cf->inst);
		evg_text_add(&text, "%02u %s", line->address, body);
		break;
	case EVG_LINE_ALU: {
		size_t length = evg_alu_group_format_exact(
			body, sizeof(body), &line->group->group,
			line->group->number);

		/* Without the last line's end. */
		evg_text_add(&text, "%.*s", length ? (int)length - 1 : 0, body);
		break;
	}
	case EVG_LINE_FETCH:
		evg_fetch_format_exact(body, sizeof(body), &line->fetch->inst);
		evg_text_add(&text, "%7u  %s", line->fetch->number, body);
		break;
	}
	return text.length;
}

static void print_line(const struct evg_code *code, uint32_t line, FILE *file)
{
	char text[LINE_SIZE];

	evg_code_line_format(text, sizeof(text), &code->lines[line]);
	fprintf(file, "%s\n", text);
}

void evg_code_print(const struct evg_code *code, FILE *file)
{
	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size)
			continue;
		print_line(code, cf->line, file);
		for (uint32_t j = 0; j < cf->count; j++)
			print_line(code,
				   cf->clause == EVG_CLAUSE_ALU
					   ? code->groups[cf->first + j].line
					   : code->fetches[cf->first + j].line,
				   file);
		if (cf->inst.end_of_program)
			fprintf(file, "END_OF_PROGRAM\n");
	}
}

int evg_listing_print(const struct evg_kernel *kernel, FILE *file,
		      struct error *error)
{
	struct evg_code *code = kernel->code;

	if (!code)
		code = evg_code_decode(kernel->program->text +
					       kernel->code_offset,
				       kernel->code_size, error);
	if (!code)
		return error_prefix(error, "kernel %s", kernel->name);
	evg_directives_print(kernel, file);
	evg_code_print(code, file);
	if (!kernel->code)
		evg_code_free(code);
	return 0;
}
