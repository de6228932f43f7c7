/* A program loaded into the device: its text lies in global memory, where
 * kernels read their constant tables. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

/* The compiler's constant addresses count from the start of the text. (The
 * emulator adds the same to the literals of the code that it decodes; this is
 * for what kernels read from memory.) */
static void relocate(const struct evg_program *program, uint8_t *text,
		     uint32_t address)
{
	uint32_t word;

	for (uint32_t i = 0; i < program->relocation_count; i++) {
		memcpy(&word, text + program->relocations[i], sizeof word);
		word += address;
		memcpy(text + program->relocations[i], &word, sizeof word);
	}
}

struct executable *executable_create(struct opencl_driver *driver,
				     struct evg_program *program,
				     struct error *error)
{
	struct executable *executable;
	uint32_t address = 0;
	uint8_t *text;

	if (program->text_size) {
		address = evg_memory_allocate(driver->memory,
					      program->text_size, true,
					      "program text");
		if (!address) {
			error_set(error, "no room for %u bytes of program text "
					 "in device memory",
				  program->text_size);
			evg_program_free(program);
			return NULL;
		}
		text = evg_memory_host(driver->memory, address,
				       program->text_size);
		memcpy(text, program->text, program->text_size);
		relocate(program, text, address);
	}
	executable = xcalloc(1, sizeof *executable);
	executable->uses = 1;
	executable->program = program;
	executable->text_address = address;
	return executable;
}

static void release_executable(struct executable *executable)
{
	evg_program_free(executable->program);
	free(executable);
}

void executable_drop(struct opencl_driver *driver,
		     struct executable *executable)
{
	if (!executable || --executable->uses)
		return;
	if (executable->text_address)
		evg_memory_release(driver->memory, executable->text_address);
	release_executable(executable);
}

void executable_free(struct executable *executable)
{
	if (executable && !--executable->uses)
		release_executable(executable);
}
