// 64 threads: mutexes, condition variables, barriers, atomics, thread-local
// objects, futures, exceptions across threads.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <pthread.h>
#include <queue>
#include <shared_mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

enum { THREADS = 64 };

struct counted {
	static std::atomic<int> alive;
	long value = 0;
	counted() { alive++; }
	~counted() { alive--; }
};
std::atomic<int> counted::alive;
thread_local counted local;

template <class F> static void all(F run)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(run, i);
	for (auto &thread : threads)
		thread.join();
}

static void counting()
{
	std::mutex mutex;
	std::shared_mutex shared;
	std::atomic<long> atomic{0}, compared{0};
	std::atomic<double> real{0};
	long guarded = 0, read = 0;

	all([&](int n) {
		for (int i = 0; i < 500; i++) {
			atomic.fetch_add(n);
			for (long old = compared; !compared.compare_exchange_weak(
				     old, old ^ (n * 1000 + i));)
				;
			local.value += i;
			if (i % 10 == 0) {
				std::lock_guard<std::mutex> lock(mutex);
				guarded += local.value;
			}
			if (i % 100 == 0) {
				std::unique_lock<std::shared_mutex> lock(shared);
				read++;
			} else {
				std::shared_lock<std::shared_mutex> lock(shared);
				(void)read;
			}
		}
		for (double old = real; !real.compare_exchange_weak(old, old + n);)
			;
	});
	std::printf("%ld %ld %ld %ld %.1f %d\n", atomic.load(), compared.load(),
		    guarded, read, real.load(), counted::alive.load());
}

static void ring()
{
	std::mutex mutex;
	std::condition_variable turn;
	int next = 0;
	std::string order;

	all([&](int n) {
		for (int round = 0; round < 3; round++) {
			std::unique_lock<std::mutex> lock(mutex);

			turn.wait(lock, [&] { return next % THREADS == n; });
			order += static_cast<char>('0' + n);
			next++;
			turn.notify_all();
		}
	});
	std::printf("%zu %s\n", order.size(), order.substr(60, 10).c_str());
}

static void barrier()
{
	pthread_barrier_t barrier;
	std::vector<long> a(THREADS, 1), b(THREADS);
	std::atomic<int> serial{0};

	pthread_barrier_init(&barrier, nullptr, THREADS);
	all([&](int n) {
		for (int round = 0; round < 10; round++) {
			b[n] = a[n] + a[(n + 1) % THREADS] * (round + 1) % 1000;
			if (pthread_barrier_wait(&barrier) ==
			    PTHREAD_BARRIER_SERIAL_THREAD)
				serial++;
			a[n] = b[n] % 1000003;
			pthread_barrier_wait(&barrier);
		}
	});
	pthread_barrier_destroy(&barrier);
	std::printf("%ld %d\n", std::accumulate(a.begin(), a.end(), 0L),
		    serial.load());
}

static void queue()
{
	std::queue<int> items;
	std::mutex mutex;
	std::condition_variable ready, room;
	std::atomic<long> sum{0};
	bool done = false;
	std::vector<std::thread> consumers;

	for (int i = 0; i < 8; i++)
		consumers.emplace_back([&] {
			for (;;) {
				std::unique_lock<std::mutex> lock(mutex);

				ready.wait(lock, [&] {
					return done || !items.empty();
				});
				if (items.empty())
					return;
				sum += items.front();
				items.pop();
				room.notify_one();
			}
		});
	for (int i = 1; i <= 5000; i++) {
		std::unique_lock<std::mutex> lock(mutex);

		room.wait(lock, [&] { return items.size() < 10; });
		items.push(i);
		ready.notify_one();
	}
	{
		std::lock_guard<std::mutex> lock(mutex);
		done = true;
	}
	ready.notify_all();
	for (auto &thread : consumers)
		thread.join();
	std::printf("%ld\n", sum.load());
}

struct guard {
	int &count;
	explicit guard(int &c) : count(c) { count++; }
	~guard() { count--; }
};

static int dive(int depth, int &count)
{
	guard here(count);

	if (depth == 0)
		throw std::out_of_range("bottom");
	return dive(depth - 1, count) + 1;
}

static void exceptions()
{
	int count = 0, caught = 0;

	for (int i = 0; i < 50; i++)
		try {
			dive(i, count);
		} catch (const std::exception &e) {
			caught += std::string(e.what()) == "bottom";
		}
	std::printf("%d %d\n", caught, count);
	try {
		try {
			throw 42;
		} catch (int n) {
			std::throw_with_nested(std::runtime_error("outer"));
		}
	} catch (const std::exception &e) {
		try {
			std::rethrow_if_nested(e);
		} catch (int n) {
			std::printf("%s %d\n", e.what(), n);
		}
	}
	auto future = std::async(std::launch::async, []() -> int {
		throw std::logic_error("from a thread");
	});
	try {
		future.get();
	} catch (const std::logic_error &e) {
		std::printf("%s\n", e.what());
	}
	try {
		std::vector<int>().at(3);
	} catch (const std::out_of_range &) {
		std::puts("out of range");
	}
	try {
		std::stoi("x");
	} catch (const std::invalid_argument &e) {
		std::puts(e.what());
	}
	std::printf("%d\n", dynamic_cast<std::exception *>(
		static_cast<std::exception *>(new std::bad_alloc)) != nullptr);
}

static void library()
{
	std::map<std::string, int> words;
	std::istringstream in("the cat and the dog and the bird");
	std::string word;

	while (in >> word)
		words[word]++;
	for (const auto &[key, n] : words)
		std::printf("%s=%d ", key.c_str(), n);
	std::printf("\n");
	std::vector<std::future<long>> parts;
	for (int i = 0; i < 16; i++)
		parts.push_back(std::async(std::launch::async, [i] {
			std::unordered_map<long, long> map;
			for (long k = 0; k < 2000; k++)
				map[k * (i + 1) % 997] += k;
			long sum = 0;
			for (auto &[k, v] : map)
				sum = (sum + k * v) % 1000000007;
			return sum;
		}));
	long total = 0;
	for (auto &part : parts)
		total += part.get();
	std::printf("%ld\n", total);
	std::once_flag once;
	int times = 0;
	all([&](int) { std::call_once(once, [&] { times++; }); });
	auto shared = std::make_shared<std::string>("shared");
	all([shared](int) { auto copy = shared; });
	std::printf("%d %ld\n", times, shared.use_count());
}

int main()
{
	counting();
	ring();
	barrier();
	queue();
	exceptions();
	library();
}
