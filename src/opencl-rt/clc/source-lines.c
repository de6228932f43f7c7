#include "opencl-rt/clc/source-lines.h"

#include <elfutils/libdw.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/rewrite.h"

/* The name that a file has in the table. */
static const char *table_name(const char *name)
{
	/* The driver hands over its source on a pipe. */
	return strstr(name, "<stdin>") ? "source" : name;
}

/* Whether a path, which may begin with the folder of the compilation, is that
 * of a file. */
static bool is_file(const char *path, const char *name, size_t length)
{
	size_t all = strlen(path);

	return all >= length && !memcmp(path + all - length, name, length) &&
	       (all == length || *name == '/' || path[all - length - 1] == '/');
}

/* Keeps the text that clang put into the debug information of a function
 * (-gembed-source) for the file that it is of. */
static void take_source(struct evg_lines *lines, LLVMMetadataRef file)
{
	unsigned name_length = 0, length = 0;
	const char *name = LLVMDIFileGetFilename(file, &name_length);
	const char *text = LLVMDIFileGetSource(file, &length);
	char *path = xasprintf("%.*s", (int)name_length, name);

	for (uint32_t i = 0; text && length && i < lines->file_count; i++)
		if (!*lines->sources[i] &&
		    is_file(lines->files[i], table_name(path),
			    strlen(table_name(path)))) {
			free(lines->sources[i]);
			lines->sources[i] = xasprintf("%.*s", (int)length,
						      text);
		}
	free(path);
}

/* That of the functions that were inlined, too: instructions know theirs. */
static void take_sources(struct evg_lines *lines, LLVMValueRef function)
{
	struct list all = function_instructions(function);
	LLVMMetadataRef program = LLVMGetSubprogram(function), last = NULL;

	if (program && LLVMDIScopeGetFile(program))
		take_source(lines, LLVMDIScopeGetFile(program));
	for (size_t i = 0; i < all.count; i++) {
		LLVMMetadataRef place = LLVMInstructionGetDebugLoc(all.items[i]);
		LLVMMetadataRef file =
			place ? LLVMDIScopeGetFile(LLVMDILocationGetScope(place))
			      : NULL;

		if (file && file != last)
			take_source(lines, file);
		last = file;
	}
	free(all.items);
}

static void find_sources(struct evg_lines *lines, LLVMModuleRef module)
{
	lines->sources = xcalloc((size_t)lines->file_count + 1,
				 sizeof *lines->sources);
	for (uint32_t i = 0; i < lines->file_count; i++)
		lines->sources[i] = xstrdup("");
	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		take_sources(lines, function);
}

/* The number of a file, from 1. */
static uint32_t find_file(struct evg_lines *lines, const char *name,
			  uint32_t *capacity)
{
	for (uint32_t i = 0; i < lines->file_count; i++)
		if (!strcmp(lines->files[i], name))
			return i + 1;
	ARRAY_GROW(lines->files, lines->file_count, *capacity);
	lines->files[lines->file_count] = xstrdup(name);
	return ++lines->file_count;
}

/* Adds a row; the last one for an offset counts, and rows that say the same as
 * the one before are left out. */
static void add_row(struct evg_lines *lines, size_t *capacity,
		    struct evg_line_row row)
{
	struct evg_line_row *last = lines->row_count
					    ? &lines->rows[lines->row_count - 1]
					    : NULL;

	if (last && last->offset == row.offset) {
		*last = row;
		return;
	}
	if (last && last->file == row.file && last->line == row.line)
		return;
	ARRAY_GROW(lines->rows, lines->row_count, *capacity);
	lines->rows[lines->row_count++] = row;
}

struct capacities {
	uint32_t files;
	size_t rows;
};

/* Where functions return: line and column. */
struct returns {
	struct place {
		unsigned line, column;
	} *list;
	size_t count, capacity;
};

static void find_returns(struct returns *returns, LLVMModuleRef module)
{
	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function)) {
		struct list all = function_instructions(function);

		for (size_t i = 0; i < all.count; i++) {
			if (LLVMGetInstructionOpcode(all.items[i]) != LLVMRet)
				continue;
			ARRAY_GROW(returns->list, returns->count,
				   returns->capacity);
			returns->list[returns->count++] = (struct place){
				LLVMGetDebugLocLine(all.items[i]),
				LLVMGetDebugLocColumn(all.items[i])
			};
		}
		free(all.items);
	}
}

/* The back end gives the beginning of every clause the place of the function's
 * return, and code behind it that has no place of its own would have it, too:
 * the closing brace. */
static bool is_return(const struct returns *returns, int line, int column)
{
	for (size_t i = 0; i < returns->count; i++)
		if ((int)returns->list[i].line == line &&
		    (int)returns->list[i].column == column)
			return true;
	return false;
}

static int add_unit(struct evg_lines *lines, struct capacities *capacities,
		    const struct returns *returns, Dwarf_Die *unit)
{
	Dwarf_Lines *table;
	size_t count;

	if (dwarf_getsrclines(unit, &table, &count))
		return -1;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);
		struct evg_line_row row = { 0, 0, 0 };
		const char *name = dwarf_linesrc(line, NULL, NULL);
		Dwarf_Addr address;
		int number, column;
		bool end;

		if (dwarf_lineaddr(line, &address) ||
		    dwarf_lineno(line, &number) ||
		    dwarf_linecol(line, &column) ||
		    dwarf_lineendsequence(line, &end))
			return -1;
		row.offset = (uint32_t)address;
		/* Line 0: code that the compiler made up. */
		if (!end && name && number &&
		    !is_return(returns, number, column)) {
			row.file = find_file(lines, table_name(name),
					     &capacities->files);
			row.line = (uint32_t)number;
		}
		add_row(lines, &capacities->rows, row);
	}
	return 0;
}

static int add_units(struct evg_lines *lines, const struct returns *returns,
		     Dwarf *dwarf)
{
	struct capacities capacities = { 0, 0 };
	Dwarf_Off offset = 0, next;
	size_t header;
	int status;

	while (!(status = dwarf_nextcu(dwarf, offset, &next, &header, NULL,
				       NULL, NULL))) {
		Dwarf_Die unit;

		if (!dwarf_offdie(dwarf, offset + header, &unit) ||
		    add_unit(lines, &capacities, returns, &unit))
			return -1;
		offset = next;
	}
	return status < 0 ? -1 : 0;
}

struct evg_lines *source_lines_read(LLVMModuleRef module, const void *object,
				    size_t size, struct error *error)
{
	struct returns returns = { 0 };
	struct evg_lines *lines;
	Elf *elf;
	Dwarf *dwarf;
	int status;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)object, size);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	error->text[0] = 0;
	if (!dwarf) {
		/* No debug information. */
		elf_end(elf);
		return NULL;
	}
	lines = xcalloc(1, sizeof *lines);
	find_returns(&returns, module);
	status = add_units(lines, &returns, dwarf);
	free(returns.list);
	if (status)
		error_set(error, "LLVM's line table: %s", dwarf_errmsg(-1));
	dwarf_end(dwarf);
	elf_end(elf);
	find_sources(lines, module);
	if (!status && lines->row_count)
		return lines;
	evg_lines_free(lines);
	return NULL;
}
