/* Listings in the style of LLVM's R600 back end, to be compared with the output
 * of clang -S. LLVM has no text for some instructions; here they are lines in
 * AMD's style (listing.h) behind "; ". */
#ifndef M2S_EVERGREEN_LISTING_LLVM_TEXT_H
#define M2S_EVERGREEN_LISTING_LLVM_TEXT_H

#include <stdio.h>

#include "evergreen/isa/code.h"

/* Prints the CF instructions, then the clauses in address order.
 * tests/evergreen/llvm-text.sh compares the result with the compiler's own
 * text. */
void evg_llvm_print(const struct evg_code *code, FILE *stream);

#endif
