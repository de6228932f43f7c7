/* setjmp, ucontext, function pointers, switches, deep recursion. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static jmp_buf back;
static ucontext_t main_context, other_context;
static int steps;

static void deep(int n)
{
	if (!n)
		longjmp(back, 42);
	deep(n - 1);
}

static void coroutine(void)
{
	for (int i = 0; i < 3; i++) {
		steps += 10;
		swapcontext(&other_context, &main_context);
	}
}

static int ackermann(int m, int n)
{
	return m == 0   ? n + 1
	       : n == 0 ? ackermann(m - 1, 1)
			: ackermann(m - 1, ackermann(m, n - 1));
}

static int choose(int n)
{
	switch (n) {
	case 0: return 5;
	case 1: return 7;
	case 2: return 11;
	case 3: return 13;
	case 4: return 17;
	case 100: return 19;
	default: return -n;
	}
}

static void at_end(void)
{
	printf("at exit\n");
}

int main(void)
{
	static char stack[65536];
	int value = setjmp(back);

	atexit(at_end);
	if (!value)
		deep(100);
	printf("longjmp %d\n", value);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof stack;
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	for (int i = 0; i < 4; i++) {
		swapcontext(&main_context, &other_context);
		printf("steps %d\n", steps);
	}
	printf("ackermann %d\n", ackermann(2, 300));
	for (int i = 0; i < 6; i++)
		printf("%d ", choose(i * i));
	printf("%d\n", choose(100));
	exit(23);
}
