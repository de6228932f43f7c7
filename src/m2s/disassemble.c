#include "m2s/disassemble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "evergreen/asm/listing.h"
#include "evergreen/kernel/kernel.h"
#include "loader/elf.h"
#include "x86/isa/disasm.h"

static void *read_file(const char *path, size_t *size, struct error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t got;
	char *data;

	if (file < 0 || fstat(file, &status)) {
		error_set(error, "%s: cannot read: %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return NULL;
	}
	if (!S_ISREG(status.st_mode)) {
		error_set(error, "%s: not a file", path);
		close(file);
		return NULL;
	}
	data = xmalloc((size_t)status.st_size + 1);
	got = read(file, data, (size_t)status.st_size);
	close(file);
	if (got != status.st_size) {
		error_set(error, "%s: cannot read the whole file", path);
		free(data);
		return NULL;
	}
	*size = (size_t)got;
	return data;
}

int disassemble_kernels(const char *path, FILE *stream, struct error *error)
{
	struct evg_program *program;
	size_t size = 0;
	void *image = read_file(path, &size, error);
	int status = 0;

	if (!image)
		return -1;
	program = evg_program_read(path, image, size, error);
	free(image);
	if (!program)
		return -1;
	for (uint32_t i = 0; i < program->kernel_count && !status; i++)
		status = evg_listing_print(&program->kernels[i], stream,
					   error);
	evg_program_free(program);
	return status;
}

static int print_segment(struct elf_image *image,
			 const struct elf_segment *segment, FILE *stream,
			 struct error *error)
{
	uint8_t *code = xmalloc(segment->file_size + 1);
	ssize_t got = pread(image->file, code, segment->file_size,
			    (off_t)segment->offset);

	if (got != (ssize_t)segment->file_size) {
		free(code);
		return error_set(error, "%s: cannot read the segment at file "
				 "offset 0x%llx", image->path,
				 (unsigned long long)segment->offset);
	}
	for (size_t at = 0; at < segment->file_size;) {
		uint64_t address = segment->address + at, distance;
		const char *name = elf_symbol_at(image, address, &distance);
		char text[256];
		size_t length = x86_disasm(image->machine == ELF_X86_64,
					   address, code + at,
					   segment->file_size - at, text,
					   sizeof text);

		if (name && !distance)
			fprintf(stream, "\n%s:\n", name);
		fprintf(stream, "%8llx:  %s\n", (unsigned long long)address,
			text);
		at += length ? length : 1;
	}
	free(code);
	return 0;
}

int disassemble_program(const char *path, FILE *stream, struct error *error)
{
	struct elf_image *image = elf_open(path, error);
	int status = 0;

	if (!image)
		return -1;
	for (size_t i = 0; i < image->segment_count && !status; i++)
		if (image->segments[i].protection & SPACE_EXECUTE)
			status = print_segment(image, &image->segments[i],
					       stream, error);
	elf_free(image);
	return status;
}
