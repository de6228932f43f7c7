/* Accesses with EFLAGS.AC: which must be aligned, and how the fault is told. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__
#define POINTER "%%rsi"
#define OTHER "%%rdi"
#define COUNT "%%rcx"
#define FLAGS_ON "pushfq\n\torl $0x40000, (%%rsp)\n\tpopfq\n\t"
#define FLAGS_OFF "pushfq\n\tandl $~0x40000, (%%rsp)\n\tpopfq\n\t"
#define ONLY_64(...) __VA_ARGS__
#define ONLY_32(...)
#else
#define POINTER "%%esi"
#define OTHER "%%edi"
#define COUNT "%%ecx"
#define FLAGS_ON "pushfl\n\torl $0x40000, (%%esp)\n\tpopfl\n\t"
#define FLAGS_OFF "pushfl\n\tandl $~0x40000, (%%esp)\n\tpopfl\n\t"
#define ONLY_64(...)
#define ONLY_32(...) __VA_ARGS__
#endif

static sigjmp_buf escape;
static char text[128];
static uint8_t memory[1024] __attribute__((aligned(64)));
static uint8_t target[1024] __attribute__((aligned(64)));

static void fault(int number, siginfo_t *information, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *at;

	__asm__ volatile(FLAGS_OFF : : : "memory", "cc");
#ifdef __x86_64__
	at = (void *)r[REG_RIP];
#else
	at = (void *)r[REG_EIP];
#endif
	snprintf(text, sizeof text, "%s code %d address %d trap %d error %d AC %d",
		 number == SIGBUS ? "SIGBUS" : "another signal",
		 information->si_code, information->si_addr != NULL,
		 (int)r[REG_TRAPNO], (int)r[REG_ERR],
		 (int)r[REG_EFL] >> 18 & 1);
	(void)at;
	siglongjmp(escape, 1);
}

#define TRY(name, code) \
	static void name(uint8_t *at) \
	{ \
		uint8_t *to = target, *count = (uint8_t *)3; \
		__asm__ volatile("cld\n\tfninit\n\t" FLAGS_ON code "\n\t" FLAGS_OFF \
				 : "+S"(at), "+D"(to), "+c"(count) \
				 : : "memory", "cc", "eax", "edx"); \
	}

TRY(byte, "movb (" POINTER "), %%al")
TRY(word, "movw (" POINTER "), %%ax")
TRY(word_store, "movw %%ax, (" POINTER ")")
TRY(dword, "movl (" POINTER "), %%eax")
TRY(add, "addl $1, (" POINTER ")")
TRY(locked, "lock addl $1, (" POINTER ")")
TRY(exchange, "xchgl %%eax, (" POINTER ")")
TRY(compare8b, "xorl %%eax, %%eax\n\tlock cmpxchg8b (" POINTER ")")
TRY(push_memory, "pushl (" POINTER ")\n\taddl $4, %%esp")
TRY(string, "movsl")
TRY(string_word, "rep movsw")
TRY(string_byte, "rep movsb")
TRY(bit, "movl $40, %%eax\n\tbtl %%eax, (" POINTER ")")
TRY(bit_immediate, "btl $3, (" POINTER ")")
TRY(prefetch, "prefetcht0 (" POINTER ")")
TRY(lea, "lea 1(" POINTER "), %%eax")
TRY(nop, "nopl (" POINTER ")")
TRY(fld_single, "flds (" POINTER ")")
TRY(fld_double, "fldl (" POINTER ")")
TRY(fld_extended, "fldt (" POINTER ")")
TRY(fild_word, "filds (" POINTER ")")
TRY(fild_quad, "fildll (" POINTER ")")
TRY(fldcw, "fnstcw (" POINTER ")")
TRY(fstenv, "fnstenv (" POINTER ")")
TRY(fsave, "fnsave (" POINTER ")")
TRY(movq_mmx, "movq (" POINTER "), %%mm0\n\temms")
TRY(movd, "movd (" POINTER "), %%xmm0")
TRY(movss, "movss (" POINTER "), %%xmm0")
TRY(movsd, "movsd (" POINTER "), %%xmm0")
TRY(movups, "movups (" POINTER "), %%xmm0")
TRY(movdqu_store, "movdqu %%xmm0, (" POINTER ")")
TRY(movhps, "movhps (" POINTER "), %%xmm0")
TRY(lddqu, "lddqu (" POINTER "), %%xmm0")
TRY(pmovzx, "pmovzxbw (" POINTER "), %%xmm0")
TRY(pinsrw, "pinsrw $0, (" POINTER "), %%xmm0")
TRY(pcmpistri, "pcmpistri $0, (" POINTER "), %%xmm0")
TRY(ldmxcsr, "stmxcsr (" POINTER ")")
TRY(crc, "crc32l (" POINTER "), %%eax")
TRY(segment, "movw %%ds, (" POINTER ")")
ONLY_64(
TRY(qword, "movq (%%rsi), %%rax")
TRY(string_quad, "movsq")
TRY(compare16b, "xorl %%eax, %%eax\n\tpush %%rbx\n\tlock cmpxchg16b (%%rsi)\n\tpop %%rbx")
)
ONLY_32(
TRY(bound, "movl $0, (%%esi)\n\tmovl $0x7fffffff, 4(%%esi)\n\txorl %%eax, %%eax\n\tboundl %%eax, (%%esi)")
TRY(pusha, "pushal\n\tpopal")
)

#define ROW(name) { #name, name, false },
/* Sixteen bytes that need not be aligned: fine with Intel's processors, a fault
 * with AMD's. */
#define INTEL(name) { #name, name, true },
static const struct {
	const char *name;
	void (*run)(uint8_t *at);
	bool intel;
} parts[] = {
	ROW(byte) ROW(word) ROW(word_store) ROW(dword) ROW(add) ROW(locked)
	ROW(exchange) ROW(compare8b)
	ONLY_32(ROW(push_memory))
	ROW(string) ROW(string_word) ROW(string_byte) ROW(bit)
	ROW(bit_immediate) ROW(prefetch) ROW(lea) ROW(nop) ROW(fld_single)
	ROW(fld_double) ROW(fld_extended) ROW(fild_word) ROW(fild_quad)
	ROW(fldcw) ROW(fstenv) ROW(fsave) ROW(movq_mmx) ROW(movd) ROW(movss)
	ROW(movsd) INTEL(movups) INTEL(movdqu_store) ROW(movhps) INTEL(lddqu)
	ROW(pmovzx) ROW(pinsrw) INTEL(pcmpistri) ROW(ldmxcsr) ROW(crc)
	ROW(segment)
	ONLY_64(ROW(qword) ROW(string_quad) ROW(compare16b))
	ONLY_32(ROW(bound) ROW(pusha))
};

/* "intel": those, too, that AMD's processors do otherwise. */
int main(int count, char **arguments)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	(void)arguments;
	action.sa_sigaction = fault;
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (unsigned offset = 0; offset <= 16;
		     offset = offset ? offset * 2 : 1) {
			if (parts[i].intel && count < 2)
				continue;
			strcpy(text, "nothing");
			memset(memory, 0, sizeof memory);
			if (!sigsetjmp(escape, 1))
				parts[i].run(memory + offset);
			printf("%s at %u: %s\n", parts[i].name, offset, text);
		}
	return 0;
}
