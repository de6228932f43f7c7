/* Arguments, environment, exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *value = getenv("GREETING");

	printf("%d arguments\n", argc);
	for (int i = 1; i < argc; i++)
		printf("argv[%d] = \"%s\"\n", i, argv[i]);
	printf("GREETING = %s\n", value ? value : "(unset)");
	setenv("GREETING", "changed", 1);
	printf("GREETING = %s\n", getenv("GREETING"));
	printf("page size %ld, secure %lu, entry %s\n",
	       sysconf(_SC_PAGESIZE), getauxval(AT_SECURE),
	       getauxval(AT_ENTRY) ? "known" : "unknown");
	printf("executed as %s\n",
	       !strcmp((const char *)getauxval(AT_EXECFN), argv[0])
		       ? "argv[0]"
		       : "something else");
	return 40 + argc;
}
