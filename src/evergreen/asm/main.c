/* m2s-evg-as: assembles Evergreen kernels. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/version.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/isa/code.h"

enum { SOURCE_MAX = 64 << 20 };

static int usage(FILE *stream)
{
	fputs("Usage: m2s-evg-as SOURCE -o KERNEL\n\n"
	      "Assembles Evergreen kernels, in the text that m2s --evg-disasm "
	      "prints, to a\nkernel binary for clCreateProgramWithBinary or "
	      "--evg-kernel-binary.\nSOURCE may be - for standard input.\n\n"
	      "  -o KERNEL   the kernel binary\n"
	      "  --version   the version of m2s-evg-as\n"
	      "  --help      this text\n",
	      stream);
	return stream == stderr ? 2 : 0;
}

static int print_failure(const struct error *error)
{
	fprintf(stderr, "m2s-evg-as: error: %s\n", error->text);
	return 1;
}

/* The whole file and a zero byte; NULL and *error. */
static char *read_source(const char *path, size_t *size, struct error *error)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t capacity = 1 << 16, count;
	char *text;

	if (!file) {
		error_set(error, "%s: %s", path, strerror(errno));
		return NULL;
	}
	text = xmalloc(capacity);
	*size = 0;
	while ((count = fread(text + *size, 1, capacity - *size - 1, file))) {
		*size += count;
		if (capacity - *size == 1)
			text = xrealloc(text, capacity *= 2);
		if (*size > SOURCE_MAX)
			break;
	}
	text[*size] = '\0';
	if (ferror(file))
		error_set(error, "%s: %s", path, strerror(errno));
	else if (*size > SOURCE_MAX)
		error_set(error, "%s: larger than 64 MiB", path);
	else
		error->text[0] = '\0';
	if (file != stdin)
		fclose(file);
	if (!error->text[0])
		return text;
	free(text);
	return NULL;
}

/* Every kernel must be one that m2s can run. */
static int check_program(const char *name, const struct evg_program *program,
			 struct error *error)
{
	for (uint32_t i = 0; i < program->kernel_count; i++) {
		const struct evg_kernel *kernel = &program->kernels[i];
		struct evg_code *code =
			evg_code_decode(program->text + kernel->code_offset,
					kernel->code_size, error);

		if (!code)
			return error_prefix(error, "%s: kernel %s", name,
					    kernel->name);
		evg_code_free(code);
	}
	return 0;
}

static int assemble(const char *source, const char *output,
		    struct error *error)
{
	struct file_id input = { 0 };
	struct output_rules rules = { .kernels = true, .inputs = &input,
				      .input_count = 1 };
	struct evg_program *program = NULL;
	struct stat status;
	size_t size, object_size;
	char *text = read_source(source, &size, error);
	void *object = NULL;
	int result = -1;

	if (stat(source, &status) == 0)
		input = (struct file_id){ status.st_dev, status.st_ino };
	if (text)
		program = evg_assemble(source, text, size, error);
	if (program && !check_program(source, program, error)) {
		object = evg_program_write(program,
					   "m2s-evg-as " M2S_VERSION,
					   &object_size);
		result = output_write(output, object, object_size, &rules,
				      error);
	}
	free(object);
	evg_program_free(program);
	free(text);
	return result;
}

int main(int argc, char **argv)
{
	const char *source = NULL, *output = NULL;
	struct error error = { "" };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help"))
			return usage(stdout);
		if (!strcmp(argv[i], "--version")) {
			printf("m2s-evg-as %s (commit %s)\n", M2S_VERSION,
			       version_commit);
			return 0;
		}
		if (!strcmp(argv[i], "-o") && i + 1 < argc)
			output = argv[++i];
		else if ((argv[i][0] == '-' && argv[i][1]) || source)
			return usage(stderr);
		else
			source = argv[i];
	}
	if (!source || !output)
		return usage(stderr);
	return assemble(source, output, &error) ? print_failure(&error) : 0;
}
