/* Local descriptor tables, and what segments that are not flat do to accesses:
 * base, limit, rights. */
#include <asm/ldt.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf escape;
static uint8_t *memory;
static char text[96];

static long modify(int function, void *at, unsigned long size)
{
	long result = syscall(SYS_modify_ldt, function, at, size);

	return result < 0 ? -errno : (int)result;
}

static void fault(int number, siginfo_t *information, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	snprintf(text, sizeof text, "%s code %d address %lx trap %d error %x",
		 number == SIGBUS ? "SIGBUS" : "SIGSEGV", information->si_code,
		 (long)information->si_addr, (int)r[REG_TRAPNO],
		 (unsigned)r[REG_ERR]);
	siglongjmp(escape, 1);
}

/* An entry of 32-bit data, but for `flags`. */
static long define(unsigned entry, unsigned long base, unsigned limit,
		   unsigned contents, int read_only, int pages, int absent,
		   int wide)
{
	struct user_desc d = { 0 };

	d.entry_number = entry;
	d.base_addr = base;
	d.limit = limit;
	d.seg_32bit = wide;
	d.contents = contents;
	d.read_exec_only = read_only;
	d.limit_in_pages = pages;
	d.seg_not_present = absent;
	d.useable = 1;
	return modify(0x11, &d, sizeof d);
}

enum { SELECTOR = 7 }; /* of entry 0; entry n: 8 * n + 7 */

static void table(void)
{
	uint64_t entries[6];
	struct user_desc d = { 0 };

	memset(entries, 0xff, sizeof entries);
	printf("empty: %ld", modify(0, entries, sizeof entries));
	printf(" default: %ld\n", modify(2, entries, 24));
	printf("define: %ld\n", define(2, (unsigned long)0x12345678, 0xabcde, 0, 0, 1, 0, 1));
	printf("read: %ld", modify(0, entries, sizeof entries));
	for (int i = 0; i < 6; i++)
		printf(" %llx", (unsigned long long)entries[i]);
	printf("\nread less: %ld\n", modify(0, entries, 20));
	printf("code: %ld", define(3, 0, 0xfffff, 2, 0, 1, 0, 1));
	printf(" conforming: %ld", define(4, 0, 0xfffff, 3, 0, 1, 0, 1));
	printf(" absent: %ld", define(4, 0, 0xfffff, 3, 0, 1, 1, 1));
	printf(" too far: %ld\n", define(8192, 0, 0, 0, 0, 0, 0, 1));
	printf("size: %ld", modify(1, &d, 8));
	printf(" function: %ld", modify(7, &d, 8));
	printf(" nothing there: %ld\n", modify(1, (void *)8, sizeof d));
	d.entry_number = 2;
	printf("cleared: %ld", modify(1, &d, sizeof d));
	modify(0, entries, sizeof entries);
	printf(" %llx\n", (unsigned long long)entries[2]);
}

/* Selectors as LAR and LSL see them. */
static void rights(void)
{
	for (unsigned selector = SELECTOR; selector < 8 * 6; selector += 8) {
		unsigned access = 0, limit = 0;
		uint8_t valid;

		__asm__("lar %2, %0\n\tsetz %1" : "+r"(access), "=q"(valid) : "r"(selector));
		printf("%x: %d %x", selector, valid, access & 0xffffff);
		__asm__("lsl %2, %0\n\tsetz %1" : "+r"(limit), "=q"(valid) : "r"(selector));
		printf(" %d %x\n", valid, limit);
	}
}

#define TRY(name, ...) \
	do { \
		strcpy(text, "fine"); \
		if (!sigsetjmp(escape, 1)) { \
			__VA_ARGS__; \
		} \
		printf("%s: %s\n", name, text); \
	} while (0)

#ifdef __i386__
static uint32_t load(unsigned offset)
{
	uint32_t value;

	__asm__ volatile("movl %%fs:(%1), %0" : "=r"(value) : "r"(offset) : "memory");
	return value;
}

static void redefine(unsigned long base, unsigned limit, unsigned contents,
		     int read_only, int pages, int wide)
{
	define(1, base, limit, contents, read_only, pages, 0, wide);
	__asm__ volatile("movw %w0, %%fs" : : "r"(15));
}

static void use_fs(void)
{
	unsigned old;

	memory[4] = 0x44;
	define(1, (unsigned long)memory, 15, 0, 0, 0, 0, 1);
	__asm__ volatile("movw %%fs, %w0" : "=r"(old));
	TRY("load fs", __asm__ volatile("movw %w0, %%fs" : : "r"(15)));
	printf("through fs: %x\n", load(4));
	TRY("last", load(12));
	TRY("over the end", load(13));
	TRY("far away", load(0x1000));
	TRY("store", __asm__ volatile("movb $7, %fs:3"));
	printf("stored: %d\n", memory[3]);
	/* FS has a new base when it is loaded again (the kernel may do so). */
	redefine((unsigned long)memory + 4, 15, 0, 0, 0, 1);
	printf("moved: %x\n", load(0));
	redefine((unsigned long)memory, 15, 0, 1, 0, 1);
	TRY("read only", __asm__ volatile("movb $7, %fs:3"));
	/* Expands downwards: what is above the limit. */
	redefine((unsigned long)memory - 0x2000, 0x1fff, 1, 0, 0, 1);
	TRY("down: below", load(0x1ffc));
	TRY("down: above", printf("%x ", load(0x2004)));
	redefine(0, 0xfffff, 0, 0, 1, 1);
	TRY("large", printf("%x ", load((unsigned)memory + 4)));
	redefine((unsigned long)memory, 0, 0, 0, 1, 0);
	TRY("16-bit data", printf("%x ", load(4)));
	TRY("a page and more", load(0x1000));
	__asm__ volatile("movw %w0, %%fs" : : "r"(0));
	TRY("null fs", load((unsigned)memory));
	define(1, (unsigned long)memory, 15, 0, 0, 0, 1, 1);
	TRY("not present", __asm__ volatile("movw %w0, %%fs" : : "r"(15)));
	TRY("nothing there", __asm__ volatile("movw %w0, %%fs" : : "r"(8 * 60 + 7)));
	define(1, (unsigned long)memory, 15, 2, 1, 0, 0, 1);
	TRY("code that cannot be read", __asm__ volatile("movw %w0, %%fs" : : "r"(15)));
	TRY("data as code", __asm__ volatile("ljmp $0x3f, $0"));
	__asm__ volatile("movw %w0, %%fs" : : "r"(old));
}

static void use_es_and_ds(void)
{
	uint32_t flat, value, count, at;

	for (int i = 0; i < 64; i++)
		memory[i] = i;
	define(1, (unsigned long)memory, 31, 0, 0, 0, 0, 1);
	/* Strings write through ES, read through DS or what is said. */
	TRY("stos", __asm__ volatile("pushl %%es\n\tmovw %w3, %%es\n\t"
				     "rep stosb\n\tpopl %%es"
				     : "=D"(at), "=c"(count) : "a"(0xaa), "r"(15), "0"(4), "1"(3)
				     : "memory"));
	printf("%x %x %x left %u at %u\n", memory[4], memory[6], memory[7], count, at);
	/* Not more than the segment has: what was done is done. */
	TRY("stos over the end",
	    __asm__ volatile("pushl %%es\n\tmovw %w1, %%es\n\t"
			     "rep stosb\n\tpopl %%es"
			     : : "a"(0xbb), "r"(15), "D"(28), "c"(10) : "memory"));
	__asm__ volatile("movw %w0, %%es" : : "r"(0x2b));
	printf("%x %x %x\n", memory[27], memory[31], memory[32]);
	TRY("lods es", __asm__ volatile("pushl %%es\n\tmovw %w2, %%es\n\t"
					"cld\n\tlodsl %%es:(%%esi), %%eax\n\tpopl %%es"
					: "=a"(value), "=S"(at) : "r"(15), "1"(8)));
	printf("%x\n", value);
	TRY("movs", __asm__ volatile("pushl %%ds\n\tmovw %w3, %%ds\n\t"
				     "cld\n\trep movsb\n\tpopl %%ds"
				     : "=S"(at), "=D"(flat), "=c"(count)
				     : "r"(15), "0"(16), "1"(memory + 40), "2"(4) : "memory"));
	printf("%x %x\n", memory[40], memory[43]);
	/* Plain accesses through DS; SS stays flat. */
	TRY("ds", __asm__ volatile("pushl %%ds\n\tmovw %w1, %%ds\n\t"
				   "movl 20, %0\n\taddl $1, 24\n\tpushl 24\n\tpopl 28\n\t"
				   "popl %%ds" : "=a"(value) : "r"(15) : "memory", "cc"));
	printf("%x %x %x\n", value, memory[24], memory[28]);
	TRY("xlat", __asm__ volatile("pushl %%ds\n\tmovw %w2, %%ds\n\t"
				     "xlatb\n\tpopl %%ds" : "=a"(value) : "b"(8), "r"(15), "0"(3)));
	printf("%x\n", value);
	TRY("lea", __asm__ volatile("pushl %%ds\n\tmovw %w1, %%ds\n\t"
				    "leal 100, %0\n\tpopl %%ds" : "=a"(value) : "r"(15)));
	printf("%u\n", value);
	TRY("sse", __asm__ volatile("pushl %%ds\n\tmovw %w0, %%ds\n\t"
				    "movups 1, %%xmm0\n\tmovups %%xmm0, 15\n\tpopl %%ds"
				    : : "r"(15) : "memory"));
	printf("%x %x\n", memory[15], memory[30]);
	TRY("sse over the end", __asm__ volatile("movw %w0, %%ds\n\tmovups 17, %%xmm0"
						 : : "r"(15)));
	TRY("null ds", __asm__ volatile("movl $0, %%eax\n\tmovw %%ax, %%ds\n\tmovl (%0), %%eax"
					: : "r"(memory) : "eax"));
	TRY("null es", __asm__ volatile("movl $0, %%eax\n\tmovw %%ax, %%es\n\tstosb"
					: : "D"(memory) : "eax"));
	TRY("code in ds", __asm__ volatile("pushl %%ds\n\tmovw %w1, %%ds\n\tmovl (%2), %0\n\tpopl %%ds"
					   : "=a"(value) : "r"(0x23), "r"(memory)));
	TRY("code in ds, written", __asm__ volatile("movw %w0, %%ds\n\tmovl %%eax, (%1)"
						    : : "r"(0x23), "r"(memory)));
	TRY("lds", {
		struct { uint32_t offset; uint16_t selector; } __attribute__((packed)) far = { 9, 15 };
		__asm__ volatile("pushl %%ds\n\tldsl (%1), %0\n\tmovzbl (%0), %0\n\tpopl %%ds"
				 : "=r"(value) : "r"(&far) : "memory");
	});
	printf("%x\n", value);
	/* A handler has flat segments, and the program its own afterwards. */
	TRY("signal", __asm__ volatile("pushl %%ds\n\tmovw %w2, %%ds\n\tint $0x80\n\t"
				       "movl 4, %%eax\n\tpopl %%ds"
				       : "=a"(value) : "0"(SYS_tkill), "r"(15),
					 "b"(getpid()), "c"(SIGUSR1)));
	printf("%x\n", value);
}

static volatile int seen;

static void note(int number)
{
	uint16_t ds, es;

	__asm__ volatile("movw %%ds, %0\n\tmovw %%es, %1" : "=r"(ds), "=r"(es));
	seen = number;
	printf("handler: %x %x\n", ds, es);
}

static void code_segment(void)
{
	uint16_t selector = 0;

	define(1, 0, 0xfffff, 2, 0, 1, 0, 1);
	TRY("flat code", __asm__ volatile("ljmp $0xf, $1f\n1:\n\tmovw %%cs, %0\n\t"
					  "ljmp $0x23, $2f\n2:" : "=r"(selector)));
	printf("%x\n", selector);
	TRY("called", __asm__ volatile("lcall $0xf, $1f\n\tjmp 2f\n1:\n\tmovw %%cs, %0\n\tlret\n2:"
				       : "=r"(selector) : : "memory"));
	printf("%x\n", selector);
	define(1, 0, 0xfffff, 2, 0, 1, 1, 1);
	TRY("absent code", __asm__ volatile("ljmp $0xf, $1f\n1:"));
}
#else
static void use_fs(void)
{
	uint32_t value = 0;

	define(1, (unsigned long)memory, 0xfffff, 0, 0, 1, 0, 1);
	*(uint32_t *)(memory + 4) = 0x4444;
	TRY("gs", __asm__ volatile("movw %w1, %%gs\n\tmovl %%gs:4, %0\n\tmovw %w2, %%gs"
				   : "=r"(value) : "r"(15), "r"(0)));
	printf("%x\n", value);
	/* Limits do not count in 64-bit mode. */
	define(1, (unsigned long)memory, 3, 0, 1, 0, 0, 1);
	TRY("beyond", __asm__ volatile("movw %w1, %%gs\n\tmovl %%gs:4, %0\n\tmovw %w2, %%gs"
				       : "=r"(value) : "r"(15), "r"(0)));
	printf("%x\n", value);
	TRY("es", __asm__ volatile("movw %w1, %%es\n\tmovl %%es:(%2), %0\n\tmovw %w3, %%es"
				   : "=r"(value) : "r"(15), "r"(memory + 4), "r"(0)));
	printf("%x\n", value);
	define(1, (unsigned long)memory, 15, 0, 0, 0, 1, 1);
	TRY("not present", __asm__ volatile("movw %w0, %%gs" : : "r"(15)));
}
#endif

static void *other_thread(void *argument)
{
	uint64_t entries[4] = { 0 };

	printf("thread reads %ld\n", modify(0, entries, sizeof entries));
	return argument;
}

static void shared(void)
{
	uint64_t entries[4] = { 0 };
	pthread_t thread;
	int status;

	define(3, 0, 0xfffff, 0, 0, 1, 0, 1);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	fflush(stdout);
	if (!fork()) {
		printf("child reads %ld", modify(0, entries, sizeof entries));
		printf(" %llx\n", (unsigned long long)entries[3]);
		define(3, 0, 5, 0, 0, 0, 0, 1);
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	modify(0, entries, sizeof entries);
	printf("parent still has %llx\n", (unsigned long long)entries[3]);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	uint64_t entry;

	if (argc > 1 && !strcmp(argv[1], "probe"))
		return modify(0, &entry, sizeof entry) != 0 ||
		       define(0, 0, 5, 0, 0, 0, 0, 0) != 0;
	setvbuf(stdout, NULL, _IONBF, 0);
	memory = mmap((void *)0x10000000, 8192, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	action.sa_sigaction = fault;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
#ifdef __i386__
	signal(SIGUSR1, note);
	if (argc > 1 && !strcmp(argv[1], "16-bit")) {
		define(1, 0, 0xfffff, 2, 0, 1, 0, 0);
		__asm__ volatile("ljmp $0xf, $0x1000");
	}
#endif
	table();
	rights();
	use_fs();
#ifdef __i386__
	use_es_and_ds();
	code_segment();
#endif
	shared();
	return 0;
}
