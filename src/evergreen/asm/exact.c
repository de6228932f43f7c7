/* Text that gives the same instruction when it is parsed again: the plain text
 * is parsed, and fields that come out different are added to it. */
#include <stdio.h>
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/asm/attribute.h"
#include "evergreen/asm/operand.h"
#include "evergreen/isa/table.h"

static bool is_clause(const struct evg_cf_inst *inst)
{
	return evg_cf_has_alu_clause(inst->op) ||
	       evg_cf_has_fetch_clause(inst->op);
}

size_t evg_cf_format_exact(char *buffer, size_t size,
			   const struct evg_cf_inst *inst)
{
	struct evg_text text = {buffer, size, 0};
	struct evg_cf_inst parsed, copy = *inst;
	struct evg_label_use label;
	struct error error;
	char plain[512];
	struct evg_scan scan = {
	    .name = "", .start = plain, .at = plain, .error = &error};

	evg_cf_format(plain, sizeof plain, inst);
	evg_text_add(&text, "%s", plain);
	if (evg_cf_parse(&scan, &parsed, &label) || parsed.op != inst->op)
		return text.length;
	/* Said by a line of its own. */
	copy.end_of_program = false;
	if (is_clause(inst))
		copy.count = parsed.count;
	evg_fields_add(&text, evg_cf_layout(evg_cf_info[inst->op].format), "",
		       &copy, &parsed);
	if (inst->format == EVG_CF_ALU_EXTENDED_WORD)
		evg_fields_add(&text, evg_cf_layout(EVG_CF_ALU_EXTENDED_WORD),
			       "EXT.", &copy, &parsed);
	return text.length;
}

size_t evg_fetch_format_exact(char *buffer, size_t size,
			      const struct evg_fetch_inst *inst)
{
	struct evg_text text = {buffer, size, 0};
	struct evg_fetch_inst parsed;
	struct error error;
	char plain[512];
	struct evg_scan scan = {
	    .name = "", .start = plain, .at = plain, .error = &error};

	evg_fetch_format(plain, sizeof plain, inst);
	evg_text_add(&text, "%s", plain);
	if (!evg_fetch_parse(&scan, &parsed) && parsed.op == inst->op) {
		evg_fields_add(&text, evg_fetch_layout_of(inst->op), "", inst,
			       &parsed);
		if (inst->word[3])
			evg_text_add(&text, " WORD3=0x%x", inst->word[3]);
	}
	return text.length;
}

/* Copies the first line of `text`. *next is the line behind it. */
static void take_line(char *line, size_t size, const char *text,
		      const char **next)
{
	size_t length = strcspn(text, "\n");

	snprintf(line, size, "%.*s", (int)length, text);
	*next = text + length + (text[length] == '\n');
}

size_t evg_alu_group_format_exact(char *buffer, size_t size,
				  const struct evg_alu_group *group,
				  unsigned number)
{
	struct evg_text text = {buffer, size, 0};
	struct evg_literals literals = {{0}, 0};
	char plain[2048], line[512];
	const char *at = plain;

	evg_alu_group_format(plain, sizeof plain, group, number);
	for (unsigned i = 0; i < group->inst_count; i++) {
		const struct evg_alu_inst *inst = &group->inst[group->order[i]];
		struct evg_alu_inst parsed;
		struct error error;
		struct evg_scan scan = {
		    .name = "", .start = line, .at = line, .error = &error};
		uint32_t ignored;
		unsigned slot;

		take_line(line, sizeof line, at, &at);
		evg_text_add(&text, "%s", line);
		evg_scan_number(&scan, &ignored);
		if (!evg_alu_parse(&scan, &parsed, &slot, &literals) &&
		    parsed.op == inst->op) {
			parsed.last = inst->last;
			evg_fields_add(&text, evg_alu_layout(inst->op), "",
				       inst, &parsed);
		}
		if (inst->last)
			for (unsigned c = 0; c < group->literal_count; c++)
				if (literals.value[c] != group->literal[c])
					evg_text_add(&text, " LITERAL.%c=0x%x",
						     "xyzw"[c],
						     group -> literal[c]);
		evg_text_add(&text, "\n");
	}
	return text.length;
}
