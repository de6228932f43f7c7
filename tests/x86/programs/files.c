/* Files and folders, in a folder of our own. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition))                                              \
			printf("line %d: %s: %s\n", __LINE__, #condition,      \
			       strerror(errno));                               \
	} while (0)

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *name)
{
	DIR *folder = opendir(name);
	struct dirent *entry;
	char *names[16];
	int count = 0;

	while ((entry = readdir(folder)) && count < 16)
		names[count++] = strdup(entry->d_name);
	qsort(names, (size_t)count, sizeof *names, compare);
	for (int i = 0; i < count; i++)
		printf(" %s", names[i]);
	printf("\n");
	closedir(folder);
}

int main(void)
{
	char folder[] = "/tmp/m2s-files-XXXXXX", text[64] = "";
	struct iovec vectors[2] = { { "one ", 4 }, { "two\n", 4 } };
	struct stat status;
	int file, other;
	FILE *stream;
	char *map;

	CHECK(mkdtemp(folder));
	CHECK(chdir(folder) == 0);
	umask(022);
	CHECK((file = open("a", O_RDWR | O_CREAT | O_EXCL, 0666)) >= 0);
	CHECK(open("a", O_RDWR | O_CREAT | O_EXCL, 0666) < 0 &&
	      errno == EEXIST);
	CHECK(write(file, "hello, file\n", 12) == 12);
	CHECK(writev(file, vectors, 2) == 8);
	CHECK(lseek(file, 7, SEEK_SET) == 7);
	CHECK(read(file, text, 4) == 4);
	printf("read \"%s\" at %ld\n", text, (long)lseek(file, 0, SEEK_CUR));
	CHECK(pread(file, text, 5, 0) == 5);
	CHECK(pwrite(file, "J", 1, 0) == 1);
	CHECK(fstat(file, &status) == 0);
	printf("size %ld mode %o links %ld\n", (long)status.st_size,
	       status.st_mode, (long)status.st_nlink);
	map = mmap(NULL, 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	CHECK(map != MAP_FAILED);
	printf("mapped: %.12s", map);
	memcpy(map + 7, "FILE", 4);
	CHECK(munmap(map, 20) == 0);
	CHECK(ftruncate(file, 12) == 0);
	CHECK(dup2(file, 100) == 100);
	CHECK(close(file) == 0);
	CHECK(lseek(100, 0, SEEK_SET) == 0);
	memset(text, 0, sizeof text);
	CHECK(read(100, text, sizeof text) == 12);
	printf("then: %s", text);
	CHECK(fcntl(100, F_GETFL) >= 0 &&
	      (fcntl(100, F_GETFL) & O_ACCMODE) == O_RDWR);
	close(100);
	CHECK(mkdir("sub", 0777) == 0);
	CHECK(symlink("../a", "sub/link") == 0);
	CHECK(link("a", "b") == 0);
	memset(text, 0, sizeof text);
	CHECK(readlink("sub/link", text, sizeof text) == 4);
	printf("link to %s, ", text);
	CHECK(stat("sub/link", &status) == 0);
	printf("%ld links\n", (long)status.st_nlink);
	CHECK(lstat("sub/link", &status) == 0 && S_ISLNK(status.st_mode));
	list(".");
	list("sub");
	CHECK(rename("b", "sub/c") == 0);
	CHECK(access("b", F_OK) < 0 && errno == ENOENT);
	CHECK(chmod("a", 0600) == 0 && stat("a", &status) == 0);
	printf("mode %o\n", status.st_mode & 0777);
	CHECK((other = open("sub", O_RDONLY | O_DIRECTORY)) >= 0);
	CHECK(unlinkat(other, "link", 0) == 0);
	CHECK(openat(other, "none", O_RDONLY) < 0 && errno == ENOENT);
	CHECK(fchdir(other) == 0);
	CHECK(getcwd(text, sizeof text) &&
	      !strcmp(text + strlen(folder), "/sub"));
	close(other);
	CHECK((stream = fopen("c", "a+")) != NULL);
	for (int i = 0; i < 5000; i++)
		fprintf(stream, "line %d\n", i);
	rewind(stream);
	for (int lines = 0; fgets(text, sizeof text, stream); lines++)
		if (lines % 1000 == 0)
			printf("%s", text);
	fclose(stream);
	CHECK(unlink("c") == 0 && chdir("..") == 0 && rmdir("sub") == 0);
	CHECK(unlink("a") == 0);
	CHECK(chdir("/") == 0 && rmdir(folder) == 0);
	CHECK(read(77, text, 1) < 0 && errno == EBADF);
	CHECK(write(1, (void *)8, 1) < 0 && errno == EFAULT);
	return 0;
}
