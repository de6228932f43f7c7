#include "m2s/hang.h"

#include "base/output.h"

void hang_write(const char *path,
		void (*describe)(const void *owner, FILE *stream),
		const void *owner, struct error *error)
{
	struct error failed, first = *error;
	struct output output;

	if (!path)
		path = "m2s-hang.txt";
	if (output_open(&output, path, NULL, &failed))
		return;
	fprintf(output.stream, "%s\n\n", error->text);
	describe(owner, output.stream);
	if (!output_close(&output, 0, &failed))
		error_set(error, "%s; who waits for whom is in %s", first.text,
			  path);
}
