/* The ELF loader: what it maps, what it refuses, and that damaged files do
 * no harm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/elf.h"
#include "unit/harness.h"
#include "x86/small-elf.h"

static const uint8_t code[] = "some code";

static struct elf_image *open_bytes(const void *bytes, size_t size,
				    struct error *error)
{
	int file = memfd_create("program", MFD_CLOEXEC);

	if (write(file, bytes, size) != (ssize_t)size)
		CU_FAIL("cannot write the test file");
	return elf_open_file("program", file, error);
}

static void expect_refusal(const uint8_t *bytes, size_t size,
			   const char *words)
{
	struct error error = { "" };
	struct elf_image *image = open_bytes(bytes, size, &error);

	CU_ASSERT_PTR_NULL(image);
	if (!strstr(error.text, words)) {
		printf("# got: %s, wanted: %s\n", error.text, words);
		CU_FAIL("another message was expected");
	}
	elf_free(image);
}

static void test_load(void)
{
	for (int wide = 0; wide < 2; wide++) {
		uint8_t bytes[SMALL_ELF_MAX], back[sizeof code];
		size_t size = small_elf(bytes, wide, code, sizeof code);
		struct error error;
		struct elf_image *image = open_bytes(bytes, size, &error);
		struct space *space = space_create(UINT64_C(1) << 32, &error);

		CU_ASSERT_PTR_NOT_NULL_FATAL(image);
		CU_ASSERT_EQUAL(image->machine, wide ? ELF_X86_64 : ELF_I386);
		CU_ASSERT_EQUAL(image->entry,
				SMALL_ELF_BASE + SMALL_ELF_CODE);
		CU_ASSERT_EQUAL(image->headers,
				SMALL_ELF_BASE + (wide ? 64 : 52));
		CU_ASSERT_FALSE(image->relocatable);
		CU_ASSERT_EQUAL(elf_load(image, space, 0, NULL, &error), 0);
		CU_ASSERT_EQUAL(space_read(space, image->entry, back,
					   sizeof back), 0);
		CU_ASSERT_EQUAL(memcmp(back, code, sizeof code), 0);
		/* What the file does not fill is zero; behind it, nothing. */
		CU_ASSERT_EQUAL(space_read(space,
					   SMALL_ELF_BASE + SMALL_ELF_MEMORY -
						   1, back, 1), 0);
		CU_ASSERT_EQUAL(back[0], 0);
		CU_ASSERT_NOT_EQUAL(space_read(space, SMALL_ELF_BASE +
						       SMALL_ELF_MEMORY,
					       back, 1), 0);
		elf_free(image);
		space_free(space);
	}
}

static void test_refuse(void)
{
	uint8_t bytes[SMALL_ELF_MAX];
	size_t size = small_elf(bytes, true, code, sizeof code);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *load = (Elf64_Phdr *)(bytes + sizeof *header);

	expect_refusal(bytes, 0, "not an ELF");
	expect_refusal(bytes, 20, "not an ELF");
	expect_refusal(bytes, size - 1, "truncated");
	expect_refusal(bytes, sizeof *header + 10, "program header");
	header->e_machine = EM_AARCH64;
	expect_refusal(bytes, size, "another machine");
	header->e_machine = EM_X86_64;
	header->e_type = ET_REL;
	expect_refusal(bytes, size, "object file");
	header->e_type = ET_CORE;
	expect_refusal(bytes, size, "core dump");
	header->e_type = ET_EXEC;
	header->e_entry = 0x10;
	expect_refusal(bytes, size, "entry point");
	header->e_entry = SMALL_ELF_BASE + SMALL_ELF_CODE;
	header->e_phnum = 0;
	expect_refusal(bytes, size, "program headers");
	header->e_phnum = 1;
	load->p_filesz = load->p_memsz + 1;
	expect_refusal(bytes, size, "larger in the file");
	load->p_filesz = size;
	load->p_vaddr = UINT64_MAX - 4096;
	expect_refusal(bytes, size, "address space");
	load->p_vaddr = SMALL_ELF_BASE;
	load->p_type = PT_NOTE;
	expect_refusal(bytes, size, "the program has no loadable segment");
	load->p_type = PT_LOAD;
	bytes[0] = 0;
	expect_refusal(bytes, size, "not an ELF");
}

/* Damaged files: refused, or loaded somewhere inside the space. */
static void test_damaged(void)
{
	uint8_t original[SMALL_ELF_MAX], bytes[SMALL_ELF_MAX];
	size_t size = small_elf(original, true, code, sizeof code);
	struct space *space = space_create(UINT64_C(1) << 42, NULL);
	uint32_t state = 7;
	int loaded = 0, refused = 0;

	for (int round = 0; round < 3000; round++) {
		struct elf_image *image;
		uint64_t distance;
		struct error error = { "" };

		memcpy(bytes, original, sizeof bytes);
		for (int i = 0; i < 1 + round % 4; i++) {
			state = state * 1664525 + 1013904223;
			bytes[(state >> 8) % 120] = (uint8_t)(state >> 24);
		}
		image = open_bytes(bytes, round % 5 ? size : size / 2, &error);
		if (!image) {
			CU_ASSERT_NOT_EQUAL(error.text[0], 0);
			refused++;
			continue;
		}
		if (elf_load(image, space, 0, NULL, &error) == 0)
			loaded++;
		elf_symbol_at(image, image->entry, &distance);
		elf_free(image);
	}
	CU_ASSERT(loaded > 0);
	CU_ASSERT(refused > 0);
	space_free(space);
}

static void test_symbols(void)
{
	struct error error;
	struct elf_image *image = elf_open("/proc/self/exe", &error);
	uint64_t value = 0, distance = 1;
	const char *name;

	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	CU_ASSERT_TRUE(elf_symbol_value(image, "elf_symbol_at", &value));
	name = elf_symbol_at(image, value + 3, &distance);
	CU_ASSERT_PTR_NOT_NULL_FATAL(name);
	CU_ASSERT_STRING_EQUAL(name, "elf_symbol_at");
	CU_ASSERT_EQUAL(distance, 3);
	CU_ASSERT_FALSE(elf_symbol_value(image, "no such symbol", &value));
	elf_free(image);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "maps both classes", test_load },
		{ "refuses what is not a program", test_refuse },
		{ "survives damaged files", test_damaged },
		{ "finds symbols", test_symbols },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "loader", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
