/* Damaged checkpoints: refused with a message, or restored into a system that
 * can be freed. Files of the host are not looked at, and nothing is run.
 *
 * A checkpoint is made at the start, of a program with a pipe, mapped files,
 * signals, a thread and a child, so that it always has today's fields. The
 * input is a list of changes to the contents of its sections (struct change);
 * checksums and compression are made good again. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fuzz/fuzz.h"
#include "x86/linux/linux.h"
#include "x86/small-elf.h"

/* The program. */
extern const uint8_t fuzz_program[], fuzz_program_end[];
__asm__(".pushsection .rodata\n"
	"fuzz_program:\n\t"
	"sub $256, %rsp\n\t"
	"mov $22, %eax; mov %rsp, %rdi; syscall\n\t" /* pipe */
	"mov $1, %eax; mov 4(%rsp), %edi; mov %rsp, %rsi; mov $100, %edx\n\t"
	"syscall\n\t"                                /* write */
	"mov $319, %eax; lea 1f(%rip), %rdi; xor %esi, %esi; syscall\n\t"
	"mov %rax, %r8\n\t"                          /* memfd_create */
	"mov $77, %eax; mov %r8, %rdi; mov $8192, %esi; syscall\n\t"
	"mov $9, %eax; xor %edi, %edi; mov $8192, %esi; mov $3, %edx\n\t"
	"mov $1, %r10d; xor %r9d, %r9d; syscall\n\t" /* mmap, shared */
	"movl $1, (%rax)\n\t"
	"mov $9, %eax; mov $0x22, %r10d; mov $-1, %r8; syscall\n\t"
	"movl $2, 4096(%rax); lea 4096(%rax), %rbx\n\t"
	"mov $290, %eax; mov $7, %edi; xor %esi, %esi; syscall\n\t"
	"mov $291, %eax; xor %edi, %edi; syscall\n\t" /* eventfd2, epoll */
	"movq $1, (%rsp); movq $0x4000000, 8(%rsp)\n\t"
	"movq $0, 16(%rsp); movq $0, 24(%rsp)\n\t"
	"mov $13, %eax; mov $10, %edi; mov %rsp, %rsi; xor %edx, %edx\n\t"
	"mov $8, %r10d; syscall\n\t"                 /* rt_sigaction */
	"mov $62, %eax; mov $100, %edi; mov $17, %esi; syscall\n\t"
	"mov $38, %eax; xor %edi, %edi; mov %rsp, %rsi; xor %edx, %edx\n\t"
	"movq $9, 16(%rsp); syscall\n\t"             /* setitimer */
	"mov $56, %eax; mov $0x10f00, %edi; mov %rbx, %rsi; syscall\n\t"
	"test %eax, %eax; jnz 2f\n\t"                /* clone: a thread */
	"mov $202, %eax; mov %rbx, %rdi; xor %esi, %esi; mov $2, %edx\n\t"
	"xor %r10d, %r10d; syscall\n\t"              /* futex: waits */
	"2: mov $57, %eax; syscall\n\t"              /* fork */
	"test %eax, %eax; jnz 3f\n\t"
	"mov $34, %eax; syscall\n\t"                 /* pause */
	"3: jmp 3b\n\t"
	"1: .asciz \"m\"\n"
	"fuzz_program_end:\n"
	".popsection");

struct section {
	char tag[4];
	uint8_t *bytes;
	size_t size;
};

enum { SECTIONS = 64, HEADER = 64, SECTION_HEADER = 32 };
static struct section base[SECTIONS];
static size_t base_count;
static uint8_t file_header[HEADER];

static uint8_t *read_whole(const char *path, size_t *size)
{
	FILE *stream = fopen(path, "rb");
	struct stat status;
	uint8_t *bytes;

	if (!stream || fstat(fileno(stream), &status))
		fuzz_fail("%s: cannot read", path);
	*size = (size_t)status.st_size;
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, stream) != *size)
		fuzz_fail("%s: cannot read", path);
	fclose(stream);
	return bytes;
}

/* The sections' contents of a checkpoint just made. */
static void take_apart(const char *path)
{
	size_t size, at = HEADER;
	uint8_t *bytes = read_whole(path, &size);

	memcpy(file_header, bytes, HEADER);
	while (at + SECTION_HEADER <= size && base_count < SECTIONS) {
		struct section *section = &base[base_count++];
		uint64_t stored, content;
		uLongf got;

		memcpy(section->tag, bytes + at, 4);
		memcpy(&stored, bytes + at + 8, 8);
		memcpy(&content, bytes + at + 16, 8);
		got = content;
		section->bytes = malloc(content + 1);
		section->size = content;
		if (uncompress(section->bytes, &got,
			       bytes + at + SECTION_HEADER, stored) != Z_OK)
			fuzz_fail("section %zu does not decompress",
				  base_count);
		at += SECTION_HEADER + stored;
	}
	free(bytes);
}

static void make_base(void)
{
	static const char *const argv[] = { "p", NULL }, *const envp[] = { NULL };
	char program[] = "/tmp/m2s-fuzz-XXXXXX", file[sizeof program + 5];
	struct linux_options options = { .pause_at = 2000, .quantum = 100,
					 .clock = LINUX_CLOCK_SIMULATED };
	struct linux_result result = { 0 };
	struct error error = { "" };
	struct linux_system *system = linux_create(&options, &error);
	int output = mkstemp(program);
	uint8_t bytes[SMALL_ELF_MAX];
	size_t size = small_elf(bytes, true, fuzz_program,
				(size_t)(fuzz_program_end - fuzz_program));

	snprintf(file, sizeof file, "%s.ckpt", program);
	if (!system || write(output, bytes, size) != (ssize_t)size ||
	    fchmod(output, 0700) || close(output) ||
	    linux_load(system, &(struct linux_program){
			.path = program, .argv = argv, .envp = envp,
			.standard = { 0, 1, 2 } }, &error) < 0 ||
	    linux_run(system, &result, &error) ||
	    result.end != LINUX_END_PAUSE ||
	    linux_save_checkpoint(system, file, &error))
		fuzz_fail("no checkpoint to start from: %s", error.text);
	linux_free(system);
	unlink(program);
	take_apart(file);
	unlink(file);
}

/* ---- Changing ---- */

struct change {
	uint8_t section, kind;
	uint16_t at;
	uint32_t value;
};

static void change_section(struct section *section, const struct change *change)
{
	size_t at = section->size ? change->at % section->size : 0;
	size_t left = section->size - at;

	switch (change->kind % 6) {
	case 0:
		if (left)
			section->bytes[at] = (uint8_t)change->value;
		break;
	case 1:
		if (left >= 4)
			memcpy(section->bytes + at, &change->value, 4);
		break;
	case 2: /* eight bytes, near the ends of the range */
		if (left >= 8) {
			int64_t value = (int32_t)change->value;

			memcpy(section->bytes + at, &value, 8);
		}
		break;
	case 3:
		section->size = at;
		break;
	case 4: /* some bytes less */
		if (change->value % 64 < left) {
			memmove(section->bytes + at,
				section->bytes + at + change->value % 64,
				left - change->value % 64);
			section->size -= change->value % 64;
		}
		break;
	default: { /* some bytes more */
		size_t more = change->value % 64;

		section->bytes = realloc(section->bytes,
					 section->size + more + 1);
		memmove(section->bytes + at + more, section->bytes + at, left);
		section->size += more;
	}
	}
}

static void append(uint8_t **file, size_t *size, const void *bytes, size_t more)
{
	*file = realloc(*file, *size + more + 1);
	memcpy(*file + *size, bytes, more);
	*size += more;
}

static void append_section(uint8_t **file, size_t *size,
			   const struct section *section)
{
	uLongf stored = compressBound(section->size);
	uint8_t *packed = malloc(stored), header[SECTION_HEADER] = { 0 };
	uint64_t sizes[2];

	if (compress2(packed, &stored, section->bytes, section->size, 0) !=
	    Z_OK)
		fuzz_fail("cannot compress");
	sizes[0] = stored;
	sizes[1] = section->size;
	memcpy(header, section->tag, 4);
	memcpy(header + 8, sizes, sizeof sizes);
	append(file, size, header, sizeof header);
	append(file, size, packed, stored);
	free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct linux_options options = { .max_instructions = 1 };
	struct linux_checkpoint source = { .standard = { 0, 1, 2 },
					   .unchecked = true,
					   .detached = true };
	struct section sections[SECTIONS];
	struct error error = { "" };
	struct linux_system *system;
	uint8_t *file = NULL;
	size_t length = 0;

	if (!base_count)
		make_base();
	for (size_t i = 0; i < base_count; i++) {
		sections[i] = base[i];
		sections[i].bytes = malloc(base[i].size + 1);
		memcpy(sections[i].bytes, base[i].bytes, base[i].size);
	}
	for (size_t at = 0; at + sizeof(struct change) <= size;
	     at += sizeof(struct change)) {
		struct change change;

		memcpy(&change, data + at, sizeof change);
		change_section(&sections[change.section % base_count],
			       &change);
	}
	append(&file, &length, file_header, sizeof file_header);
	for (size_t i = 0; i < base_count; i++) {
		append_section(&file, &length, &sections[i]);
		free(sections[i].bytes);
	}
	source.bytes = file;
	source.size = length;
	system = linux_create(&options, &error);
	if (!system)
		fuzz_fail("%s", error.text);
	error.text[0] = 0;
	if (linux_read_checkpoint(system, &source, &error)) {
		if (!error.text[0])
			fuzz_fail("refused without a message");
		if (!size)
			fuzz_fail("refused unchanged: %s", error.text);
	}
	linux_free(system);
	free(file);
	return 0;
}
