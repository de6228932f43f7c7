/* The structures that arguments point to, as strace shows them. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"
#include "x86/linux/trace/call-print.h"

static uint64_t field(const uint8_t *bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes + at, size);
	return value;
}

static void print_mode(FILE *out, unsigned mode)
{
	trace_name(out, mode & S_IFMT, &trace_file_kinds);
	fprintf(out, "|%#o", mode & 07777);
}

void trace_stat(FILE *out, const struct context *context, uint64_t address)
{
	bool wide = context->abi32 && strstr(context->trace.name, "64");
	size_t size = !context->abi32 ? 144 : wide ? 96 : 64;
	uint8_t bytes[144];
	unsigned mode;
	uint64_t device;

	if (guest_get(context, address, bytes, size)) {
		trace_address(out, address);
		return;
	}
	mode = (unsigned)(!context->abi32 ? field(bytes, 24, 4)
			  : wide	  ? field(bytes, 16, 4)
					  : field(bytes, 8, 2));
	fputs("{st_mode=", out);
	print_mode(out, mode);
	device = !context->abi32 ? field(bytes, 40, 8)
		 : wide		 ? field(bytes, 32, 8)
				 : field(bytes, 16, 4);
	if (S_ISCHR(mode) || S_ISBLK(mode))
		fprintf(out, ", st_rdev=makedev(%#x, %#x), ...}",
			major(device), minor(device));
	else
		fprintf(out, ", st_size=%" PRIu64 ", ...}",
			!context->abi32 ? field(bytes, 48, 8)
			: wide		? field(bytes, 44, 8)
					: field(bytes, 20, 4));
}

void trace_statx(FILE *out, const struct context *context, uint64_t address)
{
	uint8_t bytes[64];

	if (guest_get(context, address, bytes, sizeof bytes)) {
		trace_address(out, address);
		return;
	}
	fprintf(out, "{stx_mask=%#x, stx_attributes=%#x, stx_mode=",
		(unsigned)field(bytes, 0, 4), (unsigned)field(bytes, 8, 8));
	print_mode(out, (unsigned)field(bytes, 28, 2));
	fprintf(out, ", stx_size=%" PRIu64 ", ...}", field(bytes, 40, 8));
}

void trace_time(FILE *out, const struct context *context, uint64_t address)
{
	int64_t fields[2];
	int32_t narrow[2];
	bool wide = !context->abi32 || strstr(context->trace.name, "64");

	if (!address || guest_get(context, address, wide ? (void *)fields
							 : (void *)narrow,
				  wide ? 16 : 8)) {
		trace_address(out, address);
		return;
	}
	if (!wide) {
		fields[0] = narrow[0];
		fields[1] = narrow[1];
	}
	fprintf(out, "{tv_sec=%" PRId64 ", tv_nsec=%" PRId64 "}", fields[0],
		fields[1]);
}

void trace_set(FILE *out, const struct context *context, uint64_t address)
{
	uint64_t set;
	int count;

	if (!address || guest_get(context, address, &set, sizeof set)) {
		trace_address(out, address);
		return;
	}
	/* Mostly full sets are told by what is missing. */
	count = __builtin_popcountll(set);
	if (count > 32)
		set = ~set;
	fputs(count > 32 ? "~[" : "[", out);
	for (int i = 1, first = 1; i <= SIGNALS; i++)
		if (set >> (i - 1) & 1) {
			if (!first)
				fputc(' ', out);
			first = 0;
			if (i < 32)
				fputs(signal_name(i) + 3, out);
			else if (i == 32)
				fputs("RTMIN", out);
			else
				fprintf(out, "RT_%d", i - 32);
		}
	fputc(']', out);
}

void trace_action(FILE *out, const struct context *context, uint64_t address)
{
	unsigned word = trace_word(context);
	uint64_t words[3];

	if (!address || guest_get_word(context, address, words) ||
	    guest_get_word(context, address + word, words + 1) ||
	    guest_get_word(context, address + 2 * word, words + 2)) {
		trace_address(out, address);
		return;
	}
	fputs("{sa_handler=", out);
	if (words[0] > 1)
		fprintf(out, "0x%" PRIx64, words[0]);
	else
		fputs(words[0] ? "SIG_IGN" : "SIG_DFL", out);
	fputs(", sa_mask=", out);
	trace_set(out, context, address + 3 * word);
	fputs(", sa_flags=", out);
	trace_bits(out, words[1], &trace_action_flags, false);
	if (words[1] & 0x04000000)
		fprintf(out, ", sa_restorer=0x%" PRIx64, words[2]);
	fputc('}', out);
}

void trace_status(FILE *out, const struct context *context, uint64_t address)
{
	int status;

	if (!address || guest_get(context, address, &status, sizeof status)) {
		trace_address(out, address);
		return;
	}
	if (WIFEXITED(status)) {
		fprintf(out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
			WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		fputs("[{WIFSIGNALED(s) && WTERMSIG(s) == ", out);
		trace_signal(out, WTERMSIG(status));
		fputs("}]", out);
	} else if (WIFSTOPPED(status)) {
		fputs("[{WIFSTOPPED(s) && WSTOPSIG(s) == ", out);
		trace_signal(out, WSTOPSIG(status));
		fputs("}]", out);
	} else {
		fputs("[{WIFCONTINUED(s)}]", out);
	}
}

void trace_limit(FILE *out, const struct context *context, uint64_t address)
{
	bool wide = strstr(context->trace.name, "64");
	unsigned word = wide ? 8 : trace_word(context);
	uint64_t values[2] = { 0 };

	if (!address || guest_get(context, address, values, word) ||
	    guest_get(context, address + word, values + 1, word)) {
		trace_address(out, address);
		return;
	}
	for (int i = 0; i < 2; i++) {
		fputs(i ? ", rlim_max=" : "{rlim_cur=", out);
		if (values[i] == UINT64_MAX ||
		    (word == 4 && values[i] == UINT32_MAX))
			fputs(wide ? "RLIM64_INFINITY" : "RLIM_INFINITY", out);
		else if (values[i] > 1024 && values[i] % 1024 == 0)
			fprintf(out, "%" PRIu64 "*1024", values[i] / 1024);
		else
			fprintf(out, "%" PRIu64, values[i]);
	}
	fputc('}', out);
}

void trace_polls(FILE *out, const struct context *context, uint64_t address,
		 uint64_t count)
{
	struct pollfd entry;

	fputc('[', out);
	for (uint64_t i = 0; i < count && i < TRACE_LIST_MAX; i++) {
		if (guest_get(context, address + i * sizeof entry, &entry,
			      sizeof entry))
			break;
		fprintf(out, "%s{fd=%d, events=", i ? ", " : "", entry.fd);
		trace_bits(out, (uint16_t)entry.events, &trace_poll_events,
			   false);
		fputc('}', out);
	}
	fputs(count > TRACE_LIST_MAX ? ", ...]" : "]", out);
}

void trace_socket_address(FILE *out, const struct context *context,
			  uint64_t address, uint64_t size)
{
	struct sockaddr_storage from = { 0 };
	const struct sockaddr_in *inet = (const void *)&from;
	const struct sockaddr_in6 *inet6 = (const void *)&from;
	const struct sockaddr_un *local = (const void *)&from;
	char text[INET6_ADDRSTRLEN] = "";

	if (!address || size < 2 || size > sizeof from ||
	    guest_get(context, address, &from, size)) {
		trace_address(out, address);
		return;
	}
	fputs("{sa_family=", out);
	trace_name(out, from.ss_family, &trace_domains);
	switch (from.ss_family) {
	case AF_INET:
		fprintf(out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")",
			ntohs(inet->sin_port),
			inet_ntop(AF_INET, &inet->sin_addr, text,
				  sizeof text));
		break;
	case AF_INET6:
		fprintf(out, ", sin6_port=htons(%u), inet_pton(AF_INET6, "
			"\"%s\", &sin6_addr)", ntohs(inet6->sin6_port),
			inet_ntop(AF_INET6, &inet6->sin6_addr, text,
				  sizeof text));
		break;
	case AF_UNIX:
		fputs(local->sun_path[0] ? ", sun_path=" : ", sun_path=@", out);
		trace_text(
		    out, (const uint8_t *)local->sun_path + !local->sun_path[0],
		    strnlen(local->sun_path + !local->sun_path[0], size - 3),
		    false);
		break;
	default:
		fputs(", ...", out);
	}
	fputc('}', out);
}

void trace_vectors(FILE *out, const struct context *context, uint64_t address,
		   uint64_t count, bool bytes)
{
	unsigned word = trace_word(context);

	fputc('[', out);
	for (uint64_t i = 0; i < count && i < TRACE_LIST_MAX; i++) {
		uint64_t base, size;

		if (guest_get_word(context, address + 2 * i * word, &base) ||
		    guest_get_word(context, address + (2 * i + 1) * word,
				   &size))
			break;
		fprintf(out, "%s{iov_base=", i ? ", " : "");
		if (bytes)
			trace_bytes(out, context, base, size);
		else
			trace_address(out, base);
		fprintf(out, ", iov_len=%" PRIu64 "}", size);
	}
	fputs(count > TRACE_LIST_MAX ? ", ...]" : "]", out);
}

void trace_entries(FILE *out, const struct context *context, uint64_t address,
		   int64_t size)
{
	int count = 0;
	uint16_t record;

	trace_address(out, address);
	for (int64_t at = 0; at < size; at += record, count++)
		if (guest_get(context, address + (uint64_t)at + 16, &record,
			      2) || !record)
			return;
	fprintf(out, " /* %d entr%s */", count, count == 1 ? "y" : "ies");
}

void trace_clone(FILE *out, const struct context *context)
{
	const uint64_t *a = context->call.argument;
	uint64_t child = a[context->abi32 ? 4 : 3];
	uint64_t tls = a[context->abi32 ? 3 : 4];

	fputs("child_stack=", out);
	trace_address(out, a[1]);
	fputs(", flags=", out);
	trace_bits(out, a[0] & ~UINT64_C(0xff), &trace_clone_flags, false);
	if (a[0] & 0xff) {
		fputc('|', out);
		trace_signal(out, (int)(a[0] & 0xff));
	}
	if (a[0] & CLONE_PARENT_SETTID)
		fprintf(out, ", parent_tid=0x%" PRIx64, a[2]);
	if (a[0] & CLONE_SETTLS)
		fprintf(out, ", tls=0x%" PRIx64, tls);
	if (a[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		fprintf(out, ", child_tidptr=0x%" PRIx64, child);
}

void trace_clone3(FILE *out, const struct context *context, uint64_t address)
{
	uint64_t fields[8];

	if (guest_get(context, address, fields, sizeof fields)) {
		trace_address(out, address);
		return;
	}
	fputs("{flags=", out);
	trace_bits(out, fields[0], &trace_clone_flags, false);
	fprintf(out, ", child_tid=0x%" PRIx64 ", parent_tid=0x%" PRIx64
		", exit_signal=", fields[2], fields[3]);
	trace_signal(out, (int)fields[4]);
	fprintf(out, ", stack=0x%" PRIx64 ", stack_size=%#" PRIx64
		", tls=0x%" PRIx64 "}", fields[5], fields[6], fields[7]);
}

void trace_pair(FILE *out, const struct context *context, uint64_t address)
{
	int32_t pair[2];

	if (guest_get(context, address, pair, sizeof pair))
		trace_address(out, address);
	else
		fprintf(out, "[%d, %d]", pair[0], pair[1]);
}
