/* Sets the names of the machine, to be run in a UTS namespace of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

static void show(const char *name)
{
	char path[60], line[100] = "";
	struct utsname names;
	FILE *file;

	snprintf(path, sizeof path, "/proc/sys/kernel/%s", name);
	file = fopen(path, "r");
	fgets(line, sizeof line, file);
	fclose(file);
	uname(&names);
	printf("%s is %s", name, line);
	printf("uname: %s, %s\n", names.nodename, names.domainname);
}

static void write_to(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	say(path, file < 0 ? -1 : write(file, text, strlen(text)));
	close(file);
}

int main(void)
{
	char longest[65];
	int pipes[2], file;

	memset(longest, 'x', sizeof longest);
	say("host name", sethostname("one.example", 11));
	say("domain name", setdomainname("example", 7));
	show("hostname");
	show("domainname");
	say("part of a name", sethostname("two.example", 3));
	say("64 bytes", setdomainname(longest, 64));
	show("domainname");
	say("65 bytes", sethostname(longest, 65));
	say("less than none", sethostname(longest, -1));
	say("nowhere", sethostname((char *)8, 3));
	write_to("/proc/sys/kernel/hostname", "three\nfour\n");
	show("hostname");
	pipe(pipes);
	write(pipes[1], "spliced", 7);
	file = open("/proc/sys/kernel/domainname", O_WRONLY);
	printf("splice: %zd\n", splice(pipes[0], NULL, file, NULL, 7, 0));
	show("domainname");
	if (setuid(65534) == 0) {
		say("without rights", sethostname("five", 4));
		write_to("/proc/sys/kernel/hostname", "six");
	}
	return 0;
}
