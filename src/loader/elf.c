/* ELF programs: opened, read and checked. */
#include "loader/elf-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { INTERPRETER_MAX = 4096, SEGMENT_MAX = 1024 };

int elf_read_exactly(int file, void *buffer, size_t size, uint64_t offset)
{
	uint8_t *at = buffer;

	while (size) {
		ssize_t got = pread(file, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

static int read_interpreter(struct elf_image *image, const GElf_Phdr *header,
			    uint64_t file_size, struct error *error)
{
	if (image->interpreter)
		return error_set(error, "%s: two PT_INTERP headers, expected "
					"at most one",
				 image->path);
	if (header->p_filesz < 2 || header->p_filesz > INTERPRETER_MAX ||
	    header->p_offset > file_size ||
	    header->p_filesz > file_size - header->p_offset)
		return error_set(error,
				 "%s: the PT_INTERP header is corrupt or lies "
				 "outside the file",
				 image->path);
	image->interpreter = xcalloc(1, header->p_filesz + 1);
	if (elf_read_exactly(image->file, image->interpreter, header->p_filesz,
			     header->p_offset))
		return error_set(error, "%s: cannot read the interpreter name",
				 image->path);
	if (image->interpreter[header->p_filesz - 1] != 0)
		return error_set(error,
				 "%s: the interpreter name is not terminated",
				 image->path);
	return 0;
}

static int add_segment(struct elf_image *image, const GElf_Phdr *header,
		       uint64_t file_size, struct error *error)
{
	uint64_t limit = image->machine == ELF_I386 ? UINT64_C(1) << 32
						    : UINT64_C(1) << 47;
	struct elf_segment *segment;

	if (header->p_memsz == 0)
		return 0;
	if (header->p_filesz > header->p_memsz)
		return error_set(error,
				 "%s: a segment at 0x%" PRIx64
				 " is larger in the file than in memory",
				 image->path, header->p_vaddr);
	if (header->p_offset > file_size ||
	    header->p_filesz > file_size - header->p_offset)
		return error_set(error,
				 "%s: truncated: a segment reaches to byte "
				 "%" PRIu64 " of a file of %" PRIu64 " bytes",
				 image->path,
				 header->p_offset + header->p_filesz,
				 file_size);
	if (header->p_vaddr >= limit ||
	    header->p_memsz > limit - header->p_vaddr)
		return error_set(error,
				 "%s: a segment at 0x%" PRIx64 " of 0x%" PRIx64
				 " bytes does not fit the address space",
				 image->path, header->p_vaddr,
				 header->p_memsz);
	if (image->segment_count &&
	    header->p_vaddr <
		    image->segments[image->segment_count - 1].address +
			    image->segments[image->segment_count - 1]
				    .memory_size)
		return error_set(error,
				 "%s: segments overlap or are not in address "
				 "order",
				 image->path);
	segment = image->segments + image->segment_count++;
	segment->address = header->p_vaddr;
	segment->memory_size = header->p_memsz;
	segment->offset = header->p_offset;
	segment->file_size = header->p_filesz;
	segment->protection = (header->p_flags & PF_R ? SPACE_READ : 0) |
			      (header->p_flags & PF_W ? SPACE_WRITE : 0) |
			      (header->p_flags & PF_X ? SPACE_EXECUTE : 0);
	return 0;
}

/* Kinds of files that users give by mistake. Numbers are those of elf.h. */
static const char *machine_name(unsigned machine)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {
		{ EM_AARCH64, "AArch64" }, { EM_ARM, "ARM" },
		{ EM_RISCV, "RISC-V" }, { EM_PPC, "PowerPC" },
		{ EM_PPC64, "64-bit PowerPC" }, { EM_S390, "s390" },
		{ EM_MIPS, "MIPS" }, { EM_SPARC, "SPARC" },
		{ EM_SPARCV9, "64-bit SPARC" }, { EM_IA_64, "Itanium" },
		{ EM_68K, "Motorola 68000" }, { EM_ALPHA, "Alpha" },
		{ 258, "LoongArch" }, { EM_BPF, "BPF" },
		{ EM_CUDA, "NVIDIA GPU" }, { EM_AMDGPU, "AMD GPU" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "unknown";
}

static int not_elf(const struct elf_image *image, Elf *elf,
		   struct error *error)
{
	static const struct {
		const char *bytes, *name;
	} kinds[] = {
		{ "MZ", "a Windows (or DOS) program" },
		{ "\xcf\xfa\xed\xfe", "a macOS program" },
		{ "\xce\xfa\xed\xfe", "a macOS program" },
		{ "\xca\xfe\xba\xbe", "a Java class, or a macOS program" },
		{ "PK\003\004", "an archive (zip, jar)" },
		{ "!<arch>\n", "a static library" },
		{ "BC\xc0\xde", "LLVM bitcode" },
	};
	size_t size = 0;
	const char *bytes = elf_rawfile(elf, &size);

	for (size_t i = 0; bytes && i < ARRAY_SIZE(kinds); i++)
		if (size >= strlen(kinds[i].bytes) &&
		    !memcmp(bytes, kinds[i].bytes, strlen(kinds[i].bytes)))
			return error_set(error, "%s: %s; m2s runs Linux "
					 "programs for i386 and x86-64",
					 image->path, kinds[i].name);
	return error_set(error, "%s: not an ELF program (its first bytes are "
			 "not 7f 45 4c 46)", image->path);
}

static int check_header(struct elf_image *image, Elf *elf, GElf_Ehdr *header,
			struct error *error)
{
	if (elf_kind(elf) != ELF_K_ELF)
		return not_elf(image, elf, error);
	if (!gelf_getehdr(elf, header))
		return error_set(error, "%s: corrupt ELF header: %s",
				 image->path, elf_errmsg(-1));
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(error, "%s: this is a big-endian program; m2s "
					"runs i386 and x86-64 programs",
					image->path);
	if (header->e_machine == EM_386 &&
	    gelf_getclass(elf) == ELFCLASS32) {
		image->machine = ELF_I386;
	} else if (header->e_machine == EM_X86_64 &&
		   gelf_getclass(elf) == ELFCLASS64) {
		image->machine = ELF_X86_64;
	} else if (header->e_machine == EM_X86_64) {
		return error_set(error,
				 "%s: this is an x32 program; m2s runs i386 "
				 "and x86-64 programs", image->path);
	} else {
		return error_set(error,
				 "%s: this program is for another machine (%s, "
				 "ELF machine %u); m2s runs i386 and x86-64 "
				 "programs", image->path,
				 machine_name(header->e_machine),
				 header->e_machine);
	}
	if (header->e_type == ET_REL)
		return error_set(error,
				 "%s: this is an object file, not a linked "
				 "program",
				 image->path);
	if (header->e_type == ET_CORE)
		return error_set(error, "%s: this is a core dump, not a "
					"program",
				 image->path);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return error_set(error, "%s: unknown ELF type %u", image->path,
				 header->e_type);
	image->relocatable = header->e_type == ET_DYN;
	return 0;
}

static int read_program_headers(struct elf_image *image, Elf *elf,
				const GElf_Ehdr *header, uint64_t file_size,
				struct error *error)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) != 0 || count > SEGMENT_MAX)
		return error_set(error, "%s: corrupt program header table",
				 image->path);
	if (count == 0)
		return error_set(error, "%s: no program headers: not a linked "
				 "program", image->path);
	if (header->e_phoff > file_size ||
	    count * header->e_phentsize > file_size - header->e_phoff)
		return error_set(error,
				 "%s: truncated: the program headers lie "
				 "beyond the end of the file", image->path);
	image->segments = xcalloc(count, sizeof *image->segments);
	image->header_count = (unsigned)count;
	image->header_size = header->e_phentsize;
	image->executable_stack = image->machine == ELF_I386;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr program;
		int result = 0;

		if (!gelf_getphdr(elf, (int)i, &program))
			return error_set(error,
					 "%s: cannot read program header %zu: "
					 "%s", image->path, i, elf_errmsg(-1));
		if (program.p_type == PT_LOAD)
			result = add_segment(image, &program, file_size,
					     error);
		else if (program.p_type == PT_INTERP)
			result = read_interpreter(image, &program, file_size,
						  error);
		else if (program.p_type == PT_GNU_EH_FRAME)
			image->unwind_table = program.p_vaddr;
		else if (program.p_type == PT_GNU_STACK)
			image->executable_stack = program.p_flags & PF_X;
		if (result)
			return -1;
	}
	if (!image->segment_count)
		return error_set(error, "%s: the program has no loadable "
					"segment",
				 image->path);
	return 0;
}

static int read_image(struct elf_image *image, Elf *elf, uint64_t file_size,
		      struct error *error)
{
	const struct elf_segment *last;
	GElf_Ehdr header;

	if (check_header(image, elf, &header, error) ||
	    read_program_headers(image, elf, &header, file_size, error))
		return -1;
	image->entry = header.e_entry;
	last = image->segments + image->segment_count - 1;
	image->low = elf_page_down(image->segments[0].address);
	image->high = elf_page_up(last->address + last->memory_size);
	if (!elf_address_of_offset(image, header.e_phoff, &image->headers))
		image->headers = 0;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = image->segments + i;

		if ((segment->protection & SPACE_EXECUTE) &&
		    image->entry >= segment->address &&
		    image->entry - segment->address < segment->memory_size)
			return 0;
	}
	/* Plain shared libraries may have no entry point. */
	if (image->relocatable && image->entry == 0)
		return 0;
	return error_set(error,
			 "%s: the entry point 0x%" PRIx64
			 " is not in an executable segment",
			 image->path, image->entry);
}

struct elf_image *elf_open_file(const char *path, int file,
				struct error *error)
{
	struct elf_image *image = xcalloc(1, sizeof *image);
	struct stat status;
	Elf *elf = NULL;
	int result = -1;

	image->path = xstrdup(path);
	image->file = file;
	elf_version(EV_CURRENT);
	if (fstat(file, &status) != 0) {
		error_set(error, "%s: %s", path, strerror(errno));
	} else if (S_ISDIR(status.st_mode)) {
		error_set(error, "%s: is a directory, not a program", path);
	} else if (!S_ISREG(status.st_mode)) {
		error_set(error, "%s: not a regular file", path);
	} else if (status.st_size < (off_t)sizeof(Elf32_Ehdr)) {
		error_set(error,
			  "%s: this is not an ELF program: the file has only "
			  "%lld bytes",
			  path, (long long)status.st_size);
	} else if (!(elf = elf_begin(file, ELF_C_READ, NULL))) {
		error_set(error, "%s: cannot read: %s", path,
			  elf_errmsg(-1));
	} else {
		result = read_image(image, elf, (uint64_t)status.st_size,
				    error);
	}
	if (elf)
		elf_end(elf);
	if (result) {
		elf_free(image);
		return NULL;
	}
	return image;
}

struct elf_image *elf_open(const char *path, struct error *error)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (file < 0) {
		error_set(error, "%s: cannot open: %s", path,
			  strerror(errno));
		return NULL;
	}
	return elf_open_file(path, file, error);
}

void elf_free(struct elf_image *image)
{
	if (!image)
		return;
	elf_symbols_free(image->symbols);
	sections_free(image->sections, image->section_count);
	if (image->file >= 0)
		close(image->file);
	free(image->interpreter);
	free(image->segments);
	free(image->path);
	free(image);
}

bool elf_address_of_offset(const struct elf_image *image, uint64_t offset,
			   uint64_t *address)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = image->segments + i;

		if (offset >= segment->offset &&
		    offset - segment->offset < segment->file_size) {
			*address = segment->address + offset -
				   segment->offset;
			return true;
		}
	}
	return false;
}

const struct elf_section *elf_sections(struct elf_image *image, size_t *count)
{
	struct stat status;
	Elf *elf;

	if (!image->sections && fstat(image->file, &status) == 0 &&
	    (elf = elf_begin(image->file, ELF_C_READ, NULL))) {
		image->sections = sections_read(elf,
						(uint64_t)status.st_size,
						&image->section_count);
		elf_end(elf);
	}
	*count = image->section_count;
	return image->sections;
}
