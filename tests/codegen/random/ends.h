/* Small kernels that are no random ones. */
#ifndef M2S_TESTS_CODEGEN_RANDOM_ENDS_H
#define M2S_TESTS_CODEGEN_RANDOM_ENDS_H

#include <stdbool.h>

/* Operations on integers at the ends of their ranges: whether our code agrees
 * with the evaluator; says where it does not. */
bool ends_check(void);
/* Division by known numbers: whether it is what the host computes. */
bool divisors_check(void);
/* What random kernels have found: whether it is right now. */
bool found_check(void);

#endif
