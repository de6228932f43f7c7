/* Built-in functions on doubles, which libclc does not have for this
 * device: compiled to bitcode when m2s is built, linked to programs that use
 * doubles. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#include "fused.cl"
#include "double-basic.cl"
#include "double-vector.cl"
#include "double-common.cl"
#include "double-convert.cl"
#include "double-exp.cl"
#include "double-trig.cl"
#include "double-gamma.cl"
#include "double-erf.cl"
#include "double-parts.cl"
#include "double-memory.cl"
#include "double-half.cl"
#include "double-shuffle.cl"
