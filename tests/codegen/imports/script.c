#include "codegen/imports/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory.h"

#define TARGET \
	"target datalayout = \"e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-" \
	"v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-" \
	"A5-G1\"\n" \
	"target triple = \"r600-unknown-unknown\"\n"

static const char head[] =
	"%s\n"
	"define amdgpu_kernel void @f(ptr addrspace(1) %%a, "
	"ptr addrspace(1) %%r) #0 !kernel_arg_addr_space !0 "
	"!kernel_arg_access_qual !1 !kernel_arg_type !2 "
	"!kernel_arg_base_type !2 !kernel_arg_type_qual !3 "
	"!kernel_arg_name !4 {\n%s\n}\n"
	"!opencl.ocl.version = !{!5}\n"
	"!0 = !{i32 1, i32 1}\n"
	"!1 = !{!\"none\", !\"none\"}\n"
	"!2 = !{!\"int*\", !\"int*\"}\n"
	"!3 = !{!\"\", !\"\"}\n"
	"!4 = !{!\"a\", !\"r\"}\n"
	"!5 = !{i32 1, i32 2}\n";

static bool write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fputs(text, file);
	return !fclose(file) && !chmod(path, mode);
}

/* The bitcode in a script that prints it: a confined compiler reads no other
 * file of ours. */
bool script_write_whole(const char *folder, const char *module)
{
	char *text = xasprintf(TARGET "%s", module);
	char *path = xasprintf("%s/f.ll", folder);
	char *command = xasprintf(
		"cd %s && %s/llvm-as f.ll -o f.bc && { echo '#!/bin/sh'; "
		"echo \"base64 -d <<'END'\"; base64 f.bc; echo END; } >clang && "
		"chmod +x clang",
		folder, LLVM_BINDIR);
	bool done = write_file(path, text, 0644) && !system(command);

	free(command);
	free(path);
	free(text);
	return done;
}

bool script_write(const char *folder, const char *globals, const char *body)
{
	char *module = xasprintf(head, globals, body);
	bool done = script_write_whole(folder, module);

	free(module);
	return done;
}
