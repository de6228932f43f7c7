/* Arguments of system calls, by the letters of calls.def. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call-print.h"

void trace_open_mode(FILE *out, uint64_t flags)
{
	fputs((flags & O_ACCMODE) == O_RDONLY	? "O_RDONLY"
	      : (flags & O_ACCMODE) == O_WRONLY ? "O_WRONLY"
						: "O_RDWR", out);
	trace_bits(out, flags & ~(uint64_t)O_ACCMODE, &trace_open_flags, true);
}

static void print_octal(FILE *out, uint64_t value)
{
	fprintf(out, value ? "%#03o" : "%o", (unsigned)value);
}

bool trace_is_output(char letter)
{
	return strchr("BTXwnLNY", letter) != NULL;
}

void trace_output(FILE *out, const struct context *context, size_t index,
		  int64_t result)
{
	uint64_t value = context->call.argument[index];

	if (result < 0 && result != CALL_NO_RESULT) {
		trace_address(out, value);
		return;
	}
	switch (context->trace.arguments[index]) {
	case 'B':
		trace_bytes(out, context, value,
			    result > 0 ? (uint64_t)result : 0);
		break;
	case 'T':
		trace_stat(out, context, value);
		break;
	case 'X':
		trace_statx(out, context, value);
		break;
	case 'w':
		if (result > 0)
			trace_status(out, context, value);
		else
			trace_address(out, value);
		break;
	case 'n':
		trace_pair(out, context, value);
		break;
	case 'L':
		trace_limit(out, context, value);
		break;
	case 'N':
		trace_entries(out, context, value, result);
		break;
	default: /* Y */
		trace_time(out, context, value);
	}
}

/* Kinds that are a value or bits out of one list. */
struct simple_kind {
	char letter;
	bool bits;
	bool narrow;      /* only the low 32 bits count */
	const struct trace_names *names;
	const char *zero; /* what no bits are called, if not 0 */
};

static const struct simple_kind simple_kinds[] = {
	{ 'a', true, false, &trace_at_flags, NULL },
	{ 'W', false, false, &trace_whences, NULL },
	{ 'c', false, false, &trace_clocks, NULL },
	{ 'h', false, false, &trace_mask_changes, NULL },
	{ 'r', false, false, &trace_resources, NULL },
	{ 'R', false, false, &trace_advices, NULL },
	{ 'F', false, false, &trace_fcntl_commands, NULL },
	{ 'e', false, false, &trace_epoll_operations, NULL },
	{ 'D', false, false, &trace_domains, NULL },
	{ 'I', false, true, &trace_requests, NULL },
	{ 'V', false, true, &trace_prctl_options, NULL },
	{ 'H', false, false, &trace_arch_operations, NULL },
	{ 'G', true, false, &trace_wait_options, NULL },
	{ 'P', true, false, &trace_protections, "PROT_NONE" },
	{ 'A', true, false, &trace_accesses, "F_OK" },
};

static bool print_simple(FILE *out, char letter, uint64_t value)
{
	const struct simple_kind *kind = simple_kinds;
	const struct simple_kind *end = kind + ARRAY_SIZE(simple_kinds);

	while (kind < end && kind->letter != letter)
		kind++;
	if (kind == end)
		return false;
	if (kind->narrow)
		value = (uint32_t)value;
	if (!value && kind->zero)
		fputs(kind->zero, out);
	else if (kind->bits)
		trace_bits(out, value, kind->names, false);
	else
		trace_name(out, value, kind->names);
	return true;
}

void trace_input(FILE *out, const struct context *context, size_t index)
{
	const uint64_t *a = context->call.argument;
	uint64_t value = a[index];
	char letter = context->trace.arguments[index];

	if (print_simple(out, letter, value))
		return;
	switch (letter) {
	case 'd':
		fprintf(out, "%d", (int)value);
		break;
	case 'u':
		fprintf(out, "%u", (unsigned)value);
		break;
	case 'z':
		fprintf(out, "%" PRIu64, value);
		break;
	case 'l':
		fprintf(out, "%" PRId64,
			context->abi32 ? (int32_t)value : (int64_t)value);
		break;
	case 'f':
		if ((int)value == AT_FDCWD)
			fputs("AT_FDCWD", out);
		else
			fprintf(out, "%d", (int)value);
		break;
	case 'o':
		print_octal(out, value);
		break;
	case 'g':
		trace_signal(out, (int)value);
		break;
	case 's':
		trace_string(out, context, value);
		break;
	case 'b':
		trace_bytes(out, context, value, a[index + 1]);
		break;
	case 'p':
		trace_address(out, value);
		break;
	case 'O':
		trace_open_mode(out, value);
		break;
	case 'M':
		fputs((value & MAP_TYPE) == MAP_SHARED	  ? "MAP_SHARED"
		      : (value & MAP_TYPE) == MAP_PRIVATE ? "MAP_PRIVATE"
							  : "MAP_SHARED_VALIDATE",
		      out);
		trace_bits(out, value & ~(uint64_t)MAP_TYPE, &trace_map_flags,
			   true);
		break;
	case 'q':
		trace_set(out, context, value);
		break;
	case 'Q':
		trace_action(out, context, value);
		break;
	case 't':
		trace_time(out, context, value);
		break;
	case 'k':
		trace_name(out, value & 0xf, &trace_socket_types);
		trace_bits(out, value & ~UINT64_C(0xf), &trace_socket_flags,
			   true);
		break;
	case 'U':
		trace_name(out, value & FUTEX_CMD_MASK,
			   &trace_futex_operations);
		if (value & FUTEX_PRIVATE_FLAG)
			fputs("_PRIVATE", out);
		if (value & FUTEX_CLOCK_REALTIME)
			fputs("|FUTEX_CLOCK_REALTIME", out);
		break;
	case 'v':
		trace_strings(out, context, value);
		break;
	case 'E':
		trace_environment(out, context, value);
		break;
	case 'j':
		trace_polls(out, context, value, a[index + 1]);
		break;
	case 'y':
		trace_socket_address(out, context, value, a[index + 1]);
		break;
	case 'i':
		trace_vectors(out, context, value, a[index + 1], true);
		break;
	case 'K':
		trace_clone(out, context);
		break;
	case 'C':
		trace_clone3(out, context, value);
		break;
	default:
		fprintf(out, value ? "0x%" PRIx64 : "%" PRIx64, value);
	}
}
