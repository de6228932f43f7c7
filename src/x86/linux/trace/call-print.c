/* Functions that write arguments of all kinds: names, bytes, strings. */
#include <arpa/inet.h>
#include <asm/prctl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call-print.h"

enum { TEXT_MAX = 32 };

/* ---- Names ---- */

#define LIST(kind) static const struct trace_item kind##_items[] = {
#define N(value) { (uint64_t)(value), #value },
#define V(value, name) { value, name },
#define END(kind) }; \
	const struct trace_names trace_##kind = { kind##_items, \
						  ARRAY_SIZE(kind##_items) };
#include "x86/linux/trace/call-names.def"

void trace_name(FILE *out, uint64_t value, const struct trace_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->item[i].value == value) {
			fputs(names->item[i].text, out);
			return;
		}
	fprintf(out, "0x%" PRIx64, value);
}

void trace_bits(FILE *out, uint64_t value, const struct trace_names *names,
		bool printed)
{
	for (size_t i = 0; i < names->count; i++) {
		if (!names->item[i].value ||
		    (value & names->item[i].value) != names->item[i].value)
			continue;
		fprintf(out, "%s%s", printed ? "|" : "", names->item[i].text);
		value &= ~names->item[i].value;
		printed = true;
	}
	if (value)
		fprintf(out, "%s0x%" PRIx64, printed ? "|" : "", value);
	else if (!printed)
		fputc('0', out);
}

void trace_signal(FILE *out, int number)
{
	if (number > 33 && number <= SIGNALS)
		fprintf(out, "SIGRT_%d", number - 32);
	else if (number >= 32 && number <= SIGNALS)
		fprintf(out, number == 32 ? "SIGRTMIN" : "SIGRT_1");
	else
		fputs(signal_name(number), out);
}

/* ---- Bytes ---- */

void trace_text(FILE *out, const uint8_t *text, size_t size, bool more)
{
	static const char escapes[] = "\"\\\n\t\r\v\f", letters[] = "\"\\ntrvf";

	fputc('"', out);
	for (size_t i = 0; i < size; i++) {
		const char *escape = text[i] ? strchr(escapes, text[i]) : NULL;

		if (escape)
			fprintf(out, "\\%c", letters[escape - escapes]);
		else if (text[i] >= 32 && text[i] < 127)
			fputc(text[i], out);
		else if (i + 1 < size && text[i + 1] >= '0' &&
			 text[i + 1] <= '7')
			fprintf(out, "\\%03o", text[i]);
		else
			fprintf(out, "\\%o", text[i]);
	}
	fprintf(out, "\"%s", more ? "..." : "");
}

void trace_address(FILE *out, uint64_t value)
{
	if (value)
		fprintf(out, "0x%" PRIx64, value);
	else
		fputs("NULL", out);
}

void trace_bytes(FILE *out, const struct context *context, uint64_t address,
		 uint64_t size)
{
	uint8_t text[TEXT_MAX];
	size_t shown = size > TEXT_MAX ? TEXT_MAX : (size_t)size;

	if (address && guest_get(context, address, text, shown) == 0)
		trace_text(out, text, shown, size > TEXT_MAX);
	else
		trace_address(out, address);
}

void trace_string(FILE *out, const struct context *context, uint64_t address)
{
	char text[PATH_MAX];
	long length = address ? space_read_string(context->cpu->space, address,
						  text, sizeof text)
			      : -1;

	if (length >= 0)
		trace_text(out, (uint8_t *)text, (size_t)length, false);
	else
		trace_address(out, address);
}

unsigned trace_word(const struct context *context)
{
	return context->abi32 ? 4 : 8;
}

void trace_strings(FILE *out, const struct context *context, uint64_t address)
{
	for (int i = 0; i < TRACE_LIST_MAX; i++) {
		uint64_t at;

		if (guest_get_word(context,
				   address + (unsigned)i * trace_word(context),
				   &at)) {
			trace_address(out, address);
			return;
		}
		if (!at) {
			fputs(i ? "]" : "[]", out);
			return;
		}
		fputs(i ? ", " : "[", out);
		trace_string(out, context, at);
	}
	fputs(", ...]", out);
}

void trace_environment(FILE *out, const struct context *context,
		       uint64_t address)
{
	uint64_t at = 1;
	int count = 0;

	trace_address(out, address);
	while (address && count < 100000 &&
	       guest_get_word(context,
			      address + (unsigned)count * trace_word(context),
			      &at) == 0 && at)
		count++;
	if (address)
		fprintf(out, " /* %d var%s */", count, count == 1 ? "" : "s");
}
