#include "opencl-rt/clc/package.h"

#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/process.h"

static int elf_fails(struct error *error, const char *what)
{
	return error_set(error, "%s: %s", what, elf_errmsg(-1));
}

/* Appends the new section's name to the string table of section names;
 * *offset is its place there. *strings is the table's new content, to be freed
 * after the file is written. */
static int add_name(Elf *elf, const char *name, size_t *offset, char **strings,
		    struct error *error)
{
	Elf_Data *data;
	size_t index;

	if (elf_getshdrstrndx(elf, &index))
		return elf_fails(error, "binary");
	data = elf_getdata(elf_getscn(elf, index), NULL);
	if (!data)
		return elf_fails(error, "section names");
	*offset = data->d_size;
	*strings = xmalloc(data->d_size + strlen(name) + 1);
	if (data->d_size)
		memcpy(*strings, data->d_buf, data->d_size);
	memcpy(*strings + *offset, name, strlen(name) + 1);
	data->d_buf = *strings;
	data->d_size += strlen(name) + 1;
	elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
	return 0;
}

static int add_section(Elf *elf, const char *name, const char *text,
		       char **strings, struct error *error)
{
	Elf32_Shdr *header;
	Elf_Scn *section;
	Elf_Data *data;
	size_t offset = 0;

	if (add_name(elf, name, &offset, strings, error))
		return -1;
	section = elf_newscn(elf);
	data = section ? elf_newdata(section) : NULL;
	header = section ? elf32_getshdr(section) : NULL;
	if (!data || !header)
		return elf_fails(error, "new section");
	data->d_buf = (char *)text;
	data->d_size = strlen(text);
	data->d_align = 1;
	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	header->sh_name = (Elf32_Word)offset;
	header->sh_type = SHT_PROGBITS;
	if (elf_update(elf, ELF_C_WRITE) < 0)
		return elf_fails(error, "writing the binary");
	return 0;
}

static char *read_all(int file, size_t *size)
{
	off_t length = lseek(file, 0, SEEK_END);
	char *bytes = xmalloc(length > 0 ? (size_t)length : 1);

	if (length <= 0 || pread(file, bytes, (size_t)length, 0) != length) {
		free(bytes);
		return NULL;
	}
	*size = (size_t)length;
	return bytes;
}

int package_add_section(const void *binary, size_t binary_size,
			const char *name, const char *text, char **image,
			size_t *image_size, struct error *error)
{
	int file = process_memory_file("binary", binary, binary_size, error);
	int status;
	char *strings = NULL;
	Elf *elf;

	if (file < 0)
		return -1;
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_RDWR, NULL);
	if (!elf || !elf32_getehdr(elf))
		status = elf_fails(error, "binary");
	else
		status = add_section(elf, name, text, &strings, error);
	elf_end(elf);
	free(strings);
	if (!status) {
		*image = read_all(file, image_size);
		if (!*image)
			status = error_set(error, "binary in memory: %s",
					   strerror(errno));
	}
	close(file);
	return status;
}
