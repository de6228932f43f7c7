/* ELF images described to people. */
#include "loader/elf-internal.h"

#include <inttypes.h>

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
			" %s\n", segment->address, segment->memory_size,
			segment->offset, segment->file_size,
			space_protection_text(segment->protection));
	}
}

void elf_print(struct elf_image *image, FILE *stream)
{
	const struct elf_symbols *symbols = elf_symbols(image);

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
			", file 0x%" PRIx64 " + 0x%" PRIx64 ", %s\n",
			segment->address, segment->memory_size,
			segment->offset, segment->file_size,
			space_protection_text(segment->protection));
	}
	print_sections(image, stream);
	for (size_t i = 0; i < symbols->count; i++)
		fprintf(stream, "  symbol 0x%" PRIx64 " + 0x%" PRIx64 " %s\n",
			symbols->list[i].address, symbols->list[i].size,
			symbols->list[i].name);
}
