/* m2s-clc: the kernel compiler.
 *
 *	source --clang, libclc, helper--> bitcode      build.c, frontend.c
 *	bitcode --> kernels and arguments                 ir/signature.c
 *	        --rewrites--> bitcode                     generate.c, ir
 *	        --code generator--> assembly              codegen
 *	        --assembler, metadata--> ELF file         generate.c
 *	        --checks--> kernel binary                 verify
 *
 * With -c the source becomes an object (object.h), and with --link clang makes
 * the bitcode of several of those.
 *
 * It is a program of its own so that nothing that happens in LLVM can hurt a
 * simulation, and so that m2s does not need LLVM. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/version.h"
#include "config.h"
#include "opencl-rt/clc/build.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/compile.h"
#include "opencl-rt/clc/frontend.h"
#include "opencl-rt/clc/options.h"
#include "opencl-rt/clc/wall.h"

static int complain(const struct error *error, int status)
{
	fprintf(stderr, "m2s-clc: error: %s\n", error->text);
	return status;
}

/* --- The output file ---------------------------------------------------- */

/* "matrix.bin" for "kernels/matrix.cl", or "matrix.o". To be freed. */
static char *output_name(const struct options *options)
{
	const char *name;
	size_t length;

	if (options->output)
		return xstrdup(options->output);
	name = strrchr(options->source, '/');
	name = name ? name + 1 : options->source;
	length = strlen(name);
	if (length > 3 && !strcmp(name + length - 3, ".cl"))
		length -= 3;
	return xasprintf("%.*s.%s", (int)length, name,
			 options->task == TASK_COMPILE ? "o" : "bin");
}

/* Where a program goes that we should be able to compile. To be freed. */
static char *refused_name(const char *output)
{
	const char *folder = getenv("TMPDIR");

	if (strcmp(output, "-"))
		return xasprintf("%s.refused", output);
	return xasprintf("%s/m2s-clc-%ld.refused",
			 folder && *folder == '/' ? folder : "/tmp",
			 (long)getpid());
}

/* --- Tasks -------------------------------------------------------------- */

static int compile(struct options *options, const struct clc_tools *tools,
		   const char *output)
{
	char *binary = NULL;
	struct file_id input = { 0 };
	struct output_rules rules = { .kernels = true, .inputs = &input,
				      .input_count = 1 };
	struct stat source;
	struct error error;
	size_t size;
	int status;

	if (options->source && stat(options->source, &source) == 0)
		input = (struct file_id){ source.st_dev, source.st_ino };
	if (clc_enter_wall(options, tools, output, &error))
		return complain(&error, EXIT_BUILD_ERROR);
	if (build(options, tools, &binary, &size, &error))
		return *error.text ? complain(&error, EXIT_BUILD_ERROR)
				   : EXIT_BUILD_ERROR;
	status = output_write(output, binary, size, &rules, &error);
	free(binary);
	return status ? complain(&error, EXIT_BUILD_ERROR) : 0;
}

static int run_compiler(struct options *options, const struct clc_tools *tools)
{
	char *output = output_name(options), *refused = refused_name(output);
	int status;

	options->refused = refused;
	status = compile(options, tools, output);
	free(refused);
	free(output);
	return status;
}

static int print_version(const struct clc_tools *tools)
{
	struct error error;
	char *clang = frontend_version(tools, &error), *files;

	if (!clang)
		return complain(&error, EXIT_NO_COMPILER);
	files = clc_describe_tools(tools);
	printf("m2s-clc %s (commit %s)\nclang: %s\n%s", M2S_VERSION,
	       version_commit, clang, files);
	free(clang);
	free(files);
	return 0;
}

static int clear_cache(void)
{
	char *folder = clc_default_cache();

	if (folder)
		printf("%zu compiled kernels removed from %s\n",
		       cache_trim(folder, 0), folder);
	free(folder);
	return 0;
}

int main(int argc, char **argv)
{
	struct clc_tools tools;
	struct options options;
	struct error error;
	int status;

	/* Some programs start others with this signal ignored, and then there is
	 * no waiting for children. */
	signal(SIGCHLD, SIG_DFL);
	/* The current folder may have another name there, by which clang would
	 * look for our overlaid files in vain. */
	unsetenv("PWD");
	if (options_read(&options, argc, argv, &error)) {
		complain(&error, 0);
		fputs("Try 'm2s-clc --help'.\n", stderr);
		options_free(&options);
		return EXIT_USAGE;
	}
	if (options.help) {
		options_print_help(stdout);
		options_free(&options);
		return 0;
	}
	if (options.clear_cache) {
		options_free(&options);
		return clear_cache();
	}
	if (clc_find_tools(&tools, "/proc/self/exe", &error))
		status = complain(&error, EXIT_NO_COMPILER);
	else if (options.version)
		status = print_version(&tools);
	else
		status = run_compiler(&options, &tools);
	clc_free_tools(&tools);
	options_free(&options);
	return status;
}
