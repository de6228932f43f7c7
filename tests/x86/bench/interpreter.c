/* A byte-code interpreter: jumps through a table. */
#include <stdio.h>

enum code { PUSH, ADD, SUBTRACT, DUPLICATE, LOAD, STORE, LESS, BRANCH, JUMP,
	    AND, STOP };

static const int program[] = {
	PUSH, 0, STORE, 0, PUSH, 0, STORE, 1,    /* i = 0, sum = 0 */
	LOAD, 0, PUSH, 2000000, LESS, BRANCH, 32, /* while (i < ...) */
	LOAD, 1, LOAD, 0, PUSH, 255, AND, ADD, STORE, 1,
	LOAD, 0, PUSH, 1, ADD, STORE, 0,
	/* 32 */ JUMP, 35, STOP,
	/* 35 */ LOAD, 0, PUSH, 2000000, LESS, BRANCH, 34, JUMP, 8,
};

int main(void)
{
	long stack[64], *top = stack, variable[4] = { 0 };

	for (const int *at = program;;) {
		switch ((enum code)*at++) {
		case PUSH: *top++ = *at++; break;
		case ADD: top--; top[-1] += *top; break;
		case SUBTRACT: top--; top[-1] -= *top; break;
		case DUPLICATE: *top = top[-1]; top++; break;
		case LOAD: *top++ = variable[*at++]; break;
		case STORE: variable[*at++] = *--top; break;
		case LESS: top--; top[-1] = top[-1] < *top; break;
		case AND: top--; top[-1] &= *top; break;
		case BRANCH: at = *--top ? at + 1 : program + *at; break;
		case JUMP: at = program + *at; break;
		case STOP:
			printf("%ld %ld\n", variable[0], variable[1]);
			return 0;
		}
	}
}
