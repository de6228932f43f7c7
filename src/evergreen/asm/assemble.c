#include "evergreen/asm/assemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/directive.h"
#include "evergreen/asm/unit.h"

enum { LINE_MAX_SIZE = 1024 };

struct assembler {
	struct evg_scan scan;
	struct evg_program *program;
	size_t kernel_capacity;
	struct evg_kernel *kernel;  /* the current one, or NULL */
	struct asm_kernel given;    /* what directives have said of it */
	struct asm_unit unit;
	unsigned kernel_line;
};

static int end_kernel(struct assembler *assembler)
{
	struct evg_kernel *kernel = assembler->kernel;
	struct asm_unit *unit = &assembler->unit;
	struct evg_scan *scan = &assembler->scan;
	uint32_t size;
	uint8_t *code;
	bool ends = false;

	if (!kernel)
		return 0;
	code = asm_unit_end(unit, scan, &size);
	if (!code)
		return -1;
	for (size_t i = 0; i < unit->cf_count; i++)
		ends |= unit->cf[i].inst.end_of_program;
	if (ends) {
		evg_program_add_code(assembler->program, kernel, code, size);
		asm_kernel_end(&assembler->given, kernel, unit->registers,
			       unit->pushes);
	}
	free(code);
	assembler->kernel = NULL;
	asm_unit_clear(unit);
	if (ends)
		return 0;
	scan->line = assembler->kernel_line;
	return evg_scan_fail(scan, "kernel %s: expected END_OF_PROGRAM at its "
				   "end",
			     kernel->name);
}

static int begin_kernel(struct assembler *assembler)
{
	struct evg_program *program = assembler->program;
	struct evg_scan *scan = &assembler->scan;
	char name[EVG_WORD_SIZE];
	unsigned line;

	line = scan->line;
	if (end_kernel(assembler))
		return -1;
	scan->line = line;
	if (!evg_scan_word(scan, name) || !evg_scan_end(scan))
		return evg_scan_expected(scan, "the kernel's name");
	if (evg_program_find(program, name))
		return evg_scan_fail(scan, "kernel %s is defined twice", name);
	if (program->kernel_count == assembler->kernel_capacity) {
		assembler->kernel_capacity =
			2 * assembler->kernel_capacity + 4;
		program->kernels = xrealloc(program->kernels,
					    assembler->kernel_capacity *
					    sizeof *program->kernels);
	}
	assembler->kernel = &program->kernels[program->kernel_count++];
	*assembler->kernel = (struct evg_kernel){
		.name = xstrdup(name), .program = program,
		.attributes = xstrdup(""),
	};
	assembler->given = (struct asm_kernel){ 0 };
	assembler->kernel_line = scan->line;
	return 0;
}

/* .chip NAME, before the kernels. */
static int take_chip(struct assembler *assembler)
{
	struct evg_scan *scan = &assembler->scan;
	char name[EVG_WORD_SIZE], *names;
	int chip = -1;

	if (evg_scan_word(scan, name) && evg_scan_end(scan))
		chip = evg_chip_find(name, strlen(name));
	if (chip >= 0) {
		assembler->program->chip = (enum evg_chip)chip;
		return 0;
	}
	names = evg_chip_names();
	evg_scan_expected(scan, names);
	free(names);
	return -1;
}

static int take_line(struct assembler *assembler)
{
	struct evg_scan *scan = &assembler->scan;

	if (evg_scan_end(scan))
		return 0;
	if (evg_scan_keyword(scan, ".kernel"))
		return begin_kernel(assembler);
	if (!assembler->kernel && evg_scan_keyword(scan, ".chip"))
		return take_chip(assembler);
	if (!assembler->kernel)
		return evg_scan_expected(scan, "'.kernel name' first");
	if (*scan->at == '.')
		return asm_directive(scan, &assembler->given,
				     assembler->kernel);
	return asm_unit_line(&assembler->unit, scan);
}

/* Cuts a comment off; a ';' in quotation marks is none. */
static void cut_comment(char *line)
{
	bool quoted = false;

	for (; *line && (quoted || *line != ';'); line++)
		quoted ^= *line == '"';
	*line = '\0';
}

static int assemble(struct assembler *assembler, const char *text, size_t size)
{
	struct evg_scan *scan = &assembler->scan;
	const char *end = text + size;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);
		char line[LINE_MAX_SIZE];

		scan->line++;
		if (length >= sizeof line || memchr(text, '\0', length))
			return evg_scan_fail(scan, length >= sizeof line
					     ? "the line is longer than 1023 "
					       "characters"
					     : "a zero byte: not a text");
		memcpy(line, text, length);
		line[length] = '\0';
		if (length && line[length - 1] == '\r')
			line[length - 1] = '\0';
		cut_comment(line);
		scan->start = scan->at = line;
		if (take_line(assembler))
			return -1;
		text += length + 1;
	}
	if (!assembler->program->kernel_count)
		return error_set(scan->error, "%s: no kernel: expected "
				 "'.kernel name'", scan->name);
	return end_kernel(assembler);
}

struct evg_program *evg_assemble(const char *name, const char *text,
				 size_t size, struct error *error)
{
	struct assembler assembler = {
		.scan = { .name = name, .start = "", .at = "",
			  .error = error },
		.program = xcalloc(1, sizeof *assembler.program),
	};
	int result;

	assembler.program->build_options = xstrdup("");
	asm_unit_clear(&assembler.unit);
	result = assemble(&assembler, text, size);
	asm_unit_clear(&assembler.unit);
	if (!result)
		return assembler.program;
	evg_program_free(assembler.program);
	return NULL;
}
