/* printf of kernels: the buffer before a launch, the text after it.
 *
 * The text goes to the program's own standard output, in its own library, so
 * that it mixes with what the program prints as if the kernel had run there.
 * Work-groups come in order of their ids, in a group its work-items, and what
 * one work-item printed in the order of the program: the same text, however
 * many threads ran the kernel. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/image/format.h"
#include "opencl-rt/driver/internal.h"
#include "opencl-rt/printf-buffer.h"

enum {
	CAPACITY = PRINTF_BUFFER_SIZE / 4, /* dwords of records */
	DWORDS = PRINTF_HEADER + CAPACITY + PRINTF_RECORD_MAX,
};

/* Text that the library has not fetched yet. */
struct print {
	uint64_t handle;
	char *text;
	size_t size;
	struct print *next;
};

static uint32_t *buffer_dwords(struct opencl_driver *driver)
{
	return evg_memory_host(driver->memory, driver->printf_buffer,
			       4 * DWORDS);
}

int print_reserve(struct opencl_driver *driver, struct error *error)
{
	if (!driver->printf_buffer)
		driver->printf_buffer = evg_memory_allocate(
			driver->memory, 4 * DWORDS, false, "printf buffer");
	return driver->printf_buffer
		       ? 0
		       : error_set(error, "no room for the printf buffer (%d "
				   "bytes) in device memory", 4 * DWORDS);
}

int print_begin(struct opencl_driver *driver, struct error *error)
{
	uint32_t *dwords;

	if (print_reserve(driver, error))
		return -1;
	dwords = buffer_dwords(driver);
	if (dwords[0]) /* the kernel before printed */
		memset(dwords, 0, 4 * DWORDS);
	dwords[1] = CAPACITY;
	return 0;
}

/* --- The text ----------------------------------------------------------- */

/* Order of work-groups, then work-items, then places in the buffer. */
static int compare_records(const void *a, const void *b)
{
	const uint32_t *first = *(const uint32_t *const *)a;
	const uint32_t *second = *(const uint32_t *const *)b;

	if (first[2] != second[2])
		return first[2] < second[2] ? -1 : 1;
	if (first[3] != second[3])
		return first[3] < second[3] ? -1 : 1;
	return first < second ? -1 : first > second;
}

/* The records that are whole; their number. */
static size_t collect_records(const uint32_t *dwords, const uint32_t ***records)
{
	uint32_t used = dwords[0] < CAPACITY ? dwords[0] : CAPACITY;
	size_t count = 0, capacity = 0;

	*records = NULL;
	for (uint32_t at = 0; at < used;) {
		const uint32_t *record = dwords + PRINTF_HEADER + at;

		if (record[0] < PRINTF_RECORD_HEADER ||
		    record[0] > used - at)
			break; /* there was no room for it */
		ARRAY_GROW(*records, count, capacity);
		(*records)[count++] = record;
		at += record[0];
	}
	return count;
}

static void format_all(struct opencl_driver *driver, FILE *stream)
{
	const uint32_t **records;
	size_t count = collect_records(buffer_dwords(driver), &records);

	if (count)
		qsort(records, count, sizeof *records, compare_records);
	for (size_t i = 0; i < count; i++)
		format_record(stream, driver->memory, records[i],
			      records[i][0]);
	free(records);
}

void print_send(struct opencl_driver *driver, char *text, size_t size)
{
	struct print *print = xcalloc(1, sizeof *print);
	struct print **last = &driver->prints;

	print->text = text;
	print->size = size;
	print->handle = ++driver->last_print;
	while (*last)
		last = &(*last)->next;
	*last = print;
	notice_add(driver, &(struct notice){ .kind = OPENCL_NOTICE_PRINT,
					     .handle = print->handle,
					     .status = (int64_t)print->size });
}

void print_end(struct opencl_driver *driver, const char *kernel)
{
	const uint32_t *dwords = buffer_dwords(driver);
	char *text = NULL;
	size_t size = 0;
	FILE *stream;

	if (!dwords[0])
		return;
	if (dwords[0] > CAPACITY)
		log_warning(driver->options.log, "printf: kernel %s wrote %llu "
			    "bytes; the buffer holds %d "
			    "(CL_DEVICE_PRINTF_BUFFER_SIZE), the rest is lost",
			    kernel, 4ull * dwords[0], PRINTF_BUFFER_SIZE);
	stream = open_memstream(&text, &size);
	if (!stream)
		return;
	format_all(driver, stream);
	fclose(stream);
	print_send(driver, text, size);
}

/* --- Its way to the program --------------------------------------------- */

static void print_free(struct print *print)
{
	free(print->text);
	free(print);
}

void prints_free(struct opencl_driver *driver)
{
	struct print *print;

	while ((print = driver->prints)) {
		driver->prints = print->next;
		print_free(print);
	}
}

cl_int serve_print(struct opencl_driver *driver, struct request_print *request)
{
	struct print **place = &driver->prints, *print;
	cl_int status;

	while (*place && (*place)->handle != request->handle)
		place = &(*place)->next;
	print = *place;
	if (!print)
		return CL_INVALID_VALUE;
	*place = print->next;
	status = program_write(driver, request->text, print->text,
			       print->size);
	print_free(print);
	return status;
}
