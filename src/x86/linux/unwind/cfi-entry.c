/* Reading .eh_frame and its header (Linux Standard Base, core, chapter 10.6;
 * DWARF 5, section 6.4). */
#include <string.h>

#include "x86/linux/state.h"
#include "x86/linux/unwind/cfi.h"

/* Pointer encodings. */
enum {
	ENCODE_ABSOLUTE = 0x00, ENCODE_ULEB = 0x01, ENCODE_U16 = 0x02,
	ENCODE_U32 = 0x03, ENCODE_U64 = 0x04, ENCODE_SLEB = 0x09,
	ENCODE_S16 = 0x0a, ENCODE_S32 = 0x0b, ENCODE_S64 = 0x0c,
	ENCODE_RELATIVE = 0x10, /* to the pointer's own place */
	ENCODE_INDIRECT = 0x80, ENCODE_OMIT = 0xff,
	ENCODE_TABLE = 0x3b,    /* s32, relative to the header */
};

/* ---- Bytes of an entry ---- */

static uint64_t cfi_place(const struct cfi_reader *reader)
{
	return reader->address - (uint64_t)(reader->end - reader->at);
}

uint64_t cfi_get(struct cfi_reader *reader, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->failed = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

int64_t cfi_get_signed(struct cfi_reader *reader, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(cfi_get(reader, size) << shift) >> shift;
}

/* Groups of seven bits, the lowest first. */
static uint64_t get_leb(struct cfi_reader *reader, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = cfi_get(reader, 1);
		if (shift < 64)
			value |= (byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && !reader->failed);
	if (is_signed && byte & 64 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

uint64_t cfi_get_uleb(struct cfi_reader *reader)
{
	return get_leb(reader, false);
}

int64_t cfi_get_sleb(struct cfi_reader *reader)
{
	return (int64_t)get_leb(reader, true);
}

uint64_t cfi_get_pointer(struct cfi_reader *reader, uint8_t encoding,
			 const struct cfi_machine *machine)
{
	uint64_t base = encoding & ENCODE_RELATIVE ? cfi_place(reader) : 0;
	uint64_t value;

	switch (encoding & 15) {
	case ENCODE_ABSOLUTE:
		value = cfi_get(reader, machine->word);
		break;
	case ENCODE_ULEB:
		value = cfi_get_uleb(reader);
		break;
	case ENCODE_U16:
		value = cfi_get(reader, 2);
		break;
	case ENCODE_U32:
		value = cfi_get(reader, 4);
		break;
	case ENCODE_SLEB:
		value = (uint64_t)cfi_get_sleb(reader);
		break;
	case ENCODE_S16:
		value = (uint64_t)cfi_get_signed(reader, 2);
		break;
	case ENCODE_S32:
		value = (uint64_t)cfi_get_signed(reader, 4);
		break;
	case ENCODE_U64:
	case ENCODE_S64:
		value = cfi_get(reader, 8);
		break;
	default:
		reader->failed = true;
		return 0;
	}
	/* Nothing that is needed here is relative to something else, or
	 * indirect. */
	if (encoding & 0x60)
		reader->failed = true;
	value += base;
	return machine->wide ? value : (uint32_t)value;
}

uint64_t cfi_load(const struct cfi_machine *machine, uint64_t address,
		  unsigned size, bool *failed)
{
	uint64_t value = 0;

	if (space_read(machine->space, address, &value, size))
		*failed = true;
	return value;
}

struct cfi_reader cfi_take_block(struct cfi_reader *reader)
{
	uint64_t size = cfi_get_uleb(reader);
	struct cfi_reader block = *reader;

	if (size > (uint64_t)(reader->end - reader->at)) {
		reader->failed = true;
		size = 0;
	}
	block.end = block.at + size;
	block.address = cfi_place(reader) + size;
	reader->at += size;
	return block;
}

/* ---- Finding the entry ---- */

/* Copies the CIE or FDE at an address into `bytes`; the reader stands behind
 * its length. */
static bool read_entry(const struct cfi_machine *machine, uint64_t address,
		       uint8_t *bytes, struct cfi_reader *reader)
{
	uint32_t size;

	if (space_read(machine->space, address, &size, sizeof size) ||
	    size < 4 || size > CFI_ENTRY_MAX || /* 64-bit DWARF has 0xffffffff */
	    space_read(machine->space, address + 4, bytes, size))
		return false;
	*reader = (struct cfi_reader){ bytes, bytes + size, address + 4 + size,
				   false };
	return true;
}

static bool read_cie(struct cfi_reader *reader,
		     const struct cfi_machine *machine, struct cfi_entry *entry)
{
	const char *augmentation;
	uint8_t version;
	struct cfi_reader data;

	if (cfi_get(reader, 4) != 0) /* the mark of a CIE */
		return false;
	version = (uint8_t)cfi_get(reader, 1);
	augmentation = (const char *)reader->at;
	while (cfi_get(reader, 1) && !reader->failed)
		;
	if (reader->failed || (version != 1 && version != 3))
		return false;
	entry->code_align = cfi_get_uleb(reader);
	entry->data_align = cfi_get_sleb(reader);
	if ((version == 1 ? cfi_get(reader, 1) : cfi_get_uleb(reader)) !=
	    machine->ra)
		return false;
	entry->augmented = *augmentation == 'z';
	if (!entry->augmented && *augmentation)
		return false;
	if (entry->augmented) {
		data = cfi_take_block(reader);
		for (augmentation++; *augmentation; augmentation++) {
			uint8_t encoding;

			if (*augmentation == 'R') {
				entry->encoding = (uint8_t)cfi_get(&data, 1);
			} else if (*augmentation == 'P') {
				encoding = (uint8_t)cfi_get(&data, 1);
				cfi_get_pointer(
				    &data, encoding & (uint8_t)~ENCODE_INDIRECT,
				    machine);
			} else if (*augmentation == 'L') {
				cfi_get(&data, 1);
			} else if (*augmentation == 'S') {
				entry->signal = true;
			} else {
				break;
			}
		}
		if (data.failed)
			return false;
	}
	entry->initial = *reader;
	return !reader->failed;
}

bool cfi_read(const struct cfi_machine *machine, uint64_t address,
	      uint8_t *bytes, struct cfi_entry *entry)
{
	struct cfi_reader fde, cie;
	uint64_t back;

	memset(entry, 0, sizeof *entry);
	if (!read_entry(machine, address, bytes, &fde))
		return false;
	back = cfi_get(&fde, 4);
	if (!read_entry(machine, address + 4 - back, bytes + CFI_ENTRY_MAX,
			&cie) ||
	    !read_cie(&cie, machine, entry))
		return false;
	entry->start = cfi_get_pointer(&fde, entry->encoding, machine);
	entry->size = cfi_get_pointer(&fde, entry->encoding & 15, machine);
	if (entry->augmented)
		cfi_take_block(&fde);
	entry->own = fde;
	return !fde.failed;
}

uint64_t cfi_search(const struct cfi_machine *machine, uint64_t header,
		    uint64_t address)
{
	uint8_t start[4];
	uint8_t pointers[16] = { 0 };
	struct cfi_reader reader;
	uint64_t count, table, low = 0, high;
	int32_t pair[2];

	if (space_read(machine->space, header, start, sizeof start) ||
	    space_read(machine->space, header + 4, pointers,
		       sizeof pointers) ||
	    start[0] != 1 || start[3] != ENCODE_TABLE)
		return 0;
	reader = (struct cfi_reader){ pointers, pointers + sizeof pointers,
				  header + 4 + sizeof pointers, false };
	cfi_get_pointer(&reader, start[1], machine);
	count = cfi_get_pointer(&reader, start[2], machine);
	if (reader.failed)
		return 0;
	table = cfi_place(&reader);
	/* The last entry that begins at or below the address. */
	high = count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (space_read(machine->space, table + 8 * middle, pair,
			       sizeof pair))
			return 0;
		if (header + (uint64_t)(int64_t)pair[0] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || space_read(machine->space, table + 8 * (low - 1), pair,
			       sizeof pair))
		return 0;
	return header + (uint64_t)(int64_t)pair[1];
}
