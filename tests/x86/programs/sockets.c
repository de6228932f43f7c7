/* Sockets, poll, select, epoll, eventfd between two threads. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener;

static void *server(void *argument)
{
	int file = accept(listener, NULL, NULL);
	char text[100];
	ssize_t size;

	(void)argument;
	while ((size = recv(file, text, sizeof text, 0)) > 0)
		for (ssize_t i = 0; i < size; i++)
			if (send(file, text + size - 1 - i, 1, 0) != 1)
				return NULL;
	close(file);
	return NULL;
}

static void *writer(void *argument)
{
	usleep(3000);
	if (write(*(int *)argument, "ready", 5) != 5)
		return NULL;
	return argument;
}

int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof address;
	struct epoll_event event = { .events = EPOLLIN };
	int pair[2], ends[2], epoll, file, value = 0;
	struct pollfd list[2];
	struct timeval time = { 0, 5000 };
	pthread_t thread;
	char text[100] = "";
	uint64_t count;
	fd_set set;

	setvbuf(stdout, NULL, _IONBF, 0);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, 5) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		printf("no listener: %s\n", strerror(errno));
	pthread_create(&thread, NULL, server, NULL);
	file = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(file, (struct sockaddr *)&address, length))
		printf("connect: %s\n", strerror(errno));
	if (send(file, "stressed", 8, 0) != 8)
		printf("send: %s\n", strerror(errno));
	for (size_t got = 0; got < 8;)
		got += (size_t)recv(file, text + got, 8 - got, 0);
	printf("%s\n", text);
	shutdown(file, SHUT_WR);
	pthread_join(thread, NULL);
	printf("end %zd\n", recv(file, text, 1, 0));
	length = sizeof value;
	getsockopt(file, SOL_SOCKET, SO_TYPE, &value, &length);
	printf("type %d\n", value == SOCK_STREAM);
	close(file);

	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	if (write(pair[0], "datagram", 8) != 8)
		printf("write: %s\n", strerror(errno));
	memset(text, 0, sizeof text);
	printf("%zd %s\n", recv(pair[1], text, sizeof text, 0), text);
	printf("nothing: %zd", recv(pair[1], text, 1, MSG_DONTWAIT));
	printf(" %s\n", strerror(errno));

	if (pipe(ends))
		return 1;
	list[0] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	list[1] = (struct pollfd){ .fd = ends[1], .events = POLLOUT };
	printf("poll %d", poll(list, 2, 1000));
	printf(" %d %d\n", list[0].revents, list[1].revents);
	printf("poll nothing %d\n", poll(list, 1, 3));
	pthread_create(&thread, NULL, writer, &ends[1]);
	printf("poll waits %d\n", poll(list, 1, -1));
	pthread_join(thread, NULL);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	printf("select %d %d\n", select(ends[0] + 1, &set, NULL, NULL, &time),
	       FD_ISSET(ends[0], &set));
	if (read(ends[0], text, 5) != 5)
		printf("read\n");
	FD_SET(ends[0], &set);
	printf("select %d", select(ends[0] + 1, &set, NULL, NULL, &time));
	printf(" %d\n", FD_ISSET(ends[0], &set));
	epoll = epoll_create1(0);
	event.data.u64 = UINT64_C(0x123456789abcdef);
	epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
	printf("epoll %d\n", epoll_wait(epoll, &event, 1, 2));
	pthread_create(&thread, NULL, writer, &ends[1]);
	printf("epoll %d", epoll_wait(epoll, &event, 1, -1));
	printf(" %llx\n", (unsigned long long)event.data.u64);
	pthread_join(thread, NULL);
	file = eventfd(3, EFD_NONBLOCK);
	count = 4;
	if (write(file, &count, 8) != 8 || read(file, &count, 8) != 8)
		printf("eventfd: %s\n", strerror(errno));
	printf("eventfd %d", (int)count);
	printf(" %zd\n", read(file, &count, 8));
	return 0;
}
