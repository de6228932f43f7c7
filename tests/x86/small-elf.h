/* Tiny ELF programs made in memory: one segment at a fixed address with the
 * code given, for tests of the loader and the Linux layer. */
#ifndef M2S_TESTS_X86_SMALL_ELF_H
#define M2S_TESTS_X86_SMALL_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SMALL_ELF_BASE = 0x400000, SMALL_ELF_CODE = 0x100,
       SMALL_ELF_MEMORY = 0x4000, SMALL_ELF_MAX = 4096 };

/* Makes the headers of a file of `total` bytes, whose segment can be read,
 * written and executed and is `memory` bytes long in memory. Code begins at
 * SMALL_ELF_CODE. */
static inline void small_elf_headers(uint8_t *file, bool wide, size_t total,
				     unsigned memory)
{
	if (wide) {
		Elf64_Ehdr header = {
			.e_type = ET_EXEC, .e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_entry = SMALL_ELF_BASE + SMALL_ELF_CODE,
			.e_phoff = sizeof header, .e_ehsize = sizeof header,
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
		};
		Elf64_Phdr load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X,
			.p_vaddr = SMALL_ELF_BASE, .p_filesz = total,
			.p_memsz = memory, .p_align = 4096,
		};

		memcpy(header.e_ident, ELFMAG, SELFMAG);
		header.e_ident[EI_CLASS] = ELFCLASS64;
		header.e_ident[EI_DATA] = ELFDATA2LSB;
		header.e_ident[EI_VERSION] = EV_CURRENT;
		memcpy(file, &header, sizeof header);
		memcpy(file + sizeof header, &load, sizeof load);
	} else {
		Elf32_Ehdr header = {
			.e_type = ET_EXEC, .e_machine = EM_386,
			.e_version = EV_CURRENT,
			.e_entry = SMALL_ELF_BASE + SMALL_ELF_CODE,
			.e_phoff = sizeof header, .e_ehsize = sizeof header,
			.e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1,
		};
		Elf32_Phdr load = {
			.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X,
			.p_vaddr = SMALL_ELF_BASE,
			.p_filesz = (Elf32_Word)total,
			.p_memsz = memory, .p_align = 4096,
		};

		memcpy(header.e_ident, ELFMAG, SELFMAG);
		header.e_ident[EI_CLASS] = ELFCLASS32;
		header.e_ident[EI_DATA] = ELFDATA2LSB;
		header.e_ident[EI_VERSION] = EV_CURRENT;
		memcpy(file, &header, sizeof header);
		memcpy(file + sizeof header, &load, sizeof load);
	}
}

/* Fills `file`; returns its size. The segment is SMALL_ELF_MEMORY bytes long
 * in memory. */
static inline size_t small_elf(uint8_t *file, bool wide, const void *code,
			       size_t size)
{
	size_t total = SMALL_ELF_CODE + size;

	memset(file, 0, SMALL_ELF_MAX);
	small_elf_headers(file, wide, total, SMALL_ELF_MEMORY);
	memcpy(file + SMALL_ELF_CODE, code, size);
	return total;
}

#endif
