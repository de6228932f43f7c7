/* The trap flag: where its traps come in repeated instructions and behind what
 * loads SS. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#ifdef __x86_64__
#define IP REG_RIP
#define CX REG_RCX
#define PUSHF "pushfq\n\t"
#define POPF "popfq\n\t"
#define SP "%%rsp"
#else
#define IP REG_EIP
#define CX REG_ECX
#define PUSHF "pushfl\n\t"
#define POPF "popfl\n\t"
#define SP "%%esp"
#endif

static struct {
	long ip, cx;
	unsigned flags;
	int code, trap;
} traps[64];
static int count;
/* Also what AMD's processors do otherwise: they do not set RF between the
 * iterations of a repeated instruction, and a second load of SS delays traps
 * again. */
static int intel;

static void trap(int number, siginfo_t *information, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)number;
	if (count == 64)
		return;
	traps[count].ip = r[IP];
	traps[count].cx = r[CX];
	traps[count].flags = r[REG_EFL];
	traps[count].code = information->si_code;
	traps[count++].trap = r[REG_TRAPNO];
}

static void show(const char *name, long start)
{
	printf("%s:", name);
	for (int i = 0; i < count; i++)
		printf(" (%ld cx %ld RF %d TF %d code %d trap %d)",
		       traps[i].ip - start, traps[i].cx,
		       traps[i].flags >> 16 & intel,
		       traps[i].flags >> 8 & 1,
		       traps[i].code, traps[i].trap);
	printf("\n");
}

/* Traps from the nop before the instructions to the flag's end. */
#define TRY(name, times, ...) \
	do { \
		static uint8_t from[64], to[64]; \
		uint8_t *a = from, *b = to; \
		long c = times; \
		extern char name##_start[]; \
		count = 0; \
		memset(from, 1, sizeof from); \
		memset(to, 1, sizeof to); \
		from[2] = 7; \
		__asm__ volatile("cld\n\t" PUSHF "orl $0x100, (" SP ")\n\t" POPF \
				 "nop\n" #name "_start:\n\t" __VA_ARGS__ "\n\tnop\n\t" \
				 PUSHF "andl $~0x100, (" SP ")\n\t" POPF \
				 : "+S"(a), "+D"(b), "+c"(c) : "a"(1) \
				 : "memory", "cc", "edx"); \
		show(#name, (long)name##_start); \
		printf("  left %ld, moved %d %d\n", c, (int)(a - from), \
		       (int)(b - to)); \
	} while (0)

/* "intel": what just Intel's processors do, too. */
int main(int argc, char **argv)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	(void)argv;
	intel = argc > 1;
	action.sa_sigaction = trap;
	sigaction(SIGTRAP, &action, NULL);
	TRY(movs3, 3, "rep movsb");
	TRY(movs1, 1, "rep movsb");
	TRY(movs0, 0, "rep movsb");
	TRY(movsw, 2, "rep movsw");
	TRY(stos, 4, "rep stosb");
	TRY(lods, 2, "rep lodsb");
	TRY(cmps, 5, "repe cmpsb");
	TRY(scas, 5, "repne scasb");
	TRY(scase, 5, "repe scasb");
	TRY(single, 5, "movsb");
	TRY(mov_ss, 5, "movl %%ss, %%edx\n\tmovl %%edx, %%ss\n\tnop\n\tnop");
	TRY(mov_ds, 5, "movl %%ds, %%edx\n\tmovl %%edx, %%ds\n\tnop\n\tnop");
	TRY(mov_ss_rep, 3, "movl %%ss, %%edx\n\tmovl %%edx, %%ss\n\trep movsb\n\tnop");
	TRY(mov_ss_memory, 3, "movw %%ss, (%0)\n\tmovw (%0), %%ss\n\tnop\n\tnop");
	if (intel)
		TRY(twice, 3, "movl %%ss, %%edx\n\tmovl %%edx, %%ss\n\t"
		      "movl %%edx, %%ss\n\tnop\n\tnop");
#ifndef __x86_64__
	TRY(pop_ss, 5, "push %%ss\n\tpop %%ss\n\tnop\n\tnop");
	TRY(lss, 5, "movl %%esp, (%%esi)\n\tmovw %%ss, 4(%%esi)\n\t"
		    "lss (%%esi), %%esp\n\tnop\n\tnop");
#endif
	TRY(flags, 5, PUSHF POPF "nop");
	return 0;
}
