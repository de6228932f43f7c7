/* printf in kernels of AMD's compiler, as AMD's own runtime had it
 * (rocclr/device/gpu/gpuprintf.cpp, gpukernel.cpp and gpuvirtual.cpp in the
 * history of the repository ROCm/clr).
 *
 * Each work-item of one work-group has a section of the buffer, so that the
 * work-groups run one after the other, and the text of each is there before
 * the next one starts. The dwords of a section:
 *
 *	0  number of the first dword that is free; 1 at the start
 *	1  records: index of the format, then the arguments, each in whole
 *	   dwords, a string as its bytes with their NUL. A dword of zeros is no
 *	   string, and two dwords long.
 *
 * In constant buffer 0 kernels find the buffer's address and a section's size
 * in dwords; the sections lie in the order of local ids, x fastest. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/image/format.h"
#include "opencl-rt/driver/internal.h"
#include "opencl-rt/printf-buffer.h"

enum {
	FIRST_FREE = 1,  /* when a section is empty */
	NULL_STRING = 2, /* dwords */
	TEXT_MAX = 0xffff, /* dwords that a tag can say */
};

struct printer {
	struct opencl_driver *driver;
	const struct evg_kernel *kernel;
	uint32_t items, section; /* work-items; dwords for each of them */
	uint32_t full;           /* how many wanted more */
	FILE *stream;
	uint32_t *arguments; /* of the record at hand, as format_text wants */
	size_t count, capacity;
	struct error *error;
};

/* What is left of a section. */
struct records {
	const uint32_t *at, *end;
};

static size_t left(const struct records *records)
{
	return (size_t)(records->end - records->at);
}

static void put_dword(struct printer *printer, uint32_t dword)
{
	ARRAY_GROW(printer->arguments, printer->count, printer->capacity);
	printer->arguments[printer->count++] = dword;
}

/* --- Arguments ---------------------------------------------------------- */

/* False: the section ends before the argument does. */
static bool take_string(struct printer *printer, struct records *records)
{
	size_t bytes, dwords;

	if (left(records) && !records->at[0]) {
		put_dword(printer, PRINTF_TAG(PRINTF_POINTER, 4, 1));
		put_dword(printer, 0);
		records->at += left(records) < NULL_STRING ? 1 : NULL_STRING;
		return true;
	}
	bytes = strnlen((const char *)records->at, 4 * left(records));
	if (bytes == 4 * left(records))
		return false;
	dwords = bytes / 4 + 1;
	put_dword(printer, PRINTF_TAG(PRINTF_TEXT, 4,
				      dwords < TEXT_MAX ? dwords : TEXT_MAX));
	for (size_t i = 0; i < dwords && i + 1 < TEXT_MAX; i++)
		put_dword(printer, records->at[i]);
	if (dwords >= TEXT_MAX)
		put_dword(printer, 0);
	records->at += dwords;
	return true;
}

/* Elements lie packed, those of a vector of three like those of four. */
static void take_elements(struct printer *printer, const uint32_t *from,
			  bool is_float, uint32_t bytes, unsigned count)
{
	put_dword(printer, PRINTF_TAG(is_float ? PRINTF_FLOAT : PRINTF_INTEGER,
				      bytes, count));
	for (unsigned i = 0; i < count; i++) {
		uint32_t words[2] = { 0, 0 };

		memcpy(words, (const char *)from + (size_t)i * bytes, bytes);
		put_dword(printer, words[0]);
		if (bytes == 8)
			put_dword(printer, words[1]);
	}
}

static bool is_size(uint32_t bytes, unsigned count, uint32_t size)
{
	return count && (bytes == 1 || bytes == 2 || bytes == 4 ||
			 bytes == 8) &&
	       bytes * (count == 3 ? 4 : count) == size;
}

/* 1: taken; 0: the section ends before; -1 and *error: nothing that the
 * format can print. */
static int take_argument(struct printer *printer, struct records *records,
			 uint32_t format, uint32_t size, char letter,
			 unsigned count)
{
	uint32_t bytes = count ? size / (count == 3 ? 4 : count) : 0;

	if (letter == 's' || !size)
		return take_string(printer, records);
	if (letter && !is_size(bytes, count, size))
		return error_set(printer->error, "kernel '%s': printf: format "
				 "%" PRIu32 " prints %u elements with %%%c, "
				 "and its argument has %" PRIu32 " bytes",
				 printer->kernel->name, format, count, letter,
				 size);
	if ((size + 3) / 4 > left(records))
		return 0;
	if (letter)
		take_elements(printer, records->at,
			      strchr("fFeEgGaA", letter), bytes, count);
	records->at += (size + 3) / 4;
	return 1;
}

/* --- Records ------------------------------------------------------------ */

/* As take_argument. */
static int print_record(struct printer *printer, struct records *records)
{
	const struct evg_program *program = printer->kernel->program;
	uint32_t index = *records->at++;
	const struct evg_printf_format *format;
	const char *at;
	int taken = 1;

	if (index >= program->format_count || !program->formats[index].text)
		return error_set(printer->error, "kernel '%s': printf: there "
				 "is a record of format %" PRIu32 ", which the "
				 "binary does not have",
				 printer->kernel->name, index);
	format = &program->formats[index];
	at = format->text;
	printer->count = 0;
	for (uint32_t i = 0; taken > 0 && i < format->argument_count; i++) {
		char letter = '\0';
		unsigned count = 1;

		format_next(&at, &letter, &count);
		taken = take_argument(printer, records, index,
				      format->sizes[i], letter, count);
	}
	if (taken > 0)
		format_text(printer->stream, printer->driver->memory,
			    format->text, printer->arguments,
			    (uint32_t)printer->count);
	return taken;
}

static uint32_t *sections(const struct printer *printer)
{
	return evg_memory_host(printer->driver->memory,
			       printer->driver->printf_buffer,
			       4 * printer->items * printer->section);
}

static int print_group(struct printer *printer)
{
	const uint32_t *section = sections(printer);
	int taken;

	for (uint32_t i = 0; i < printer->items; i++) {
		uint32_t used = section[0];
		struct records records = { section + FIRST_FREE, section };

		records.end += used < printer->section ? used
						       : printer->section;
		printer->full += used > printer->section;
		taken = 1;
		while (taken > 0 && records.at < records.end)
			taken = print_record(printer, &records);
		if (taken < 0)
			return -1;
		section += printer->section;
	}
	return 0;
}

/* --- Work-groups -------------------------------------------------------- */

static int run_group(struct printer *printer, struct evg_launch *launch)
{
	struct opencl_driver *driver = printer->driver;
	uint32_t *section = sections(printer);
	struct evg_ndrange *ndrange;
	int failed;

	for (uint32_t i = 0; i < printer->items; i++)
		section[i * printer->section] = FIRST_FREE;
	ndrange = evg_ndrange_create(launch, printer->error);
	if (!ndrange)
		return -1;
	failed = driver->machine.run(driver->machine.owner, ndrange,
				     printer->error);
	evg_ndrange_free(ndrange);
	return failed ? failed : print_group(printer);
}

/* x fastest. */
static int run_groups(struct printer *printer, const struct evg_launch *whole)
{
	struct evg_part part = { .group = { 0 } };
	struct evg_launch launch = *whole;
	uint64_t groups = 1;
	int failed = 0;

	memcpy(part.global_size, whole->global_size, sizeof part.global_size);
	memcpy(part.global_offset, whole->global_offset,
	       sizeof part.global_offset);
	memcpy(launch.global_size, whole->local_size, sizeof launch.global_size);
	launch.part = &part;
	launch.printf_buffer = printer->driver->printf_buffer;
	launch.printf_section = printer->section;
	for (int d = 0; d < 3; d++)
		groups *= whole->global_size[d] / whole->local_size[d];
	for (uint64_t i = 0; !failed && i < groups; i++) {
		uint64_t rest = i;

		for (int d = 0; d < 3; d++) {
			uint32_t count =
				whole->global_size[d] / whole->local_size[d];

			part.group[d] = (uint32_t)(rest % count);
			rest /= count;
			launch.global_offset[d] =
				whole->global_offset[d] +
				part.group[d] * whole->local_size[d];
		}
		if (i)
			launch.id = printer->driver->launches++;
		failed = run_group(printer, &launch);
	}
	return failed;
}

int print_run_groups(struct opencl_driver *driver,
		     const struct evg_launch *whole, struct error *error)
{
	struct printer printer = {
		.driver = driver, .kernel = whole->kernel, .error = error,
	};
	char *text = NULL;
	size_t size = 0;
	int failed;

	if (print_reserve(driver, error))
		return 1;
	printer.items = whole->local_size[0] * whole->local_size[1] *
			whole->local_size[2];
	printer.section = PRINTF_BUFFER_SIZE / 4 / printer.items;
	printer.stream = open_memstream(&text, &size);
	if (!printer.stream)
		return error_set(error, "kernel '%s': no host memory for its "
					"printf output", whole->kernel->name);
	failed = run_groups(&printer, whole);
	fclose(printer.stream);
	free(printer.arguments);
	if (printer.full)
		log_warning(driver->options.log, "printf: kernel %s: %" PRIu32
			    " work-items needed more than their %" PRIu32
			    " bytes of the buffer; the rest is lost",
			    whole->kernel->name, printer.full,
			    4 * printer.section);
	if (size)
		print_send(driver, text, size);
	else
		free(text);
	return failed;
}
