/* Mappings with a will of their own: stacks that grow, what a fork leaves out,
 * pages in another order, locks; what calls answer to wrong arguments; memory
 * read and written through /proc. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

enum { PAGE = 4096, RW = PROT_READ | PROT_WRITE };

static sigjmp_buf environment;
static volatile sig_atomic_t armed;

static void handler(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (!armed)
		_exit(100 + signal);
	armed = 0;
	siglongjmp(environment, info->si_code);
}

/* 0, or the si_code of the fault. */
static int touch(volatile char *at)
{
	int code = sigsetjmp(environment, 1);

	if (!code) {
		armed = 1;
		*at = 1;
		armed = 0;
	}
	return code;
}

static void say(const char *what, long result)
{
	if (result == -1)
		printf("%s: %s\n", what, strerrorname_np(errno));
	else
		printf("%s: %ld\n", what, result);
}

static char *map(size_t pages, int flags)
{
	return mmap(NULL, pages * PAGE, RW,
		    flags | (flags & MAP_SHARED ? 0 : MAP_PRIVATE) |
			    MAP_ANONYMOUS, -1, 0);
}

static void growing(void)
{
	char *low = (char *)0x70000000, *stack = low + (4 << 20), *other;
	int file;

	stack = mmap(stack, 16 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS |
		     MAP_FIXED | MAP_GROWSDOWN | MAP_STACK, -1, 0);
	printf("grows %d", touch(stack - 1));
	printf(" far %d", touch(stack - 300 * PAGE));
	printf(" between %d %d\n", touch(stack - 100 * PAGE),
	       stack[-300 * PAGE]);
	/* The kernel's accesses count. */
	file = open("/dev/zero", O_RDONLY);
	printf("read %zd", read(file, stack - 310 * PAGE, 100));
	close(file);
	/* Not near another mapping. */
	other = mmap(stack - 700 * PAGE, PAGE, RW,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	printf(" near another %d, at 256 pages %d, one more %d\n",
	       touch(other + 2 * PAGE), touch(other + 257 * PAGE),
	       touch(other + 256 * PAGE));
	/* Not beyond the limit of stacks, 8 MB. */
	munmap(other, PAGE);
	mmap(low, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
	     0);
	munmap(low, (4 << 20) + 16 * PAGE);
	printf("gone %d\n", touch(stack - 1));
}

static void forks(void)
{
	char *plain = map(4, 0), *wiped = map(4, 0), *left = map(4, 0);
	char *shared = map(4, MAP_SHARED);
	int status;

	say("wipe shared", madvise(shared, 4 * PAGE, MADV_WIPEONFORK));
	say("wipe", madvise(wiped + PAGE, 2 * PAGE, MADV_WIPEONFORK));
	say("leave", madvise(left, 2 * PAGE, MADV_DONTFORK));
	say("leave shared", madvise(shared, PAGE, MADV_DONTFORK));
	memset(plain, 5, 4 * PAGE);
	memset(wiped, 6, 4 * PAGE);
	memset(left, 7, 4 * PAGE);
	memset(shared, 8, 4 * PAGE);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			printf("child: plain %d wiped %d %d %d left %d %d",
			       plain[0], wiped[0], wiped[PAGE], wiped[3 * PAGE],
			       touch(left), left[2 * PAGE]);
			printf(" shared %d %d\n", touch(shared),
			       shared[PAGE]);
			/* It is inherited. */
			wiped[PAGE] = 9;
			fflush(stdout);
			if (!fork()) {
				printf("grandchild: wiped %d\n", wiped[PAGE]);
				fflush(stdout);
				_exit(0);
			}
			wait(&status);
			_exit(0);
		}
		wait(&status);
		printf("parent: wiped %d left %d\n", wiped[PAGE], left[0]);
		madvise(wiped, 4 * PAGE, MADV_KEEPONFORK);
		madvise(left, 4 * PAGE, MADV_DOFORK);
		madvise(shared, 4 * PAGE, MADV_DOFORK);
		fflush(stdout);
	}
}

static void pages(void)
{
	char *shared = map(8, MAP_SHARED), *private = map(8, 0);

	for (int i = 0; i < 8; i++)
		shared[i * PAGE] = (char)i;
	say("remap", syscall(SYS_remap_file_pages, shared + 2 * PAGE, 2 * PAGE,
			     0, 5, 0));
	for (int i = 0; i < 8; i++)
		printf("%d ", shared[i * PAGE]);
	shared[2 * PAGE] = 55;
	printf("%d\n", shared[5 * PAGE]);
	say("private", syscall(SYS_remap_file_pages, private, PAGE, 0, 1, 0));
	say("protection", syscall(SYS_remap_file_pages, shared, PAGE, 1, 1, 0));
	say("nothing", syscall(SYS_remap_file_pages, shared, 0, 0, 1, 0));
}

static void remaps(void)
{
	char *map8 = map(8, 0), *free_place = map(8, 0), *file_map;
	char name[] = "/tmp/m2s-mappings-XXXXXX";
	int file = mkstemp(name);

	unlink(name);
	munmap(free_place, 8 * PAGE);
	munmap(map8 + 4 * PAGE, PAGE);
	say("flags", (long)mremap(map8, PAGE, PAGE, 0x80));
	say("fixed alone", (long)mremap(map8, PAGE, PAGE, MREMAP_FIXED,
					free_place));
	say("not aligned", (long)mremap(map8 + 1, PAGE, PAGE, 0));
	say("no size", (long)mremap(map8, PAGE, 0, MREMAP_MAYMOVE));
	say("to not aligned", (long)mremap(map8, PAGE, PAGE, MREMAP_MAYMOVE |
					   MREMAP_FIXED, free_place + 1));
	say("overlap", (long)mremap(map8, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE |
				    MREMAP_FIXED, map8 + PAGE));
	say("nothing there", (long)mremap(map8 + 4 * PAGE, PAGE, 2 * PAGE,
					  MREMAP_MAYMOVE));
	say("hole", (long)mremap(map8, 8 * PAGE, 9 * PAGE, MREMAP_MAYMOVE));
	say("no room", (long)mremap(map8 + 2 * PAGE, PAGE, 2 * PAGE, 0));
	say("private again", (long)mremap(map8, 0, PAGE, MREMAP_MAYMOVE));
	say("keep smaller", (long)mremap(map8, 2 * PAGE, PAGE,
					 MREMAP_MAYMOVE | MREMAP_DONTUNMAP));
	printf("shrunk over the hole %d",
	       mremap(map8, 8 * PAGE, 2 * PAGE, 0) == map8);
	printf(" %d %d\n", touch(map8 + PAGE), touch(map8 + 6 * PAGE));
	memset(map8, 3, 2 * PAGE);
	printf("fixed and smaller %d",
	       mremap(map8, 2 * PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		      free_place) == free_place);
	printf(" %d %d\n", free_place[5], touch(map8 + PAGE));
	if (ftruncate(file, 8 * PAGE) || pwrite(file, "tail", 4, 5 * PAGE) != 4)
		return;
	file_map = mmap(NULL, 4 * PAGE, RW, MAP_SHARED, file, 0);
	file_map = mremap(file_map, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
	printf("file %s\n", file_map + 5 * PAGE);
	close(file);
}

static long locked(void)
{
	char line[200];
	long value = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof line, status))
		if (sscanf(line, "VmLck: %ld", &value) == 1)
			break;
	fclose(status);
	return value;
}

static void locks(void)
{
	struct rlimit limit = { 0, 0 };
	char *map8 = map(8, 0), *shared = map(4, MAP_SHARED);

	munmap(map8 + 6 * PAGE, PAGE);
	say("mlock", mlock(map8, 2 * PAGE));
	printf("locked %ld\n", locked());
	say("mlock odd", mlock(map8 + 2 * PAGE + 5, PAGE));
	printf("locked %ld\n", locked());
	say("mlock2", syscall(SYS_mlock2, map8 + 5 * PAGE, PAGE, 1));
	say("mlock2 flags", syscall(SYS_mlock2, map8, PAGE, 2));
	say("mlock hole", mlock(map8 + 5 * PAGE, 3 * PAGE));
	printf("locked %ld\n", locked());
	say("sync locked", msync(map8, PAGE, MS_INVALIDATE));
	say("forget locked", madvise(map8, PAGE, MADV_DONTNEED));
	say("munlock", munlock(map8, 4 * PAGE));
	printf("locked %ld\n", locked());
	if (!fork())
		_exit((int)locked());
	wait(NULL);
	munmap(map8, 8 * PAGE);
	printf("locked %ld\n", locked());
	say("sync", msync(shared, 4 * PAGE, MS_SYNC));
	say("sync both", msync(shared, PAGE, MS_SYNC | MS_ASYNC));
	say("sync flags", msync(shared, PAGE, 0x80));
	say("sync odd", msync(shared + 1, PAGE, MS_SYNC));
	munmap(shared + PAGE, PAGE);
	say("sync hole", msync(shared, 4 * PAGE, MS_SYNC));
	say("sync nothing", msync(shared, 0, MS_SYNC));
	say("sync far too much", msync(shared, (size_t)-PAGE, MS_SYNC));
	say("mlockall", mlockall(MCL_ONFAULT));
	say("mlockall flags", mlockall(16));
	say("munlockall", munlockall());
	setrlimit(RLIMIT_MEMLOCK, &limit);
	say("no right", mlock(shared, PAGE));
	say("munlock without", munlock(shared, PAGE));
}

static void resident(void)
{
	unsigned char list[8];
	char *map8 = map(8, 0);

	map8[0] = map8[2 * PAGE] = 1;
	say("mincore", mincore(map8, 8 * PAGE, list));
	printf("%d %d %d\n", list[0] & 1, list[1] & 1, list[2] & 1);
	munmap(map8 + 4 * PAGE, PAGE);
	say("mincore hole", mincore(map8, 8 * PAGE, list));
	say("mincore odd", mincore(map8 + 1, PAGE, list));
	say("mincore to nowhere", mincore(map8, PAGE, (void *)1));
}

static const char constant[PAGE] = "constant";

static void through_proc(void)
{
	char *map8 = map(8, 0), text[100] = "", path[64];
	int memory = open("/proc/self/mem", O_RDWR), ends[2], child;
	uint64_t entry[8];

	strcpy(map8, "hello");
	say("pread", pread64(memory, text, 6, (off64_t)(uintptr_t)map8));
	puts(text);
	say("pwrite", pwrite64(memory, "jolly", 5, (off64_t)(uintptr_t)map8));
	puts(map8);
	/* Whatever the protection. */
	say("constant", pwrite64(memory, "C", 1,
				 (off64_t)(uintptr_t)constant));
	puts(constant);
	mprotect(map8, PAGE, PROT_NONE);
	say("hidden", pread64(memory, text, 4, (off64_t)(uintptr_t)map8));
	mprotect(map8, PAGE, RW);
	puts(map8);
	munmap(map8 + PAGE, PAGE);
	say("partly", pread64(memory, map8 + 2 * PAGE, 2 * PAGE,
			      (off64_t)(uintptr_t)map8 + 100));
	say("nowhere", pread64(memory, text, 4,
			       (off64_t)(uintptr_t)map8 + PAGE));
	say("nothing", pread64(memory, text, 0,
			       (off64_t)(uintptr_t)map8 + PAGE));
	say("position", (long)(lseek64(memory, (off64_t)(uintptr_t)map8,
				       SEEK_SET) == (off64_t)(uintptr_t)map8));
	say("read", read(memory, text, 3));
	say("moved", (long)(lseek64(memory, 1, SEEK_CUR) ==
			    (off64_t)(uintptr_t)map8 + 4));
	say("end", lseek64(memory, 0, SEEK_END));
	say("map", mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, memory, 0) ==
			   MAP_FAILED ? -1 : 0);
	close(memory);

	/* A child's, which is gone after its exec. */
	if (pipe(ends))
		return;
	strcpy(map8, "parent");
	child = fork();
	if (!child) {
		close(ends[1]);
		strcpy(map8, "child");
		raise(SIGSTOP);
		execl("/bin/cat", "cat", NULL);
		_exit(1);
	}
	waitpid(child, NULL, WUNTRACED);
	sprintf(path, "/proc/%d/mem", child);
	memory = open(path, O_RDONLY);
	memset(text, 0, sizeof text);
	say("child", pread64(memory, text, 6, (off64_t)(uintptr_t)map8));
	puts(text);
	say("write without", pwrite64(memory, text, 1,
				      (off64_t)(uintptr_t)map8));
	kill(child, SIGKILL);
	kill(child, SIGCONT);
	waitpid(child, NULL, 0);
	say("dead", pread64(memory, text, 6, (off64_t)(uintptr_t)map8));
	close(memory);

	memory = open("/proc/self/pagemap", O_RDONLY);
	map8 = map(8, 0);
	map8[PAGE] = map8[3 * PAGE] = 1;
	say("pagemap", pread64(memory, entry, sizeof entry,
			       (off64_t)((uintptr_t)map8 / PAGE * 8)));
	for (int i = 0; i < 8; i++)
		printf("%d%d ", (int)(entry[i] >> 63), (int)(entry[i] >> 61) & 1);
	putchar('\n');
	say("odd", pread64(memory, entry, 8, 4));
	say("odd size", pread64(memory, entry, 9, 0));
	close(memory);
}

static bool listed(const char *name)
{
	char line[400];
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;

	while (maps && fgets(line, sizeof line, maps))
		found |= strstr(line, name) != NULL;
	if (maps)
		fclose(maps);
	return found;
}

static int mapped(int prot, int flags, int file)
{
	char *at = mmap(NULL, PAGE, prot, flags, file, 0);

	return at == MAP_FAILED ? -1 : munmap(at, PAGE);
}

/* /dev/zero is anonymous memory. */
static void zeros(void)
{
	int file = open("/dev/zero", O_RDWR), other;
	char *private = mmap(NULL, 2 * PAGE, RW, MAP_PRIVATE, file, 0);
	char *shared = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, file, 0);
	size_t size = (size_t)1 << (sizeof size * 6 - 2);
	char *large[2];
	int status;

	printf("zeros: private listed %d", listed(" /dev/zero\n"));
	printf(" shared listed %d\n", listed(" /dev/zero (deleted)\n"));
	private[1] = shared[1] = 1;
	fflush(stdout);
	if (!fork()) {
		private[1]++;
		shared[1]++;
		shared[PAGE] = 7;
		_exit(private[1]);
	}
	wait(&status);
	printf("child %d, parent %d %d %d\n", WEXITSTATUS(status), private[1],
	       shared[1], shared[PAGE]);
	/* More than the host has room for; i386: 4 MB. */
	for (int i = 0; i < 2; i++)
		large[i] = mmap(NULL, size >> i, RW,
				MAP_PRIVATE | MAP_NORESERVE, file, 0);
	say("large", large[0] == MAP_FAILED ? -1 : 0);
	say("another", large[1] == MAP_FAILED ? -1 : 0);
	large[0][size - 1] = 5;
	printf("%d %d\n", large[0][size - 1], large[0][size / 2]);
	say("gone", munmap(large[0], size) | munmap(large[1], size / 2));
	munmap(private, 2 * PAGE);
	munmap(shared, 2 * PAGE);
	close(file);
	other = open("/dev/zero", O_WRONLY);
	say("write only", mapped(PROT_NONE, MAP_PRIVATE, other));
	close(other);
	other = open("/dev/zero", O_RDONLY);
	say("private", mapped(RW, MAP_PRIVATE, other));
	say("shared", mapped(RW, MAP_SHARED, other));
	say("shared to read", mapped(PROT_READ, MAP_SHARED, other));
	shared = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, other, 0);
	say("made writable", mprotect(shared, PAGE, RW));
	munmap(shared, PAGE);
	close(other);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	growing();
	forks();
	pages();
	remaps();
	locks();
	resident();
	through_proc();
	zeros();
	return 0;
}
