/* The first contents of a program's stack: strings, vectors, auxiliary
 * values. */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/isa/features.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/processes/exec-image.h"
#include "x86/linux/random.h"
#include "x86/linux/signals/fp-state.h"
#include "x86/linux/state.h"

/* AT_HWCAP2: user code may use RDFSBASE (asm/hwcap2.h). */
enum { CAPABILITY_FSGSBASE = 2 };

void strings_add(struct strings *strings, const char *text)
{
	ARRAY_GROW(strings->list, strings->count, strings->capacity);
	strings->list[strings->count++] = xstrdup(text);
}

void strings_insert(struct strings *strings, const char *text)
{
	strings_add(strings, text);
	char *last = strings->list[strings->count - 1];

	memmove(strings->list + 1, strings->list,
		(strings->count - 1) * sizeof *strings->list);
	strings->list[0] = last;
}

void strings_free(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->list[i]);
	free(strings->list);
}

void strings_block(const struct strings *strings, char **block, size_t *size)
{
	size_t at = 0;

	*size = 0;
	for (size_t i = 0; i < strings->count; i++)
		*size += strlen(strings->list[i]) + 1;
	*block = xmalloc(*size + 1);
	for (size_t i = 0; i < strings->count; i++) {
		size_t length = strlen(strings->list[i]) + 1;

		memcpy(*block + at, strings->list[i], length);
		at += length;
	}
}

struct stack {
	struct guest_memory *memory;
	uint64_t at;
	bool failed;
};

static uint64_t push_bytes(struct stack *stack, const void *bytes, size_t size)
{
	if (size > stack->at - stack->memory->stack_low) {
		stack->failed = true;
		return 0;
	}
	stack->at -= size;
	if (space_write(stack->memory->space, stack->at, bytes, size))
		stack->failed = true;
	return stack->at;
}

static uint64_t push_string(struct stack *stack, const char *text)
{
	return push_bytes(stack, text, strlen(text) + 1);
}

struct words {
	uint64_t *list;
	size_t count, capacity;
};

static void words_add(struct words *words, uint64_t value)
{
	ARRAY_GROW(words->list, words->count, words->capacity);
	words->list[words->count++] = value;
}

static void words_pair(struct words *words, uint64_t type, uint64_t value)
{
	words_add(words, type);
	words_add(words, value);
}

uint64_t build_stack(struct linux_system *system,
		     const struct program_identity *identity,
		     struct guest_memory *memory,
		     const struct strings *arguments,
		     const struct strings *environment,
		     const struct loaded *loaded)
{
	struct stack stack = { memory, memory->stack_high, false };
	const struct x86_model *model =
		x86_emulator_model(memory->emulator);
	const struct elf_image *image = loaded->image;
	const struct credentials *credentials = &identity->credentials;
	unsigned word = memory->abi32 ? 4 : 8;
	uint64_t zero = 0, name, platform, random, random_bytes[2];
	uint32_t capabilities[4];
	struct words words = { 0 };
	size_t auxiliary;

	push_bytes(&stack, &zero, word);
	name = push_string(&stack, loaded->path);
	uint64_t *where = xcalloc(arguments->count + environment->count + 1,
				  sizeof *where);

	for (size_t i = environment->count; i-- > 0;)
		where[arguments->count + i] =
			push_string(&stack, environment->list[i]);
	for (size_t i = arguments->count; i-- > 0;)
		where[i] = push_string(&stack, arguments->list[i]);
	platform = push_string(&stack, memory->abi32 ? "i686" : "x86_64");
	random_bytes[0] = random_next(system);
	random_bytes[1] = random_next(system);
	stack.at &= ~UINT64_C(15);
	random = push_bytes(&stack, random_bytes, sizeof random_bytes);

	words_add(&words, arguments->count);
	for (size_t i = 0; i < arguments->count; i++)
		words_add(&words, where[i]);
	words_add(&words, 0);
	for (size_t i = 0; i < environment->count; i++)
		words_add(&words, where[arguments->count + i]);
	words_add(&words, 0);
	free(where);
	auxiliary = words.count;
	x86_cpuid(model, 1, 0, capabilities);
	words_pair(&words, AT_HWCAP, capabilities[3]);
	words_pair(&words, AT_PAGESZ, SPACE_PAGE);
	words_pair(&words, AT_CLKTCK, 100);
	words_pair(&words, AT_PHDR, image->headers + loaded->bias);
	words_pair(&words, AT_PHENT, image->header_size);
	words_pair(&words, AT_PHNUM, image->header_count);
	words_pair(&words, AT_BASE, loaded->interpreter_bias);
	words_pair(&words, AT_FLAGS, 0);
	words_pair(&words, AT_ENTRY, image->entry + loaded->bias);
	words_pair(&words, AT_UID, credentials->user[0]);
	words_pair(&words, AT_EUID, credentials->user[1]);
	words_pair(&words, AT_GID, credentials->group[0]);
	words_pair(&words, AT_EGID, credentials->group[1]);
	words_pair(&words, AT_SECURE, identity->secure);
	words_pair(&words, AT_RANDOM, random);
	words_pair(&words, AT_HWCAP2,
		   model->has[X86_FEATURE_FSGSBASE] ?
			   CAPABILITY_FSGSBASE : 0);
	words_pair(&words, AT_EXECFN, name);
	words_pair(&words, AT_PLATFORM, platform);
	words_pair(&words, AT_MINSIGSTKSZ, frame_size_max(model));
	words_pair(&words, AT_NULL, 0);

	/* The stack pointer of the entry point is a multiple of 16. */
	stack.at &= ~UINT64_C(15);
	if (words.count * word > stack.at - memory->stack_low)
		stack.failed = true;
	else
		stack.at = (stack.at - words.count * word) & ~UINT64_C(15);
	for (size_t i = 0; i < words.count && !stack.failed; i++)
		if (space_write(memory->space, stack.at + i * word,
				words.list + i, word))
			stack.failed = true;
	memory->auxiliary_size = (words.count - auxiliary) * word;
	memory->auxiliary = xmalloc(memory->auxiliary_size);
	for (size_t i = auxiliary; i < words.count; i++)
		memcpy(memory->auxiliary + (i - auxiliary) * word,
		       words.list + i, word);
	free(words.list);
	return stack.failed ? 0 : stack.at;
}

void print_start(FILE *log, const struct guest_memory *memory,
		 const struct strings *environment)
{
	static const struct {
		unsigned type;
		const char *name;
	} names[] = {
#define NAME(type) { AT_##type, "AT_" #type }
		NAME(PHDR), NAME(PHENT), NAME(PHNUM), NAME(PAGESZ),
		NAME(BASE), NAME(FLAGS), NAME(ENTRY), NAME(UID), NAME(EUID),
		NAME(GID), NAME(EGID), NAME(CLKTCK), NAME(HWCAP),
		NAME(HWCAP2), NAME(SECURE), NAME(RANDOM), NAME(EXECFN),
		NAME(PLATFORM), NAME(MINSIGSTKSZ), NAME(SYSINFO),
		NAME(SYSINFO_EHDR),
#undef NAME
	};
	size_t word = memory->abi32 ? 4 : 8;

	for (size_t i = 0; i < environment->count; i++)
		/* Values may be secret. */
		fprintf(log, "  envp[%zu] = \"%.*s=...\"\n", i,
			(int)strcspn(environment->list[i], "="),
			environment->list[i]);
	fprintf(log, "  stack 0x%" PRIx64 "-0x%" PRIx64 "\n",
		memory->stack_low, memory->stack_high);
	for (size_t at = 0; at + 2 * word <= memory->auxiliary_size;
	     at += 2 * word) {
		uint64_t type = 0, value = 0;
		const char *name = NULL;

		memcpy(&type, memory->auxiliary + at, word);
		memcpy(&value, memory->auxiliary + at + word, word);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (names[i].type == type)
				name = names[i].name;
		if (name)
			fprintf(log, "  %s = 0x%" PRIx64 "\n", name, value);
		else if (type)
			fprintf(log, "  auxiliary %" PRIu64 " = 0x%" PRIx64
				"\n", type, value);
	}
}
