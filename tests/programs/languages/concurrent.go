// Go's runtime under load: goroutines, channels, select, mutexes, maps, garbage
// collection, big allocations, reflection, panics, timers, preemption of loops
// without calls (by signals), files, and processes.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func pipeline() {
	numbers := make(chan int)
	squares := make(chan int, 7)
	var workers sync.WaitGroup
	go func() {
		for i := 0; i < 2000; i++ {
			numbers <- i
		}
		close(numbers)
	}()
	for w := 0; w < 16; w++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for n := range numbers {
				squares <- n * n
			}
		}()
	}
	go func() { workers.Wait(); close(squares) }()
	sum := 0
	for s := range squares {
		sum += s
	}
	fmt.Println("pipeline", sum)
}

func mutexes() {
	var mutex sync.Mutex
	var total int64
	counts := map[int]int{}
	var group sync.WaitGroup
	for g := 0; g < 100; g++ {
		group.Add(1)
		go func(g int) {
			defer group.Done()
			for i := 0; i < 50; i++ {
				mutex.Lock()
				counts[i]++
				mutex.Unlock()
				atomic.AddInt64(&total, int64(g))
				if i%10 == 0 {
					runtime.Gosched()
				}
			}
		}(g)
	}
	group.Wait()
	fmt.Println("mutexes", len(counts), counts[7], total)
}

type node struct {
	left, right *node
	value       [5]int
}

func tree(depth int) *node {
	if depth == 0 {
		return &node{value: [5]int{1}}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}

func garbage() {
	debug.SetGCPercent(50)
	keep := tree(12)
	total := 0
	for i := 0; i < 10; i++ {
		total += tree(10).count()
	}
	runtime.GC()
	big := make([]byte, 64<<20)
	for i := 0; i < len(big); i += 4096 {
		big[i] = byte(i >> 12)
	}
	sum := 0
	for i := 0; i < len(big); i += 4096 {
		sum += int(big[i])
	}
	finalized := make(chan bool, 1)
	func() {
		thing := &node{}
		runtime.SetFinalizer(thing, func(*node) { finalized <- true })
	}()
	for done := false; !done; {
		runtime.GC()
		select {
		case done = <-finalized:
		case <-time.After(time.Millisecond):
		}
	}
	fmt.Println("garbage", keep.count(), total, sum, "finalized")
}

func maps() {
	words := map[string]int{}
	for i := 0; i < 5000; i++ {
		words[fmt.Sprintf("key-%d", i*7919%3001)] += i
	}
	keys := make([]string, 0, len(words))
	for key := range words {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	fmt.Println("maps", len(keys), keys[17], words[keys[17]])
	for key := range words {
		if len(key)%2 == 0 {
			delete(words, key)
		}
	}
	fmt.Println("maps", len(words))
}

type shape interface{ Area() float64 }
type circle struct {
	Radius float64 `unit:"metre"`
}
type square struct{ Side float64 }

func (c circle) Area() float64 { return math.Pi * c.Radius * c.Radius }
func (s square) Area() float64 { return s.Side * s.Side }

func reflection() {
	for _, s := range []shape{circle{1.5}, square{2}} {
		t := reflect.TypeOf(s)
		v := reflect.ValueOf(s)
		area := v.MethodByName("Area").Call(nil)[0].Float()
		fmt.Printf("reflection %s %s %q %.6f %.6f\n", t.Name(),
			t.Field(0).Name, t.Field(0).Tag, v.Field(0).Float(), area)
	}
	swap := func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{in[1], in[0]}
	}
	var intSwap func(int, int) (int, int)
	reflect.ValueOf(&intSwap).Elem().Set(
		reflect.MakeFunc(reflect.TypeOf(intSwap), swap))
	fmt.Println(intSwap(1, 2))
	text, _ := json.Marshal(map[string]interface{}{
		"b": []int{1, 2, 3}, "a": circle{2.5}, "c": nil})
	fmt.Println(string(text))
}

func attempt(name string, f func()) {
	defer func() {
		problem := recover()
		_, runtimeError := problem.(runtime.Error)
		fmt.Println("panic", name, problem, runtimeError)
	}()
	f()
}

func panics() {
	var pointer *node
	var table map[string]int
	var thing interface{} = "text"
	zero, list := 0, []int{1, 2, 3}
	attempt("nil", func() { pointer.value[1] = 1 })
	attempt("divide", func() { fmt.Println(1 / zero) })
	attempt("index", func() { fmt.Println(list[3+zero]) })
	attempt("map", func() { table["x"] = 1 })
	attempt("type", func() { fmt.Println(thing.(int)) })
	attempt("own", func() { panic(errors.New("own error")) })
	attempt("deep", func() {
		var down func(int) int
		down = func(n int) int {
			if n == 0 {
				panic("bottom")
			}
			return down(n-1) + 1
		}
		down(100000)
	})
}

func timers() {
	start := time.Now()
	ticker := time.NewTicker(2 * time.Millisecond)
	ticks := 0
	timeout := time.After(50 * time.Millisecond)
	for ticks < 5 {
		select {
		case <-ticker.C:
			ticks++
		case <-timeout:
			ticks = 5
		}
	}
	ticker.Stop()
	ctx, cancel := context.WithTimeout(context.Background(),
		5*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	fmt.Println("timers", ticks, ctx.Err(),
		time.Since(start) >= 9*time.Millisecond)
}

// A loop without calls gives way only to a signal.
func preemption() {
	old := runtime.GOMAXPROCS(1)
	var stop int32
	spinning := make(chan uint64)
	go func() {
		n := uint64(1)
		for atomic.LoadInt32(&stop) == 0 {
			n = n*6364136223846793005 + 1
		}
		spinning <- n
	}()
	time.Sleep(time.Millisecond)
	atomic.StoreInt32(&stop, 1)
	<-spinning
	runtime.GOMAXPROCS(old)
	fmt.Println("preemption")
}

func signals() {
	inbox := make(chan os.Signal, 4)
	signal.Notify(inbox, syscall.SIGUSR1, syscall.SIGHUP)
	syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
	fmt.Println("signal", <-inbox)
	syscall.Kill(syscall.Getpid(), syscall.SIGHUP)
	fmt.Println("signal", <-inbox)
	signal.Reset()
}

func processes() {
	command := exec.Command("/bin/sh", "-c", "read x; echo got $x; exit 3")
	command.Stdin = strings.NewReader("a line\n")
	out, err := command.Output()
	var exit *exec.ExitError
	fmt.Printf("process %q %v %v\n", out, err, errors.As(err, &exit))
}

func network() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("network", err)
		return
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				io.Copy(connection, connection)
				connection.Close()
			}()
		}
	}()
	var group sync.WaitGroup
	var echoed int64
	for i := 0; i < 8; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			c, err := net.Dial("tcp", listener.Addr().String())
			if err != nil {
				fmt.Println(err)
				return
			}
			text := strings.Repeat(string(rune('a'+i)), 10000)
			go func() {
				io.WriteString(c, text)
				c.(*net.TCPConn).CloseWrite()
			}()
			back, _ := io.ReadAll(c)
			if string(back) == text {
				atomic.AddInt64(&echoed, int64(len(back)))
			}
			c.Close()
		}(i)
	}
	group.Wait()
	listener.Close()
	fmt.Println("network", echoed)
}

func numbers() {
	factorial := big.NewInt(1)
	for i := int64(2); i <= 300; i++ {
		factorial.Mul(factorial, big.NewInt(i))
	}
	fmt.Println("numbers", factorial)
	sum := 0.0
	for i := 1; i < 20000; i++ {
		sum += math.Sin(float64(i)) * math.Sqrt(float64(i)) / math.Exp(1/float64(i))
	}
	fmt.Printf("%.12g %v %v %x\n", sum, math.Inf(1), math.NaN(),
		math.Float64bits(math.FMA(1.1, 2.2, 3.3)))
	digest := sha256.Sum256(bytes.Repeat([]byte("go"), 100000))
	fmt.Printf("%x\n", digest)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, strings.Repeat("the quick brown fox ", 5000))
	w.Close()
	r, _ := gzip.NewReader(&packed)
	plain, _ := io.ReadAll(r)
	fmt.Println(len(plain))
	found := regexp.MustCompile(`(\w+) (q\w*) b`).FindSubmatch(plain)
	fmt.Printf("%q\n", found)
}

func files() {
	os.WriteFile("one.txt", []byte("first\n"), 0o644)
	f, _ := os.OpenFile("one.txt", os.O_APPEND|os.O_RDWR, 0)
	fmt.Fprintln(f, "second")
	f.Seek(0, io.SeekStart)
	text, _ := io.ReadAll(f)
	f.Close()
	os.Mkdir("folder", 0o755)
	os.Rename("one.txt", "folder/two.txt")
	entries, _ := os.ReadDir("folder")
	_, missing := os.Stat("one.txt")
	fmt.Printf("files %q %s %v\n", text, entries[0].Name(),
		errors.Is(missing, os.ErrNotExist))
}

func main() {
	fmt.Println(runtime.GOOS, runtime.GOARCH)
	pipeline()
	mutexes()
	garbage()
	maps()
	reflection()
	panics()
	timers()
	preemption()
	signals()
	processes()
	network()
	numbers()
	files()
	var nothing *node
	fmt.Println("ends by a panic")
	os.Stdout.Sync()
	if len(os.Args) > 1 {
		fmt.Println(nothing.left)
	}
	os.Exit(7)
}
