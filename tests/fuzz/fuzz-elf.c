/* Any bytes as a program and its interpreter: refused with a message, or
 * loaded inside the guest's memory; symbols and reports of faults can be had
 * of whatever was loaded.
 *
 * The input: four bytes, the program's length; the program; its interpreter,
 * which programs name "i". */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz/fuzz.h"
#include "loader/elf.h"
#include "x86/linux/linux.h"

static void check_message(const struct error *error)
{
	if (!error->text[0] || memchr(error->text, 0, sizeof error->text) ==
				       NULL)
		fuzz_fail("refused without a message");
}

/* ---- The image alone ---- */

static int memory_file(const uint8_t *bytes, size_t size)
{
	int file = memfd_create("program", MFD_CLOEXEC);

	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		fuzz_fail("no memory file");
	return file;
}

static void look_up_symbols(struct elf_image *image)
{
	const uint64_t around[] = { 0, image->low, image->entry, image->high,
				    UINT64_MAX };
	uint64_t distance, value;

	for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
		for (uint64_t back = 0; back < 3; back++) {
			const char *name = elf_symbol_at(
				image, around[i] - back, &distance);

			if (name && (!*name || !elf_symbol_value(image, name,
								 &value)))
				fuzz_fail("symbol %s has no value", name);
		}
	elf_symbol_value(image, "main", &value);
}

static void read_image(const uint8_t *bytes, size_t size)
{
	static FILE *nowhere;
	struct error error = { "" };
	struct elf_image *image =
		elf_open_file("program", memory_file(bytes, size), &error);
	struct space *space;
	uint64_t bias, address;
	uint8_t first;

	if (!image) {
		check_message(&error);
		return;
	}
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	elf_describe(image, nowhere);
	elf_print(image, nowhere);
	look_up_symbols(image);
	elf_address_of_offset(image, 0, &address);
	space = space_create(UINT64_C(1) << (image->machine == ELF_I386
						     ? 32
						     : SPACE_X86_64_BITS),
			     &error);
	if (!space)
		fuzz_fail("%s", error.text);
	bias = image->relocatable ? 0x10000000 : 0;
	if (elf_load(image, space, bias, NULL, &error))
		check_message(&error);
	else if (image->entry &&
		 space_read(space, image->entry + bias, &first, 1) &&
		 !space_region_at(space, image->entry + bias))
		fuzz_fail("the entry point is not mapped");
	space_free(space);
	elf_free(image);
}

/* ---- As a process ---- */

static char folder[] = "/tmp/m2s-fuzz-XXXXXX";
static char program_path[sizeof folder + 2], interpreter_path[sizeof folder + 2];

static void remove_folder(void)
{
	unlink(program_path);
	unlink(interpreter_path);
	rmdir(folder);
}

static void make_folder(void)
{
	if (!mkdtemp(folder))
		fuzz_fail("no folder %s", folder);
	snprintf(program_path, sizeof program_path, "%s/p", folder);
	snprintf(interpreter_path, sizeof interpreter_path, "%s/i", folder);
	atexit(remove_folder);
}

static void put_file(const char *path, const uint8_t *bytes, size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		fuzz_fail("cannot write %s", path);
	close(file);
}

/* Just one instruction is run: with registers as a program gets them it can do
 * no system call that matters, and if it cannot be fetched there is a fault
 * to report. */
static void start_process(const uint8_t *program, size_t size,
			  const uint8_t *interpreter, size_t interpreter_size)
{
	static const char *const argv[] = { "p", "argument", NULL };
	static const char *const envp[] = { "PATH=/", NULL };
	static struct log *log;
	struct linux_options options = { .max_instructions = 1 };
	struct error error = { "" };
	struct linux_result result;
	struct linux_system *system;

	if (!log) {
		log = log_create();
		make_folder();
		log_open(log, LOG_X86_LOADER, fopen("/dev/null", "w"));
	}
	options.log = log;
	put_file(program_path, program, size);
	put_file(interpreter_path, interpreter, interpreter_size);
	system = linux_create(&options, &error);
	if (!system)
		fuzz_fail("%s", error.text);
	if (linux_load(system, &(struct linux_program){
			.path = program_path, .argv = argv, .envp = envp,
			.cwd = folder, .standard = { 0, 1, 2 } },
			&error) < 0)
		check_message(&error);
	else if (linux_run(system, &result, &error))
		check_message(&error);
	else if (result.instructions > 1)
		fuzz_fail("%llu instructions were run",
			  (unsigned long long)result.instructions);
	linux_free(system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t length;

	if (size < sizeof length)
		return 0;
	memcpy(&length, data, sizeof length);
	data += sizeof length;
	size -= sizeof length;
	if (length > size)
		length = (uint32_t)size;
	read_image(data, length);
	start_process(data, length, data + length, size - length);
	return 0;
}
