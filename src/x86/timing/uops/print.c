/* Templates for people. */
#include "x86/timing/uops/uop.h"

static void print_place(unsigned place, FILE *stream)
{
	static const char general[16][4] = {
		"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	if (place < X86_AT_VECTOR)
		fprintf(stream, "%s", general[place]);
	else if (place < X86_AT_ST)
		fprintf(stream, "v%u", place - X86_AT_VECTOR);
	else if (place < X86_AT_MM)
		fprintf(stream, "st%u", place - X86_AT_ST);
	else if (place < X86_AT_X87_CONTROL)
		fprintf(stream, "mm%u", place - X86_AT_MM);
	else if (place == X86_PLACE_CARRY)
		fputs("CF", stream);
	else if (place == X86_PLACE_FLAGS)
		fputs("flags", stream);
	else if (place >= X86_PLACE_INTERNAL)
		fprintf(stream, "t%u", place - X86_PLACE_INTERNAL);
	else if (place >= X86_PLACE_HIGH)
		fprintf(stream, "%ch", "acdb"[place - X86_PLACE_HIGH]);
	else
		fprintf(stream, "place%u", place);
}

void x86_template_print(const struct x86_template *t, FILE *stream)
{
	static const char *const kinds[] = {
		[X86_UOP_COMPUTE] = "", [X86_UOP_LOAD] = "load",
		[X86_UOP_STORE_ADDRESS] = "address",
		[X86_UOP_STORE_DATA] = "data",
	};

	fprintf(stream, "slots %u of %u fused, decoder %u+%u%s",
		t->slots, t->slots_fused, t->decoder_uops, t->microcode_uops,
		t->complex_decoder ? " complex" : "");
	if (t->zero_idiom)
		fputs(", idiom", stream);
	if (t->eliminable)
		fputs(", eliminable", stream);
	if (t->fuses_with)
		fprintf(stream, ", fuses %04x", t->fuses_with);
	if (t->stack_change)
		fprintf(stream, ", rsp %+d", t->stack_change);
	if (t->stack_explicit)
		fputs(", rsp explicit", stream);
	if (t->minimum_cycles)
		fprintf(stream, ", every %u", t->minimum_cycles);
	fputc('\n', stream);
	for (unsigned i = 0; i < t->uop_count; i++) {
		const struct x86_uop *uop = &t->uop[i];

		fprintf(stream, "  %u p", uop->slot);
		for (unsigned p = 0; p < 32; p++)
			if (uop->ports >> p & 1)
				fprintf(stream, "%u", p);
		fprintf(stream, "%s%s", *kinds[uop->kind] ? " " : "",
			kinds[uop->kind]);
		for (unsigned s = 0; s < uop->source_count; s++) {
			fputc(' ', stream);
			print_place(uop->source[s], stream);
		}
		fputs(" ->", stream);
		for (unsigned r = 0; r < uop->result_count; r++) {
			fputc(' ', stream);
			print_place(uop->result[r].place, stream);
			fprintf(stream, ":%u", uop->result[r].latency);
		}
		if (uop->divider_cycles)
			fprintf(stream, " divider %u", uop->divider_cycles);
		fputc('\n', stream);
	}
}
