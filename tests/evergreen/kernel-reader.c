/* The kernel-binary reader with files that are not what they should be. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "unit/harness.h"
#include "unit/random.h"

/* A whole binary with tables and several kernels. */
static uint8_t *image;
static size_t image_size;

static int set_up(void)
{
	struct clc_result result = compile_file("constants.cl", "-D A=1");

	if (result.status != CLC_DONE) {
		printf("# %s\n", result.log);
		clc_result_free(&result);
		return 1;
	}
	image = xmalloc(result.binary_size);
	memcpy(image, result.binary, result.binary_size);
	image_size = result.binary_size;
	clc_result_free(&result);
	return 0;
}

static int clean_up(void)
{
	free(image);
	return 0;
}

/* Reads a copy that has exactly this size, so that a sanitizer sees every
 * access beyond it. Whether it was accepted. */
static bool accepted(const uint8_t *bytes, size_t size, struct error *error)
{
	uint8_t *copy = xmalloc(size ? size : 1);
	struct evg_program *program;

	memcpy(copy, bytes, size);
	error->text[0] = 0;
	program = evg_program_read("file", copy, size, error);
	free(copy);
	evg_program_free(program);
	return program != NULL;
}

static void test_whole(void)
{
	struct error error;
	struct evg_program *program = evg_program_read("file", image,
						       image_size, &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->kernel_count, 4);
	CU_ASSERT_STRING_EQUAL(program->build_options, "-D A=1");
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const struct evg_kernel *kernel = &program->kernels[i];

		CU_ASSERT_PTR_EQUAL(kernel->program, program);
		CU_ASSERT_EQUAL(kernel->code_offset % 256, 0);
		CU_ASSERT_EQUAL(kernel->code_size % 8, 0);
		CU_ASSERT_TRUE(kernel->registers > 0);
		CU_ASSERT_EQUAL(kernel->local_size, 0);
		evg_code_free(kernel_code(program, kernel->name));
	}
	evg_program_free(program);
}

/* The same answer whatever the memory's alignment. */
static void test_alignment(void)
{
	struct error error;
	uint8_t *copy = xmalloc(image_size + 8);

	for (size_t shift = 0; shift < 8; shift++) {
		struct evg_program *program;

		memcpy(copy + shift, image, image_size);
		program = evg_program_read("file", copy + shift, image_size,
					   &error);
		CU_ASSERT_PTR_NOT_NULL(program);
		evg_program_free(program);
	}
	free(copy);
}

static void test_truncated(void)
{
	struct error error;

	for (size_t size = 0; size < image_size; size += size < 128 ? 1 : 64) {
		CU_ASSERT_FALSE(accepted(image, size, &error));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "file"));
	}
	CU_ASSERT_FALSE(accepted(image, image_size - 1, &error));
}

/* Every bit of the file flipped, one at a time: an answer, never a crash. */
static void test_flipped(void)
{
	uint8_t *copy = xmalloc(image_size);
	unsigned refused = 0;
	struct error error;

	memcpy(copy, image, image_size);
	for (size_t i = 0; i < image_size * 8; i++) {
		copy[i / 8] ^= 1 << i % 8;
		if (!accepted(copy, image_size, &error)) {
			refused++;
			CU_ASSERT_NOT_EQUAL(error.text[0], 0);
		}
		copy[i / 8] ^= 1 << i % 8;
	}
	/* Most bits are code and names, where any value is possible. */
	CU_ASSERT_TRUE(refused > image_size / 4);
	CU_ASSERT_TRUE(accepted(copy, image_size, &error));
	free(copy);
}

/* Runs of random bytes anywhere. */
static void test_garbled(void)
{
	uint8_t *copy = xmalloc(image_size);
	uint64_t random = 12345;
	struct error error;

	for (int round = 0; round < 3000; round++) {
		size_t at, count;

		memcpy(copy, image, image_size);
		count = 1 + random_draw(&random) % 16;
		/* Half of them in the headers at both ends. */
		at = random_draw(&random) %
		     (round & 1 ? 64 : image_size - count);
		if (round % 4 == 1)
			at = image_size - 64 - at - count;
		while (count--)
			copy[at + count] = (uint8_t)random_draw(&random);
		accepted(copy, image_size, &error);
	}
	free(copy);
	CU_PASS("no crash");
}

/* The whole binary after `change`, refused with these words. */
static void refuses(size_t offset, const void *bytes, size_t size,
		    const char *words)
{
	uint8_t *copy = xmalloc(image_size);
	struct error error;

	memcpy(copy, image, image_size);
	memcpy(copy + offset, bytes, size);
	CU_ASSERT_FALSE(accepted(copy, image_size, &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, words));
	if (!strstr(error.text, words))
		printf("# '%s' instead of '%s'\n", error.text, words);
	free(copy);
}

#define HEADER(field, value, words)                                            \
	do {                                                                   \
		Elf32_Ehdr header;                                             \
									       \
		memcpy(&header, image, sizeof header);                         \
		header.field = value;                                          \
		refuses(0, &header, sizeof header, words);                     \
	} while (0)

static void test_headers(void)
{
	HEADER(e_ident[EI_CLASS], ELFCLASS64, "64-bit");
	HEADER(e_ident[EI_DATA], ELFDATA2MSB, "big-endian");
	HEADER(e_ident[0], 'x', "not an ELF file");
	HEADER(e_machine, EM_386, "machine 0x3; expected 0xe0");
	HEADER(e_machine, 0x3f1, "AMD binary without kernels");
	HEADER(e_machine, 0x3fd, "for Tahiti");
	HEADER(e_machine, 0x7d, "inner image of an AMD binary");
	HEADER(e_flags, 0x2c, "GPU number 0x2c");
	HEADER(e_type, ET_EXEC, "ELF type 2");
}

/* Where a text lies in the image. */
static size_t find(const char *text, size_t size)
{
	for (size_t i = 0; i + size <= image_size; i++)
		if (!memcmp(image + i, text, size))
			return i;
	return 0;
}

static Elf32_Shdr section(const char *name, size_t *place)
{
	Elf32_Shdr header = { 0 }, names;
	Elf32_Ehdr file;

	memcpy(&file, image, sizeof file);
	memcpy(&names, image + file.e_shoff + file.e_shstrndx * sizeof names,
	       sizeof names);
	for (int i = 0; i < file.e_shnum; i++) {
		*place = file.e_shoff + i * sizeof header;
		memcpy(&header, image + *place, sizeof header);
		if (!strcmp((char *)image + names.sh_offset + header.sh_name,
			    name))
			return header;
	}
	CU_FAIL("no such section");
	return header;
}

static void test_sections(void)
{
	size_t place, name = find("\0.m2s.kernels", 14);
	Elf32_Shdr header;
	uint32_t word;

	CU_ASSERT_NOT_EQUAL_FATAL(name, 0);
	refuses(name + 1, ".x", 2, "straight from clang");
	refuses(find("\0.AMDGPU.config", 16) + 1, ".x", 2,
		".AMDGPU.config has 0 bytes");
	refuses(find("\0.symtab", 9) + 1, ".x", 2, "no .symtab");

	header = section(".text", &place);
	header.sh_size = 0x7fffffff;
	refuses(place, &header, sizeof header, "file");
	header = section(".text", &place);
	header.sh_type = SHT_NOBITS;
	refuses(place, &header, sizeof header, ".text has type 8");
	header = section(".text", &place);
	header.sh_size -= 0x200;
	refuses(place, &header, sizeof header, "inside .text");

	header = section(".AMDGPU.config", &place);
	word = 0x12345;
	refuses(header.sh_offset, &word, 4, "unknown register 0x12345");
	word = 200;
	refuses(header.sh_offset + 4, &word, 4, "needs 200 registers");
	word = 1 << 20;
	refuses(header.sh_offset + 20, &word, 4, "SQ_LDS_ALLOC");
	header.sh_size -= 24;
	refuses(place, &header, sizeof header, "has 72 bytes");

	header = section(".rel.text", &place);
	word = 2;
	refuses(header.sh_offset, &word, 4, "multiple of 4");
	word = 0xfffffff0;
	refuses(header.sh_offset, &word, 4, "relocation at");
	word = 6 | 5000 << 8;
	refuses(header.sh_offset + 4, &word, 4, "symbol 5000");
	word = 5;
	refuses(header.sh_offset + 4, &word, 4, "relocation type 5");
	word = 6;
	refuses(header.sh_offset + 4, &word, 4, "not in .text");
	memcpy(&word, image + header.sh_offset + 8, 4);
	refuses(header.sh_offset, &word, 4, "two relocations");
}

static void test_names(void)
{
	size_t kernel = find("kernel \"table\"", 14);

	CU_ASSERT_NOT_EQUAL_FATAL(kernel, 0);
	refuses(kernel + 8, "cable", 5, "kernel cable has arguments but no");
	refuses(find("kernel \"mixed\"", 14), "kernel \"table\"", 14,
		"two kernels named table");
	refuses(find("m2s-kernels 1", 13) + 12, "2", 1, "format version");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "a whole file", test_whole },
		{ "any alignment", test_alignment },
		{ "truncated", test_truncated },
		{ "every bit flipped", test_flipped },
		{ "garbled", test_garbled },
		{ "headers", test_headers },
		{ "sections", test_sections },
		{ "kernel names", test_names },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "kernel reader", set_up, clean_up, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
