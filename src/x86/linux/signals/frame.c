/* Signal frames, as Linux lays them out on the user stack
 * (arch/x86/include/uapi/asm/sigcontext.h and ucontext.h). */
#include <signal.h>
#include <string.h>

#include "x86/emu/x87/fxsave.h"
#include "x86/linux/signals/fp-state.h"
#include "x86/linux/signals/frame.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/state.h"

enum { RESTORER_FLAG = 0x04000000 /* SA_RESTORER */ };

struct stack_64 {
	uint64_t base;
	uint32_t flags, padding;
	uint64_t size;
};

struct context_64 {
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	uint16_t cs, gs, fs, ss;
	uint64_t error, trap, old_mask, cr2, fp_state, reserved[8];
};

struct frame_64 {
	uint64_t restorer;
	uint64_t uc_flags, uc_link;
	struct stack_64 stack;
	struct context_64 context;
	uint64_t mask;
	uint8_t information[128];
};

struct stack_32 {
	uint32_t base, flags, size;
};

struct context_32 {
	uint32_t gs, fs, es, ds; /* selectors */
	uint32_t di, si, bp, sp, bx, dx, cx, ax;
	uint32_t trap, error, ip, cs, flags, sp_at_signal, ss;
	uint32_t fp_state, old_mask, cr2;
};

struct frame_32 {
	uint32_t restorer;
	int32_t number;
	struct context_32 context;
	uint8_t unused[624]; /* struct _fpstate of old kernels */
	uint32_t mask_high;
	uint8_t code[8];
};

struct rt_frame_32 {
	uint32_t restorer;
	int32_t number;
	uint32_t information_pointer, context_pointer;
	uint8_t information[128];
	uint32_t uc_flags, uc_link;
	struct stack_32 stack;
	struct context_32 context;
	uint32_t mask[2]; /* 64 bits, on a multiple of 4 */
	uint8_t code[8];
};

_Static_assert(sizeof(struct context_64) == 256, "sigcontext of x86-64");
_Static_assert(sizeof(struct context_32) == 88, "sigcontext of i386");
_Static_assert(sizeof(struct frame_32) == 8 + 88 + 624 + 12, "sigframe");
_Static_assert(sizeof(struct rt_frame_32) == 268, "rt_sigframe");

/* EFLAGS bits that a signal return may change. */
#define USER_FLAGS (X86_ARITHMETIC | X86_TF | X86_DF | X86_NT | X86_RF | X86_AC)

/* Faults, unlike traps, are saved with the flag that lets a debugger's
 * breakpoint at the instruction be passed. */
static uint32_t saved_flags(const struct x86_cpu *cpu,
			    const struct signal_information *information)
{
	bool trap = information->vector == 1 || information->vector == 3 ||
		    information->vector == 4;

	return x86_eflags(cpu) | (information->fault && !trap ? X86_RF : 0);
}

/* ---- x86-64 ---- */

static int push_64(struct context *context,
		   const struct signal_information *information,
		   const struct signal_action *action, uint64_t mask,
		   uint64_t sp)
{
	struct x86_cpu *cpu = context->cpu;
	struct frame_64 frame = { 0 };
	uint32_t fp_size = fp_state_size(x86_emulator_model(cpu->emulator));
	uint8_t image[FP_STATE_MAX];
	uint64_t fp, at;

	fp = (sp - fp_size) & ~UINT64_C(63);
	at = ((fp - sizeof frame) & ~UINT64_C(15)) - 8;
	fp_state_save(cpu, 0, image);
	frame.restorer = action->restorer;
	frame.uc_flags = 2 | 4; /* SS saved, SS strict */
	if (fp_size > X86_FXSAVE_SIZE)
		frame.uc_flags |= 1; /* extended state */
	frame.stack =
		(struct stack_64){context->signals.stack_base,
				  signal_on_stack(context, cpu->reg[X86_RSP])
					  ? SS_ONSTACK
					  : context->signals.stack_flags,
				  0, context->signals.stack_size};
	frame.context = (struct context_64){
		.r8 = cpu->reg[X86_R8],
		.r9 = cpu->reg[X86_R9],
		.r10 = cpu->reg[X86_R10],
		.r11 = cpu->reg[X86_R11],
		.r12 = cpu->reg[X86_R12],
		.r13 = cpu->reg[X86_R13],
		.r14 = cpu->reg[X86_R14],
		.r15 = cpu->reg[X86_R15],
		.di = cpu->reg[X86_RDI],
		.si = cpu->reg[X86_RSI],
		.bp = cpu->reg[X86_RBP],
		.bx = cpu->reg[X86_RBX],
		.dx = cpu->reg[X86_RDX],
		.ax = cpu->reg[X86_RAX],
		.cx = cpu->reg[X86_RCX],
		.sp = cpu->reg[X86_RSP],
		.ip = cpu->rip,
		.flags = saved_flags(cpu, information),
		.cs = X86_SELECTOR_CS64,
		.ss = X86_SELECTOR_DATA,
		.error = context->signals.trap_error,
		.trap = context->signals.trap_vector,
		.old_mask = mask,
		.cr2 = context->signals.trap_address,
		.fp_state = fp,
	};
	frame.mask = mask;
	signal_pack(information, false, frame.information);
	if (space_write(cpu->space, fp, image, fp_size) ||
	    space_write(cpu->space, at, &frame, sizeof frame))
		return -1;
	cpu->reg[X86_RDI] = (uint64_t)information->number;
	cpu->reg[X86_RSI] = at + offsetof(struct frame_64, information);
	cpu->reg[X86_RDX] = at + offsetof(struct frame_64, uc_flags);
	cpu->reg[X86_RAX] = 0;
	cpu->reg[X86_RSP] = at;
	cpu->rip = action->handler;
	x86_eflags_set(cpu, x86_eflags(cpu) &
				    ~(uint32_t)(X86_DF | X86_TF | X86_RF));
	fp_state_reset(cpu);
	return 0;
}

static void restore_stack(struct context *context, uint64_t base,
			  uint32_t flags, uint64_t size, uint64_t sp)
{
	if (signal_on_stack(context, sp))
		return;
	context->signals.stack_flags = flags & (uint32_t)~SS_ONSTACK;
	context->signals.stack_base = flags & SS_DISABLE ? 0 : base;
	context->signals.stack_size = flags & SS_DISABLE ? 0 : size;
}

static int pop_fp(struct x86_cpu *cpu, uint64_t at)
{
	if (at)
		return fp_state_load(cpu, at);
	fp_state_reset(cpu);
	return 0;
}

static int pop_64(struct context *context)
{
	struct x86_cpu *cpu = context->cpu;
	uint64_t at = cpu->reg[X86_RSP] - 8;
	const struct context_64 *from;
	struct frame_64 frame;

	if (space_read(cpu->space, at, &frame, sizeof frame))
		return -1;
	from = &frame.context;
	cpu->reg[X86_R8] = from->r8;
	cpu->reg[X86_R9] = from->r9;
	cpu->reg[X86_R10] = from->r10;
	cpu->reg[X86_R11] = from->r11;
	cpu->reg[X86_R12] = from->r12;
	cpu->reg[X86_R13] = from->r13;
	cpu->reg[X86_R14] = from->r14;
	cpu->reg[X86_R15] = from->r15;
	cpu->reg[X86_RDI] = from->di;
	cpu->reg[X86_RSI] = from->si;
	cpu->reg[X86_RBP] = from->bp;
	cpu->reg[X86_RBX] = from->bx;
	cpu->reg[X86_RDX] = from->dx;
	cpu->reg[X86_RAX] = from->ax;
	cpu->reg[X86_RCX] = from->cx;
	cpu->reg[X86_RSP] = from->sp;
	cpu->rip = from->ip;
	x86_eflags_set(cpu, (x86_eflags(cpu) & ~(uint32_t)USER_FLAGS) |
				    (from->flags & USER_FLAGS));
	context->signals.mask = frame.mask;
	restore_stack(context, frame.stack.base, frame.stack.flags,
		      frame.stack.size, from->sp);
	return pop_fp(cpu, from->fp_state);
}

/* ---- i386 ---- */

/* struct _fpstate_32: what FSAVE stores (with 16 words of padding), then the
 * FXSAVE image. */
enum { FSAVE_SIZE = 112 };

/* The kernel makes FSAVE's part out of FXSAVE's: unlike the emulator's FNSAVE,
 * with selectors. */
static void save_fsave(const struct x86_cpu *cpu, uint8_t *image)
{
	const uint16_t code = X86_SELECTOR_CS32, data = X86_SELECTOR_DATA;
	uint16_t status = x87_status_word(&cpu->x87);

	x86_fsave(cpu, image);
	memcpy(image + 16, &code, 2);
	memcpy(image + 24, &data, 2);
	memcpy(image + X86_FSAVE_SIZE, &status, 2);
	memset(image + X86_FSAVE_SIZE + 2, 0, 2); /* the FXSAVE image follows */
}

static void save_32(const struct context *context,
		    const struct signal_information *information,
		    uint64_t mask, uint64_t fp, struct context_32 *to)
{
	const struct x86_cpu *cpu = context->cpu;

	*to = (struct context_32){
		.gs = cpu->segment[X86_GS].selector,
		.fs = cpu->segment[X86_FS].selector,
		.es = cpu->segment[X86_ES].selector,
		.ds = cpu->segment[X86_DS].selector,
		.di = (uint32_t)cpu->reg[X86_RDI],
		.si = (uint32_t)cpu->reg[X86_RSI],
		.bp = (uint32_t)cpu->reg[X86_RBP],
		.sp = (uint32_t)cpu->reg[X86_RSP],
		.bx = (uint32_t)cpu->reg[X86_RBX],
		.dx = (uint32_t)cpu->reg[X86_RDX],
		.cx = (uint32_t)cpu->reg[X86_RCX],
		.ax = (uint32_t)cpu->reg[X86_RAX],
		.trap = context->signals.trap_vector,
		.error = context->signals.trap_error,
		.ip = (uint32_t)cpu->rip,
		.cs = cpu->segment[X86_CS].selector,
		.flags = saved_flags(cpu, information),
		.sp_at_signal = (uint32_t)cpu->reg[X86_RSP],
		.ss = cpu->segment[X86_SS].selector,
		.fp_state = (uint32_t)fp,
		.old_mask = (uint32_t)mask,
		.cr2 = (uint32_t)context->signals.trap_address,
	};
}

static int push_32(struct context *context,
		   const struct signal_information *information,
		   const struct signal_action *action, uint64_t mask,
		   uint64_t sp)
{
	struct x86_cpu *cpu = context->cpu;
	uint32_t restorer = (uint32_t)action->restorer;
	uint32_t fp_size = fp_state_size(x86_emulator_model(cpu->emulator));
	bool rt = action->flags & SA_SIGINFO;
	uint8_t image[FSAVE_SIZE + FP_STATE_MAX];
	uint64_t fp, at;
	int failed;

	/* The FXSAVE image inside is on a multiple of 64. */
	fp = ((sp - fp_size) & ~UINT64_C(63)) - FSAVE_SIZE;
	save_fsave(cpu, image);
	fp_state_save(cpu, FSAVE_SIZE, image + FSAVE_SIZE);
	failed = space_write(cpu->space, fp, image, FSAVE_SIZE + fp_size);
	if (!(action->flags & RESTORER_FLAG))
		restorer = (uint32_t)context->process->memory->sigreturn +
			   (rt ? 8 : 0);
	if (rt) {
		struct rt_frame_32 frame = { 0 };

		at = ((fp - sizeof frame + 4) & ~UINT64_C(15)) - 4;
		frame.restorer = restorer;
		frame.number = information->number;
		frame.information_pointer =
			(uint32_t)at +
			offsetof(struct rt_frame_32, information);
		frame.context_pointer =
			(uint32_t)at + offsetof(struct rt_frame_32, uc_flags);
		signal_pack(information, true, frame.information);
		frame.uc_flags = fp_size > X86_FXSAVE_SIZE;
		frame.stack = (struct stack_32){
			(uint32_t)context->signals.stack_base,
			signal_on_stack(context, cpu->reg[X86_RSP])
				? SS_ONSTACK
				: context->signals.stack_flags,
			(uint32_t)context->signals.stack_size};
		save_32(context, information, mask, fp, &frame.context);
		memcpy(frame.mask, &mask, sizeof mask);
		failed |= space_write(cpu->space, at, &frame, sizeof frame);
		if (failed)
			return -1;
		cpu->reg[X86_RDX] = frame.information_pointer;
		cpu->reg[X86_RCX] = frame.context_pointer;
	} else {
		struct frame_32 frame = { 0 };

		at = ((fp - sizeof frame + 4) & ~UINT64_C(15)) - 4;
		frame.restorer = restorer;
		frame.number = information->number;
		save_32(context, information, mask, fp, &frame.context);
		frame.mask_high = (uint32_t)(mask >> 32);
		failed |= space_write(cpu->space, at, &frame, sizeof frame);
		if (failed)
			return -1;
		cpu->reg[X86_RDX] = 0;
		cpu->reg[X86_RCX] = 0;
	}
	cpu->reg[X86_RAX] = (uint32_t)information->number;
	cpu->reg[X86_RSP] = at;
	cpu->rip = action->handler;
	/* Handlers find flat segments, but for FS and GS. */
	x86_segment_load(cpu, X86_DS, X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_ES, X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_SS, X86_SELECTOR_DATA);
	x86_segment_load(cpu, X86_CS, X86_SELECTOR_CS32);
	x86_eflags_set(cpu, x86_eflags(cpu) &
				    ~(uint32_t)(X86_DF | X86_TF | X86_RF));
	fp_state_reset(cpu);
	return 0;
}

/* Linux takes the x87 state from FSAVE's part. */
static int pop_fp_32(struct x86_cpu *cpu, uint64_t at)
{
	uint8_t image[X86_FSAVE_SIZE];

	if (!at)
		return pop_fp(cpu, 0);
	if (space_read(cpu->space, at, image, sizeof image) ||
	    pop_fp(cpu, at + FSAVE_SIZE))
		return -1;
	x86_frstor(cpu, image);
	return 0;
}

static int pop_context_32(struct context *context,
			  const struct context_32 *from)
{
	struct x86_cpu *cpu = context->cpu;

	if (x86_segment_load(cpu, X86_GS, (uint16_t)from->gs) ||
	    x86_segment_load(cpu, X86_FS, (uint16_t)from->fs) ||
	    x86_segment_load(cpu, X86_ES, (uint16_t)from->es) ||
	    x86_segment_load(cpu, X86_DS, (uint16_t)from->ds) ||
	    x86_segment_load(cpu, X86_SS, (uint16_t)(from->ss | 3)) ||
	    x86_segment_load(cpu, X86_CS, (uint16_t)(from->cs | 3)))
		return -1;
	cpu->reg[X86_RDI] = from->di;
	cpu->reg[X86_RSI] = from->si;
	cpu->reg[X86_RBP] = from->bp;
	cpu->reg[X86_RSP] = from->sp;
	cpu->reg[X86_RBX] = from->bx;
	cpu->reg[X86_RDX] = from->dx;
	cpu->reg[X86_RCX] = from->cx;
	cpu->reg[X86_RAX] = from->ax;
	cpu->rip = from->ip;
	x86_eflags_set(cpu, (x86_eflags(cpu) & ~(uint32_t)USER_FLAGS) |
				    (from->flags & USER_FLAGS));
	return pop_fp_32(cpu, from->fp_state);
}

static int pop_32(struct context *context, bool rt)
{
	struct x86_cpu *cpu = context->cpu;

	if (rt) {
		/* The handler's return popped the restorer. */
		uint64_t at = cpu->reg[X86_RSP] - 4;
		struct rt_frame_32 frame;

		if (space_read(cpu->space, at, &frame, sizeof frame))
			return -1;
		memcpy(&context->signals.mask, frame.mask,
		       sizeof context->signals.mask);
		restore_stack(context, frame.stack.base, frame.stack.flags,
			      frame.stack.size, frame.context.sp);
		return pop_context_32(context, &frame.context);
	}
	/* Here the return sequence has popped the signal number too. */
	uint64_t at = cpu->reg[X86_RSP] - 8;
	struct frame_32 frame;

	if (space_read(cpu->space, at, &frame, sizeof frame))
		return -1;
	context->signals.mask =
		frame.context.old_mask | (uint64_t)frame.mask_high << 32;
	return pop_context_32(context, &frame.context);
}

int frame_push(struct context *context,
	       const struct signal_information *information,
	       const struct signal_action *action, uint64_t mask, uint64_t top)
{
	return context->process->memory->abi32
		       ? push_32(context, information, action, mask, top)
		       : push_64(context, information, action, mask, top);
}

int frame_pop(struct context *context, bool rt)
{
	return context->process->memory->abi32 ? pop_32(context, rt)
					       : pop_64(context);
}

bool signal_on_stack(const struct context *context, uint64_t sp)
{
	return context->signals.stack_size &&
	       !(context->signals.stack_flags & STACK_AUTODISARM) &&
	       sp - context->signals.stack_base < context->signals.stack_size;
}
