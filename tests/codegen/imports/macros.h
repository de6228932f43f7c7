/* Parts of kernels in LLVM's IR. */

/* A number that the kernel reads: dword `place` of its operands. */
#define IN(name, type, place)                                                  \
	"  %p." name " = getelementptr i32, ptr addrspace(1) %a, i32 " place   \
	"\n  %" name " = load " type ", ptr addrspace(1) %p." name             \
	", align 4\n"

/* One that it writes to dword `place` of its results. */
#define OUT(type, value, place)                                                \
	"  %o." place " = getelementptr i32, ptr addrspace(1) %r, i32 " place  \
	"\n  store " type " " value ", ptr addrspace(1) %o." place             \
	", align 4\n"

/* Numbers below 16, four bits each, in dword `place`: %v0 is the lowest. */
#define EIGHT(place, a, b, c, d, e, f, g, h)                                   \
	"  %s" a " = shl i32 %v" a ", 0\n"                                     \
	"  %s" b " = shl i32 %v" b ", 4\n"                                     \
	"  %s" c " = shl i32 %v" c ", 8\n"                                     \
	"  %s" d " = shl i32 %v" d ", 12\n"                                    \
	"  %s" e " = shl i32 %v" e ", 16\n"                                    \
	"  %s" f " = shl i32 %v" f ", 20\n"                                    \
	"  %s" g " = shl i32 %v" g ", 24\n"                                    \
	"  %s" h " = shl i32 %v" h ", 28\n"                                    \
	"  %t" a " = or i32 %s" a ", %s" b "\n"                                \
	"  %t" b " = or i32 %t" a ", %s" c "\n"                                \
	"  %t" c " = or i32 %t" b ", %s" d "\n"                                \
	"  %t" d " = or i32 %t" c ", %s" e "\n"                                \
	"  %t" e " = or i32 %t" d ", %s" f "\n"                                \
	"  %t" f " = or i32 %t" e ", %s" g "\n"                                \
	"  %t" g " = or i32 %t" f ", %s" h "\n"                                \
	OUT("i32", "%t" g, place)

/* %v of a number: which elements of two vectors %x and %y of four compare so. */
#define COMPARED(number, predicate, type)                                      \
	"  %c" number " = fcmp " predicate " " type " %x, %y\n"                \
	"  %m" number " = select <4 x i1> %c" number                           \
	", <4 x i32> <i32 1, i32 2, i32 4, i32 8>, <4 x i32> "                 \
	"zeroinitializer\n"                                                    \
	"  %v" number " = call i32 @llvm.vector.reduce.or.v4i32("              \
	"<4 x i32> %m" number ")\n"

#define ALL_COMPARED(type)                                                     \
	COMPARED("0", "oeq", type) COMPARED("1", "ogt", type)                  \
	COMPARED("2", "oge", type) COMPARED("3", "olt", type)                  \
	COMPARED("4", "ole", type) COMPARED("5", "one", type)                  \
	COMPARED("6", "ord", type) COMPARED("7", "uno", type)                  \
	COMPARED("8", "ueq", type) COMPARED("9", "ugt", type)                  \
	COMPARED("10", "uge", type) COMPARED("11", "ult", type)                \
	COMPARED("12", "ule", type) COMPARED("13", "une", type)                \
	COMPARED("14", "true", type) COMPARED("15", "false", type)

#define SIXTEEN                                                                \
	EIGHT("0", "0", "1", "2", "3", "4", "5", "6", "7")                     \
	EIGHT("1", "8", "9", "10", "11", "12", "13", "14", "15")

/* %v of a number: in which turn, at most the tenth, lanes leave a loop. They go
 * to `yes` when the turn's number compares so with %y. */
#define TURNS(number, compare, convert, yes, no)                               \
	"  br label %begin" number "\n"                                        \
	"begin" number ":\n"                                                   \
	"  br label %loop" number "\n"                                         \
	"loop" number ":\n"                                                    \
	"  %i" number " = phi i32 [ 0, %begin" number " ], [ %j" number        \
	", %next" number " ]\n"                                                \
	"  %x" number " = " convert " %i" number " to " compare                \
	" %x" number ", %y\n"                                                  \
	"  br i1 %c" number ", label %" yes number ", label %" no number "\n"  \
	"next" number ":\n"                                                    \
	"  %j" number " = add i32 %i" number ", 1\n"                           \
	"  %e" number " = icmp eq i32 %j" number ", 10\n"                      \
	"  br i1 %e" number ", label %end" number ", label %loop" number "\n"  \
	"end" number ":\n"                                                     \
	"  %v" number " = phi i32 [ %i" number ", %loop" number " ], "         \
	"[ 10, %next" number " ]\n"

#define FLOAT_TURNS(number, predicate, yes, no)                                \
	TURNS(number, "float\n  %c" number " = fcmp " predicate " float",      \
	      "sitofp i32", yes, no)
#define INTEGER_TURNS(number, predicate, yes, no)                              \
	TURNS(number, "i32\n  %c" number " = icmp " predicate " i32",          \
	      "bitcast i32", yes, no)

#define ALL_FLOAT_TURNS(yes, no)                                               \
	FLOAT_TURNS("0", "oeq", yes, no) FLOAT_TURNS("1", "ogt", yes, no)      \
	FLOAT_TURNS("2", "oge", yes, no) FLOAT_TURNS("3", "olt", yes, no)      \
	FLOAT_TURNS("4", "ole", yes, no) FLOAT_TURNS("5", "one", yes, no)      \
	FLOAT_TURNS("6", "ord", yes, no) FLOAT_TURNS("7", "uno", yes, no)      \
	FLOAT_TURNS("8", "ueq", yes, no) FLOAT_TURNS("9", "ugt", yes, no)      \
	FLOAT_TURNS("10", "uge", yes, no) FLOAT_TURNS("11", "ult", yes, no)    \
	FLOAT_TURNS("12", "ule", yes, no) FLOAT_TURNS("13", "une", yes, no)    \
	FLOAT_TURNS("14", "true", yes, no) FLOAT_TURNS("15", "false", yes, no)

#define ALL_INTEGER_TURNS(yes, no)                                             \
	INTEGER_TURNS("0", "eq", yes, no) INTEGER_TURNS("1", "ne", yes, no)    \
	INTEGER_TURNS("2", "ugt", yes, no) INTEGER_TURNS("3", "uge", yes, no)  \
	INTEGER_TURNS("4", "ult", yes, no) INTEGER_TURNS("5", "ule", yes, no)  \
	INTEGER_TURNS("6", "sgt", yes, no) INTEGER_TURNS("7", "sge", yes, no)  \
	INTEGER_TURNS("8", "slt", yes, no) INTEGER_TURNS("9", "sle", yes, no)  \
	"  %v10 = add i32 0, 0\n  %v11 = add i32 0, 0\n"                       \
	"  %v12 = add i32 0, 0\n  %v13 = add i32 0, 0\n"                       \
	"  %v14 = add i32 0, 0\n  %v15 = add i32 0, 0\n"
