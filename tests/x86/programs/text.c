/* printf and scanf in many forms, strings, qsort, wide characters, time. */
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int main(void)
{
	static uint32_t numbers[10000];
	uint32_t state = 12345;
	char text[200];
	struct tm date;
	time_t moment = 1000000000;
	double value;
	int number;

	printf("%d %5d|%-5d|%05d %+d %x %#X %o %c %s %.3s %%\n", -1, 42, 42,
	       42, 42, 255, 255, 8, 'c', "string", "abcdef");
	printf("%f %.0f %10.3f %e %g %g %a\n", 3.14159, 2.5, -1.0 / 3, 12345.678,
	       1e-5, 1e20, 1.0);
	printf("%Lf %.20Lg %Le %La\n", 3.14159L, 2.0L / 3, 1e4000L, 1.1L);
	printf("%lld %llu %hhd %zu %jd\n", (long long)INT64_MIN,
	       (unsigned long long)UINT64_MAX, (char)300, sizeof text,
	       (intmax_t)-5);
	printf("%.15g %.17g %.3f %.10f\n", 0.1, 0.1, 1e15, 1e-7);
	printf("%f %f %f\n", 1e308 * 10, -1e308 * 10, 0.0);
	number = sscanf("12 3.5 word", "%d %lf %199s", &number, &value, text);
	printf("scanned %d: %f %s\n", number, value, text);
	for (int i = 0; i < 10000; i++)
		numbers[i] = state = state * 1103515245 + 12345;
	qsort(numbers, 10000, sizeof *numbers, compare);
	state = 0;
	for (int i = 0; i < 10000; i++)
		state = state * 31 + numbers[i];
	printf("sorted %u %u %u\n", numbers[0], numbers[9999], state);
	memset(text, 'x', 50);
	text[50] = 0;
	text[33] = 'y';
	printf("%ld %ld %zu %d %s\n", (long)(strchr(text, 'y') - text),
	       (long)(strrchr(text, 'x') - text), strlen(text),
	       strcmp(text, "xx") > 0, strstr("a needle in hay", "needle"));
	printf("%ld %lu %lld\n", strtol("-0x1f", NULL, 16),
	       strtoul("777", NULL, 8), strtoll("9223372036854775807", NULL, 10));
	gmtime_r(&moment, &date);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %A", &date);
	printf("%s %ld\n", text, (long)timegm(&date));
	setlocale(LC_ALL, "C.UTF-8");
	printf("%ls %d %zu\n", L"z\u00e4hlen \u2713", wcwidth(L'x'),
	       mbstowcs(NULL, "z\xc3\xa4hlen", 0));
	return 0;
}
