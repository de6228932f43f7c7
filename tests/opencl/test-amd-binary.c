/* AMD's kernel binaries through the OpenCL calls: printf and constant data, as
 * AMD's runtime passes them to a kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evergreen/asm/assemble.h"
#include "evergreen/cal-writer.h"
#include "opencl/support.h"

/* R3.x: dword index of the work-item's section of the printf buffer. */
#define START                                                                 \
	".kernel k\n.registers 14\n"                                          \
	"ALU: KCACHE0(CB0:0-15)\n"                                            \
	"0 t: MULLO_INT R4.x, R0.z, KC0[1].y\n"                               \
	"1 x: ADD_INT R4.x, R4.x, R0.y\n"                                     \
	"2 t: MULLO_INT R4.x, R4.x, KC0[1].x\n"                               \
	"3 x: ADD_INT R4.x, R4.x, R0.x\n"                                     \
	"4 t: MULLO_INT R4.x, R4.x, KC0[8].z\n"                               \
	"5 y: LSHR R4.y, KC0[8].y, 2\n"                                       \
	"6 x: ADD_INT R3.x, R4.x, R4.y\n"
#define STORE(mask, index, value)                                             \
	"MEM_RAT_CACHELESS_STORE_RAW: RAT(11)[" index "]." mask ", " value    \
	", ARRAY_SIZE(4095)\n"

static cl_kernel kernel_of(const char *text, const char *metadata,
			   const struct cal_data *data)
{
	struct error error = { "" };
	struct evg_program *assembled =
		evg_assemble("k", text, strlen(text), &error);
	struct cal_kernel kernel = {
		.name = "k", .metadata = metadata, .registers = 14, .stack = 1,
		.argument_constants = 4, .encoding = 9, .data = data,
	};
	const unsigned char *binary;
	cl_program program;
	cl_kernel result;
	cl_int status;
	size_t size;
	uint8_t *file;

	if (!assembled)
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(assembled);
	kernel.code = assembled->text + assembled->kernels[0].code_offset;
	kernel.code_size = assembled->kernels[0].code_size;
	binary = file = cal_write(&kernel, 1, 0x3f1, &size);
	program = clCreateProgramWithBinary(support.context, 1,
					    &support.device, &size, &binary,
					    NULL, &status);
	ASSERT_OK(status);
	ASSERT_OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	result = clCreateKernel(program, "k", &status);
	ASSERT_OK(status);
	ASSERT_OK(clReleaseProgram(program));
	evg_program_free(assembled);
	free(file);
	return result;
}

/* What the program prints while it runs a kernel and waits; to be freed. */
static char *printed(cl_kernel kernel, cl_uint dimensions,
		     const size_t *offset, const size_t *global,
		     const size_t *local, cl_int expected)
{
	FILE *file = tmpfile();
	int output = dup(STDOUT_FILENO);
	cl_int status;
	size_t size;
	char *text;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	status = clEnqueueNDRangeKernel(support.queue, kernel, dimensions,
					offset, global, local, 0, NULL, NULL);
	if (status == CL_SUCCESS)
		status = clFinish(support.queue);
	fflush(stdout);
	dup2(output, STDOUT_FILENO);
	close(output);
	CU_ASSERT_EQUAL(status, expected);
	size = (size_t)lseek(fileno(file), 0, SEEK_END);
	text = calloc(1, size + 1);
	CU_ASSERT_EQUAL(pread(fileno(file), text, size, 0), (ssize_t)size);
	fclose(file);
	return text;
}

static void expect_text(char *text, const char *expected)
{
	if (strcmp(text, expected)) {
		printf("# got:\n%s\n# expected:\n%s\n", text, expected);
		CU_FAIL("the text");
	}
	free(text);
}

/* Two records in each section: scalars, packed vectors, strings. */
static const char two_records[] =
	START
	"7 x: MOV R5.x, 17\n" /* the first free dword */
	"  y: MOV R5.y, 1\n"  /* format 1 */
	"8 t: MULLO_INT R4.x, R1.x, KC0[1].x\n"
	"9 x: ADD_INT R4.x, R4.x, R0.x\n"
	"10 z: ADD_INT R5.z, R4.x, KC0[6].x\n" /* global id */
	"  w: ADD_INT R5.w, R1.x, KC0[7].x\n"  /* work-group */
	"11 x: ADD_INT R6.x, R1.y, KC0[7].y\n"
	"  y: MOV R6.y, 0xff030201\n"
	"  z: MOV R6.z, 0x00636261\n"
	"  w: MOV R6.w, 1.25f\n"
	"12 x: MOV R7.x, 0x89abcdef\n"
	"  y: MOV R7.y, 0x01234567\n"
	"  z: MOV R7.z, 1.0f\n"
	"  w: MOV R7.w, -2.5f\n"
	"13 x: MOV R8.x, 3.0f\n"
	"  y: MOV R8.y, 7.0f\n" /* the fourth of three */
	"  z: MOV R8.z, 0\n"    /* no string */
	"  w: MOV R8.w, 99\n"
	"14 x: MOV R9.x, 0\n" /* format 0 */
	"15 x: ADD_INT R10.x, R3.x, 4\n"
	"16 x: ADD_INT R11.x, R3.x, 8\n"
	"17 x: ADD_INT R12.x, R3.x, 12\n"
	"18 x: ADD_INT R13.x, R3.x, 16\n"
	STORE("xyzw", "R3", "R5")
	STORE("xyzw", "R10", "R6")
	STORE("xyzw", "R11", "R7")
	STORE("xyzw", "R12", "R8")
	STORE("x___", "R13", "R9")
	"END_OF_PROGRAM\n";

/* A text may have line breaks, colons and semicolons. */
static const char formats[] =
	";device:cypress\n"
	";printf_fmt:0:0:8:;done%%\\n;\n"
	";printf_fmt:1:8:4:8:4:0:4:8:16:0:57:"
	"%d:%v2d\n;%v4hhd %s %6.2f %lx %.1v3hlf (%s)  of all of it\\n;\n"
	";printf_fmt:2:1:4:2:%d;\n"
	";printfid:9\n"
	";uavid:11\n";

static void test_records(void)
{
	static const size_t offset[] = { 10, 0 }, global[] = { 4, 4 },
			    local[] = { 2, 2 };
	cl_kernel kernel = kernel_of(two_records, formats, NULL);
	char *expected = NULL;
	size_t size;
	FILE *stream = open_memstream(&expected, &size);

	for (unsigned group = 0; group < 4; group++)
		for (unsigned item = 0; item < 4; item++)
			fprintf(stream,
				"%u:%u,%u\n;1,2,3,-1 abc   1.25 "
				"123456789abcdef 1.0,-2.5,3.0 ((null))  of all "
				"of it\n;done%%\n",
				10 + 2 * (group % 2) + item % 2, group % 2,
				group / 2);
	fclose(stream);
	expect_text(printed(kernel, 2, offset, global, local, CL_SUCCESS),
		    expected);
	CU_ASSERT_EQUAL(support.launches, 4);
	/* The buffer is fit for use again. */
	expect_text(printed(kernel, 2, offset, global, local, CL_SUCCESS),
		    expected);
	ASSERT_OK(clReleaseKernel(kernel));
	free(expected);
}

/* Sizes and offsets in constant buffer 0 are those of the whole ND-range and
 * of the part. */
static void test_constants(void)
{
	static const char text[] =
		START
		"7 x: MOV R5.x, 14\n"
		"  y: MOV R5.y, 0\n"
		"  z: MOV R5.z, KC0[0].x\n"
		"  w: MOV R5.w, KC0[0].w\n"
		"8 x: MOV R6.x, KC0[1].x\n"
		"  y: MOV R6.y, KC0[2].x\n"
		"9 z: MOV R6.z, KC0[6].x\n"
		"  w: MOV R6.w, KC0[6].y\n"
		"10 x: MOV R7.x, KC0[6].w\n"
		"  y: MOV R7.y, KC0[7].x\n"
		"11 z: MOV R7.z, KC0[7].y\n"
		"  w: MOV R7.w, KC0[7].w\n"
		"12 x: MOV R8.x, KC0[9].x\n"
		"  y: MOV R8.y, KC0[8].z\n"
		"15 x: ADD_INT R10.x, R3.x, 4\n"
		"16 x: ADD_INT R11.x, R3.x, 8\n"
		"17 x: ADD_INT R12.x, R3.x, 12\n"
		STORE("xyzw", "R3", "R5")
		STORE("xyzw", "R10", "R6")
		STORE("xyzw", "R11", "R7")
		STORE("xy__", "R12", "R8")
		"END_OF_PROGRAM\n";
	static const size_t offset[] = { 5, 7 }, global[] = { 2, 2 },
			    local[] = { 1, 1 };
	cl_kernel kernel =
		kernel_of(text, ";printf_fmt:0:9:4:4:8:8:4:8:4:4:4:41:"
			   "%d %d %v2d %v2d %d %v2d %d from %d, %d  \\n;\n",
			   NULL);
	expect_text(printed(kernel, 2, offset, global, local, CL_SUCCESS),
		    "2 2 1,2 5,7 35 0,0 0 from 5, 262144  \n"
		    "2 2 1,2 6,7 42 1,0 0 from 5, 262144  \n"
		    "2 2 1,2 5,8 40 0,1 0 from 5, 262144  \n"
		    "2 2 1,2 6,8 48 1,1 1 from 5, 262144  \n");
	ASSERT_OK(clReleaseKernel(kernel));
}

/* A section of 4096 bytes, of which the last record is cut off; and no text
 * from work-items that wrote nothing. */
static void test_full(void)
{
	enum { ITEMS = 256, DWORDS = 1024 };
	static const char text[] =
		START
		"7 x: ADD_INT R4.x, KC0[8].z, -1\n"
		"8 x: ADD_INT R4.x, R4.x, R3.x\n" /* the last dword */
		"9 x: ADD_INT R5.x, KC0[8].z, 5\n"
		"10 x: MOV R6.x, 2\n"
		STORE("x___", "R3", "R5")
		STORE("x___", "R4", "R6")
		"END_OF_PROGRAM\n";
	static const size_t size = ITEMS;
	cl_kernel kernel = kernel_of(text, ";printf_fmt:0:0:1:.;\n"
					   ";printf_fmt:2:1:4:2:%d;\n", NULL);
	char *got = printed(kernel, 1, NULL, &size, &size, CL_SUCCESS);

	CU_ASSERT_EQUAL(strlen(got), ITEMS * (DWORDS - 2));
	CU_ASSERT_EQUAL(strspn(got, "."), strlen(got));
	free(got);
	ASSERT_OK(clReleaseKernel(kernel));
	kernel = kernel_of(START "NOP\nEND_OF_PROGRAM\n", formats, NULL);
	expect_text(printed(kernel, 1, NULL, &size, &size, CL_SUCCESS), "");
	ASSERT_OK(clReleaseKernel(kernel));
}

/* The program keeps its handles: nothing answers it any more. */
static void abandon(void)
{
	free(support.queue);
	free(support.context);
	support_abandon();
}

/* What the binary does not explain ends the simulation. */
static void ends_with(const char *facts, const char *message)
{
	static const char text[] =
		START
		"7 x: MOV R5.x, 3\n"
		"  y: MOV R5.y, 3\n"
		STORE("xy__", "R3", "R5")
		"END_OF_PROGRAM\n";
	static const size_t one = 1;
	cl_kernel kernel = kernel_of(text, facts, NULL);
	cl_program program = NULL;

	ASSERT_OK(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program,
				  &program, NULL));
	free(printed(kernel, 1, NULL, &one, &one, CL_PLATFORM_NOT_FOUND_KHR));
	free(kernel);
	free(program);
	if (!strstr(support.error.text, message)) {
		printf("# '%s', expected '%s'\n", support.error.text, message);
		CU_FAIL("the message");
	}
}

static void test_unknown_format(void)
{
	ends_with(";printf_fmt:0:0:1:.;\n", "a record of format 3");
}

static void test_wrong_size(void)
{
	ends_with(";printf_fmt:3:1:12:4:%v4d;\n",
		  "format 3 prints 4 elements with %d, and its argument has 12 "
		  "bytes");
}

/* Data 0 in global memory, its address in constant 8.x; data 3 as constant
 * buffer 3. */
static void test_constant_data(void)
{
	enum { ITEMS = 64 };
	static const char text[] =
		".kernel k\n.registers 14\n"
		"ALU: KCACHE0(CB0:0-15) KCACHE1(CB1:0-15)\n"
		"0 y: LSHR R2.y, KC0[8].x, 2\n"
		"  z: LSHR R2.z, KC1[0].x, 2\n"
		"1 x: ADD_INT R2.x, R2.y, R0.x\n"
		"2 x: ADD_INT R4.x, R2.z, R0.x\n"
		"TEX:\n"
		"VFETCH R3.x___, R2.x, fc153 MEGA(4) "
		"FETCH_TYPE(NO_INDEX_OFFSET)\n"
		"ALU: KCACHE0(CB3:0-15)\n"
		"3 x: ADD_INT R3.x, R3.x, KC0[1].y\n"
		STORE("x___", "R4", "R3")
		"END_OF_PROGRAM\n";
	static const char facts[] =
		";memory:datareqd\n"
		";pointer:out:i32:1:1:0:uav:11:4:RW:0:0\n";
	static const uint32_t third[] = { 1, 2, 3, 4, 5, 6000 };
	static const size_t items = ITEMS;
	uint32_t first[ITEMS], out[ITEMS];
	const struct cal_data data[] = {
		{ 3, third, sizeof third }, { 0, first, sizeof first },
		{ 0, NULL, 0 }
	};
	cl_mem buffer = support_buffer(sizeof out, NULL);
	cl_kernel kernel;

	for (uint32_t i = 0; i < ITEMS; i++)
		first[i] = 7 * i + 1;
	kernel = kernel_of(text, facts, data);
	ASSERT_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	expect_text(printed(kernel, 1, NULL, &items, &items, CL_SUCCESS), "");
	support_read(buffer, out, sizeof out);
	for (uint32_t i = 0; i < ITEMS; i++)
		CU_ASSERT_EQUAL(out[i], first[i] + 6000);
	ASSERT_OK(clReleaseKernel(kernel));
	ASSERT_OK(clReleaseMemObject(buffer));
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "printf: records", test_records },
		{ "printf: constants of a part", test_constants },
		{ "printf: a full section", test_full },
		{ "constant data", test_constant_data },
		CU_TEST_INFO_NULL
	}, errors[] = {
		{ "printf: an unknown format", test_unknown_format },
		{ "printf: an argument of a wrong size", test_wrong_size },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "AMD binaries in OpenCL", NULL, NULL, support_start,
		  support_stop, tests },
		{ "AMD binaries that end it", NULL, NULL, support_start,
		  abandon, errors },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
