/* Listings in the style of LLVM's R600 back end, for reading beside what
 * clang -S prints. What LLVM has no text for is an error there; here it gets
 * the AMD-style line of listing.h, behind "; ". */
#ifndef M2S_EVERGREEN_LISTING_LLVM_TEXT_H
#define M2S_EVERGREEN_LISTING_LLVM_TEXT_H

#include <stdio.h>

#include "evergreen/isa/code.h"

/* The CF instructions, then the clauses in address order. Compared with the
 * compiler's own text in tests/evergreen/llvm-text.sh. */
void evg_llvm_print(const struct evg_code *code, FILE *stream);

#endif
