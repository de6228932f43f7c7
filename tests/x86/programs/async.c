/* What files tell their owners by signals: O_ASYNC, F_NOTIFY, leases. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int told, descriptor, code;
static long band;

static void handler(int number, siginfo_t *information, void *context)
{
	(void)context;
	told = number;
	descriptor = information->si_fd;
	code = information->si_code;
	band = information->si_band;
}

static void show(const char *what, long result)
{
	if (result < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld\n", what, result);
}

/* What came since the last time. */
static void news(const char *what)
{
	printf("%s: ", what);
	if (!told)
		printf("no signal\n");
	else if (code == SI_KERNEL)
		printf("signal %d\n", told);
	else
		printf("signal %d, descriptor %d, code %d, band %lx\n",
		       told - SIGRTMIN, descriptor, code, band);
	told = 0;
}

static void ready(void)
{
	int ends[2];
	char byte;
	struct f_owner_ex owner = { F_OWNER_PID, 0 };

	pipe(ends);
	show("owner", fcntl(ends[0], F_GETOWN));
	write(ends[1], "x", 1);
	fcntl(ends[0], F_SETOWN, getpid());
	show("asynchronous",
	     fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_ASYNC));
	printf("flag %d\n", !!(fcntl(ends[0], F_GETFL) & O_ASYNC));
	news("before");
	write(ends[1], "y", 1);
	news("written");
	fcntl(ends[0], F_SETSIG, SIGRTMIN + 1);
	show("signal", fcntl(ends[0], F_GETSIG) - SIGRTMIN);
	write(ends[1], "z", 1);
	news("written");
	owner.type = F_OWNER_TID;
	owner.pid = getpid();
	show("thread", fcntl(ends[0], F_SETOWN_EX, &owner));
	owner.type = 9;
	show("what", fcntl(ends[0], F_GETOWN_EX, &owner));
	printf("type %d, mine %d\n", owner.type, owner.pid == getpid());
	close(ends[1]);
	news("closed");
	fcntl(ends[0], F_SETFL, 0);
	close(ends[0]);
	/* Another way to ask for it. */
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	fcntl(ends[0], F_SETOWN, getpid());
	ioctl(ends[0], FIOASYNC, &(int){ 1 });
	write(ends[1], "x", 1);
	news("sent");
	ioctl(ends[0], FIOASYNC, &(int){ 0 });
	write(ends[1], "x", 1);
	news("not any more");
	show("no such signal", fcntl(ends[0], F_SETSIG, 99));
	show("nobody", fcntl(ends[0], F_SETOWN, 1 << 29));
	close(ends[0]);
	close(ends[1]);
}

static void folders(void)
{
	int here = open(".", O_RDONLY), file;

	mkdir("inside", 0700);
	show("not a folder", fcntl(0, F_NOTIFY, DN_CREATE));
	fcntl(here, F_SETSIG, SIGRTMIN + 2);
	show("notify", fcntl(here, F_NOTIFY, DN_CREATE));
	file = open("one", O_CREAT | O_WRONLY, 0600);
	news("made");
	close(open("two", O_CREAT | O_WRONLY, 0600));
	news("made");
	show("more often", fcntl(here, F_NOTIFY, DN_MODIFY | DN_DELETE |
							 DN_RENAME |
							 DN_ATTRIB |
							 DN_MULTISHOT));
	write(file, "x", 1);
	news("written");
	fchmod(file, 0640);
	news("mode");
	rename("one", "three");
	news("renamed");
	unlink("two");
	news("removed");
	close(open("four", O_CREAT | O_WRONLY, 0600));
	news("made");
	show("no more", fcntl(here, F_NOTIFY, 0));
	write(file, "x", 1);
	news("written");
	close(here);
	close(file);
	unlink("three");
	unlink("four");
	rmdir("inside");
}

/* Who breaks a lease waits until it is given up. */
static void break_lease(int file, int flags, int downgrade)
{
	int ends[2], status;
	char what;

	pipe(ends);
	fflush(stdout);
	if (fork() == 0) {
		int other;

		other = open("leased", flags | O_NONBLOCK);
		show("at once", other);
		other = open("leased", flags);
		write(ends[1], "o", 1);
		fflush(stdout);
		_exit(other < 0);
	}
	while (!told)
		usleep(1000);
	news("broken");
	show("now", fcntl(file, F_GETLEASE));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	show("opened", read(ends[0], &what, 1));
	show("give up", fcntl(file, F_SETLEASE, downgrade));
	wait(&status);
	show("opened", read(ends[0], &what, 1));
	show("now", fcntl(file, F_GETLEASE));
	close(ends[0]);
	close(ends[1]);
}

static void leases(void)
{
	int file = open("leased", O_CREAT | O_RDWR, 0600), other;

	show("none", fcntl(file, F_GETLEASE));
	show("not its own", fcntl(file, F_SETLEASE, F_UNLCK));
	show("no such", fcntl(file, F_SETLEASE, 9));
	show("written to", fcntl(file, F_SETLEASE, F_RDLCK));
	other = open("leased", O_RDONLY);
	show("not alone", fcntl(file, F_SETLEASE, F_WRLCK));
	close(other);
	fcntl(file, F_SETSIG, SIGRTMIN + 3);
	show("lease", fcntl(file, F_SETLEASE, F_WRLCK));
	show("now", fcntl(file, F_GETLEASE));
	show("folder", fcntl(open(".", O_RDONLY), F_SETLEASE, F_RDLCK));
	close(file);
	file = open("leased", O_RDONLY);
	fcntl(file, F_SETSIG, SIGRTMIN + 3);
	show("to read", fcntl(file, F_SETLEASE, F_RDLCK));
	close(open("leased", O_RDONLY));
	news("read");
	break_lease(file, O_WRONLY, F_UNLCK);
	fflush(stdout);
	if (getuid() == 0 && fork() == 0) {
		setuid(65534);
		show("not mine", fcntl(file, F_SETLEASE, F_RDLCK));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	close(file);
	unlink("leased");
}

int main(void)
{
	char folder[] = "/tmp/async-XXXXXX";
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	sigaction(SIGIO, &action, NULL);
	for (int i = 0; i < 4; i++)
		sigaction(SIGRTMIN + i, &action, NULL);
	mkdtemp(folder);
	chmod(folder, 0777);
	chdir(folder);
	ready();
	folders();
	leases();
	unlink("leased");
	rmdir(folder);
	return 0;
}
