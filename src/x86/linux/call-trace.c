/* --x86-debug-syscall: one line for each call, as strace writes it.
 *
 * A call's arguments are written when it is entered, up to the first that the
 * call fills in; the rest when it returns. A call that waits has two lines,
 * "<unfinished ...>" and "<... resumed>". */
#include <arpa/inet.h>
#include <asm/prctl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

enum { TEXT_MAX = 32, LIST_MAX = 16, RESULT_COLUMN = 39 };

/* ---- Names ---- */

struct name {
	uint64_t value;
	const char *text;
};

#define N(value) { (uint64_t)(value), #value }

static const struct name open_flags[] = {
	N(O_CREAT), N(O_EXCL), N(O_NOCTTY), N(O_TRUNC), N(O_APPEND),
	N(O_NONBLOCK), { 04010000, "O_SYNC" }, N(O_DSYNC), N(O_ASYNC),
	N(O_DIRECT), { 0100000, "O_LARGEFILE" },
	{ 020200000, "O_TMPFILE" }, N(O_DIRECTORY), N(O_NOFOLLOW),
	N(O_NOATIME), N(O_CLOEXEC), N(O_PATH),
};
static const struct name protections[] = {
	N(PROT_READ), N(PROT_WRITE), N(PROT_EXEC), N(PROT_GROWSDOWN),
};
static const struct name map_flags[] = {
	N(MAP_FIXED), N(MAP_ANONYMOUS), N(MAP_32BIT), N(MAP_GROWSDOWN),
	N(MAP_DENYWRITE), N(MAP_EXECUTABLE), N(MAP_LOCKED), N(MAP_NORESERVE),
	N(MAP_POPULATE), N(MAP_NONBLOCK), N(MAP_STACK), N(MAP_HUGETLB),
	N(MAP_FIXED_NOREPLACE),
};
static const struct name at_flags[] = {
	N(AT_SYMLINK_NOFOLLOW), N(AT_REMOVEDIR), N(AT_SYMLINK_FOLLOW),
	N(AT_NO_AUTOMOUNT), N(AT_EMPTY_PATH),
};
static const struct name accesses[] = { N(X_OK), N(W_OK), N(R_OK) };
static const struct name whences[] = {
	N(SEEK_SET), N(SEEK_CUR), N(SEEK_END), N(SEEK_DATA), N(SEEK_HOLE),
};
static const struct name clocks[] = {
	N(CLOCK_REALTIME), N(CLOCK_MONOTONIC), N(CLOCK_PROCESS_CPUTIME_ID),
	N(CLOCK_THREAD_CPUTIME_ID), N(CLOCK_MONOTONIC_RAW),
	N(CLOCK_REALTIME_COARSE), N(CLOCK_MONOTONIC_COARSE),
	N(CLOCK_BOOTTIME), N(CLOCK_TAI),
};
static const struct name mask_changes[] = {
	N(SIG_BLOCK), N(SIG_UNBLOCK), N(SIG_SETMASK),
};
static const struct name action_flags[] = {
	{ 0x04000000, "SA_RESTORER" }, N(SA_ONSTACK), N(SA_RESTART),
	N(SA_NODEFER), { SA_RESETHAND, "SA_RESETHAND" }, N(SA_SIGINFO),
	N(SA_NOCLDSTOP), N(SA_NOCLDWAIT),
};
static const struct name resources[] = {
	N(RLIMIT_CPU), N(RLIMIT_FSIZE), N(RLIMIT_DATA), N(RLIMIT_STACK),
	N(RLIMIT_CORE), N(RLIMIT_RSS), N(RLIMIT_NPROC), N(RLIMIT_NOFILE),
	N(RLIMIT_MEMLOCK), N(RLIMIT_AS), N(RLIMIT_LOCKS),
	N(RLIMIT_SIGPENDING), N(RLIMIT_MSGQUEUE), N(RLIMIT_NICE),
	N(RLIMIT_RTPRIO), N(RLIMIT_RTTIME),
};
static const struct name clone_flags[] = {
	N(CLONE_VM), N(CLONE_FS), N(CLONE_FILES), N(CLONE_SIGHAND),
	N(CLONE_PIDFD), N(CLONE_PTRACE), N(CLONE_VFORK), N(CLONE_PARENT),
	N(CLONE_THREAD), N(CLONE_NEWNS), N(CLONE_SYSVSEM), N(CLONE_SETTLS),
	N(CLONE_PARENT_SETTID), N(CLONE_CHILD_CLEARTID), N(CLONE_DETACHED),
	N(CLONE_UNTRACED), N(CLONE_CHILD_SETTID),
};
static const struct name fcntl_commands[] = {
	N(F_DUPFD), N(F_GETFD), N(F_SETFD), N(F_GETFL), N(F_SETFL),
	{ 5, "F_GETLK" }, { 6, "F_SETLK" }, { 7, "F_SETLKW" },
	N(F_SETOWN), N(F_GETOWN), N(F_SETSIG), N(F_GETSIG),
	{ 12, "F_GETLK64" }, { 13, "F_SETLK64" }, { 14, "F_SETLKW64" },
	N(F_OFD_GETLK), N(F_OFD_SETLK), N(F_OFD_SETLKW),
	N(F_DUPFD_CLOEXEC), N(F_SETPIPE_SZ), N(F_GETPIPE_SZ),
	N(F_ADD_SEALS), N(F_GET_SEALS),
};
static const struct name epoll_operations[] = {
	N(EPOLL_CTL_ADD), N(EPOLL_CTL_DEL), N(EPOLL_CTL_MOD),
};
static const struct name domains[] = {
	N(AF_UNIX), N(AF_INET), N(AF_INET6), N(AF_NETLINK), N(AF_PACKET),
};
static const struct name socket_types[] = {
	N(SOCK_STREAM), N(SOCK_DGRAM), N(SOCK_RAW), N(SOCK_SEQPACKET),
};
static const struct name socket_flags[] = {
	N(SOCK_CLOEXEC), N(SOCK_NONBLOCK),
};
static const struct name futex_operations[] = {
	N(FUTEX_WAIT), N(FUTEX_WAKE), N(FUTEX_REQUEUE), N(FUTEX_CMP_REQUEUE),
	N(FUTEX_WAKE_OP), N(FUTEX_LOCK_PI), N(FUTEX_UNLOCK_PI),
	N(FUTEX_TRYLOCK_PI), N(FUTEX_WAIT_BITSET), N(FUTEX_WAKE_BITSET),
	N(FUTEX_LOCK_PI2),
};
static const struct name advices[] = {
	N(MADV_NORMAL), N(MADV_RANDOM), N(MADV_SEQUENTIAL), N(MADV_WILLNEED),
	N(MADV_DONTNEED), N(MADV_FREE), N(MADV_REMOVE), N(MADV_HUGEPAGE),
	N(MADV_NOHUGEPAGE), N(MADV_DONTDUMP),
};
static const struct name requests[] = {
	N(TCGETS), N(TCSETS), N(TCSETSW), N(TCSETSF), N(TIOCGWINSZ),
	N(TIOCSWINSZ), N(TIOCGPGRP), N(TIOCSPGRP), N(FIONREAD), N(FIONBIO),
	N(FIOCLEX), N(FIONCLEX), N(TIOCGPTN), N(TIOCSPTLCK), N(TIOCSCTTY),
};
static const struct name prctl_options[] = {
	N(PR_SET_NAME), N(PR_GET_NAME), N(PR_SET_PDEATHSIG),
	N(PR_GET_DUMPABLE), N(PR_SET_DUMPABLE), N(PR_SET_NO_NEW_PRIVS),
	N(PR_GET_NO_NEW_PRIVS), N(PR_CAPBSET_READ), N(PR_SET_CHILD_SUBREAPER),
	N(PR_GET_KEEPCAPS), N(PR_SET_KEEPCAPS),
};
static const struct name arch_operations[] = {
	N(ARCH_SET_FS), N(ARCH_GET_FS), N(ARCH_SET_GS), N(ARCH_GET_GS),
	{ 0x3001, "0x3001 /* ARCH_??? */" },
};
static const struct name poll_events[] = {
	N(POLLIN), N(POLLPRI), N(POLLOUT), N(POLLERR), N(POLLHUP),
	N(POLLNVAL), N(POLLRDNORM), N(POLLRDBAND), N(POLLRDHUP),
};
static const struct name wait_options[] = {
	N(WNOHANG), { WSTOPPED, "WSTOPPED" }, N(WEXITED), N(WCONTINUED),
	N(WNOWAIT),
};

/* The name of one value, or the value. */
static void print_name(FILE *out, uint64_t value, const struct name *names,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names[i].value == value) {
			fputs(names[i].text, out);
			return;
		}
	fprintf(out, "0x%" PRIx64, value);
}

/* Names of all bits; `printed`: a name stands there already. */
static void print_bits(FILE *out, uint64_t value, const struct name *names,
		       size_t count, bool printed)
{
	for (size_t i = 0; i < count; i++) {
		if (!names[i].value ||
		    (value & names[i].value) != names[i].value)
			continue;
		fprintf(out, "%s%s", printed ? "|" : "", names[i].text);
		value &= ~names[i].value;
		printed = true;
	}
	if (value)
		fprintf(out, "%s0x%" PRIx64, printed ? "|" : "", value);
	else if (!printed)
		fputc('0', out);
}

#define NAME(out, value, names) print_name(out, value, names, ARRAY_SIZE(names))
#define BITS(out, value, names) \
	print_bits(out, value, names, ARRAY_SIZE(names), false)
#define MORE_BITS(out, value, names) \
	print_bits(out, value, names, ARRAY_SIZE(names), true)

static void print_signal(FILE *out, int number)
{
	if (number > 33 && number <= SIGNALS)
		fprintf(out, "SIGRT_%d", number - 32);
	else if (number >= 32 && number <= SIGNALS)
		fprintf(out, number == 32 ? "SIGRTMIN" : "SIGRT_1");
	else
		fputs(signal_name(number), out);
}

/* ---- Bytes ---- */

static void print_text(FILE *out, const uint8_t *text, size_t size, bool more)
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

static void print_address(FILE *out, uint64_t value)
{
	if (value)
		fprintf(out, "0x%" PRIx64, value);
	else
		fputs("NULL", out);
}

static void print_bytes(FILE *out, const struct context *context,
			uint64_t address, uint64_t size)
{
	uint8_t text[TEXT_MAX];
	size_t shown = size > TEXT_MAX ? TEXT_MAX : (size_t)size;

	if (address && guest_get(context, address, text, shown) == 0)
		print_text(out, text, shown, size > TEXT_MAX);
	else
		print_address(out, address);
}

static void print_string(FILE *out, const struct context *context,
			 uint64_t address)
{
	char text[PATH_MAX];
	long length = address ? space_read_string(context->cpu->space, address,
						  text, sizeof text)
			      : -1;

	if (length >= 0)
		print_text(out, (uint8_t *)text, (size_t)length, false);
	else
		print_address(out, address);
}

static unsigned word_of(const struct context *context)
{
	return context->abi32 ? 4 : 8;
}

/* argv: ["a", "b"]; a longer list is cut. */
static void print_strings(FILE *out, const struct context *context,
			  uint64_t address)
{
	for (int i = 0; i < LIST_MAX; i++) {
		uint64_t at;

		if (guest_get_word(context,
				   address + (unsigned)i * word_of(context),
				   &at)) {
			print_address(out, address);
			return;
		}
		if (!at) {
			fputs(i ? "]" : "[]", out);
			return;
		}
		fputs(i ? ", " : "[", out);
		print_string(out, context, at);
	}
	fputs(", ...]", out);
}

static void print_environment(FILE *out, const struct context *context,
			      uint64_t address)
{
	uint64_t at = 1;
	int count = 0;

	print_address(out, address);
	while (address && count < 100000 &&
	       guest_get_word(context,
			      address + (unsigned)count * word_of(context),
			      &at) == 0 && at)
		count++;
	if (address)
		fprintf(out, " /* %d var%s */", count, count == 1 ? "" : "s");
}

/* ---- Structures ---- */

static uint64_t field(const uint8_t *bytes, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, bytes + at, size);
	return value;
}

static void print_mode(FILE *out, unsigned mode)
{
	static const struct name kinds[] = {
		N(S_IFREG), N(S_IFDIR), N(S_IFCHR), N(S_IFBLK), N(S_IFIFO),
		N(S_IFLNK), N(S_IFSOCK),
	};

	NAME(out, mode & S_IFMT, kinds);
	fprintf(out, "|%#o", mode & 07777);
}

static void print_stat(FILE *out, const struct context *context,
		       uint64_t address)
{
	bool wide = context->abi32 && strstr(context->trace.name, "64");
	size_t size = !context->abi32 ? 144 : wide ? 96 : 64;
	uint8_t bytes[144];
	unsigned mode;
	uint64_t device;

	if (guest_get(context, address, bytes, size)) {
		print_address(out, address);
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

static void print_statx(FILE *out, const struct context *context,
			uint64_t address)
{
	uint8_t bytes[64];

	if (guest_get(context, address, bytes, sizeof bytes)) {
		print_address(out, address);
		return;
	}
	fprintf(out, "{stx_mask=%#x, stx_attributes=%#x, stx_mode=",
		(unsigned)field(bytes, 0, 4), (unsigned)field(bytes, 8, 8));
	print_mode(out, (unsigned)field(bytes, 28, 2));
	fprintf(out, ", stx_size=%" PRIu64 ", ...}", field(bytes, 40, 8));
}

static void print_time(FILE *out, const struct context *context,
		       uint64_t address)
{
	int64_t fields[2];
	int32_t narrow[2];
	bool wide = !context->abi32 || strstr(context->trace.name, "64");

	if (!address || guest_get(context, address, wide ? (void *)fields
							 : (void *)narrow,
				  wide ? 16 : 8)) {
		print_address(out, address);
		return;
	}
	if (!wide) {
		fields[0] = narrow[0];
		fields[1] = narrow[1];
	}
	fprintf(out, "{tv_sec=%" PRId64 ", tv_nsec=%" PRId64 "}", fields[0],
		fields[1]);
}

static void print_set(FILE *out, const struct context *context,
		      uint64_t address)
{
	uint64_t set;
	int count;

	if (!address || guest_get(context, address, &set, sizeof set)) {
		print_address(out, address);
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

static void print_action(FILE *out, const struct context *context,
			 uint64_t address)
{
	unsigned word = word_of(context);
	uint64_t words[3];

	if (!address || guest_get_word(context, address, words) ||
	    guest_get_word(context, address + word, words + 1) ||
	    guest_get_word(context, address + 2 * word, words + 2)) {
		print_address(out, address);
		return;
	}
	fputs("{sa_handler=", out);
	if (words[0] > 1)
		fprintf(out, "0x%" PRIx64, words[0]);
	else
		fputs(words[0] ? "SIG_IGN" : "SIG_DFL", out);
	fputs(", sa_mask=", out);
	print_set(out, context, address + 3 * word);
	fputs(", sa_flags=", out);
	BITS(out, words[1], action_flags);
	if (words[1] & 0x04000000)
		fprintf(out, ", sa_restorer=0x%" PRIx64, words[2]);
	fputc('}', out);
}

static void print_status(FILE *out, const struct context *context,
			 uint64_t address)
{
	int status;

	if (!address || guest_get(context, address, &status, sizeof status)) {
		print_address(out, address);
		return;
	}
	if (WIFEXITED(status)) {
		fprintf(out, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
			WEXITSTATUS(status));
	} else if (WIFSIGNALED(status)) {
		fputs("[{WIFSIGNALED(s) && WTERMSIG(s) == ", out);
		print_signal(out, WTERMSIG(status));
		fputs("}]", out);
	} else if (WIFSTOPPED(status)) {
		fputs("[{WIFSTOPPED(s) && WSTOPSIG(s) == ", out);
		print_signal(out, WSTOPSIG(status));
		fputs("}]", out);
	} else {
		fputs("[{WIFCONTINUED(s)}]", out);
	}
}

static void print_limit(FILE *out, const struct context *context,
			uint64_t address)
{
	bool wide = strstr(context->trace.name, "64");
	unsigned word = wide ? 8 : word_of(context);
	uint64_t values[2] = { 0 };

	if (!address || guest_get(context, address, values, word) ||
	    guest_get(context, address + word, values + 1, word)) {
		print_address(out, address);
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

static void print_polls(FILE *out, const struct context *context,
			uint64_t address, uint64_t count)
{
	struct pollfd entry;

	fputc('[', out);
	for (uint64_t i = 0; i < count && i < LIST_MAX; i++) {
		if (guest_get(context, address + i * sizeof entry, &entry,
			      sizeof entry))
			break;
		fprintf(out, "%s{fd=%d, events=", i ? ", " : "", entry.fd);
		BITS(out, (uint16_t)entry.events, poll_events);
		fputc('}', out);
	}
	fputs(count > LIST_MAX ? ", ...]" : "]", out);
}

static void print_socket_address(FILE *out, const struct context *context,
				 uint64_t address, uint64_t size)
{
	struct sockaddr_storage from = { 0 };
	const struct sockaddr_in *inet = (const void *)&from;
	const struct sockaddr_in6 *inet6 = (const void *)&from;
	const struct sockaddr_un *local = (const void *)&from;
	char text[INET6_ADDRSTRLEN] = "";

	if (!address || size < 2 || size > sizeof from ||
	    guest_get(context, address, &from, size)) {
		print_address(out, address);
		return;
	}
	fputs("{sa_family=", out);
	NAME(out, from.ss_family, domains);
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
		print_text(out,
			   (const uint8_t *)local->sun_path +
				   !local->sun_path[0],
			   strnlen(local->sun_path + !local->sun_path[0],
				   size - 3), false);
		break;
	default:
		fputs(", ...", out);
	}
	fputc('}', out);
}

static void print_vectors(FILE *out, const struct context *context,
			  uint64_t address, uint64_t count, bool bytes)
{
	unsigned word = word_of(context);

	fputc('[', out);
	for (uint64_t i = 0; i < count && i < LIST_MAX; i++) {
		uint64_t base, size;

		if (guest_get_word(context, address + 2 * i * word, &base) ||
		    guest_get_word(context, address + (2 * i + 1) * word,
				   &size))
			break;
		fprintf(out, "%s{iov_base=", i ? ", " : "");
		if (bytes)
			print_bytes(out, context, base, size);
		else
			print_address(out, base);
		fprintf(out, ", iov_len=%" PRIu64 "}", size);
	}
	fputs(count > LIST_MAX ? ", ...]" : "]", out);
}

static void print_entries(FILE *out, const struct context *context,
			  uint64_t address, int64_t size)
{
	int count = 0;
	uint16_t record;

	print_address(out, address);
	for (int64_t at = 0; at < size; at += record, count++)
		if (guest_get(context, address + (uint64_t)at + 16, &record,
			      2) || !record)
			return;
	fprintf(out, " /* %d entr%s */", count, count == 1 ? "y" : "ies");
}

static void print_clone(FILE *out, const struct context *context)
{
	const uint64_t *a = context->argument;
	uint64_t child = a[context->abi32 ? 4 : 3];
	uint64_t tls = a[context->abi32 ? 3 : 4];

	fputs("child_stack=", out);
	print_address(out, a[1]);
	fputs(", flags=", out);
	BITS(out, a[0] & ~UINT64_C(0xff), clone_flags);
	if (a[0] & 0xff) {
		fputc('|', out);
		print_signal(out, (int)(a[0] & 0xff));
	}
	if (a[0] & CLONE_PARENT_SETTID)
		fprintf(out, ", parent_tid=0x%" PRIx64, a[2]);
	if (a[0] & CLONE_SETTLS)
		fprintf(out, ", tls=0x%" PRIx64, tls);
	if (a[0] & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		fprintf(out, ", child_tidptr=0x%" PRIx64, child);
}

static void print_clone3(FILE *out, const struct context *context,
			 uint64_t address)
{
	uint64_t fields[8];

	if (guest_get(context, address, fields, sizeof fields)) {
		print_address(out, address);
		return;
	}
	fputs("{flags=", out);
	BITS(out, fields[0], clone_flags);
	fprintf(out, ", child_tid=0x%" PRIx64 ", parent_tid=0x%" PRIx64
		", exit_signal=", fields[2], fields[3]);
	print_signal(out, (int)fields[4]);
	fprintf(out, ", stack=0x%" PRIx64 ", stack_size=%#" PRIx64
		", tls=0x%" PRIx64 "}", fields[5], fields[6], fields[7]);
}

static void print_pair(FILE *out, const struct context *context,
		       uint64_t address)
{
	int32_t pair[2];

	if (guest_get(context, address, pair, sizeof pair))
		print_address(out, address);
	else
		fprintf(out, "[%d, %d]", pair[0], pair[1]);
}

static void print_octal(FILE *out, uint64_t value)
{
	fprintf(out, value ? "%#03o" : "%o", (unsigned)value);
}

/* The mode of open(), which counts only where a file is made. */
static bool without_mode(const struct context *context, size_t index)
{
	const char *arguments = context->trace.arguments;
	uint64_t flags;

	if (!index || arguments[index] != 'o' || arguments[index - 1] != 'O')
		return false;
	flags = context->argument[index - 1];
	return !(flags & O_CREAT) && (flags & O_TMPFILE) != O_TMPFILE;
}

/* ---- Arguments ---- */

/* Letters of arguments that a call fills in. */
static bool is_output(char letter)
{
	return strchr("BTXwnLNY", letter) != NULL;
}

static void print_output(FILE *out, const struct context *context,
			 size_t index, int64_t result)
{
	uint64_t value = context->argument[index];

	if (result < 0 && result != CALL_NO_RESULT) {
		print_address(out, value);
		return;
	}
	switch (context->trace.arguments[index]) {
	case 'B':
		print_bytes(out, context, value,
			    result > 0 ? (uint64_t)result : 0);
		break;
	case 'T':
		print_stat(out, context, value);
		break;
	case 'X':
		print_statx(out, context, value);
		break;
	case 'w':
		if (result > 0)
			print_status(out, context, value);
		else
			print_address(out, value);
		break;
	case 'n':
		print_pair(out, context, value);
		break;
	case 'L':
		print_limit(out, context, value);
		break;
	case 'N':
		print_entries(out, context, value, result);
		break;
	default: /* Y */
		print_time(out, context, value);
	}
}

static void print_input(FILE *out, const struct context *context, size_t index)
{
	const uint64_t *a = context->argument;
	uint64_t value = a[index];

	switch (context->trace.arguments[index]) {
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
		print_signal(out, (int)value);
		break;
	case 's':
		print_string(out, context, value);
		break;
	case 'b':
		print_bytes(out, context, value, a[index + 1]);
		break;
	case 'p':
		print_address(out, value);
		break;
	case 'O':
		fputs((value & O_ACCMODE) == O_RDONLY	? "O_RDONLY"
		      : (value & O_ACCMODE) == O_WRONLY ? "O_WRONLY"
							: "O_RDWR", out);
		MORE_BITS(out, value & ~(uint64_t)O_ACCMODE, open_flags);
		break;
	case 'P':
		if (value)
			BITS(out, value, protections);
		else
			fputs("PROT_NONE", out);
		break;
	case 'M':
		fputs((value & MAP_TYPE) == MAP_SHARED	  ? "MAP_SHARED"
		      : (value & MAP_TYPE) == MAP_PRIVATE ? "MAP_PRIVATE"
							  : "MAP_SHARED_VALIDATE",
		      out);
		MORE_BITS(out, value & ~(uint64_t)MAP_TYPE, map_flags);
		break;
	case 'a':
		BITS(out, value, at_flags);
		break;
	case 'A':
		if (value)
			BITS(out, value, accesses);
		else
			fputs("F_OK", out);
		break;
	case 'W':
		NAME(out, value, whences);
		break;
	case 'c':
		NAME(out, value, clocks);
		break;
	case 'h':
		NAME(out, value, mask_changes);
		break;
	case 'q':
		print_set(out, context, value);
		break;
	case 'Q':
		print_action(out, context, value);
		break;
	case 't':
		print_time(out, context, value);
		break;
	case 'r':
		NAME(out, value, resources);
		break;
	case 'R':
		NAME(out, value, advices);
		break;
	case 'F':
		NAME(out, value, fcntl_commands);
		break;
	case 'e':
		NAME(out, value, epoll_operations);
		break;
	case 'D':
		NAME(out, value, domains);
		break;
	case 'k':
		NAME(out, value & 0xf, socket_types);
		MORE_BITS(out, value & ~UINT64_C(0xf), socket_flags);
		break;
	case 'U':
		NAME(out, value & FUTEX_CMD_MASK, futex_operations);
		if (value & FUTEX_PRIVATE_FLAG)
			fputs("_PRIVATE", out);
		if (value & FUTEX_CLOCK_REALTIME)
			fputs("|FUTEX_CLOCK_REALTIME", out);
		break;
	case 'I':
		NAME(out, (uint32_t)value, requests);
		break;
	case 'V':
		NAME(out, (uint32_t)value, prctl_options);
		break;
	case 'H':
		NAME(out, value, arch_operations);
		break;
	case 'G':
		BITS(out, value, wait_options);
		break;
	case 'v':
		print_strings(out, context, value);
		break;
	case 'E':
		print_environment(out, context, value);
		break;
	case 'j':
		print_polls(out, context, value, a[index + 1]);
		break;
	case 'y':
		print_socket_address(out, context, value, a[index + 1]);
		break;
	case 'i':
		print_vectors(out, context, value, a[index + 1], true);
		break;
	case 'K':
		print_clone(out, context);
		break;
	case 'C':
		print_clone3(out, context, value);
		break;
	default:
		fprintf(out, value ? "0x%" PRIx64 : "%" PRIx64, value);
	}
}

/* ---- Lines ---- */

void call_trace_enter(struct context *context, const char *name,
		      const char *arguments)
{
	struct call_trace *trace = &context->trace;
	size_t size, i = 0;
	FILE *out;

	free(trace->text);
	*trace = (struct call_trace){ .name = name, .arguments = arguments };
	out = open_memstream(&trace->text, &size);
	if (name)
		fprintf(out, "%s(", name);
	else
		fprintf(out, "syscall_%#x(", (unsigned)context->call_number);
	for (; arguments[i] && arguments[i] != '-' && !is_output(arguments[i]);
	     i++) {
		if (without_mode(context, i))
			continue;
		if (i)
			fputs(", ", out);
		print_input(out, context, i);
	}
	if (i && arguments[i] && arguments[i] != '-')
		fputs(", ", out);
	trace->next = i;
	fclose(out);
}

void call_trace_blocks(struct context *context, FILE *log)
{
	struct call_trace *trace = &context->trace;

	fprintf(log, "[%d] %s <unfinished ...>\n", context->tid,
		trace->text ? trace->text : "");
	free(trace->text);
	trace->text = xasprintf("<... %s resumed>",
				trace->name ? trace->name : "call");
}

static bool returns_address(const char *name)
{
	static const char *const names[] = { "mmap", "mmap2", "mremap", "brk",
					     "shmat" };

	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void print_result(FILE *log, const struct context *context,
			 int64_t result)
{
	const char *name = context->trace.name, *error;

	if (result == CALL_NO_RESULT) {
		fputs("?\n", log);
	} else if (result < 0 && result > -4096) {
		error = strerrorname_np((int)-result);
		fprintf(log, "-1 %s (%s)\n", error ? error : "?",
			strerror((int)-result));
	} else if (returns_address(name)) {
		fprintf(log, "0x%" PRIx64 "\n",
			context->abi32 ? (uint32_t)result : (uint64_t)result);
	} else if (name && !strcmp(name, "umask")) {
		fprintf(log, "%#03" PRIo64 "\n", (uint64_t)result);
	} else if (name && !strncmp(name, "fcntl", 5) &&
		   context->argument[1] == F_GETFL) {
		fprintf(log, "%#" PRIx64 " (flags ", (uint64_t)result);
		fputs((result & O_ACCMODE) == O_RDONLY	 ? "O_RDONLY"
		      : (result & O_ACCMODE) == O_WRONLY ? "O_WRONLY"
							 : "O_RDWR", log);
		MORE_BITS(log, (uint64_t)(result & ~O_ACCMODE), open_flags);
		fputs(")\n", log);
	} else {
		fprintf(log, "%" PRId64 "\n", result);
	}
}

void call_trace_leave(struct context *context, FILE *log, int64_t result)
{
	struct call_trace *trace = &context->trace;
	const char *arguments = trace->arguments;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!trace->text) /* entered before tracing began */
		return;
	out = open_memstream(&text, &size);
	fputs(trace->text, out);
	/* After exit or execve the old memory is gone. */
	for (size_t i = trace->next; context->cpu && arguments[i] &&
				     arguments[i] != '-'; i++) {
		if (i > trace->next)
			fputs(", ", out);
		if (is_output(arguments[i]))
			print_output(out, context, i, result);
		else
			print_input(out, context, i);
	}
	fputc(')', out);
	fclose(out);
	fprintf(log, "[%d] %-*s = ", context->tid, RESULT_COLUMN, text);
	/* A successful execve tells 0. */
	if (result == CALL_NO_RESULT && trace->name && context->cpu &&
	    !strncmp(trace->name, "execve", 6))
		result = 0;
	print_result(log, context, result);
	free(text);
	free(trace->text);
	trace->text = NULL;
}

static const char *code_name(int number, int code)
{
	static const char *const children[] = {
		"0", "CLD_EXITED", "CLD_KILLED", "CLD_DUMPED", "CLD_TRAPPED",
		"CLD_STOPPED", "CLD_CONTINUED"
	};

	switch (code) {
	case SI_USER:
		return "SI_USER";
	case SI_QUEUE:
		return "SI_QUEUE";
	case SI_TIMER:
		return "SI_TIMER";
	case SI_TKILL:
		return "SI_TKILL";
	case SI_KERNEL:
		return "SI_KERNEL";
	default:
		break;
	}
	if (number == SIGCHLD && code > 0 && code <= CLD_CONTINUED)
		return children[code];
	if (number == SIGSEGV)
		return code == SEGV_MAPERR ? "SEGV_MAPERR" : "SEGV_ACCERR";
	return NULL;
}

void call_trace_signal(const struct context *context,
		       const struct signal_information *information)
{
	FILE *log = log_stream(context->process->system->log, LOG_X86_SYSCALL);
	int number = information->number;
	const char *code = code_name(number, information->code);

	if (!log)
		return;
	fprintf(log, "[%d] --- ", context->tid);
	print_signal(log, number);
	fputs(" {si_signo=", log);
	print_signal(log, number);
	if (code)
		fprintf(log, ", si_code=%s", code);
	else
		fprintf(log, ", si_code=%d", information->code);
	if (number == SIGCHLD && information->code > 0)
		fprintf(log, ", si_pid=%d, si_uid=%d, si_status=%d",
			information->pid, information->uid,
			information->status);
	else if (information->code > 0 && information->code != SI_KERNEL)
		fprintf(log, ", si_addr=0x%" PRIx64, information->address);
	else if (information->code <= 0)
		fprintf(log, ", si_pid=%d, si_uid=%d", information->pid,
			information->uid);
	fputs("} ---\n", log);
}

void call_trace_end(const struct process *process)
{
	FILE *log = log_stream(process->system->log, LOG_X86_SYSCALL);

	if (!log)
		return;
	if (!process->exit_signal) {
		fprintf(log, "[%d] +++ exited with %d +++\n", process->pid,
			process->exit_status);
		return;
	}
	fprintf(log, "[%d] +++ killed by ", process->pid);
	print_signal(log, process->exit_signal);
	fputs(" +++\n", log);
}
