/* Parses uop tables, and finds an instruction's row. */
#include "x86/timing/uops/form.h"

#include <Zydis/Zydis.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Parsing ---- */

struct parser {
	struct x86_forms *forms;
	unsigned capacity;
	const struct x86_form_line *line;
	struct {
		const char *name;
		uint16_t mnemonic;
	} names[ZYDIS_MNEMONIC_MAX_VALUE + 1]; /* sorted */
};

static int compare_text(const char *a, const char *b)
{
	while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
		a++, b++;
	return tolower((unsigned char)*a) - tolower((unsigned char)*b);
}

static int compare_names(const void *a, const void *b)
{
	return compare_text(*(const char *const *)a, *(const char *const *)b);
}

static int mnemonic_of(const struct parser *parser, const char *name)
{
	unsigned low = 0, high = ZYDIS_MNEMONIC_MAX_VALUE + 1;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		int order = compare_text(name, parser->names[middle].name);

		if (!order)
			return parser->names[middle].mnemonic;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return -1;
}

static bool bits_behind(const char *text, char letter, unsigned *bytes)
{
	char *end;
	unsigned long bits;

	if (text[0] != letter || !isdigit((unsigned char)text[1]))
		return false;
	bits = strtoul(text + 1, &end, 10);
	*bytes = (unsigned)(bits / 8);
	return !*end && bits && bits % 8 == 0;
}

/* "B+I*S+D8" */
static bool parse_address(const char *text, unsigned *parts)
{
	static const struct {
		const char *name;
		unsigned bits;
	} known[] = {
		{ "B", X86_ADDRESS_BASE }, { "I", X86_ADDRESS_INDEX },
		{ "I*S", X86_ADDRESS_INDEX | X86_ADDRESS_SCALE },
		{ "D8", X86_ADDRESS_SHORT }, { "D32", X86_ADDRESS_LONG },
		{ "RIP", X86_ADDRESS_RIP },
	};

	*parts = 0;
	while (*text) {
		size_t length = strcspn(text, "+"), i;

		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (strlen(known[i].name) == length &&
			    !strncmp(known[i].name, text, length))
				break;
		if (i == ARRAY_SIZE(known))
			return false;
		*parts |= known[i].bits;
		text += length + (text[length] == '+');
	}
	return *parts != 0;
}

static bool parse_operand(const char *text, struct x86_form_operand *operand)
{
	static const struct {
		const char *name;
		uint8_t pattern, location, size;
	} fixed[] = {
		{ "AL", X86_PATTERN_FIXED, 0, 1 },
		{ "AX", X86_PATTERN_FIXED, 0, 2 },
		{ "EAX", X86_PATTERN_FIXED, 0, 4 },
		{ "RAX", X86_PATTERN_FIXED, 0, 8 },
		{ "CL", X86_PATTERN_FIXED, 1, 1 },
		{ "DX", X86_PATTERN_FIXED, 2, 2 },
		{ "R8h", X86_PATTERN_HIGH, 0, 1 },
		{ "X", X86_PATTERN_X, 0, 16 }, { "Y", X86_PATTERN_Y, 0, 32 },
		{ "N", X86_PATTERN_N, 0, 8 }, { "F", X86_PATTERN_F, 0, 10 },
		{ "S", X86_PATTERN_SEGMENT, 0, 0 },
		{ "FS", X86_PATTERN_FS, 0, 0 }, { "GS", X86_PATTERN_GS, 0, 0 },
		{ "0", X86_PATTERN_ZERO, 0, 0 }, { "1", X86_PATTERN_ONE, 0, 0 },
		{ "J", X86_PATTERN_TARGET, 0, 0 },
	};
	unsigned bytes;

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!strcmp(text, fixed[i].name)) {
			*operand = (struct x86_form_operand){
				fixed[i].pattern, fixed[i].location,
				fixed[i].size,
			};
			return true;
		}
	if (!strncmp(text, "Moffs", 5) && bits_behind(text + 4, 's', &bytes))
		operand->pattern = X86_PATTERN_OFFSET;
	else if (bits_behind(text, 'R', &bytes))
		operand->pattern = X86_PATTERN_REGISTER;
	else if (bits_behind(text, 'M', &bytes))
		operand->pattern = X86_PATTERN_MEMORY;
	else if (bits_behind(text, 'V', &bytes))
		operand->pattern = X86_PATTERN_GATHER;
	else if (bits_behind(text, 'I', &bytes))
		operand->pattern = X86_PATTERN_IMMEDIATE;
	else if (parse_address(text, &bytes))
		operand->pattern = X86_PATTERN_ADDRESS;
	else
		return false;
	operand->location = X86_NO_REGISTER;
	operand->size = (uint16_t)bytes;
	return true;
}

/* "R64,M64/indexed" */
static bool parse_operands(char *text, struct x86_form *form)
{
	char *variant = strchr(text, '/'), *rest = text;

	if (variant) {
		*variant++ = 0;
		if (!strcmp(variant, "same"))
			form->variant = X86_FORM_SAME;
		else if (!strcmp(variant, "indexed"))
			form->variant = X86_FORM_INDEXED;
		else
			return false;
	}
	if (!strcmp(text, "-"))
		return true;
	for (char *word; (word = strsep(&rest, ","));)
		if (form->count == ARRAY_SIZE(form->operand) ||
		    !parse_operand(word, &form->operand[form->count++]))
			return false;
	return true;
}

static int parse_mnemonic(const struct parser *parser, const char *text,
			  struct x86_form *form)
{
	static const struct {
		const char *text;
		enum x86_form_prefix prefix;
	} prefixes[] = {
		{ "LOCK_", X86_FORM_LOCK }, { "REP_", X86_FORM_REP },
	};
	int mnemonic;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(text, prefixes[i].text,
			     strlen(prefixes[i].text))) {
			form->prefix = (uint8_t)prefixes[i].prefix;
			text += strlen(prefixes[i].text);
		}
	mnemonic = mnemonic_of(parser, text);
	form->mnemonic = (uint16_t)mnemonic;
	return mnemonic < 0 ? -1 : 0;
}

static int add_form(struct parser *parser, const char *mnemonic,
		    const char *operands, struct error *error)
{
	struct x86_forms *forms = parser->forms;
	struct x86_form form = { .line = parser->line };
	char *text;
	bool good;

	if (parse_mnemonic(parser, mnemonic, &form))
		return error_set(error, "uop table: \"%s\" is not a mnemonic",
				 mnemonic);
	text = xstrdup(operands);
	good = parse_operands(text, &form);
	free(text);
	if (!good)
		return error_set(error, "uop table: %s: \"%s\" are not "
					"operands of a form",
					mnemonic, operands);
	form.name = xasprintf("%s %s", mnemonic, operands);
	ARRAY_GROW(forms->form, forms->count, parser->capacity);
	forms->form[forms->count++] = form;
	return 0;
}

/* "ADD SUB: R32,R32 R64,M64" */
static int parse_set(struct parser *parser, char *text, struct error *error)
{
	char *operands = strchr(text, ':'), *rest = text;

	if (!operands)
		return error_set(error, "uop table: expected a colon in \"%s\"",
					text);
	*operands++ = 0;
	for (char *mnemonic; (mnemonic = strsep(&rest, " "));) {
		char *list = xstrdup(operands), *words = list, *word;
		int status = 0;

		while (!status && *mnemonic && (word = strsep(&words, " ")))
			if (*word)
				status = add_form(parser, mnemonic, word,
						  error);
		free(list);
		if (status)
			return -1;
	}
	return 0;
}

static int parse_line(struct parser *parser, struct error *error)
{
	char *copy = xstrdup(parser->line->forms), *rest = copy;
	int status = 0;

	for (char *set; !status && (set = strsep(&rest, ";"));)
		status = parse_set(parser, set, error);
	free(copy);
	return status;
}

/* Sorts by mnemonic; forms of one mnemonic keep the order of the table. */
static void sort(struct x86_forms *forms)
{
	uint32_t *next = xcalloc(ZYDIS_MNEMONIC_MAX_VALUE + 2, sizeof *next);
	struct x86_form *sorted = xcalloc(forms->count + 1, sizeof *sorted);

	for (unsigned i = 0; i < forms->count; i++)
		next[forms->form[i].mnemonic + 1]++;
	for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		next[i + 1] += next[i];
	forms->first = xcalloc(ZYDIS_MNEMONIC_MAX_VALUE + 2,
			       sizeof *forms->first);
	memcpy(forms->first, next,
	       (ZYDIS_MNEMONIC_MAX_VALUE + 2) * sizeof *next);
	for (unsigned i = 0; i < forms->count; i++)
		sorted[next[forms->form[i].mnemonic]++] = forms->form[i];
	free(forms->form);
	forms->form = sorted;
	free(next);
}

int x86_forms_create(struct x86_forms *forms, const struct x86_uop_core *core,
		     struct error *error)
{
	struct parser *parser = xcalloc(1, sizeof *parser);
	unsigned lines = core->extras + core->lines;
	int status = 0;

	*forms = (struct x86_forms){ 0 };
	parser->forms = forms;
	for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
		parser->names[i].name =
			ZydisMnemonicGetString((ZydisMnemonic)i);
		parser->names[i].mnemonic = (uint16_t)i;
	}
	qsort(parser->names, ARRAY_SIZE(parser->names),
	      sizeof parser->names[0], compare_names);
	for (unsigned i = 0; i < lines && !status; i++) {
		parser->line = i < core->extras ? &core->extra[i]
						: &core->line[i - core->extras];
		status = parse_line(parser, error);
	}
	free(parser);
	if (status) {
		error_prefix(error, "%s", core->name);
		x86_forms_free(forms);
		return -1;
	}
	sort(forms);
	return 0;
}

void x86_forms_free(struct x86_forms *forms)
{
	for (unsigned i = 0; i < forms->count; i++)
		free(forms->form[i].name);
	free(forms->form);
	free(forms->first);
	*forms = (struct x86_forms){ 0 };
}

/* ---- Finding ---- */

bool x86_form_same_registers(const struct x86_inst *inst)
{
	const struct x86_operand *last = NULL;

	for (unsigned i = inst->operand_count; i-- > 0;) {
		const struct x86_operand *operand = &inst->operand[i];

		if (operand->kind != X86_OPERAND_REGISTER)
			continue;
		if (last)
			return last->location == operand->location &&
			       last->high == operand->high;
		last = operand;
	}
	return false;
}

bool x86_form_indexed(const struct x86_inst *inst)
{
	for (unsigned i = 0; i < inst->memory_count; i++)
		if (inst->memory[i].scale)
			return true;
	return false;
}

static unsigned address_parts(const struct x86_inst *inst)
{
	const struct x86_memory *memory = &inst->memory[0];

	return (memory->relative ? X86_ADDRESS_RIP :
		memory->base != X86_NO_REGISTER ? X86_ADDRESS_BASE : 0) |
	       (memory->scale ? X86_ADDRESS_INDEX : 0) |
	       (memory->scale > 1 ? X86_ADDRESS_SCALE : 0) |
	       (inst->displacement_bytes == 1 ? X86_ADDRESS_SHORT :
		inst->displacement_bytes ? X86_ADDRESS_LONG : 0);
}

static bool is_vector(const struct x86_operand *operand)
{
	return operand->location >= X86_AT_VECTOR &&
	       operand->location < X86_AT_VECTOR + 16;
}

static bool is_in(const struct x86_operand *operand, unsigned first,
		  unsigned count)
{
	return operand->location >= first && operand->location < first + count;
}

static int fit_register(const struct x86_inst *inst,
			const struct x86_operand *operand,
			const struct x86_form_operand *pattern)
{
	bool general = operand->location < X86_AT_GENERAL + 16;

	switch (pattern->pattern) {
	case X86_PATTERN_REGISTER:
		if (!general || operand->size != pattern->size)
			return 0;
		return operand->high ? 1 : 3;
	case X86_PATTERN_HIGH:
		return operand->high ? 3 : 0;
	case X86_PATTERN_FIXED:
		/* A count in CL and a port in DX do not come from ModRM. */
		return operand->location == pattern->location &&
				       operand->size == pattern->size &&
				       !operand->high &&
				       (pattern->location || !inst->modrm)
			       ? 4 : 0;
	case X86_PATTERN_X:
		return is_vector(operand) && operand->size <= 16 ? 3 : 0;
	case X86_PATTERN_Y:
		return is_vector(operand) && operand->size == 32 ? 3 : 0;
	case X86_PATTERN_N:
		return is_in(operand, X86_AT_MM, 8) ? 3 : 0;
	case X86_PATTERN_F:
		return is_in(operand, X86_AT_ST, 8) ? 3 : 0;
	case X86_PATTERN_SEGMENT:
		return is_in(operand, X86_AT_SEGMENT, 6) ? 2 : 0;
	case X86_PATTERN_FS:
		return operand->location == X86_AT_SEGMENT + 4 ? 3 : 0;
	case X86_PATTERN_GS:
		return operand->location == X86_AT_SEGMENT + 5 ? 3 : 0;
	default:
		return 0;
	}
}

/* How well an operand fits: 0 not at all, 4 best. */
static int fit_operand(const struct x86_inst *inst,
		       const struct x86_operand *operand,
		       const struct x86_form_operand *pattern)
{
	/* LEA's address has no access. */
	if (pattern->pattern == X86_PATTERN_ADDRESS)
		return address_parts(inst) == pattern->size ? 3 : 0;
	switch (operand->kind) {
	case X86_OPERAND_REGISTER:
		return fit_register(inst, operand, pattern);
	case X86_OPERAND_MEMORY:
		switch (pattern->pattern) {
		case X86_PATTERN_OFFSET:
			return !inst->modrm && operand->size == pattern->size
				       ? 4 : 0;
		case X86_PATTERN_GATHER:
			return inst->memory[0].vector &&
					       pattern->size ==
						       (inst->memory[0].wide ?
								32 : 16)
				       ? 3 : 0;
		case X86_PATTERN_MEMORY:
			if (!operand->size) /* 256 and more */
				return pattern->size > 255 ? 3 : 0;
			return operand->size == pattern->size ? 3 : 0;
		default:
			return 0;
		}
	case X86_OPERAND_IMMEDIATE:
		switch (pattern->pattern) {
		case X86_PATTERN_TARGET:
			return inst->branch != X86_BRANCH_NONE;
		case X86_PATTERN_ZERO:
			return inst->immediate_bytes && !inst->immediate ? 4
									 : 0;
		case X86_PATTERN_ONE:
			return inst->immediate_bytes ? 0 : 4;
		case X86_PATTERN_IMMEDIATE:
			if (!inst->immediate_bytes)
				return 1;
			return inst->immediate_bytes == pattern->size ? 3 : 1;
		default:
			return 0;
		}
	default:
		return 0;
	}
}

static int fit(const struct x86_inst *inst, const struct x86_form *form)
{
	int sum = 1;

	if (form->count != inst->operand_count)
		return 0;
	for (unsigned i = 0; i < form->count; i++) {
		int one = fit_operand(inst, &inst->operand[i],
				      &form->operand[i]);

		if (!one)
			return 0;
		sum += one;
	}
	return sum;
}

static enum x86_form_prefix prefix_of(const struct x86_inst *inst)
{
	/* XCHG with memory is locked without a prefix. */
	if (inst->traits & X86_LOCKED &&
	    inst->mnemonic != ZYDIS_MNEMONIC_XCHG)
		return X86_FORM_LOCK;
	return inst->traits & X86_REPEATED ? X86_FORM_REP : X86_FORM_PLAIN;
}

const struct x86_form *x86_form_find(const struct x86_forms *forms,
				     const struct x86_inst *inst,
				     enum x86_form_variant variant)
{
	enum x86_form_prefix prefix = prefix_of(inst);
	const struct x86_form *best = NULL;
	int most = 0;

	for (uint32_t i = forms->first[inst->mnemonic];
	     i < forms->first[inst->mnemonic + 1]; i++) {
		const struct x86_form *form = &forms->form[i];
		int how;

		if (form->variant != variant || form->prefix != prefix)
			continue;
		how = fit(inst, form);
		if (how > most) {
			most = how;
			best = form;
		}
	}
	return best;
}
