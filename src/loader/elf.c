#include "loader/elf.h"

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

struct symbol {
	uint64_t address, size;
	const char *name; /* in names */
};

struct elf_symbols {
	struct symbol *list; /* by address */
	size_t count, capacity;
	char **names;        /* one block of strings per symbol table */
	size_t names_count, names_capacity;
};

static uint64_t page_down(uint64_t address)
{
	return address & ~(uint64_t)(SPACE_PAGE - 1);
}

static uint64_t page_up(uint64_t address)
{
	return page_down(address + SPACE_PAGE - 1);
}

/* ---- Reading and checking ---- */

static int read_exactly(int file, void *buffer, size_t size, uint64_t offset)
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
		return error_set(error, "%s: two PT_INTERP headers",
				 image->path);
	if (header->p_filesz < 2 || header->p_filesz > INTERPRETER_MAX ||
	    header->p_offset > file_size ||
	    header->p_filesz > file_size - header->p_offset)
		return error_set(error,
				 "%s: the PT_INTERP header is corrupt or lies "
				 "outside the file",
				 image->path);
	image->interpreter = xcalloc(1, header->p_filesz + 1);
	if (read_exactly(image->file, image->interpreter, header->p_filesz,
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

static int check_header(struct elf_image *image, Elf *elf, GElf_Ehdr *header,
			struct error *error)
{
	if (elf_kind(elf) != ELF_K_ELF)
		return error_set(error,
				 "%s: not an ELF program (its first bytes are "
				 "not 7f 45 4c 46)",
				 image->path);
	if (!gelf_getehdr(elf, header))
		return error_set(error, "%s: corrupt ELF header: %s",
				 image->path, elf_errmsg(-1));
	if (header->e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(error, "%s: a big-endian program; m2s runs "
				 "i386 and x86-64 programs", image->path);
	if (header->e_machine == EM_386 &&
	    gelf_getclass(elf) == ELFCLASS32) {
		image->machine = ELF_I386;
	} else if (header->e_machine == EM_X86_64 &&
		   gelf_getclass(elf) == ELFCLASS64) {
		image->machine = ELF_X86_64;
	} else if (header->e_machine == EM_X86_64) {
		return error_set(error,
				 "%s: an x32 program; m2s runs i386 and "
				 "x86-64 programs", image->path);
	} else {
		return error_set(error,
				 "%s: made for another machine (ELF machine "
				 "%u); m2s runs i386 and x86-64 programs",
				 image->path, header->e_machine);
	}
	if (header->e_type == ET_REL)
		return error_set(error,
				 "%s: an object file, not a linked program",
				 image->path);
	if (header->e_type == ET_CORE)
		return error_set(error, "%s: a core dump, not a program",
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
		return error_set(error, "%s: no loadable segment",
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
	image->low = page_down(image->segments[0].address);
	image->high = page_up(last->address + last->memory_size);
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
			  "%s: not an ELF program: only %lld bytes long",
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
	if (image->symbols) {
		for (size_t i = 0; i < image->symbols->names_count; i++)
			free(image->symbols->names[i]);
		free(image->symbols->names);
		free(image->symbols->list);
		free(image->symbols);
	}
	sections_free(image->sections, image->section_count);
	if (image->file >= 0)
		close(image->file);
	free(image->interpreter);
	free(image->segments);
	free(image->path);
	free(image);
}

/* ---- Loading ---- */

/* Pages that hold only zeros, after the end of what the file fills. */
static int map_zero(const struct elf_image *image, struct space *space,
		    uint64_t from, uint64_t to, int protection,
		    struct error *error)
{
	int result;

	if (from >= to)
		return 0;
	result = space_map(space, from, to - from, protection, false, -1, 0,
			   "");
	if (result)
		return error_set(error,
				 "%s: cannot map 0x%" PRIx64 " bytes at "
				 "0x%" PRIx64 ": %s", image->path, to - from,
				 from, strerror(-result));
	return 0;
}

/* A segment whose address and offset disagree within the page cannot be
 * mapped: its bytes are copied. */
static int copy_segment(const struct elf_image *image, struct space *space,
			const struct elf_segment *segment, uint64_t address,
			struct error *error)
{
	uint8_t *bytes = xmalloc(segment->file_size + 1);
	int result = -1;

	if (map_zero(image, space, page_down(address),
		     page_up(address + segment->memory_size),
		     SPACE_READ | SPACE_WRITE, error)) {
		free(bytes);
		return -1;
	}
	if (read_exactly(image->file, bytes, segment->file_size,
			 segment->offset) ||
	    space_write(space, address, bytes, segment->file_size))
		error_set(error, "%s: cannot read a segment", image->path);
	else
		result = space_protect(space, page_down(address),
				       page_up(address +
					       segment->memory_size) -
					       page_down(address),
				       segment->protection);
	free(bytes);
	return result ? -1 : 0;
}

static int map_segment(const struct elf_image *image, struct space *space,
		       const struct elf_segment *segment, uint64_t address,
		       struct error *error)
{
	uint64_t start = page_down(address);
	uint64_t file_end = address + segment->file_size;
	uint64_t memory_end = page_up(address + segment->memory_size);
	bool zeros = segment->memory_size > segment->file_size;
	int result;

	if (segment->file_size == 0)
		return map_zero(image, space, start, memory_end,
				segment->protection, error);
	result = space_map(space, start, page_up(file_end) - start,
			   zeros ? segment->protection | SPACE_WRITE
				 : segment->protection,
			   false, image->file,
			   page_down(segment->offset), image->path);
	if (result)
		return error_set(error,
				 "%s: cannot map a segment at 0x%" PRIx64
				 ": %s", image->path, start,
				 strerror(-result));
	if (!zeros)
		return 0;
	/* The rest of the last file page is part of .bss. */
	if (page_up(file_end) > file_end) {
		static const uint8_t nothing[SPACE_PAGE];

		if (space_write(space, file_end, nothing,
				page_up(file_end) - file_end))
			return error_set(error,
					 "%s: cannot clear .bss at "
					 "0x%" PRIx64, image->path, file_end);
	}
	if (!(segment->protection & SPACE_WRITE))
		space_protect(space, start, page_up(file_end) - start,
			      segment->protection);
	return map_zero(image, space, page_up(file_end), memory_end,
			segment->protection, error);
}

int elf_load(const struct elf_image *image, struct space *space,
	     uint64_t bias, FILE *log, struct error *error)
{
	if (image->high + bias > space->size || image->high + bias < bias)
		return error_set(error,
				 "%s: its addresses reach 0x%" PRIx64
				 ", beyond the guest's 0x%" PRIx64,
				 image->path, image->high + bias,
				 space->size);
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = image->segments + i;
		uint64_t address = segment->address + bias;
		int result;

		if (log)
			fprintf(log,
				"%s: segment 0x%" PRIx64 "-0x%" PRIx64
				" %c%c%c from offset 0x%" PRIx64
				", 0x%" PRIx64 " bytes\n",
				image->path, address,
				address + segment->memory_size,
				segment->protection & SPACE_READ ? 'r' : '-',
				segment->protection & SPACE_WRITE ? 'w' : '-',
				segment->protection & SPACE_EXECUTE ? 'x'
								    : '-',
				segment->offset, segment->file_size);
		if ((segment->address ^ segment->offset) % SPACE_PAGE)
			result = copy_segment(image, space, segment, address,
					      error);
		else
			result = map_segment(image, space, segment, address,
					     error);
		if (result)
			return -1;
	}
	return 0;
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

/* ---- Symbols ---- */

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Of several names for one place the sized one, then the shortest,
	 * then the first in the alphabet comes last and is shown. */
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(b->name, a->name);
}

static void read_symbol_table(struct elf_symbols *symbols, Elf *elf,
			      Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *strings = elf_getscn(elf, header->sh_link);
	Elf_Data *text = strings ? elf_getdata(strings, NULL) : NULL;
	GElf_Sym symbol;
	char *names;

	if (!data || !text || !text->d_buf || !text->d_size)
		return;
	names = xmalloc(text->d_size + 1);
	memcpy(names, text->d_buf, text->d_size);
	names[text->d_size] = 0;
	ARRAY_GROW(symbols->names, symbols->names_count,
		   symbols->names_capacity);
	symbols->names[symbols->names_count++] = names;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		int type = GELF_ST_TYPE(symbol.st_info);

		if (symbol.st_shndx == SHN_UNDEF || !symbol.st_value ||
		    symbol.st_name >= text->d_size || !names[symbol.st_name] ||
		    (type != STT_FUNC && type != STT_OBJECT &&
		     type != STT_NOTYPE && type != STT_GNU_IFUNC))
			continue;
		ARRAY_GROW(symbols->list, symbols->count, symbols->capacity);
		symbols->list[symbols->count++] = (struct symbol){
			.address = symbol.st_value, .size = symbol.st_size,
			.name = names + symbol.st_name,
		};
	}
}

static void add_stub(void *owner, uint64_t address, uint64_t size,
		     const char *name)
{
	struct elf_symbols *symbols = owner;
	char *copy = xstrdup(name);

	ARRAY_GROW(symbols->names, symbols->names_count,
		   symbols->names_capacity);
	symbols->names[symbols->names_count++] = copy;
	ARRAY_GROW(symbols->list, symbols->count, symbols->capacity);
	symbols->list[symbols->count++] = (struct symbol){ address, size,
							   copy };
}

static struct elf_symbols *read_symbols(const struct elf_image *image)
{
	int file = image->file;
	struct elf_symbols *symbols = xcalloc(1, sizeof *symbols);
	Elf *elf = elf_begin(file, ELF_C_READ, NULL);
	bool whole = false, dynamic = false;
	Elf_Scn *section = NULL;

	/* A file has one table of each kind; a damaged one with thousands,
	 * all the same bytes, must not cost their sum. */
	while (elf && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		bool *seen;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB &&
		     header.sh_type != SHT_DYNSYM))
			continue;
		seen = header.sh_type == SHT_SYMTAB ? &whole : &dynamic;
		if (!*seen)
			read_symbol_table(symbols, elf, section, &header);
		*seen = true;
	}
	if (elf) {
		plt_visit(elf, image->machine == ELF_X86_64, add_stub,
			  symbols);
		elf_end(elf);
	}
	if (symbols->count)
		qsort(symbols->list, symbols->count, sizeof *symbols->list,
		      by_address);
	return symbols;
}

const char *elf_symbol_at(struct elf_image *image, uint64_t address,
			  uint64_t *distance)
{
	const struct symbol *list;
	size_t low = 0, high;

	if (!image->symbols)
		image->symbols = read_symbols(image);
	list = image->symbols->list;
	high = image->symbols->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	low--;
	*distance = address - list[low].address;
	if (list[low].size && *distance >= list[low].size)
		return NULL;
	return list[low].name;
}

bool elf_symbol_value(struct elf_image *image, const char *name,
		      uint64_t *value)
{
	if (!image->symbols)
		image->symbols = read_symbols(image);
	for (size_t i = 0; i < image->symbols->count; i++)
		if (!strcmp(image->symbols->list[i].name, name)) {
			*value = image->symbols->list[i].address;
			return true;
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

static void print_sections(struct elf_image *image, FILE *stream)
{
	size_t count;
	const struct elf_section *section = elf_sections(image, &count);

	for (; count; count--, section++)
		if (section->allocated)
			fprintf(stream, "  section 0x%" PRIx64 " + 0x%" PRIx64
				", file 0x%" PRIx64 ", %s%s%s\n",
				section->address, section->size,
				section->offset, section->name,
				section->code ? ", code" : "",
				section->writable ? ", writable" : "");
}

void elf_describe(const struct elf_image *image, FILE *log)
{
	fprintf(log, "%s: %s, %s, entry 0x%" PRIx64 "%s%s\n", image->path,
		image->machine == ELF_X86_64 ? "x86-64" : "i386",
		image->relocatable ? "position-independent" : "fixed address",
		image->entry, image->interpreter ? ", interpreter " : "",
		image->interpreter ? image->interpreter : "");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		fprintf(log, "  segment 0x%" PRIx64 " size 0x%" PRIx64
			" from offset 0x%" PRIx64 " size 0x%" PRIx64
			" %c%c%c\n", segment->address, segment->memory_size,
			segment->offset, segment->file_size,
			segment->protection & SPACE_READ ? 'r' : '-',
			segment->protection & SPACE_WRITE ? 'w' : '-',
			segment->protection & SPACE_EXECUTE ? 'x' : '-');
	}
}

void elf_print(struct elf_image *image, FILE *stream)
{
	fprintf(stream, "%s: %s %s, entry 0x%" PRIx64 ", interpreter %s\n",
		image->path,
		image->machine == ELF_I386 ? "i386" : "x86-64",
		image->relocatable ? "position-independent" : "fixed",
		image->entry,
		image->interpreter ? image->interpreter : "(none)");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = image->segments + i;

		fprintf(stream,
			"  segment 0x%" PRIx64 " + 0x%" PRIx64
			", file 0x%" PRIx64 " + 0x%" PRIx64 ", %c%c%c\n",
			segment->address, segment->memory_size,
			segment->offset, segment->file_size,
			segment->protection & SPACE_READ ? 'r' : '-',
			segment->protection & SPACE_WRITE ? 'w' : '-',
			segment->protection & SPACE_EXECUTE ? 'x' : '-');
	}
	print_sections(image, stream);
	if (!image->symbols)
		image->symbols = read_symbols(image);
	for (size_t i = 0; i < image->symbols->count; i++)
		fprintf(stream, "  symbol 0x%" PRIx64 " + 0x%" PRIx64 " %s\n",
			image->symbols->list[i].address,
			image->symbols->list[i].size,
			image->symbols->list[i].name);
}
