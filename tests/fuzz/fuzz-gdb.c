/* What a debugger may send: every packet is answered by well-formed ones or
 * resumes the guest, which runs on with whatever was done to it.
 *
 * The input: a byte of flags; packets' contents, each ended by '#' (or, by a
 * flag, the bytes as they are). The guest sees an empty folder only. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "debug/gdb/internal.h"
#include "x86/linux/linux.h"
#include "x86/small-elf.h"

enum { FLAG_32 = 1, FLAG_RAW = 2, INPUT_MAX = 16384 };

/* Two threads that count, and a signal. */
extern const uint8_t fuzz_wide[], fuzz_wide_end[];
extern const uint8_t fuzz_narrow[], fuzz_narrow_end[];
__asm__(".pushsection .rodata\n"
	"fuzz_wide:\n\t"
	"sub $4096, %rsp\n\t"
	"mov $56, %eax; mov $0x10f00, %edi; mov %rsp, %rsi; syscall\n\t"
	"mov $62, %eax; mov $100, %edi; mov $17, %esi; syscall\n\t"
	"1: incl 0x402000; push %rax; pop %rbx; fld1; fstp %st(0)\n\t"
	"addps %xmm0, %xmm1\n\t"
	"mov $24, %eax; syscall; jmp 1b\n"
	"fuzz_wide_end:\n"
	".code32\n"
	"fuzz_narrow:\n\t"
	"1: incl 0x402000; push %eax; pop %ebx\n\t"
	"mov $158, %eax; int $0x80; jmp 1b\n"
	"fuzz_narrow_end:\n"
	".code64\n"
	".popsection");

/* ---- The programs ---- */

static char folder[] = "/tmp/m2s-fuzz-XXXXXX";
static char paths[2][sizeof folder + 2];

static void remove_folder(void)
{
	unlink(paths[0]);
	unlink(paths[1]);
	rmdir(folder);
}

static void make_programs(void)
{
	if (!mkdtemp(folder))
		fuzz_fail("no folder %s", folder);
	for (int narrow = 0; narrow < 2; narrow++) {
		const uint8_t *code = narrow ? fuzz_narrow : fuzz_wide;
		const uint8_t *end = narrow ? fuzz_narrow_end : fuzz_wide_end;
		uint8_t bytes[SMALL_ELF_MAX];
		size_t size = small_elf(bytes, !narrow, code,
					(size_t)(end - code));
		int file;

		snprintf(paths[narrow], sizeof paths[narrow], "%s/%c", folder,
			 narrow ? '1' : '0');
		file = open(paths[narrow], O_WRONLY | O_CREAT | O_EXCL, 0700);
		if (file < 0 || write(file, bytes, size) != (ssize_t)size)
			fuzz_fail("cannot write %s", paths[narrow]);
		close(file);
	}
	atexit(remove_folder);
}

/* ---- The connection ---- */

/* "$contents#checksum" for each piece. Returns how many bytes. */
static size_t frame_packets(const uint8_t *data, size_t size, uint8_t *bytes)
{
	size_t out = 0, at = 0;

	while (at < size) {
		unsigned sum = 0;
		char text[4];

		bytes[out++] = '$';
		for (; at < size && data[at] != '#'; at++) {
			sum += data[at];
			bytes[out++] = data[at];
		}
		at++;
		snprintf(text, sizeof text, "#%02x", sum & 255);
		memcpy(bytes + out, text, 3);
		out += 3;
	}
	return out;
}

/* Whole packets among the replies have their checksums. */
static void check_replies(int connection)
{
	static uint8_t bytes[1 << 20];
	ssize_t size = 0, got;
	const uint8_t *end = bytes;

	while ((got = recv(connection, bytes + size, sizeof bytes -
			   (size_t)size, MSG_DONTWAIT)) > 0)
		size += got;
	for (const uint8_t *at = bytes; at < bytes + size; at = end + 3) {
		unsigned sum = 0, said;
		char text[3] = "";

		if (*at == '+' || *at == '-') {
			end = at - 2;
			continue;
		}
		if (*at != '$')
			fuzz_fail("0x%02x between packets", *at);
		end = memchr(at, '#', (size_t)(bytes + size - at));
		if (!end || end + 3 > bytes + size)
			return;
		for (const uint8_t *i = at + 1; i < end; i++)
			sum += *i;
		memcpy(text, end + 1, 2);
		if (sscanf(text, "%2x", &said) != 1 || said != (sum & 255))
			fuzz_fail("a reply's checksum is %s, not %02x", text,
				  sum & 255);
	}
}

/* ---- */

static bool is_late(void *owner)
{
	const struct timespec *start = owner;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > start->tv_sec + 3;
}

static void run_guest(bool narrow, struct gdb *gdb, struct timespec *start)
{
	static const char *const argv[] = { "p", NULL }, *const envp[] = { NULL };
	struct linux_options options = {
		.max_instructions = 3000, .quantum = 100,
		.clock = LINUX_CLOCK_SIMULATED, .root = folder,
		.read_only = true, .no_network = true, .stop = is_late,
		.stop_owner = start, .debugger = gdb_debugger(gdb),
	};
	struct linux_result result = { 0 };
	struct error error = { "" };
	struct linux_system *system = linux_create(&options, &error);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (!system || linux_load(system, &(struct linux_program){
				.path = narrow ? "/1" : "/0", .argv = argv,
				.envp = envp, .cwd = "/",
				.standard = { null, null, null } },
				&error) < 0)
		fuzz_fail("%s", error.text);
	if (linux_run(system, &result, &error) && !error.text[0])
		fuzz_fail("failed without a message");
	linux_free(system);
	close(null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[4 * INPUT_MAX];
	struct error error = { "" };
	struct timespec start;
	struct gdb *gdb;
	size_t length;
	int pair[2];

	if (size < 1 || size > INPUT_MAX)
		return 0;
	if (!paths[0][0])
		make_programs();
	clock_gettime(CLOCK_MONOTONIC, &start);
	gdb = gdb_create("0", is_late, &start, &error);
	if (!gdb || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		fuzz_fail("no connection: %s", error.text);
	/* Nobody reads meanwhile: more replies than there is room for end the
	 * connection. */
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	length = size - 1;
	if (data[0] & FLAG_RAW)
		memcpy(bytes, data + 1, length);
	else
		length = frame_packets(data + 1, length, bytes);
	if (send(pair[1], bytes, length, 0) != (ssize_t)length)
		fuzz_fail("cannot send %zu bytes", length);
	shutdown(pair[1], SHUT_WR);
	gdb->connection = pair[0];
	run_guest(data[0] & FLAG_32, gdb, &start);
	gdb_free(gdb);
	check_replies(pair[1]);
	close(pair[1]);
	return 0;
}
