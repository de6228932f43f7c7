/* A script that stands for clang. */
#ifndef M2S_TESTS_CODEGEN_IMPORTS_SCRIPT_H
#define M2S_TESTS_CODEGEN_IMPORTS_SCRIPT_H

#include <stdbool.h>

/* Writes FOLDER/clang, which prints the bitcode of a kernel f(a, r) on global
 * memory: `body` is its text in LLVM's IR, and `globals` what stands in front of
 * it. False when llvm-as does not take it, or a file cannot be written. */
bool script_write(const char *folder, const char *globals, const char *body);

/* The same with a whole module, but for its target. */
bool script_write_whole(const char *folder, const char *module);

#endif
