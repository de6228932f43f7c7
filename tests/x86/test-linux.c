/* The Linux layer through its interface, with programs of a few
 * instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/harness.h"
#include "x86/linux/linux.h"
#include "x86/small-elf.h"

/* mov $number, %eax; then the call of the ABI. */
#define LOW(n) (n) & 255, (n) >> 8 & 255, (n) >> 16 & 255, (n) >> 24 & 255
#define MOV_EAX(n) 0xb8, LOW(n)
#define MOV_EBX(n) 0xbb, LOW(n)
#define MOV_ECX(n) 0xb9, LOW(n)
#define MOV_EDX(n) 0xba, LOW(n)
#define MOV_ESI(n) 0xbe, LOW(n)
#define MOV_EDI(n) 0xbf, LOW(n)
#define XOR_R10D 0x45, 0x31, 0xd2
#define SYSCALL 0x0f, 0x05
#define INT80 0xcd, 0x80
/* mov %eax, %edi; mov %eax, %ebx; exit with it */
#define EXIT64 0x89, 0xc7, MOV_EAX(60), SYSCALL
#define EXIT32 0x89, 0xc3, MOV_EAX(1), INT80

enum { DATA = SMALL_ELF_BASE + 0x2000 };

struct run {
	struct linux_result result;
	struct error error;
	int status; /* of linux_run() */
	uint64_t calls;
};

static void write_program(char *path, bool wide, const void *code,
			  size_t size)
{
	uint8_t bytes[SMALL_ELF_MAX];
	size_t total = small_elf(bytes, wide, code, size);
	int file = mkstemp(path);

	if (write(file, bytes, total) != (ssize_t)total ||
	    fchmod(file, 0755) != 0)
		CU_FAIL("cannot write the test program");
	close(file);
}

static struct run run(struct linux_options *options, bool wide,
		      const void *code, size_t size)
{
	char path[] = "/tmp/m2s-test-linux-XXXXXX";
	const char *argv[] = { path, NULL }, *envp[] = { NULL };
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { 0, 1, 2 },
	};
	struct run run = { .status = -2 };
	struct linux_system *system;

	write_program(path, wide, code, size);
	system = linux_create(options, &run.error);
	/* The owner of a request needs the system to read memory. */
	if (options->request)
		*(struct linux_system **)options->request_owner = system;
	if (linux_load(system, &program, &run.error) >= 0)
		run.status = linux_run(system, &run.result, &run.error);
	else
		printf("# %s\n", run.error.text);
	linux_free(system);
	unlink(path);
	return run;
}

static void test_exit(void)
{
	static const uint8_t wide[] = { MOV_EAX(39), SYSCALL, EXIT64 };
	static const uint8_t narrow[] = { MOV_EAX(20), INT80, EXIT32 };
	struct linux_options options = { 0 };
	struct run first = run(&options, true, wide, sizeof wide);
	struct run second = run(&options, false, narrow, sizeof narrow);

	/* getpid(): the first context's id. */
	CU_ASSERT_EQUAL(first.status, 0);
	CU_ASSERT_EQUAL(first.result.end, LINUX_END_FINISHED);
	CU_ASSERT_EQUAL(first.result.exit_status, 100);
	CU_ASSERT_EQUAL(first.result.instructions, 5);
	CU_ASSERT_EQUAL(second.result.exit_status, 100);
	CU_ASSERT_EQUAL(second.result.signal, 0);
}

static void test_unknown_call(void)
{
	/* call 9999; exit(-result) */
	static const uint8_t wide[] = {
		MOV_EAX(9999), SYSCALL, 0xf7, 0xd8, EXIT64
	};
	struct linux_options options = { 0 };
	/* io_uring_setup(0, 0), as on a kernel that was made without it */
	static const uint8_t ring[] = {
		MOV_EAX(425), MOV_EDI(0), MOV_ESI(0), SYSCALL, 0xf7, 0xd8,
		EXIT64
	};
	struct run end = run(&options, true, wide, sizeof wide);

	CU_ASSERT_EQUAL(end.result.exit_status, 38); /* ENOSYS */
	end = run(&options, true, ring, sizeof ring);
	CU_ASSERT_EQUAL(end.result.exit_status, 38);
}

static void test_signal(void)
{
	static const uint8_t wild[] = { 0xa1, 0, 0, 0, 0 };
	static const uint8_t unknown[] = { 0x0f, 0x0b };
	struct linux_options options = { 0 };
	struct run end = run(&options, false, wild, sizeof wild);

	CU_ASSERT_EQUAL(end.result.signal, 11);
	CU_ASSERT_TRUE(end.result.ended);
	end = run(&options, true, unknown, sizeof unknown);
	CU_ASSERT_EQUAL(end.result.signal, 4);
}

static void test_limit(void)
{
	static const uint8_t loop[] = { 0xeb, 0xfe };
	struct linux_options options = { .max_instructions = 123456 };
	struct run end = run(&options, true, loop, sizeof loop);

	CU_ASSERT_EQUAL(end.status, 0);
	CU_ASSERT_EQUAL(end.result.end, LINUX_END_INSTRUCTIONS);
	CU_ASSERT_EQUAL(end.result.instructions, 123456);
	CU_ASSERT_FALSE(end.result.ended);
}

/* Runs a system to its end in the pieces that pauses make of it. */
static struct run run_pieces(struct linux_options *options, bool wide,
			     const void *code, size_t size, unsigned *pauses,
			     uint64_t *at)
{
	char path[] = "/tmp/m2s-test-linux-XXXXXX";
	const char *argv[] = { path, NULL }, *envp[] = { NULL };
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { 0, 1, 2 },
	};
	struct run run = { .status = -2 };
	struct linux_system *system;

	write_program(path, wide, code, size);
	system = linux_create(options, &run.error);
	*pauses = 0;
	if (linux_load(system, &program, &run.error) >= 0)
		while ((run.status = linux_run(system, &run.result,
					       &run.error)) == 0 &&
		       run.result.end == LINUX_END_PAUSE)
			at[(*pauses)++ % 4] = linux_instructions(system);
	linux_free(system);
	unlink(path);
	return run;
}

static void test_pause(void)
{
	/* The checkpoint marker, another one, a NOP of that length; twice. */
	static const uint8_t code[] = {
		MOV_EBX(2), 0x0f, 0x1f, 0x80, 'm', '2', 's', 1,
		0x0f, 0x1f, 0x80, 'm', '2', 's', 2,
		0x0f, 0x1f, 0x80, 0, 0, 0, 0,
		0x83, 0xeb, 1, 0x75, 0xe6, /* sub $1, %ebx; jnz -26 */
		MOV_EAX(1), INT80
	};
	struct linux_options options = { .pause_at_marker = true };
	uint64_t at[4];
	unsigned pauses;
	struct run end;

	for (int wide = 0; wide < 2; wide++) {
		end = run_pieces(&options, wide, code, sizeof code, &pauses,
				 at);
		CU_ASSERT_EQUAL(pauses, 2);
		CU_ASSERT_EQUAL(at[0], 2);
		CU_ASSERT_EQUAL(at[1], 7);
		CU_ASSERT_EQUAL(end.result.end, LINUX_END_FINISHED);
		CU_ASSERT_EQUAL(end.result.instructions, 13);
	}
	options = (struct linux_options){ .pause_at = 6 };
	end = run_pieces(&options, true, code, sizeof code, &pauses, at);
	CU_ASSERT_EQUAL(pauses, 1);
	CU_ASSERT_EQUAL(at[0], 6);
	CU_ASSERT_EQUAL(end.result.instructions, 13);
}

static bool stop_at_third(void *owner)
{
	return ++*(int *)owner == 3;
}

static void test_stop(void)
{
	static const uint8_t loop[] = { 0xeb, 0xfe };
	int asked = 0;
	struct linux_options options = {
		.stop = stop_at_third, .stop_owner = &asked, .quantum = 1000,
	};
	struct run end = run(&options, true, loop, sizeof loop);

	CU_ASSERT_EQUAL(end.result.end, LINUX_END_STOPPED);
	CU_ASSERT_EQUAL(end.result.instructions, 2000);
}

static void test_deadlock(void)
{
	/* futex(DATA, FUTEX_WAIT, 0, NULL) for ever */
	static const uint8_t wide[] = {
		MOV_EAX(202), MOV_EDI(DATA), MOV_ESI(0), MOV_EDX(0), XOR_R10D,
		SYSCALL, EXIT64
	};
	struct linux_options options = { 0 };
	struct run end = run(&options, true, wide, sizeof wide);

	CU_ASSERT_EQUAL(end.status, -1);
	CU_ASSERT_EQUAL(end.result.end, LINUX_END_DEADLOCK);
	CU_ASSERT_PTR_NOT_NULL(strstr(end.error.text, "futex"));
	CU_ASSERT_PTR_NOT_NULL(strstr(end.error.text, "context 100"));
}

/* nanosleep of a day, in no time on the simulated clock. */
static void test_simulated_clock(void)
{
	/* time() before and after; exit(difference / 1024) */
	static const uint8_t wide[] = {
		MOV_EAX(201), MOV_EDI(0), SYSCALL, 0x89, 0xc3,
		0xc7, 0x04, 0x25, LOW(DATA), LOW(86400),
		MOV_EAX(35), MOV_EDI(DATA), MOV_ESI(0), SYSCALL,
		MOV_EAX(201), MOV_EDI(0), SYSCALL, 0x29, 0xd8,
		0xc1, 0xe8, 10, EXIT64
	};
	struct linux_options options = { .clock = LINUX_CLOCK_SIMULATED };
	struct run end = run(&options, true, wide, sizeof wide);

	CU_ASSERT_EQUAL(end.result.exit_status, 86400 / 1024);
}

struct requests {
	struct linux_system *system; /* first: see run() */
	uint64_t address;
	uint32_t found;
	bool fail;
};

static int request(void *owner, int process, uint64_t address,
		   struct error *error)
{
	struct requests *requests = owner;
	uint32_t answer = 77;

	CU_ASSERT_EQUAL(process, 100);
	requests->address = address;
	if (linux_guest_read(requests->system, address, &requests->found,
			     sizeof requests->found) ||
	    linux_guest_write(requests->system, address, &answer,
			      sizeof answer))
		return error_set(error, "bad address");
	if (requests->fail)
		return error_set(error, "the device is on fire");
	return 0;
}

static void test_request(void)
{
	/* *DATA = 1234; request(DATA); exit(*DATA + result) */
	static const uint8_t wide[] = {
		0xc7, 0x04, 0x25, LOW(DATA), LOW(1234),
		MOV_EAX(LINUX_CALL_SIMULATOR), MOV_EDI(DATA), SYSCALL,
		0x03, 0x04, 0x25, LOW(DATA), EXIT64
	};
	static const uint8_t narrow[] = {
		0xc7, 0x05, LOW(DATA), LOW(1234),
		MOV_EAX(LINUX_CALL_SIMULATOR), MOV_EBX(DATA), INT80,
		0x03, 0x05, LOW(DATA), EXIT32
	};
	struct requests requests = { 0 };
	struct linux_options options = {
		.request = request, .request_owner = &requests,
	};
	struct run end = run(&options, true, wide, sizeof wide);

	CU_ASSERT_EQUAL(end.result.exit_status, 77);
	CU_ASSERT_EQUAL(requests.address, DATA);
	CU_ASSERT_EQUAL(requests.found, 1234);
	requests.found = 0;
	end = run(&options, false, narrow, sizeof narrow);
	CU_ASSERT_EQUAL(end.result.exit_status, 77);
	CU_ASSERT_EQUAL(requests.found, 1234);
	requests.fail = true;
	end = run(&options, true, wide, sizeof wide);
	CU_ASSERT_EQUAL(end.status, -1);
	CU_ASSERT_EQUAL(end.result.end, LINUX_END_REQUEST);
	CU_ASSERT_STRING_EQUAL(end.error.text, "the device is on fire");
}

static char *redirect(void *owner, const char *path, bool abi32)
{
	if (strcmp(path, "/nowhere/library"))
		return NULL;
	*(int *)owner = abi32 ? 32 : 64;
	return strdup("/dev/null");
}

static void test_redirect(void)
{
	/* open("/nowhere/library", O_RDONLY): exit(its descriptor) */
	static const uint8_t code[] = {
		MOV_EAX(2), MOV_EDI(SMALL_ELF_BASE + SMALL_ELF_CODE + 26),
		MOV_ESI(0), SYSCALL, EXIT64,
		'/', 'n', 'o', 'w', 'h', 'e', 'r', 'e', '/', 'l', 'i', 'b',
		'r', 'a', 'r', 'y', 0
	};
	/* The same for libOpenCL.so.1 */
	static const uint8_t library[] = {
		MOV_EAX(2), MOV_EDI(SMALL_ELF_BASE + SMALL_ELF_CODE + 26),
		MOV_ESI(0), SYSCALL, EXIT64,
		'/', 'x', '/', 'l', 'i', 'b', 'O', 'p', 'e', 'n', 'C', 'L',
		'.', 's', 'o', '.', '1', 0
	};
	int seen = 0;
	struct linux_options options = {
		.redirect = redirect, .redirect_owner = &seen,
	};
	struct run end = run(&options, true, code, sizeof code);

	CU_ASSERT_EQUAL(end.result.exit_status, 3);
	CU_ASSERT_EQUAL(seen, 64);
	end = run(&options, true, library, sizeof library);
	CU_ASSERT_EQUAL(end.result.exit_status, 254); /* ENOENT */
	options.opencl_x86_64 = "/dev/null";
	end = run(&options, true, library, sizeof library);
	CU_ASSERT_EQUAL(end.result.exit_status, 3);
}

/* Each number of an ABI names one call. */
static void test_table(void)
{
	const struct linux_call_info *list;
	size_t count = linux_call_list(&list), supported = 0;

	for (size_t i = 0; i < count; i++) {
		supported += list[i].supported;
		CU_ASSERT(list[i].number_i386 >= 0 ||
			  list[i].number_x86_64 >= 0);
		for (size_t j = i + 1; j < count; j++) {
			if (list[i].number_i386 >= 0)
				CU_ASSERT_NOT_EQUAL(list[i].number_i386,
						    list[j].number_i386);
			if (list[i].number_x86_64 >= 0)
				CU_ASSERT_NOT_EQUAL(list[i].number_x86_64,
						    list[j].number_x86_64);
		}
	}
	printf("# %zu calls, %zu supported\n", count, supported);
	CU_ASSERT(supported > 300);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "exit status", test_exit },
		{ "unknown calls answer ENOSYS", test_unknown_call },
		{ "uncaught faults", test_signal },
		{ "instruction limit", test_limit },
		{ "pauses and markers", test_pause },
		{ "stopping from outside", test_stop },
		{ "deadlock is reported", test_deadlock },
		{ "simulated clock", test_simulated_clock },
		{ "requests to the simulator", test_request },
		{ "redirected files", test_redirect },
		{ "call table", test_table },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "linux", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
