# What scripts do: dictionaries, strings, lists, integers, floats, calls.
class Counter:
    def __init__(self):
        self.seen = {}

    def add(self, word):
        self.seen[word] = self.seen.get(word, 0) + 1


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


counter = Counter()
seed = 1
for _ in range(60000):
    seed = (seed * 1103515245 + 12345) % 2147483648
    counter.add("word%d" % (seed % 1000))
top = sorted(counter.seen.items(), key=lambda item: (-item[1], item[0]))[:3]
print(top, fibonacci(19))
print(sum(1.0 / (i * i) for i in range(1, 50000)))
text = " ".join(str(i * i) for i in range(20000))
print(len(text), text.count("99"), len(set(text.split())))
print(len(str(3 ** 5000)))
