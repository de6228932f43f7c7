#include "m2s/tools/disassemble.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "evergreen/kernel/kernel-file.h"
#include "evergreen/listing/listing.h"
#include "evergreen/listing/llvm-text.h"
#include "loader/elf.h"
#include "x86/isa/disasm.h"

/* In LLVM's style, each kernel below its name. */
static int print_llvm(const struct evg_kernel *kernel, FILE *stream,
		      struct error *error)
{
	struct evg_code *code = evg_code_decode(
		kernel->program->text + kernel->code_offset, kernel->code_size,
		error);

	if (!code)
		return error_prefix(error, "kernel %s", kernel->name);
	fprintf(stream, "%s:\n", kernel->name);
	evg_llvm_print(code, stream);
	evg_code_free(code);
	return 0;
}

int disassemble_kernels(const char *path, const char *style, FILE *stream,
			struct error *error)
{
	struct evg_program *program = kernel_file_read(path, error);
	bool llvm = style && !strcmp(style, "llvm");
	int status = 0;

	if (!program)
		return -1;
	if (style && !llvm && strcmp(style, "amd")) {
		evg_program_free(program);
		return error_set(error, "--evg-disasm-style %s: expected amd "
				 "or llvm", style);
	}
	for (uint32_t i = 0; i < program->kernel_count && !status; i++)
		status = (llvm ? print_llvm : evg_listing_print)(
			&program->kernels[i], stream, error);
	evg_program_free(program);
	return status;
}

/* The symbol of an address, if it is in the same section. */
static const char *find_name(struct elf_image *image, uint64_t address,
			     uint64_t *distance)
{
	const char *name = elf_symbol_at(image, address, distance);
	size_t count;
	const struct elf_section *section = elf_sections(image, &count);

	for (; name && count; count--, section++)
		if (section->allocated &&
		    address - section->address < section->size)
			return *distance <= address - section->address ? name
								       : NULL;
	return name;
}

/* One instruction: address, bytes, text and the name of a branch's target. */
static size_t print_instruction(struct elf_image *image, uint64_t address,
				const uint8_t *code, size_t size, FILE *stream)
{
	uint64_t distance, target;
	const char *name;
	char text[256];
	size_t length = x86_disasm(image->machine == ELF_X86_64, address, code,
				   size, text, sizeof text);
	size_t shown = length ? length : 1;

	fprintf(stream, "%8" PRIx64 ": ", address);
	for (size_t i = 0; i < 8; i++)
		if (i < shown)
			fprintf(stream, " %02x", code[i]);
		else
			fputs("   ", stream);
	fprintf(stream, "  %s", text);
	if (length && x86_branch_target(image->machine == ELF_X86_64, address,
					code, size, &target)) {
		name = find_name(image, target, &distance);
		if (name && distance)
			fprintf(stream, " <%s+0x%" PRIx64 ">", name, distance);
		else if (name)
			fprintf(stream, " <%s>", name);
	}
	for (size_t i = 8; i < shown; i++)
		fprintf(stream, i % 8 ? " %02x" : "\n           %02x",
			code[i]);
	fputc('\n', stream);
	return shown;
}

static int print_range(struct elf_image *image, uint64_t start,
		       uint64_t offset, uint64_t size, FILE *stream,
		       struct error *error)
{
	uint8_t *code = xmalloc(size + 1);
	ssize_t got = pread(image->file, code, size, (off_t)offset);

	if (got != (ssize_t)size) {
		free(code);
		return error_set(error, "%s: cannot read the code at file "
				 "offset 0x%" PRIx64, image->path, offset);
	}
	for (uint64_t at = 0; at < size;) {
		uint64_t distance;
		const char *name = elf_symbol_at(image, start + at, &distance);

		if (name && !distance)
			fprintf(stream, "\n%s:\n", name);
		at += print_instruction(image, start + at, code + at,
					size - at, stream);
	}
	free(code);
	return 0;
}

/* The sections with code; a file without a section table has segments. */
static int print_code(struct elf_image *image, FILE *stream,
		      struct error *error)
{
	size_t count, printed = 0;
	const struct elf_section *section = elf_sections(image, &count);
	int status = 0;

	for (; count && !status; count--, section++) {
		if (!section->code || !section->allocated || !section->size)
			continue;
		if (!section->in_file)
			return error_set(error, "%s: section %s reaches "
					 "beyond the end of the file",
					 image->path, section->name);
		fprintf(stream, "%sSection %s:\n", printed++ ? "\n" : "",
			section->name);
		status = print_range(image, section->address, section->offset,
				     section->size, stream, error);
	}
	for (size_t i = 0; i < image->segment_count && !printed && !status;
	     i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (!(segment->protection & SPACE_EXECUTE))
			continue;
		fprintf(stream, "Segment at 0x%" PRIx64 ":\n",
			segment->address);
		status = print_range(image, segment->address, segment->offset,
				     segment->file_size, stream, error);
	}
	return status;
}

int disassemble_program(const char *path, FILE *stream, struct error *error)
{
	struct elf_image *image = elf_open(path, error);
	int status;

	if (!image)
		return -1;
	status = print_code(image, stream, error);
	elf_free(image);
	return status;
}
