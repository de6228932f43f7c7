/* The C mathematics library in three precisions, rounding, exceptions. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EACH(F) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh)   \
	F(tanh) F(exp) F(exp2) F(expm1) F(log) F(log2) F(log10) F(log1p)       \
	F(sqrt) F(cbrt) F(floor) F(ceil) F(round) F(trunc) F(rint)             \
	F(erf) F(tgamma) F(lgamma)

int main(void)
{
	static const double inputs[] = { 0.0, -0.0, 0.5, -0.7, 1.0, 2.5, 10.125,
					 123.456, 1e-9, 1e10, 3e300 };
	const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
			      FE_TOWARDZERO };
	volatile double third = 3.0, one = 1.0, large = 1e308;

	for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		double x = inputs[i];

		printf("x = %a\n", x);
#define SHOW(fn) printf(" " #fn " %a %a %La\n", fn(x), (double)fn##f((float)x), \
		       fn##l((long double)x));
		EACH(SHOW)
		printf(" pow %a fmod %a atan2 %a hypot %a fma %a\n",
		       pow(x, 1.7), fmod(x, 0.3), atan2(x, 2), hypot(x, 3),
		       fma(x, x, -1));
		printf(" %ld %lld %d\n", lrint(fmin(x, 1e6)),
		       llround(fmin(x, 1e12)), ilogb(x + 1));
	}
	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		printf("mode %d: %a %La %ld\n", i, one / third,
		       (long double)one / third, lrint(-2.5 * one));
	}
	fesetround(FE_TONEAREST);
	feclearexcept(FE_ALL_EXCEPT);
	large *= large;
	printf("overflow %d inexact %d\n", !!fetestexcept(FE_OVERFLOW),
	       !!fetestexcept(FE_INEXACT));
	feclearexcept(FE_ALL_EXCEPT);
	third = one / (third - 3);
	printf("divide %d invalid %d value %f\n",
	       !!fetestexcept(FE_DIVBYZERO), !!fetestexcept(FE_INVALID),
	       third);
	printf("nan %d %d\n", isnan(sqrt(-one)), signbit(-0.0) != 0);
	printf("strtod %a %a %La\n", strtod("0.1", NULL),
	       strtod("1e-310", NULL), strtold("3.14159265358979323846", NULL));
	return 0;
}
