/* Integers of all widths. */
#ifndef M2S_TESTS_CODEGEN_IMPORTS_WIDTHS_H
#define M2S_TESTS_CODEGEN_IMPORTS_WIDTHS_H

/* Operations on integers of 1 to 128 bits, compiled by FOLDER/clang
 * (script_write), against the same with __int128. Prints a line for each width;
 * how many have failed. */
int widths_check(const char *folder);

#endif
