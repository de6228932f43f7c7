/* The floating-point part of signal frames, as programs find and change it:
 * the FXSAVE image, the words by which the XSAVE area is announced, YMM
 * registers in it, and what a handler starts with. Prints what does not depend
 * on the processor's other state components. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static int has_xsave, has_avx;

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return value;
}

/* The FXSAVE image; in i386 frames it is behind FSAVE's. */
static uint8_t *image(void *context)
{
	ucontext_t *user = context;
	uint8_t *at = (uint8_t *)user->uc_mcontext.fpregs;

	return sizeof(long) == 8 ? at : at + 112;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	uint8_t *fx = image(context);
	uint32_t mxcsr, size = word(fx + 464 + 16);
	uint16_t control;
	uint64_t features;

	(void)info;
	__asm__ volatile("fnstcw %0\n\tstmxcsr %1" : "=m"(control),
			 "=m"(mxcsr));
	printf("signal %d: starts with control %x, mxcsr %x\n", signal,
	       control, mxcsr);
	printf("saved control %x, mxcsr %x, xmm3 %08x\n", fx[0] | fx[1] << 8,
	       word(fx + 24), word(fx + 160 + 3 * 16));
	if (has_xsave) {
		memcpy(&features, fx + 464 + 8, 8);
		printf("magic %d, size %d, extended size %d, end %d, x87 and "
		       "SSE %d\n", word(fx + 464) == 0x46505853,
		       size >= 512 + 64 + (has_avx ? 256 : 0),
		       word(fx + 468) ==
		       size + 4 + (sizeof(long) == 8 ? 0 : 112),
		       word(fx + size) == 0x46505845,
		       (int)(features & fx[512] & 3) == 3);
	} else {
		printf("magic %d\n", word(fx + 464) == 0x46505853);
	}
	if (has_avx) {
		printf("upper half of ymm3 %08x\n",
		       word(fx + 576 + 3 * 16));
		memset(fx + 576 + 3 * 16, 0x77, 16);
		fx[512] |= 4;
		__asm__ volatile("vzeroall" : : : "xmm0", "xmm3");
	}
	memset(fx + 160 + 3 * 16, 0x66, 16);
	mxcsr = 0x5f80;
	memcpy(fx + 24, &mxcsr, 4);
	/* What the handler does to its own is gone afterwards. */
	mxcsr = 0x1fc0;
	__asm__ volatile("ldmxcsr %0\n\tpcmpeqd %%xmm3, %%xmm3" : : "m"(mxcsr)
			 : "xmm3");
}

int main(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };
	uint32_t a, b, c, d, mxcsr = 0x3f80, result[8] = { 0 };
	uint32_t data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint16_t control = 0x27f;

	__cpuid(1, a, b, c, d);
	has_xsave = c >> 27 & 1;
	has_avx = c >> 28 & 1;
	printf("XSAVE %d, AVX %d\n", has_xsave, has_avx);
	action.sa_sigaction = handler;
	sigaction(SIGILL, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	__asm__ volatile("fldcw %0\n\tldmxcsr %1" : : "m"(control),
			 "m"(mxcsr));
	if (has_avx)
		__asm__ volatile("vmovdqu %0, %%ymm3" : : "m"(data) : "xmm3");
	else
		__asm__ volatile("movdqu %0, %%xmm3" : : "m"(data) : "xmm3");
	/* getpid() and kill() without the C library in between. */
#ifdef __x86_64__
	__asm__ volatile("syscall\n\tmov %%eax, %%edi\n\tmov $10, %%esi\n\t"
			 "mov $62, %%eax\n\tsyscall" : "=a"(a) : "a"(39)
			 : "rdi", "rsi", "rcx", "r11", "memory");
#else
	__asm__ volatile("int $0x80\n\tmov %%eax, %%ebx\n\tmov $10, %%ecx\n\t"
			 "mov $37, %%eax\n\tint $0x80" : "=a"(a) : "a"(20)
			 : "ebx", "ecx", "memory");
#endif
	if (has_avx)
		__asm__ volatile("vmovdqu %%ymm3, %0" : "=m"(result));
	else
		__asm__ volatile("movdqu %%xmm3, %0" : "=m"(result));
	__asm__ volatile("fnstcw %0\n\tstmxcsr %1" : "=m"(control),
			 "=m"(mxcsr));
	printf("then control %x, mxcsr %x, xmm3 %08x, upper half %08x\n",
	       control, mxcsr, result[0], result[4]);
	return 0;
}
