#include "report/hang.h"

#include "base/output.h"

void hang_write(const char *path, const struct output_rules *rules,
		void (*describe)(const void *owner, FILE *stream),
		const void *owner, struct error *error)
{
	struct error failed, first = *error;
	struct output output;

	if (!path)
		path = HANG_FILE;
	if (output_open(&output, path, rules, &failed))
		return;
	fprintf(output.stream, "%s\n\n", error->text);
	describe(owner, output.stream);
	if (!output_close(&output, 0, &failed))
		error_set(error, "%s; the file %s says what waits for what",
				 first.text,
			  path);
}
