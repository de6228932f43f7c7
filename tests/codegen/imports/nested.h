/* Structures in structures, as arguments. */
#ifndef M2S_TESTS_CODEGEN_IMPORTS_NESTED_H
#define M2S_TESTS_CODEGEN_IMPORTS_NESTED_H

/* What is taken step by step out of an argument that is too large to be taken as
 * a whole, compiled by FOLDER/clang (script_write_whole). Prints a line for each
 * way of compiling; how many have failed. */
int nested_check(const char *folder);

#endif
