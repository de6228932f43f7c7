/* Built-in functions that libclc 16 lacks for this device or has wrong, compiled to bitcode
 * when m2s is built and linked to every program before libclc. */
#include "fence.cl"
#include "mad-hi.cl"
#include "native-divide.cl"
#include "math.cl"
#include "half-turns.cl"
#include "exp.cl"
#include "log.cl"
#include "convert.cl"
#include "async-copy.cl"
#include "work-item.cl"
#include "image.cl"
