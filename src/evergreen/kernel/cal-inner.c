/* The inner image of one kernel: dictionary, code and notes. */
#include <elf.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/kernel/cal.h"

enum {
	INNER_MACHINE = 0x7d,
	SEGMENT_DICTIONARY = 0x70000002,
	ENTRY_CYPRESS = 9,
	NOTE_PROGRAM = 1,
	NOTE_LOOP_CONSTANTS = 6,
	NOTE_BOOL_CONSTANTS = 7,
	NOTE_CONSTANT_BUFFERS = 10,

	/* In .data: 256 constants of 16 bytes, 32 loop constants of 16, 32
	 * booleans of 4. */
	LOOPS_AT = 0x1000,
	BOOLS_AT = 0x1200,

	CONSTANT_BUFFER_MAX = 65536,
};

/* Addresses in the program note. */
#define INFO_RESOURCES 0xa235u   /* SQ_PGM_RESOURCES_LS: DX10_CLAMP is bit 21 */
#define INFO_RESOURCES_2 0xa236u /* the float mode */
#define INFO_GPRS_USED 0x80000080u
#define INFO_STACK_USED 0x80000084u

/* Five words of the dictionary. */
struct entry {
	uint32_t machine, type, offset, size, flags;
};

struct inner {
	const char *name;
	struct span image;
	Elf32_Ehdr header;
	struct entry entry;
	struct evg_kernel *kernel;
	struct error *error;
};

#define fail(inner, format, ...)                                               \
	error_set((inner)->error, "%s: kernel %s: " format, (inner)->name,     \
		  (inner)->kernel->name, __VA_ARGS__)

static bool program_header(const struct inner *inner, unsigned index,
			   Elf32_Phdr *header)
{
	return span_read(inner->image,
			 inner->header.e_phoff + (size_t)index * sizeof *header,
			 header, sizeof *header);
}

/* Whether a place in the image belongs to the entry. */
static bool is_inside(const struct entry *entry, uint32_t offset)
{
	return offset >= entry->offset && offset - entry->offset < entry->size;
}

static int find_entry(struct inner *inner)
{
	Elf32_Phdr header;
	struct span dictionary;
	unsigned chips = 0;

	for (unsigned i = 0; i < inner->header.e_phnum; i++) {
		if (!program_header(inner, i, &header))
			break;
		if (header.p_type != SEGMENT_DICTIONARY ||
		    !span_part(inner->image, header.p_offset, header.p_filesz,
			       &dictionary))
			continue;
		for (size_t at = 0; span_read(dictionary, at, &inner->entry,
					      sizeof inner->entry);
		     at += sizeof inner->entry, chips++)
			if (inner->entry.machine == ENTRY_CYPRESS)
				return 0;
	}
	return fail(inner, "none of the %u encodings in its dictionary is for "
		    "Cypress (machine %d)", chips, ENTRY_CYPRESS);
}

static int take_program_note(struct inner *inner, struct span note)
{
	uint32_t pair[2], mode = EVG_FLOAT_MODE_DEFAULT;
	bool dx10_clamp = true;

	for (size_t at = 0; span_read(note, at, pair, sizeof pair);
	     at += sizeof pair) {
		if (pair[0] == INFO_RESOURCES)
			dx10_clamp = pair[1] >> 21 & 1;
		else if (pair[0] == INFO_RESOURCES_2)
			mode = pair[1];
		if (pair[0] == INFO_GPRS_USED)
			inner->kernel->registers = pair[1];
		else if (pair[0] == INFO_STACK_USED)
			inner->kernel->stack_size = pair[1];
		if (pair[0] == INFO_GPRS_USED && pair[1] > EVG_REGISTERS)
			return fail(inner,
				    "it uses %u registers; the machine "
				    "has %d",
				    pair[1], EVG_REGISTERS);
		if (pair[0] == INFO_STACK_USED && pair[1] > 512)
			return fail(inner, "it uses %u stack entries; the "
				    "machine has 512", pair[1]);
	}
	inner->kernel->float_mode = evg_float_mode_decode(mode, dx10_clamp);
	return 0;
}

/* Constant buffer 1 holds the arguments, 16 bytes a constant. */
static int take_constant_buffers(struct inner *inner, struct span note)
{
	uint32_t pair[2];

	for (size_t at = 0; span_read(note, at, pair, sizeof pair);
	     at += sizeof pair) {
		if (pair[0] != 1)
			continue;
		if (pair[1] > CONSTANT_BUFFER_MAX / 16)
			return fail(inner, "constant buffer 1 has %u "
				    "constants; at most %d are possible",
				    pair[1], CONSTANT_BUFFER_MAX / 16);
		if (inner->kernel->tail_offset < 16 * pair[1])
			inner->kernel->tail_offset = 16 * pair[1];
	}
	return 0;
}

/* (offset, size) pairs say which of 32 constants of `bytes` bytes are given. */
static uint32_t constants_given(struct span note, uint32_t bytes)
{
	uint32_t pair[2], given = 0;

	for (size_t at = 0; span_read(note, at, pair, sizeof pair);
	     at += sizeof pair)
		for (uint32_t n = 0; n < EVG_LOOP_CONSTANTS; n++)
			if (n * bytes >= pair[0] &&
			    n * bytes - pair[0] < pair[1])
				given |= UINT32_C(1) << n;
	return given;
}

/* Notes follow one another without padding: name size, description size,
 * type, name, description. */
static int take_notes(struct inner *inner, struct span notes)
{
	uint32_t head[3];
	size_t at = 0;

	while (span_read(notes, at, head, sizeof head)) {
		struct span note;

		at += sizeof head;
		if (head[0] > notes.size ||
		    !span_part(notes, at + head[0], head[1], &note))
			return fail(inner, "note of type %u at %zu reaches "
				    "beyond the notes (%zu bytes)", head[2],
				    at - sizeof head, notes.size);
		at += head[0] + head[1];
		if (head[2] == NOTE_PROGRAM &&
		    take_program_note(inner, note))
			return -1;
		if (head[2] == NOTE_LOOP_CONSTANTS)
			inner->kernel->flow.loops_given |=
				constants_given(note, 16);
		if (head[2] == NOTE_BOOL_CONSTANTS)
			inner->kernel->flow.bools_given |=
				constants_given(note, 4);
		if (head[2] == NOTE_CONSTANT_BUFFERS &&
		    take_constant_buffers(inner, note))
			return -1;
	}
	return 0;
}

static int read_notes(struct inner *inner)
{
	for (unsigned i = 0; i < inner->header.e_phnum; i++) {
		Elf32_Phdr header;
		struct span notes;

		if (!program_header(inner, i, &header) ||
		    header.p_type != PT_NOTE ||
		    !is_inside(&inner->entry, header.p_offset))
			continue;
		if (!span_part(inner->image, header.p_offset, header.p_filesz,
			       &notes))
			return fail(inner, "%s", "its notes lie outside of the "
				    "image");
		if (take_notes(inner, notes))
			return -1;
	}
	if (!inner->kernel->registers)
		return fail(inner, "%s", "no note says how many registers it "
			    "uses");
	return 0;
}

/* The section's name, or "". */
static const char *section_name(const struct inner *inner,
				const Elf32_Shdr *section)
{
	Elf32_Shdr names;
	struct span strings;

	if (!span_read(inner->image,
		       inner->header.e_shoff +
			       (size_t)inner->header.e_shstrndx * sizeof names,
		       &names, sizeof names) ||
	    !span_part(inner->image, names.sh_offset, names.sh_size,
		       &strings) ||
	    section->sh_name >= strings.size ||
	    !memchr(strings.bytes + section->sh_name, '\0',
		    strings.size - section->sh_name))
		return "";
	return (const char *)strings.bytes + section->sh_name;
}

static int append_code(struct inner *inner, struct evg_program *program,
		       struct span code)
{
	if (!code.size || code.size % 8 || code.size > 64 << 20)
		return fail(inner, "%zu bytes of code; expected a multiple of "
			    "8, up to 64 MiB", code.size);
	evg_program_add_code(program, inner->kernel, code.bytes,
			     (uint32_t)code.size);
	return 0;
}

/* The section of that name which belongs to the entry: 0, 1 when there is
 * none, or -1. */
static int find_section(struct inner *inner, const char *name,
			struct span *content)
{
	for (unsigned i = 1; i < inner->header.e_shnum; i++) {
		Elf32_Shdr header;

		if (!span_read(inner->image,
			       inner->header.e_shoff +
				       (size_t)i * sizeof header,
			       &header, sizeof header))
			break;
		if (strcmp(section_name(inner, &header), name) ||
		    !is_inside(&inner->entry, header.sh_offset))
			continue;
		if (!span_part(inner->image, header.sh_offset, header.sh_size,
			       content))
			return fail(inner, "its %s lies outside of the image",
				    name);
		return 0;
	}
	return 1;
}

static int read_code(struct inner *inner, struct evg_program *program)
{
	struct span code;
	int result = find_section(inner, ".text", &code);

	if (result > 0)
		return fail(inner, "%s", "no .text for Cypress");
	return result ? -1 : append_code(inner, program, code);
}

/* The loop and boolean constants that the notes have announced. */
static int read_flow(struct inner *inner)
{
	struct evg_flow_constants *flow = &inner->kernel->flow;
	uint32_t bools[EVG_LOOP_CONSTANTS];
	struct span data;
	int result;

	if (!flow->loops_given && !flow->bools_given)
		return 0;
	result = find_section(inner, ".data", &data);
	if (result < 0)
		return -1;
	if (result || !span_read(data, LOOPS_AT, flow->loops,
				 sizeof flow->loops) ||
	    !span_read(data, BOOLS_AT, bools, sizeof bools))
		return fail(inner, "%s", "its .data does not hold the loop and "
			    "boolean constants that its notes announce");
	for (uint32_t n = 0; n < EVG_LOOP_CONSTANTS; n++)
		flow->bools |= (uint32_t)(bools[n] != 0) << n;
	flow->bools &= flow->bools_given;
	return 0;
}

int cal_inner_read(const char *name, struct span image,
		   struct evg_program *program, struct evg_kernel *kernel,
		   struct error *error)
{
	struct inner inner = {
		.name = name, .image = image, .kernel = kernel, .error = error,
	};

	if (!span_read(image, 0, &inner.header, sizeof inner.header) ||
	    memcmp(inner.header.e_ident, ELFMAG, SELFMAG) ||
	    inner.header.e_machine != INNER_MACHINE)
		return fail(&inner, "its image is no ELF file for machine "
			    "0x%x", INNER_MACHINE);
	return find_entry(&inner) || read_notes(&inner) ||
	       read_flow(&inner) || read_code(&inner, program)
		       ? -1
		       : 0;
}
