/* From an input to a program that makes its calls: a loop over a table, whose
 * arguments may be what earlier calls returned. */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"
#include "x86/small-elf.h"

/* An entry of the table: words. */
enum {
	ENTRY_NUMBER,
	ENTRY_ARGUMENTS, /* six times a slot and what is added to it */
	ENTRY_SLOT = ENTRY_ARGUMENTS + 12, /* where the result goes */
	ENTRY_GATE,      /* not 0: int $0x80 of an x86-64 program */
	ENTRY_WORDS = 16,
};
#define LAST_CALL 0xffffffffu
_Static_assert((SLOT_FIRST_FREE + RECORDS_MAX + 1) * ENTRY_WORDS * 8 <=
		       GUEST_SLOTS - GUEST_TABLE, "the table is too large");

/* First a jump to the start, the handler of signals and its return; their
 * addresses are in calls.h. At the end of the table the program stops its
 * timer and waits: when all do, the run ends. */
extern const uint8_t calls_wide[], calls_wide_end[];
extern const uint8_t calls_narrow[], calls_narrow_end[];
__asm__(".pushsection .rodata\n"
	".macro calls_argument64 word, register\n\t"
	"mov 8*\\word(%r15), %r13; mov (%r14,%r13,8), %\\register\n\t"
	"add 8*\\word+8(%r15), %\\register\n"
	".endm\n"
	".macro calls_argument32 word, register\n\t"
	"mov 4*\\word(%eax), %\\register\n\t"
	"mov 0x404000(,%\\register,4), %\\register\n\t"
	"add 4*\\word+4(%eax), %\\register\n"
	".endm\n"
	"calls_wide:\n\t"
	"jmp 1f; .org calls_wide+8; ret\n\t"
	".org calls_wide+16; mov $15, %eax; syscall\n"
	"1: mov $0x401000, %r15d; mov $0x404000, %r14d\n"
	"2: cmpl $-1, (%r15); je 5f\n\t"
	"cmpl $0, 8*14(%r15); jne 3f\n\t"
	"calls_argument64 1, rdi; calls_argument64 3, rsi\n\t"
	"calls_argument64 5, rdx; calls_argument64 7, r10\n\t"
	"calls_argument64 9, r8; calls_argument64 11, r9\n\t"
	"mov (%r15), %eax; syscall; jmp 4f\n"
	"3: calls_argument64 1, rbx; calls_argument64 3, rcx\n\t"
	"calls_argument64 5, rdx; calls_argument64 7, rsi\n\t"
	"calls_argument64 9, rdi; calls_argument64 11, rbp\n\t"
	"mov (%r15), %eax; int $0x80\n"
	"4: mov 8*13(%r15), %r13; mov %rax, (%r14,%r13,8)\n\t"
	"add $128, %r15; jmp 2b\n"
	"5: mov $37, %eax; xor %edi, %edi; syscall\n\t"
	"mov $34, %eax; syscall; jmp 5b\n"
	"calls_wide_end:\n"
	".code32\n"
	"calls_narrow:\n\t"
	"jmp 1f; .org calls_narrow+8; ret\n\t"
	".org calls_narrow+16; mov $173, %eax; int $0x80\n"
	"1: movl $0x401000, 0x404800\n"
	"2: mov 0x404800, %eax; cmpl $-1, (%eax); je 5f\n\t"
	"calls_argument32 1, ebx; calls_argument32 3, ecx\n\t"
	"calls_argument32 5, edx; calls_argument32 7, esi\n\t"
	"calls_argument32 9, edi; calls_argument32 11, ebp\n\t"
	"mov (%eax), %eax; int $0x80\n\t"
	"mov 0x404800, %ecx; mov 4*13(%ecx), %edx\n\t"
	"mov %eax, 0x404000(,%edx,4); addl $64, 0x404800; jmp 2b\n"
	"5: mov $27, %eax; xor %ebx, %ebx; int $0x80\n\t"
	"mov $29, %eax; int $0x80; jmp 5b\n"
	"calls_narrow_end:\n"
	".code64\n"
	".popsection");

struct builder {
	uint8_t *file;
	unsigned word, entries, slots, processes;
};

static void put_word(struct builder *builder, unsigned at, uint64_t value)
{
	memcpy(builder->file + (GUEST_TABLE - GUEST_BASE) +
		       (builder->entries * ENTRY_WORDS + at) * builder->word,
	       &value, builder->word);
}

static void put_argument(struct builder *builder, unsigned index,
			 struct argument argument)
{
	put_word(builder, ENTRY_ARGUMENTS + 2 * index, argument.slot);
	put_word(builder, ENTRY_ARGUMENTS + 2 * index + 1, argument.value);
}

/* ---- What every program begins with ---- */

/* Path number i of the arena, by its text in arena.c. */
#define PATH(i) GUEST_ARENA + ARENA_PATHS + (i) * ARENA_PATH
#define BUFFER(at) GUEST_ARENA + ARENA_BUFFERS + (at)

static const struct {
	const char *name;
	unsigned slot;
	struct argument arguments[6];
} first_calls[] = {
#define A(value) { 0, value }
	/* Descriptors 3 to 17, in this order. */
	{ "open", 0, { A(PATH(1)), A(O_RDWR) } },
	{ "open", 0, { A(PATH(25)), A(O_RDONLY | O_DIRECTORY) } },
	{ "open", 0, { A(PATH(5)), A(O_PATH | O_DIRECTORY) } },
	{ "memfd_create", 0, { A(PATH(0)), A(0) } },
	{ "pipe2", 0, { A(BUFFER(0)), A(0) } },
	{ "socketpair", 0, { A(1), A(1), A(0), A(BUFFER(8)) } },
	{ "socket", 0, { A(2), A(1), A(0) } },
	{ "socket", 0, { A(1), A(2), A(0) } },
	{ "epoll_create1", 0, { A(0) } },
	{ "eventfd2", 0, { A(1), A(0) } },
	{ "timerfd_create", 0, { A(1), A(0) } },
	{ "inotify_init1", 0, { A(0) } },
	{ "open", 0, { A(PATH(6)), A(O_RDONLY) } },
	/* Whatever waits is interrupted after a millisecond. */
	{ "rt_sigaction", 0, { A(14), A(GUEST_ARENA), A(0), A(8) } },
	{ "setitimer", 0, { A(0), A(GUEST_ARENA), A(0) } },
	{ "mmap", SLOT_ANONYMOUS,
	  { A(0), A(0x10000), A(3), A(MAP_PRIVATE | MAP_ANONYMOUS),
	    A((uint64_t)-1), A(0) } },
	{ "ftruncate", 0, { A(6), A(0x4000) } },
	{ "mmap", SLOT_CUT,
	  { A(0), A(0x4000), A(3), A(MAP_SHARED), A(6), A(0) } },
	{ "ftruncate", 0, { A(6), A(0) } },
	{ "mmap", SLOT_FILE,
	  { A(0), A(0x2000), A(3), A(MAP_SHARED), A(3), A(0) } },
	{ "mmap", SLOT_READ_ONLY,
	  { A(0), A(0x1000), A(1), A(MAP_PRIVATE | MAP_ANONYMOUS),
	    A((uint64_t)-1), A(0) } },
	{ "mmap", SLOT_NO_ACCESS,
	  { A(0), A(0x1000), A(0), A(MAP_PRIVATE | MAP_ANONYMOUS),
	    A((uint64_t)-1), A(0) } },
#undef A
};
_Static_assert(ARRAY_SIZE(first_calls) < SLOT_FIRST_FREE, "too many");

static const struct row *row_named(const char *name, bool narrow)
{
	for (size_t i = 0; i < row_count; i++)
		if (!strcmp(rows[i].name, name) && rows[i].number[narrow] >= 0)
			return rows + i;
	return NULL;
}

static void put_first_calls(struct builder *builder, bool narrow)
{
	for (size_t i = 0; i < ARRAY_SIZE(first_calls); i++) {
		const char *name = first_calls[i].name;
		const struct row *row;
		uint64_t other = 0;

		if (narrow && !strcmp(name, "mmap"))
			name = "mmap2";
		row = row_named(name, narrow);
		put_word(builder, ENTRY_NUMBER, (uint64_t)row->number[narrow]);
		/* Two structures: see arena.c. */
		if (!strcmp(name, "rt_sigaction"))
			other = arena_kind('Q')->offset +
				2 * arena_kind('Q')->stride;
		else if (!strcmp(name, "setitimer"))
			other = arena_kind('t')->offset + 2 * builder->word;
		for (unsigned j = 0; j < 6; j++) {
			struct argument argument = first_calls[i].arguments[j];

			if (j == 1)
				argument.value += other;
			put_argument(builder, j, argument);
		}
		put_word(builder, ENTRY_SLOT,
			 first_calls[i].slot ? first_calls[i].slot
					     : 6 + i % 16);
		builder->entries++;
	}
}

/* ---- The calls of the input ---- */

static bool makes_processes(const char *name)
{
	return !strcmp(name, "fork") || !strcmp(name, "vfork") ||
	       !strncmp(name, "clone", 5) || !strncmp(name, "execve", 6);
}

static void put_record(struct builder *builder, const uint8_t *record,
		       bool narrow)
{
	unsigned number = (unsigned)(record[0] | record[1] << 8);
	bool gate = number & 0x8000;
	const struct row *row =
		row_choose(number & 0x7fff, narrow || gate);
	const char *kinds = row->kinds;

	if (makes_processes(row->name) && builder->processes++ >= 3)
		return;
	put_word(builder, ENTRY_NUMBER, (uint64_t)row->number[narrow || gate]);
	for (unsigned i = 0; i < 6; i++) {
		put_argument(builder, i,
			     argument_make(*kinds ? *kinds : 'x',
					   record + 2 + 3 * i, builder->slots));
		kinds += *kinds != 0;
	}
	put_word(builder, ENTRY_SLOT, builder->slots++);
	put_word(builder, ENTRY_GATE, gate);
	builder->entries++;
}

void program_make(uint8_t *file, const uint8_t *data, size_t size)
{
	bool narrow = size && data[0] & INPUT_NARROW;
	const uint8_t *code = narrow ? calls_narrow : calls_wide;
	const uint8_t *end = narrow ? calls_narrow_end : calls_wide_end;
	struct builder builder = {
		.file = file, .word = narrow ? 4 : 8, .slots = SLOT_FIRST_FREE
	};

	memset(file, 0, PROGRAM_SIZE);
	memcpy(file + SMALL_ELF_CODE, code, (size_t)(end - code));
	small_elf_headers(file, !narrow, PROGRAM_SIZE, GUEST_SIZE);
	arena_fill(file + (GUEST_ARENA - GUEST_BASE), narrow);
	put_first_calls(&builder, narrow);
	for (size_t at = INPUT_HEADER, i = 0;
	     at + RECORD_SIZE <= size && i < RECORDS_MAX;
	     at += RECORD_SIZE, i++)
		put_record(&builder, data + at, narrow);
	put_word(&builder, ENTRY_NUMBER, LAST_CALL);
}
