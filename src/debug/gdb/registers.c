/* The registers as gdb knows them: features org.gnu.gdb.i386.* of its manual,
 * for both ABIs. One list gives the description and the order of packets. */
#include <string.h>

#include "debug/gdb/internal.h"
#include "x86/emu/x87/fxsave.h"

enum kind {
	GENERAL, RIP, EFLAGS, SEGMENT, ST, FCTRL, FSTAT, FTAG, FISEG, FIOFF,
	FOSEG, FOOFF, FOP, XMM, MXCSR, ORIG_RAX, BASE, YMM_HIGH,
};

struct reg {
	enum kind kind;
	unsigned index;
	unsigned size;       /* bytes */
	const char *feature; /* of org.gnu.gdb.i386. */
	const char *type;
	char name[12];
};

enum { REGISTERS_MAX = 80, SIZE_MAX_BYTES = 16 };

struct list {
	struct reg reg[REGISTERS_MAX];
	size_t count;
};

static void add_register(struct list *list, enum kind kind, unsigned index,
			 unsigned size, const char *feature, const char *type,
			 const char *name)
{
	struct reg *reg = &list->reg[list->count++];

	*reg = (struct reg){ kind, index, size, feature, type, "" };
	snprintf(reg->name, sizeof reg->name, "%s", name);
}

static void add_indexed(struct list *list, enum kind kind, unsigned count,
			unsigned size, const char *feature, const char *type,
			const char *format)
{
	for (unsigned i = 0; i < count; i++) {
		char name[12];

		snprintf(name, sizeof name, format, i);
		add_register(list, kind, i, size, feature, type, name);
	}
}

static void add_general(struct list *list, bool wide)
{
	static const struct {
		unsigned index;
		const char *name;
	} order32[] = {
		{ X86_RAX, "eax" }, { X86_RCX, "ecx" }, { X86_RDX, "edx" },
		{ X86_RBX, "ebx" }, { X86_RSP, "esp" }, { X86_RBP, "ebp" },
		{ X86_RSI, "esi" }, { X86_RDI, "edi" },
	}, order64[] = {
		{ X86_RAX, "rax" }, { X86_RBX, "rbx" }, { X86_RCX, "rcx" },
		{ X86_RDX, "rdx" }, { X86_RSI, "rsi" }, { X86_RDI, "rdi" },
		{ X86_RBP, "rbp" }, { X86_RSP, "rsp" },
	};
	unsigned size = wide ? 8 : 4;

	for (int i = 0; i < 8; i++) {
		unsigned index = (wide ? order64 : order32)[i].index;
		bool pointer = index == X86_RSP || index == X86_RBP;

		add_register(list, GENERAL, index, size, "core",
			     pointer ? "data_ptr"
			     : wide  ? "int64"
				     : "int32",
			     (wide ? order64 : order32)[i].name);
	}
	for (unsigned i = 8; wide && i < 16; i++) {
		char name[12];

		snprintf(name, sizeof name, "r%u", i);
		add_register(list, GENERAL, i, 8, "core", "int64", name);
	}
	add_register(list, RIP, 0, size, "core", "code_ptr",
		     wide ? "rip" : "eip");
	add_register(list, EFLAGS, 0, 4, "core", "i386_eflags", "eflags");
	add_register(list, SEGMENT, X86_CS, 4, "core", "int32", "cs");
	add_register(list, SEGMENT, X86_SS, 4, "core", "int32", "ss");
	add_register(list, SEGMENT, X86_DS, 4, "core", "int32", "ds");
	add_register(list, SEGMENT, X86_ES, 4, "core", "int32", "es");
	add_register(list, SEGMENT, X86_FS, 4, "core", "int32", "fs");
	add_register(list, SEGMENT, X86_GS, 4, "core", "int32", "gs");
}

static void list_registers(struct gdb *gdb, struct list *list)
{
	static const char *const control[] = {
		"fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff",
		"fop"
	};
	bool wide = !linux_debug_is_32(gdb->system);
	unsigned vectors = wide ? 16 : 8;

	list->count = 0;
	add_general(list, wide);
	add_indexed(list, ST, 8, 10, "core", "i387_ext", "st%u");
	for (unsigned i = 0; i < 8; i++)
		add_register(list, FCTRL + i, 0, 4, "core", "int", control[i]);
	add_indexed(list, XMM, vectors, 16, "sse", "vec128", "xmm%u");
	add_register(list, MXCSR, 0, 4, "sse", "i386_mxcsr", "mxcsr");
	add_register(list, ORIG_RAX, 0, wide ? 8 : 4, "linux",
		     wide ? "int64" : "int32", wide ? "orig_rax" : "orig_eax");
	if (wide) {
		add_register(list, BASE, X86_FS, 8, "segments", "int64",
			     "fs_base");
		add_register(list, BASE, X86_GS, 8, "segments", "int64",
			     "gs_base");
	}
	if (linux_debug_has_avx(gdb->system))
		add_indexed(list, YMM_HIGH, vectors, 16, "avx", "uint128",
			    "ymm%uh");
}

/* ---- Description ---- */

static void print_flags(FILE *stream, const char *id, const char *const *names,
			unsigned count)
{
	fprintf(stream, "<flags id=\"%s\" size=\"4\">", id);
	for (unsigned i = 0; i < count; i++)
		if (names[i])
			fprintf(stream, "<field name=\"%s\" start=\"%u\" "
				"end=\"%u\"/>", names[i], i, i);
	fputs("</flags>", stream);
}

static void print_core_types(FILE *stream)
{
	static const char *const flags[22] = {
		"CF", "", "PF", NULL, "AF", NULL, "ZF", "SF", "TF", "IF", "DF",
		"OF", NULL, NULL, "NT", NULL, "RF", "VM", "AC", "VIF", "VIP",
		"ID"
	};

	print_flags(stream, "i386_eflags", flags, 22);
}

static void print_vector_types(FILE *stream)
{
	static const struct {
		const char *id, *element;
		unsigned count;
	} views[] = {
		{ "v4_float", "ieee_single", 4 },
		{ "v2_double", "ieee_double", 2 }, { "v16_int8", "int8", 16 },
		{ "v8_int16", "int16", 8 }, { "v4_int32", "int32", 4 },
		{ "v2_int64", "int64", 2 },
	};
	static const char *const flags[16] = {
		"IE", "DE", "ZE", "OE", "UE", "PE", "DAZ", "IM", "DM", "ZM",
		"OM", "UM", "PM", NULL, NULL, "FZ"
	};

	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		fprintf(stream, "<vector id=\"%s\" type=\"%s\" count=\"%u\"/>",
			views[i].id, views[i].element, views[i].count);
	fputs("<union id=\"vec128\">", stream);
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		fprintf(stream, "<field name=\"%s\" type=\"%s\"/>",
			views[i].id, views[i].id);
	fputs("<field name=\"uint128\" type=\"uint128\"/></union>", stream);
	print_flags(stream, "i386_mxcsr", flags, 16);
}

void gdb_describe_target(struct gdb *gdb, FILE *stream)
{
	const char *feature = "";
	struct list list;

	list_registers(gdb, &list);
	fprintf(stream, "<?xml version=\"1.0\"?>"
		"<!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
		"<architecture>%s</architecture><osabi>GNU/Linux</osabi>",
		linux_debug_is_32(gdb->system) ? "i386" : "i386:x86-64");
	for (size_t i = 0; i < list.count; i++) {
		const struct reg *reg = &list.reg[i];

		if (strcmp(feature, reg->feature)) {
			fprintf(stream,
				"%s<feature name=\"org.gnu.gdb.i386.%s\">",
				*feature ? "</feature>" : "", reg->feature);
			feature = reg->feature;
			if (!strcmp(feature, "core"))
				print_core_types(stream);
			else if (!strcmp(feature, "sse"))
				print_vector_types(stream);
		}
		fprintf(stream,
			"<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" "
			"regnum=\"%zu\"%s/>", reg->name, 8 * reg->size,
			reg->type, i,
			reg->kind >= FCTRL && reg->kind <= FOP
				? " group=\"float\""
				: "");
	}
	fputs("</feature></target>", stream);
}

/* ---- Values ---- */

/* Registers of up to eight bytes. */
static uint64_t value_of(struct gdb *gdb, const struct x86_cpu *cpu,
			 const struct reg *reg)
{
	const struct x86_x87 *x87 = &cpu->x87;
	bool wide = cpu->mode == X86_MODE_64;

	switch (reg->kind) {
	case GENERAL:
		return cpu->reg[reg->index];
	case RIP:
		return linux_debug_rip(gdb->system, gdb->thread);
	case EFLAGS:
		return x86_eflags(cpu);
	case SEGMENT:
		return cpu->segment[reg->index].selector;
	case FCTRL:
		return x87->control;
	case FSTAT:
		return x87_status_word(x87);
	case FTAG:
		return x87_tags(x87);
	case FISEG:
		return wide ? x87->instruction_pointer >> 32
			    : (uint64_t)X86_SELECTOR_CS32;
	case FIOFF:
		return (uint32_t)x87->instruction_pointer;
	case FOSEG:
		return wide ? x87->data_pointer >> 32
			    : (uint64_t)X86_SELECTOR_DATA;
	case FOOFF:
		return (uint32_t)x87->data_pointer;
	case FOP:
		return x87->opcode;
	case MXCSR:
		return cpu->mxcsr;
	case ORIG_RAX:
		return (uint64_t)linux_debug_call(gdb->system, gdb->thread);
	case BASE:
		return cpu->segment[reg->index].base;
	default:
		return 0;
	}
}

static void read_value(struct gdb *gdb, const struct x86_cpu *cpu,
		       const struct reg *reg, uint8_t *bytes)
{
	const struct x86_x87 *x87 = &cpu->x87;
	uint64_t value;

	if (reg->kind == ST) {
		memcpy(bytes, x87->reg[(x87->top + reg->index) & 7].bytes, 10);
	} else if (reg->kind == XMM) {
		memcpy(bytes, cpu->vector[reg->index].u8, 16);
	} else if (reg->kind == YMM_HIGH) {
		memcpy(bytes, cpu->vector[reg->index].u8 + 16, 16);
	} else {
		value = value_of(gdb, cpu, reg);
		memcpy(bytes, &value, reg->size);
	}
}

/* 0, or -1 when the register does not take the value. */
static int write_value(struct gdb *gdb, struct x86_cpu *cpu,
		       const struct reg *reg, const uint8_t *bytes)
{
	struct x86_x87 *x87 = &cpu->x87;
	uint64_t value = 0;

	memcpy(&value, bytes, reg->size < 8 ? reg->size : 8);
	switch (reg->kind) {
	case GENERAL:
		cpu->reg[reg->index] = value;
		break;
	case RIP:
		return linux_debug_set_rip(gdb->system, gdb->thread, value);
	case EFLAGS:
		x86_eflags_set(cpu, (uint32_t)value);
		break;
	case SEGMENT:
		if (cpu->segment[reg->index].selector != value)
			return x86_segment_load(cpu, (int)reg->index,
						(uint16_t)value);
		break;
	case ST:
		memcpy(x87->reg[(x87->top + reg->index) & 7].bytes, bytes, 10);
		break;
	case FCTRL:
		x87->control = (uint16_t)value;
		break;
	case FSTAT:
		x87_set_status_word(x87, (uint16_t)value);
		break;
	case FTAG:
		x87_set_tags(x87, (uint16_t)value);
		break;
	case FOP:
		x87->opcode = value & 0x7ff;
		break;
	case XMM:
		memcpy(cpu->vector[reg->index].u8, bytes, 16);
		break;
	case YMM_HIGH:
		memcpy(cpu->vector[reg->index].u8 + 16, bytes, 16);
		break;
	case MXCSR:
		if (value & ~UINT64_C(0xffff))
			return -1; /* reserved bits fault on hardware */
		cpu->mxcsr = (uint32_t)value;
		break;
	case BASE:
		cpu->segment[reg->index].base = value;
		break;
	case FISEG: case FIOFF: case FOSEG: case FOOFF: case ORIG_RAX:
		break; /* follow from other state */
	}
	return 0;
}

/* ---- Packets ---- */

void gdb_read_registers(struct gdb *gdb)
{
	struct x86_cpu *cpu = linux_debug_cpu(gdb->system, gdb->thread);
	uint8_t bytes[SIZE_MAX_BYTES];
	struct list list;

	if (!cpu) {
		gdb_put(gdb, "E03");
		return;
	}
	list_registers(gdb, &list);
	for (size_t i = 0; i < list.count; i++) {
		read_value(gdb, cpu, &list.reg[i], bytes);
		gdb_put_hex(gdb, bytes, list.reg[i].size);
	}
}

void gdb_write_registers(struct gdb *gdb, const char *hex)
{
	struct x86_cpu *cpu = linux_debug_cpu(gdb->system, gdb->thread);
	uint8_t bytes[REGISTERS_MAX * SIZE_MAX_BYTES];
	long size = gdb_bytes(hex, 0, bytes, sizeof bytes);
	struct list list;
	size_t need = 0, at = 0;
	int failed = 0;

	list_registers(gdb, &list);
	for (size_t i = 0; i < list.count; i++)
		need += list.reg[i].size;
	if (!cpu || size != (long)need) {
		gdb_put(gdb, "E01");
		return;
	}
	for (size_t i = 0; i < list.count; at += list.reg[i++].size)
		failed |= write_value(gdb, cpu, &list.reg[i], bytes + at);
	gdb_put(gdb, failed ? "E02" : "OK");
}

static const struct reg *find_register(struct gdb *gdb, struct list *list,
				       const char **text)
{
	uint64_t number;

	list_registers(gdb, list);
	if (!gdb_number(text, &number) || number >= list->count)
		return NULL;
	return &list->reg[number];
}

void gdb_read_register(struct gdb *gdb, const char *text)
{
	struct x86_cpu *cpu = linux_debug_cpu(gdb->system, gdb->thread);
	uint8_t bytes[SIZE_MAX_BYTES];
	struct list list;
	const struct reg *reg = find_register(gdb, &list, &text);

	if (!cpu || !reg || *text) {
		gdb_put(gdb, "E01");
		return;
	}
	read_value(gdb, cpu, reg, bytes);
	gdb_put_hex(gdb, bytes, reg->size);
}

void gdb_write_register(struct gdb *gdb, const char *text)
{
	struct x86_cpu *cpu = linux_debug_cpu(gdb->system, gdb->thread);
	uint8_t bytes[SIZE_MAX_BYTES];
	struct list list;
	const struct reg *reg = find_register(gdb, &list, &text);

	if (!cpu || !reg || *text != '=' ||
	    gdb_bytes(text + 1, 0, bytes, sizeof bytes) != (long)reg->size)
		gdb_put(gdb, "E01");
	else
		gdb_put(gdb, write_value(gdb, cpu, reg, bytes) ? "E02" : "OK");
}
