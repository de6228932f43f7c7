/* The slow path of all x87 instructions: the host executes them with the
 * guest's whole x87 state. */
#include <string.h>

#include "x86/emu/x87/x87.h"

/* One routine per encoding: 512 without memory operand, in the order of
 * their two bytes, then 64 with the operand at (%rdi). Four bytes each. */
extern const uint8_t x86_x87_stubs[] __attribute__((visibility("hidden")));

__asm__(".pushsection .text.x86_stubs,\"ax\",@progbits\n"
	".balign 64\n"
	".hidden x86_x87_stubs\n"
	".globl x86_x87_stubs\n"
	"x86_x87_stubs:\n"
	".irp op,0xd8,0xd9,0xda,0xdb,0xdc,0xdd,0xde,0xdf\n"
	".irp h,c,d,e,f\n"
	".irp l,0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f\n"
	".byte \\op, 0x\\h\\l\n"
	"ret\n"
	".balign 4,0xcc\n"
	".endr\n"
	".endr\n"
	".endr\n"
	".irp op,0xd8,0xd9,0xda,0xdb,0xdc,0xdd,0xde,0xdf\n"
	".irp digit,0x07,0x0f,0x17,0x1f,0x27,0x2f,0x37,0x3f\n"
	".byte \\op, \\digit\n"
	"ret\n"
	".balign 4,0xcc\n"
	".endr\n"
	".endr\n"
	".popsection");

static const uint8_t *stub(unsigned code)
{
	unsigned first = (code >> 8) - 0xd8, second = code & 0xff;

	if (second >= 0xc0)
		return x86_x87_stubs + 4 * (first * 64 + second - 0xc0);
	return x86_x87_stubs + 4 * (512 + first * 8 + second / 8);
}

uint16_t x87_tags(const struct x86_x87 *x87)
{
	unsigned tags = 0;

	for (unsigned i = 0; i < 8; i++) {
		const union x86_x87_register *reg = &x87->reg[i];
		unsigned exponent = reg->sign_exponent & 0x7fff;
		unsigned tag = 0;

		if (x87->empty >> i & 1)
			tag = 3;
		else if (!exponent && !reg->mantissa)
			tag = 1;
		else if (!exponent || exponent == 0x7fff ||
			 !(reg->mantissa >> 63))
			tag = 2;
		tags |= tag << 2 * i;
	}
	return (uint16_t)tags;
}

void x87_set_status_word(struct x86_x87 *x87, uint16_t status)
{
	x87->top = status >> X87_TOP_SHIFT & 7;
	x87->status = (uint16_t)(status & ~(7u << X87_TOP_SHIFT));
}

void x87_set_tags(struct x86_x87 *x87, uint16_t tags)
{
	x87->empty = 0;
	for (unsigned i = 0; i < 8; i++)
		if ((tags >> 2 * i & 3) == 3)
			x87->empty |= (uint8_t)(1u << i);
}

static void save_image(const struct x86_x87 *x87, struct x87_image *image)
{
	*image = (struct x87_image){
		.control = x87->control,
		.status = (uint16_t)(x87_status_word(x87) &
				     ~(X87_EXCEPTIONS | X87_STACK_FAULT |
				       X87_SUMMARY | X87_BUSY)),
		.tags = x87_tags(x87),
	};
	for (unsigned i = 0; i < 8; i++)
		memcpy(image->st[i], x87->reg[x87_index(x87, i)].bytes, 10);
}

static void load_image(struct x86_x87 *x87, const struct x87_image *image)
{
	uint16_t sticky = x87->status & (X87_EXCEPTIONS | X87_STACK_FAULT);

	x87_set_status_word(x87, image->status | sticky);
	x87_summarize(x87);
	x87_set_tags(x87, image->tags);
	for (unsigned i = 0; i < 8; i++)
		memcpy(x87_st(x87, i)->bytes, image->st[i], 10);
}

/* The opcode that the hardware notes: the low three bits of the first byte of
 * the guest's encoding, and the second byte. Prefixes are below 0xd8 or above
 * 0xdf. */
static uint16_t opcode(const struct x86_cpu *cpu, const struct x86_op *op)
{
	const uint8_t *code = space_at(cpu->space, x86_op_rip(op));

	while ((*code & 0xf8) != 0xd8)
		code++;
	return (uint16_t)((code[0] & 7) << 8 | code[1]);
}

bool x87_execute(struct x86_cpu *cpu, const struct x86_op *op, unsigned code,
		 void *memory)
{
	struct x86_x87 *x87 = &cpu->x87;
	struct x87_image image;
	uint64_t before = x86_arithmetic_flags(cpu), after;
	unsigned unmasked;

	save_image(x87, &image);
	/* Leaves out the red zone, which a call would overwrite. */
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
			 "frstor (%[image])\n\t"
			 "pushq %[before]\n\t"
			 "popfq\n\t"
			 "call *%[stub]\n\t"
			 "pushfq\n\t"
			 "popq %[after]\n\t"
			 "fnsave (%[image])\n\t"
			 "lea 128(%%rsp), %%rsp"
			 : [after] "=&r"(after)
			 : [image] "r"(&image), [before] "r"(before),
			   [stub] "r"(stub(code)), "D"(memory)
			 : "cc", "memory");
	unmasked = image.status & ~x87->control & X87_EXCEPTIONS;
	load_image(x87, &image);
	if (unmasked) {
		/* The hardware notes these at the end. */
		x87->opcode = opcode(cpu, op);
		if (memory)
			x87->data_pointer = x86_address(cpu, op);
	}
	if ((after ^ before) & X86_ARITHMETIC)
		x86_set_arithmetic_flags(cpu, after & X86_ARITHMETIC);
	x86_float_set_x87(cpu);
	/* The instruction completes when it raises only a precision
	 * exception. */
	return !(unmasked & ~X87_PRECISION);
}

int x87_raise_pending(struct x86_cpu *cpu, const struct x86_op *op)
{
	const struct x86_x87 *x87 = &cpu->x87;
	unsigned raised = x87->status & ~x87->control;
	/* The precedence that Linux gives si_code. */
	int code = raised & X87_INVALID ? FPE_FLTINV :
		   raised & X87_ZERO_DIVIDE ? FPE_FLTDIV :
		   raised & X87_OVERFLOW ? FPE_FLTOVF :
		   raised & (X87_DENORMAL | X87_UNDERFLOW) ? FPE_FLTUND :
		   FPE_FLTRES;

	return x86_raise(cpu, op, SIGFPE, code, x86_op_rip(op), 16);
}
