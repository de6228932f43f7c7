/* The cache of compiled kernels, with a compiler that counts its runs. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/compile.h"
#include "base/hash.h"
#include "unit/harness.h"

/* The binary is the source and the options; every run adds a line to
 * `runs`, also one that only asks for a version. A source "bad" does not compile, "slow" takes a while, "crash"
 * kills the compiler. */
static const char script[] =
	"#!/bin/sh\n"
	"here=$(dirname \"$0\")\n"
	"echo run >>\"$here/runs\"\n"
	"[ \"$1\" = --version ] && exit 0\n"
	"[ \"$1 $2 $3 $4\" = '-o - - --chip' ] || exit 9\n"
	"[ \"$6\" = --build-options ] || exit 9\n"
	"shift 6\n"
	"source=$(cat)\n"
	"echo 'a warning' >&2\n"
	"[ \"$source\" = bad ] && exit 1\n"
	"[ \"$source\" = usage ] && exit 2\n"
	"[ \"$source\" = none ] && exit 3\n"
	"[ \"$source\" = crash ] && kill -9 $$\n"
	"[ \"$source\" = hang ] && exec sleep 1000\n"
	"printf 'binary(%s)' \"$source\"\n"
	"for word; do printf '<%s>' \"$word\"; done\n";

/* What it would use. clang is the script, too: it counts. */
static const char *const tools[] = {
	"compiler",
	"clang",
	"libclc.bc",
	"src/opencl-rt/clc/m2s-helper.bc",
	"src/opencl-rt/clc/m2s-double.bc",
	"src/opencl-rt/clc/m2s-fp64.h",
};

static char *folder, *compiler, *cache;

static char *path_of(const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

static void write_text(const char *name, const char *text)
{
	char *path = path_of(name);
	FILE *file = fopen(path, "w");

	if (file) {
		fputs(text, file);
		fclose(file);
	}
	free(path);
}

static int remove_file(const char *path, const struct stat *status, int type,
		       struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static void make_folder(const char *name)
{
	char *path = path_of(name);

	mkdir(path, 0755);
	free(path);
}

static void set_path(const char *variable, const char *name)
{
	char *path = path_of(name);

	setenv(variable, path, 1);
	free(path);
}

static int set_up(void)
{
	char name[] = "/tmp/m2s-test-cache.XXXXXX";

	if (!mkdtemp(name))
		return 1;
	folder = xstrdup(name);
	compiler = path_of("compiler");
	cache = path_of("deep/in/cache");
	make_folder("src");
	make_folder("src/opencl-rt");
	make_folder("src/opencl-rt/clc");
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		char *path = path_of(tools[i]);

		write_text(tools[i], script);
		chmod(path, 0755);
		free(path);
	}
	set_path("M2S_CLANG", "clang");
	set_path("M2S_LIBCLC", "libclc.bc");
	unsetenv("M2S_CLC_HELPER");
	return 0;
}

static int clean_up(void)
{
	nftw(folder, remove_file, 16, FTW_DEPTH | FTW_PHYS);
	free(folder);
	free(compiler);
	free(cache);
	return 0;
}

static unsigned runs(void)
{
	char *path = path_of("runs");
	FILE *file = fopen(path, "r");
	unsigned count = 0;
	int byte;

	while (file && (byte = fgetc(file)) != EOF)
		count += byte == '\n';
	if (file)
		fclose(file);
	free(path);
	return count;
}

static struct clc_result compile(const char *source, const char *options)
{
	struct clc_request request = {
		.compiler = compiler,
		.source = source,
		.options = options,
		.cache_folder = cache,
	};
	struct clc_result result;

	if (clc_compile(&request, &result, NULL)) {
		memset(&result, 0, sizeof result);
		result.log = xstrdup("clc_compile failed");
	}
	return result;
}

/* Compiles and checks the product; whether the compiler ran. */
static bool compiled(const char *source, const char *options,
		     const char *binary)
{
	unsigned before = runs();
	struct clc_result result = compile(source, options);
	bool ran = runs() > before;

	CU_ASSERT_EQUAL(result.status, CLC_DONE);
	CU_ASSERT_EQUAL(result.binary_size, strlen(binary));
	if (result.binary_size == strlen(binary))
		CU_ASSERT_EQUAL(memcmp(result.binary, binary,
				       result.binary_size), 0);
	CU_ASSERT_STRING_EQUAL(result.log, "a warning\n");
	CU_ASSERT_EQUAL(result.from_cache, !ran);
	clc_result_free(&result);
	return ran;
}

static void test_hash(void)
{
	static const struct {
		const char *text, *hash;
	} known[] = { /* FIPS 180-4's examples */
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b"
		      "7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410f"
			 "f61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db"
		  "06c1" },
	};
	char text[HASH_TEXT_SIZE];
	struct hash hash;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		hash_start(&hash);
		for (const char *at = known[i].text; *at; at++)
			hash_add(&hash, at, 1);
		hash_finish_text(&hash, text);
		CU_ASSERT_STRING_EQUAL(text, known[i].hash);
	}
	/* A million times the letter a. */
	hash_start(&hash);
	for (int i = 0; i < 10000; i++)
		hash_add(&hash,
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			 100);
	hash_finish_text(&hash, text);
	CU_ASSERT_STRING_EQUAL(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a"
				     "497200e046d39ccc7112cd0");
}

static void check_split(const char *options, const char *const *wanted)
{
	char **words = clc_split_options(options, NULL);
	size_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(words);
	for (i = 0; words[i]; i++) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(wanted[i]);
		CU_ASSERT_STRING_EQUAL(words[i], wanted[i]);
		free(words[i]);
	}
	CU_ASSERT_PTR_NULL(wanted[i]);
	free(words);
}

#define SPLIT(options, ...)                                                    \
	check_split(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_split(void)
{
	struct error error;

	check_split("", (const char *const[]){ NULL });
	check_split(" \t ", (const char *const[]){ NULL });
	SPLIT("a", "a");
	SPLIT("-D N=4  -w ", "-D", "N=4", "-w");
	SPLIT("-I\"a b\" c", "-Ia b", "c");
	SPLIT("-DX='\"q r\"'", "-DX=\"q r\"");
	SPLIT("-DX=\\\"s\\\" a\\ b", "-DX=\"s\"", "a b");
	SPLIT("C:\\path", "C:\\path");
	SPLIT("'' x", "", "x");
	SPLIT("a b c d e f", "a", "b", "c", "d", "e", "f");
	CU_ASSERT_PTR_NULL(clc_split_options("a 'b c", &error));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "quote"));
}

/* The compiler runs once for each different input. */
static void test_hits(void)
{
	CU_ASSERT_TRUE(compiled("one", "", "binary(one)"));
	CU_ASSERT_FALSE(compiled("one", "", "binary(one)"));
	CU_ASSERT_FALSE(compiled("one", NULL, "binary(one)"));
	CU_ASSERT_TRUE(compiled("two", "", "binary(two)"));
	CU_ASSERT_TRUE(compiled("one", "-D A=1", "binary(one)<-D><A=1>"));
	CU_ASSERT_FALSE(compiled("one", "  -D A=1", "binary(one)<-D><A=1>"));
	CU_ASSERT_TRUE(compiled("one", "-D 'A=1 '", "binary(one)<-D><A=1 >"));
	/* The border between options and source counts. */
	CU_ASSERT_TRUE(compiled("a", "b", "binary(a)<b>"));
	CU_ASSERT_TRUE(compiled("ba", "", "binary(ba)"));
}

/* Changes a file's time, and gives it back. */
static void date_file(const char *name, struct timespec *time)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, *time };
	char *path = path_of(name);
	struct stat status;

	stat(path, &status);
	*time = status.st_mtim;
	utimensat(AT_FDCWD, path, times, 0);
	free(path);
}

/* Each of the files counts. */
static void test_version(void)
{
	compiled("versions", "", "binary(versions)");
	CU_ASSERT_FALSE(compiled("versions", "", "binary(versions)"));
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		struct timespec time = { 1000, (long)i };

		date_file(tools[i], &time);
		CU_ASSERT_TRUE(compiled("versions", "", "binary(versions)"));
		CU_ASSERT_FALSE(compiled("versions", "", "binary(versions)"));
		date_file(tools[i], &time);
		CU_ASSERT_FALSE(compiled("versions", "", "binary(versions)"));
	}
}

/* Without one of the files nothing is kept. */
static void test_missing_tool(void)
{
	setenv("M2S_LIBCLC", "/nowhere/libclc.bc", 1);
	CU_ASSERT_TRUE(compiled("missing", "", "binary(missing)"));
	CU_ASSERT_TRUE(compiled("missing", "", "binary(missing)"));
	set_path("M2S_LIBCLC", "libclc.bc");
}

/* What other files may change is not kept. */
static void test_include(void)
{
	CU_ASSERT_TRUE(compiled("#include <x>", "", "binary(#include <x>)"));
	CU_ASSERT_TRUE(compiled("#include <x>", "", "binary(#include <x>)"));
	CU_ASSERT_TRUE(compiled("i", "-I.", "binary(i)<-I.>"));
	CU_ASSERT_TRUE(compiled("i", "-I.", "binary(i)<-I.>"));
	CU_ASSERT_TRUE(compiled("i", "-I .", "binary(i)<-I><.>"));
	CU_ASSERT_TRUE(compiled("i", "-I .", "binary(i)<-I><.>"));
}

static void check_status(const char *source, enum clc_status status)
{
	for (int i = 0; i < 2; i++) {
		unsigned before = runs();
		struct clc_result result = compile(source, "");

		CU_ASSERT_EQUAL(result.status, status);
		CU_ASSERT_PTR_NULL(result.binary);
		CU_ASSERT_STRING_EQUAL(result.log, "a warning\n");
		CU_ASSERT_EQUAL(runs(), before + 1);
		clc_result_free(&result);
	}
}

/* Failures are told apart, and not kept. */
static void test_failures(void)
{
	struct clc_request request = {
		.compiler = compiler,
		.source = "crash",
		.options = "",
		.cache_folder = cache,
	};
	struct clc_result result;
	struct error error;

	check_status("bad", CLC_BUILD_ERROR);
	check_status("usage", CLC_BAD_OPTIONS);
	check_status("none", CLC_NOT_AVAILABLE);
	CU_ASSERT_EQUAL(clc_compile(&request, &result, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "signal 9"));
	request.compiler = "/nowhere/m2s-clc";
	CU_ASSERT_EQUAL(clc_compile(&request, &result, &error), 0);
	CU_ASSERT_EQUAL(result.status, CLC_NOT_AVAILABLE);
	CU_ASSERT_PTR_NOT_NULL(strstr(result.log, "/nowhere/m2s-clc"));
	clc_result_free(&result);
}

static bool count_down(void *owner)
{
	return --*(int *)owner <= 0;
}

/* Whoever waits for the compiler need not wait for its end. */
static void test_stop(void)
{
	int count = 3;
	struct clc_request request = {
		.compiler = compiler, .source = "hang", .options = "",
		.stop = count_down, .stop_owner = &count,
	};
	struct clc_result result;
	struct error error;

	alarm(60);
	CU_ASSERT_EQUAL(clc_compile(&request, &result, &error), -1);
	alarm(0);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "was stopped as the run"));
}

static int damage_file(const char *path, const struct stat *status, int type,
		       struct FTW *walk)
{
	(void)walk;
	if (type == FTW_F && truncate(path, status->st_size - 3))
		return 1;
	return 0;
}

static int flip_file(const char *path, const struct stat *status, int type,
		     struct FTW *walk)
{
	FILE *file = type == FTW_F ? fopen(path, "r+") : NULL;
	int byte;

	(void)walk;
	if (!file)
		return 0;
	fseek(file, status->st_size - 2, SEEK_SET);
	byte = fgetc(file);
	fseek(file, status->st_size - 2, SEEK_SET);
	fputc(byte ^ 1, file);
	fclose(file);
	return 0;
}

static int replace_by_fifo(const char *path, const struct stat *status,
			   int type, struct FTW *walk)
{
	(void)status;
	(void)walk;
	return type == FTW_F && (unlink(path) || mkfifo(path, 0600));
}

static int replace_by_zeros(const char *path, const struct stat *status,
			    int type, struct FTW *walk)
{
	(void)status, (void)walk;
	return type == FTW_F &&
	       (unlink(path) || symlink("/dev/zero", path));
}

static int replace_by_folder(const char *path, const struct stat *status,
			     int type, struct FTW *walk)
{
	(void)status, (void)walk;
	return type == FTW_F && (unlink(path) || mkdir(path, 0700));
}

/* Damaged entries are made again. Whoever replaces them cannot make us wait. */
static void test_damage(void)
{
	compiled("damaged", "", "binary(damaged)");
	nftw(cache, damage_file, 16, FTW_PHYS);
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	CU_ASSERT_FALSE(compiled("damaged", "", "binary(damaged)"));
	nftw(cache, flip_file, 16, FTW_PHYS);
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	CU_ASSERT_FALSE(compiled("damaged", "", "binary(damaged)"));
	alarm(60);
	nftw(cache, replace_by_fifo, 16, FTW_PHYS);
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	CU_ASSERT_FALSE(compiled("damaged", "", "binary(damaged)"));
	nftw(cache, replace_by_zeros, 16, FTW_PHYS);
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	CU_ASSERT_FALSE(compiled("damaged", "", "binary(damaged)"));
	/* A folder stays, and the entry is not kept. */
	nftw(cache, replace_by_folder, 16, FTW_PHYS);
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	CU_ASSERT_TRUE(compiled("damaged", "", "binary(damaged)"));
	alarm(0);
}

static char *first_entry;

static int note_first(const char *path, const struct stat *status, int type,
		      struct FTW *walk)
{
	(void)status, (void)walk;
	if (type == FTW_F && !first_entry)
		first_entry = xstrdup(path);
	return 0;
}

static int replace_by_first(const char *path, const struct stat *status,
			    int type, struct FTW *walk)
{
	(void)status, (void)walk;
	return type == FTW_F && strcmp(path, first_entry) &&
	       (unlink(path) || link(first_entry, path));
}

/* An entry under another's name is none. */
static void test_exchange(void)
{
	cache_trim(cache, 0);
	compiled("here", "", "binary(here)");
	nftw(cache, note_first, 16, FTW_PHYS);
	compiled("there", "", "binary(there)");
	nftw(cache, replace_by_first, 16, FTW_PHYS);
	free(first_entry);
	CU_ASSERT_FALSE(compiled("here", "", "binary(here)"));
	CU_ASSERT_TRUE(compiled("there", "", "binary(there)"));
}

/* A cache that cannot be used costs nothing but time. */
static void test_no_folder(void)
{
	struct clc_request request = {
		.compiler = compiler,
		.source = "nowhere",
		.options = "",
		.cache_folder = "/proc/nowhere/cache",
	};
	struct clc_result result;

	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(clc_compile(&request, &result, NULL), 0);
		CU_ASSERT_EQUAL(result.status, CLC_DONE);
		CU_ASSERT_FALSE(result.from_cache);
		clc_result_free(&result);
		request.cache_folder = NULL;
	}
}

/* What is at the folder's place, but no folder, costs nothing but time either: a
 * FIFO that nobody else opens, and a file, which stays as it is. */
static void test_no_such_folder(void)
{
	char *fifo = path_of("fifo"), *file = path_of("file"), *own = cache;
	struct stat status;

	CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
	write_text("file", "a note");
	alarm(60);
	cache = fifo;
	CU_ASSERT_TRUE(compiled("fifo", "", "binary(fifo)"));
	CU_ASSERT_TRUE(compiled("fifo", "", "binary(fifo)"));
	cache = file;
	CU_ASSERT_TRUE(compiled("file", "", "binary(file)"));
	CU_ASSERT_TRUE(compiled("file", "", "binary(file)"));
	cache = own;
	alarm(0);
	CU_ASSERT(!stat(fifo, &status) && S_ISFIFO(status.st_mode));
	CU_ASSERT(!stat(file, &status) && status.st_size == 6);
	free(fifo);
	free(file);
}

static int open_to_all(const char *path, const struct stat *status, int type,
		       struct FTW *walk)
{
	(void)status, (void)walk;
	return type == FTW_F && chmod(path, 0644);
}

/* A folder that cannot be written, such as that of another user, still has the
 * entries that are there, and gets none. The superuser may write anywhere: as
 * far as files are concerned he becomes nobody for this. */
static void test_unwritable_folder(void)
{
	enum { NOBODY = 65534 };
	char *foreign = path_of("foreign"), *own = cache;

	cache = foreign;
	compiled("kept", "", "binary(kept)");
	nftw(cache, open_to_all, 16, FTW_PHYS);
	chmod(folder, 0755);
	chmod(cache, 0555);
	if (!geteuid())
		setfsuid(NOBODY);
	CU_ASSERT_FALSE(compiled("kept", "", "binary(kept)"));
	CU_ASSERT_TRUE(compiled("new", "", "binary(new)"));
	CU_ASSERT_TRUE(compiled("new", "", "binary(new)"));
	setfsuid(geteuid());
	chmod(cache, 0755);
	CU_ASSERT_EQUAL(cache_trim(cache, 0), 1);
	cache = own;
	free(foreign);
}

/* Entries go by how long they were not used; other files stay. */
static void test_trim(void)
{
	char *trimmed = path_of("trimmed"), *other, keys[4][65];
	char bytes[1000] = "";
	struct cache_entry entry = { "", bytes, sizeof bytes }, loaded;

	for (int i = 0; i < 4; i++) {
		memset(keys[i], "0123"[i], 64);
		keys[i][64] = 0;
		cache_store(trimmed, keys[i], &entry);
		usleep(20000); /* clocks of file systems are coarse */
	}
	other = xasprintf("%s/notes", trimmed);
	fclose(fopen(other, "w"));
	CU_ASSERT_TRUE_FATAL(cache_load(trimmed, keys[0], &loaded));
	free(loaded.log);
	free(loaded.binary);
	CU_ASSERT_EQUAL(cache_trim(trimmed, 100000), 0);
	CU_ASSERT_EQUAL(cache_trim(trimmed, 2500), 2);
	for (int i = 0; i < 4; i++) {
		bool there = cache_load(trimmed, keys[i], &loaded);

		CU_ASSERT_EQUAL(there, i == 0 || i == 3);
		free(loaded.log);
		free(loaded.binary);
	}
	CU_ASSERT_EQUAL(cache_trim(trimmed, 0), 2);
	CU_ASSERT_EQUAL(access(other, F_OK), 0);
	free(other);
	free(trimmed);
}

/* A folder that is too large gets smaller by stores, though not by each. */
static void test_store_trims(void)
{
	char *large = path_of("large"), *path, key[65];
	struct cache_entry entry = { "", "", 0 };
	int file;

	memset(key, 'f', 64);
	key[64] = 0;
	cache_store(large, key, &entry);
	path = xasprintf("%s/%s", large, key);
	file = open(path, O_WRONLY);
	CU_ASSERT_EQUAL(ftruncate(file, (off_t)CACHE_SIZE_MAX + 1), 0);
	close(file);
	for (int i = 0; i < 16; i++) {
		key[0] = "0123456789abcdef"[i];
		key[1] = '0';
		cache_store(large, key, &entry);
	}
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
	free(path);
	free(large);
}

/* Several processes that store and load the same few entries never see a
 * wrong one. */
static void test_sharing(void)
{
	enum { PROCESSES = 4, ROUNDS = 300, ENTRIES = 3 };
	char *shared = path_of("shared");
	unsigned wrong = 0;

	for (int p = 0; p < PROCESSES; p++) {
		if (fork())
			continue;
		for (int i = 0; i < ROUNDS; i++) {
			int which = (i + p) % ENTRIES;
			char key[] = { (char)('a' + which), 0 };
			char text[64];
			struct cache_entry entry = { "log", text, 0 }, loaded;

			entry.binary_size = (size_t)snprintf(
				text, sizeof text, "entry %0*d", 10 + which,
				which);
			cache_store(shared, key, &entry);
			if (!cache_load(shared, key, &loaded))
				_exit(1);
			if (loaded.binary_size != entry.binary_size ||
			    memcmp(loaded.binary, text, entry.binary_size))
				_exit(2);
			free(loaded.log);
			free(loaded.binary);
		}
		_exit(0);
	}
	for (int p = 0; p < PROCESSES; p++) {
		int status;

		wait(&status);
		wrong += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	free(shared);
}

static void test_default_folder(void)
{
	char *home = getenv("HOME") ? xstrdup(getenv("HOME")) : NULL, *path;

	setenv("XDG_CACHE_HOME", "/x/cache", 1);
	setenv("HOME", "/home/somebody", 1);
	path = clc_default_cache();
	CU_ASSERT_STRING_EQUAL(path, "/x/cache/m2s");
	free(path);
	unsetenv("XDG_CACHE_HOME");
	path = clc_default_cache();
	CU_ASSERT_STRING_EQUAL(path, "/home/somebody/.cache/m2s");
	free(path);
	unsetenv("HOME");
	CU_ASSERT_PTR_NULL(clc_default_cache());
	if (home)
		setenv("HOME", home, 1);
	free(home);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "SHA-256", test_hash },
		{ "build options are split into words", test_split },
		{ "the compiler runs once for each input", test_hits },
		{ "another version is another entry", test_version },
		{ "a missing file of the compiler's", test_missing_tool },
		{ "programs that include files are not kept", test_include },
		{ "failures", test_failures },
		{ "damaged entries", test_damage },
		{ "exchanged entries", test_exchange },
		{ "stopping", test_stop },
		{ "no folder", test_no_folder },
		{ "a FIFO or a file for a folder", test_no_such_folder },
		{ "a folder that cannot be written", test_unwritable_folder },
		{ "the longest unused entries go", test_trim },
		{ "stores make room", test_store_trims },
		{ "shared by processes", test_sharing },
		{ "default folder", test_default_folder },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "kernel cache", set_up, clean_up, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
