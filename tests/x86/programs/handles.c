/* Files by handles: what a handle is for, and what is refused. Handles of one
 * file differ from run to run. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static union {
	struct file_handle head;
	char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
} handle, other;

static void show(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "works");
}

int main(void)
{
	char folder[] = "/tmp/handles-XXXXXX", text[20] = "";
	int mount = 0, file, here;

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	chdir(mkdtemp(folder));
	file = open("file", O_CREAT | O_RDWR, 0600);
	write(file, "content", 7);
	symlink("file", "link");
	here = open(".", O_RDONLY);
	show("no room", name_to_handle_at(here, "file", &handle.head, &mount,
					  0));
	printf("bytes %d, mount %d\n", handle.head.handle_bytes > 0,
	       mount > 0);
	show("too much room",
	     (handle.head.handle_bytes = 129,
	      name_to_handle_at(here, "file", &handle.head, &mount, 0)));
	handle.head.handle_bytes = MAX_HANDLE_SZ;
	show("handle", name_to_handle_at(here, "file", &handle.head, &mount,
					 0));
	other.head.handle_bytes = MAX_HANDLE_SZ;
	show("by the link", name_to_handle_at(here, "link", &other.head,
					      &mount, AT_SYMLINK_FOLLOW));
	printf("same %d\n", !memcmp(&handle, &other, sizeof handle));
	other.head.handle_bytes = MAX_HANDLE_SZ;
	show("of the link", name_to_handle_at(AT_FDCWD, "link", &other.head,
					      &mount, 0));
	printf("same %d\n", !memcmp(&handle, &other, sizeof handle));
	memset(&other, 0, sizeof other);
	other.head.handle_bytes = MAX_HANDLE_SZ;
	show("of a descriptor", name_to_handle_at(file, "", &other.head,
						  &mount, AT_EMPTY_PATH));
	printf("same %d\n", !memcmp(&handle, &other, sizeof handle));
	show("no file", name_to_handle_at(here, "none", &other.head, &mount,
					  0));
	show("no folder", name_to_handle_at(99, "file", &other.head, &mount,
					    0));
	show("nowhere", name_to_handle_at(here, "file", NULL, &mount, 0));
	show("flags", name_to_handle_at(here, "file", &other.head, &mount,
					0x10000));
	close(file);
	file = open_by_handle_at(here, &handle.head, O_RDONLY);
	show("open", file);
	if (file >= 0) {
		read(file, text, sizeof text - 1);
		printf("%s\n", text);
		close(file);
	}
	show("open here", open_by_handle_at(AT_FDCWD, &handle.head, O_RDWR));
	unlink("file");
	unlink("link");
	rmdir(folder);
	file = open_by_handle_at(here, &handle.head, O_RDONLY);
	show("gone", file);
	other.head.handle_bytes = 0;
	show("no handle", open_by_handle_at(here, &other.head, O_RDONLY));
	if (getuid() == 0) {
		setuid(65534);
		show("not allowed",
		     open_by_handle_at(here, &handle.head, O_RDONLY));
	}
	return 0;
}
