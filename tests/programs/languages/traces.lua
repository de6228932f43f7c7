-- LuaJIT: loops that its trace compiler turns into machine code, the FFI with
-- structures and callbacks, string building, coroutines, errors out of
-- compiled code, and traces that are thrown away and made again.
local ffi, bit, jit = require("ffi"), require("bit"), require("jit")
print(jit.version, jit.arch, jit.status() and "compiles")

local function loops()
  local sum, product = 0, 1
  for i = 1, 2000000 do
    sum = sum + i % 7 * 0.5
    product = product * 1.0000001
  end
  print("loops", sum, string.format("%.12g", product))
  local sieve, count = {}, 0
  for i = 2, 50000 do
    if not sieve[i] then
      count = count + 1
      for j = i * i, 50000, i do sieve[j] = true end
    end
  end
  print("primes", count)
  local x = 1
  for i = 1, 300000 do
    x = bit.bxor(bit.lshift(x, 5), bit.rshift(x, 3), bit.rol(x, i), i)
  end
  print("bits", x, bit.tohex(x))
  local total = 0
  for i = 1, 200000 do
    total = total + math.sin(i) * math.floor(i / 3) + math.sqrt(i) - i ^ 0.5
            + math.min(i, 100) + math.abs(-i) % 3
  end
  print("floats", string.format("%.10g", total))
end

ffi.cdef [[
typedef struct { double x, y, z; uint8_t tag; int32_t count; } point;
typedef struct node { struct node *next; int64_t value; } node;
int snprintf(char *, size_t, const char *, ...);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
size_t strlen(const char *);
void *malloc(size_t);
void free(void *);
typedef struct { int a : 3; unsigned b : 7; float f; union { int i; char c[4]; } u; } mixed;
]]

local function structures()
  local points = ffi.new("point[?]", 1000)
  for round = 1, 100 do
    for i = 0, 999 do
      local p = points[i]
      p.x = p.x + i * 0.25
      p.y = p.x - p.z
      p.z = p.y * 0.5
      p.tag = p.tag + 3
      p.count = p.count + i
    end
  end
  print("points", string.format("%.10g %.10g", points[999].x, points[500].z), points[17].tag, points[999].count)
  local list
  for i = 1, 1000 do
    local n = ffi.cast("node *", ffi.C.malloc(ffi.sizeof("node")))
    n.next, n.value, list = list, i * 1000000007LL, n
  end
  local total = 0LL
  while list ~= nil do
    total = total + list.value
    local next = list.next
    ffi.C.free(list)
    list = next
  end
  print("list", total, tonumber(total % 1000))
  local buffer = ffi.new("char[64]")
  for i = 1, 300 do
    ffi.C.snprintf(buffer, 64, "%d-%s-%.3f", ffi.cast("int", i), "text", i / 7)
  end
  print("snprintf", ffi.string(buffer), tonumber(ffi.C.strlen(buffer)))
  local numbers, seed = ffi.new("int[500]"), 1
  for i = 0, 499 do
    seed = (seed * 16807) % 2147483647
    numbers[i] = seed % 10000
  end
  local compare = ffi.cast("int (*)(const void *, const void *)", function(a, b)
    return ffi.cast("const int *", a)[0] - ffi.cast("const int *", b)[0]
  end)
  ffi.C.qsort(numbers, 500, 4, compare)
  compare:free()
  local ordered = true
  for i = 1, 499 do ordered = ordered and numbers[i - 1] <= numbers[i] end
  print("callback", ordered, numbers[0], numbers[499])
  local m = ffi.new("mixed", { a = -3, b = 100, f = 1.5 })
  m.u.i = 0x41424344
  print("mixed", m.a, m.b, m.f, ffi.string(m.u.c, 4), ffi.sizeof(m))
  print("64 bits", 2LL ^ 62, 0xffffffffffffffffULL / 3, -7LL / 2, -7LL % 3, tonumber(ffi.cast("uint32_t", -1LL)))
end

local function strings()
  local parts = {}
  for i = 1, 30000 do
    parts[#parts + 1] = string.char(97 + i % 26) .. i
  end
  local text = table.concat(parts)
  local hash = 5381
  for i = 1, #text do
    hash = (hash * 33 + text:byte(i)) % 4294967296
  end
  print("strings", #text, hash, text:sub(1000, 1010))
  local ok, buffer = pcall(require, "string.buffer")
  if ok then
    local b = buffer.new()
    for i = 1, 20000 do b:put(i, ",") end
    print("buffer", #b)
  end
  local count = 0
  for word in text:gmatch("%a%d+7") do count = count + #word end
  print("matches", count, (text:gsub("z%d", "Z"):sub(-12)))
end

local function coroutines()
  local function numbers(n)
    return coroutine.wrap(function()
      for i = 1, n do coroutine.yield(i) end
    end)
  end
  local total = 0
  for i in numbers(20000) do total = total + i end
  print("coroutines", total)
end

local function errors()
  local caught = 0
  for i = 1, 3000 do
    local ok, why = pcall(function(n)
      if n % 3 == 0 then error({ code = n }) end
      if n % 5 == 0 then return nil + n end
      return n
    end, i)
    if not ok then caught = caught + (type(why) == "table" and why.code or 1) end
  end
  print("errors", caught)
  local function down(n) return n == 0 and 0 or 1 + down(n - 1) end
  print("deep", down(5000), (pcall(down, 1e7)))
end

local function polymorphic()
  -- Side exits: the types change while traces run.
  local function add(a, b) return a + b end
  local vector = setmetatable({ 1 }, { __add = function(a, b) return 1000 end })
  local total = 0
  for i = 1, 100000 do
    if i % 1000 == 0 then
      total = add(total, add(vector, i))
    elseif i % 7 == 0 then
      total = add(total, "3")
    else
      total = add(total, i)
    end
  end
  print("polymorphic", total)
  for round = 1, 20 do
    jit.flush()
    local f = loadstring("local n = ... local s = 0 for i = 1, n do s = s + i * " .. round .. " end return s")
    total = total + f(20000)
  end
  print("flushed", total)
  local compiled = 0
  for i = 1, 100 do
    local f = loadstring("local t = {} for i = 1, 100 do t[i] = i + " .. i .. " end return #t + t[50]")
    for j = 1, 5 do compiled = compiled + f() end
  end
  print("generated", compiled)
end

local function garbage()
  local keep = {}
  for i = 1, 100000 do
    keep[i % 100 + 1] = { i, tostring(i), { i } }
  end
  collectgarbage()
  print("garbage", #keep, keep[50][2], collectgarbage("count") < 20000)
end

loops()
structures()
strings()
coroutines()
errors()
polymorphic()
garbage()
jit.off()
loops()
