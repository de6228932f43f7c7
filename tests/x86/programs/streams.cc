// iostreams, containers, exceptions, threads of the C++ library.
#include <algorithm>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Noisy {
	int id;
	explicit Noisy(int i) : id(i) {}
	~Noisy() { std::cout << "gone " << id << '\n'; }
};

static int thrower(int depth)
{
	Noisy noisy(depth);

	if (depth == 0)
		throw std::out_of_range("at the bottom");
	return thrower(depth - 1) + 1;
}

struct Base {
	virtual ~Base() = default;
	virtual std::string name() const { return "base"; }
};

struct Derived : Base {
	std::string name() const override { return "derived"; }
};

int main()
{
	std::map<std::string, int> words;
	std::istringstream input("the quick brown fox jumps over the lazy dog "
				 "the end");
	std::string word;

	while (input >> word)
		words[word]++;
	for (const auto &[text, count] : words)
		std::cout << text << '=' << count << ' ';
	std::cout << std::endl;
	std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' '
		  << std::scientific << 12345.678 << ' ' << std::hex << 255
		  << std::dec << ' ' << std::setw(8) << std::setfill('*')
		  << 42 << ' ' << std::boolalpha << true << '\n';
	try {
		thrower(3);
	} catch (const std::exception &e) {
		std::cout << "caught " << e.what() << '\n';
	}
	try {
		try {
			throw 42;
		} catch (int i) {
			throw std::runtime_error("again " + std::to_string(i));
		}
	} catch (const std::runtime_error &e) {
		std::cout << e.what() << '\n';
	}
	std::vector<int> numbers(1000);
	std::iota(numbers.begin(), numbers.end(), 0);
	std::reverse(numbers.begin(), numbers.end());
	std::stable_sort(numbers.begin(), numbers.end(),
			 [](int a, int b) { return a % 10 < b % 10; });
	std::cout << numbers[0] << ' ' << numbers[500] << ' '
		  << std::accumulate(numbers.begin(), numbers.end(), 0L)
		  << '\n';
	std::unique_ptr<Base> object = std::make_unique<Derived>();
	std::cout << object->name() << ' '
		  << (dynamic_cast<Derived *>(object.get()) != nullptr)
		  << '\n';
	std::regex pattern("([a-z]+)-([0-9]+)");
	std::smatch match;
	std::string subject = "item-1234 ";
	if (std::regex_search(subject, match, pattern))
		std::cout << match[1] << ' ' << match[2] << '\n';
	auto future = std::async(std::launch::async, [] {
		long sum = 0;
		for (int i = 0; i < 100000; i++)
			sum += i;
		return sum;
	});
	std::cout << "async " << future.get() << '\n';
	auto failing = std::async(std::launch::async, []() -> int {
		throw std::logic_error("from a thread");
	});
	try {
		failing.get();
	} catch (const std::logic_error &e) {
		std::cout << e.what() << '\n';
	}
	std::ifstream missing("/nonexistent");
	std::cout << "missing " << !missing << '\n';
	double value;
	std::istringstream("2.718281828") >> value;
	std::cout << std::defaultfloat << value << '\n';
	return 5;
}
