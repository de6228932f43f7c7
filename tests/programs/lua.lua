local seed = 42
local function number(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n + 1 end

-- Sieve, queens, sort.
local sieve, primes = {}, 0
for i = 2, 100000 do
	if not sieve[i] then primes = primes + 1 for j = i * i, 100000, i do sieve[j] = true end end
end
print(primes)
local function queens(n, row, columns, up, down)
	if row > n then return 1 end
	local found = 0
	for c = 1, n do
		if not (columns[c] or up[row + c] or down[row - c]) then
			columns[c], up[row + c], down[row - c] = true, true, true
			found = found + queens(n, row + 1, columns, up, down)
			columns[c], up[row + c], down[row - c] = nil, nil, nil
		end
	end
	return found
end
print(queens(7, 1, {}, {}, {}))
local list = {}
for i = 1, 20000 do list[i] = number(1000000) end
table.sort(list)
print(list[1], list[10000], list[20000], select('#', table.unpack(list, 1, 200)))

-- Strings and patterns.
local text = ("the quick brown fox "):rep(500)
local words = {}
for word in text:gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k end
table.sort(keys)
for _, k in ipairs(keys) do io.write(k, "=", words[k], " ") end
print()
print(("key = value"):match("^(%w+)%s*=%s*(%w+)$"))
print(("hello world"):gsub("o", { o = "0" }), ("abc"):byte(1, -1), ("%d %5.2f %q %x"):format(42, math.pi, "a\nb", 255))
print(string.pack("<i4 z d", -2, "text", 1.5):gsub(".", function(c) return ("%02x"):format(c:byte()) end))
print(utf8.char(233, 8364, 128512), utf8.len("é€"), #"é€")

-- Numbers.
print(7 // 2, -7 // 2, 7 % -3, 7.5 // 2, 2 ^ 100, 1 / 0, -1 / 0, 0 / 0 ~= 0 / 0, math.maxinteger + 1 == math.mininteger)
print(3 | 4, 7 & 5, ~0, 1 << 62, 1 >> 1, "10" + 5, 10 // 0.0, math.type(3), math.type(3.0), math.tointeger(3.0))
print(math.sin(1), math.exp(1), math.sqrt(2), math.log(10, 2), math.fmod(-7, 3), math.ult(1, -1), 1e308 * 10, 123456789012345678)

-- Coroutines, closures, metatables, errors, goto, integer for.
local function generate(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i * i) end end) end
local sum = 0
for square in generate(1000) do sum = sum + square end
print(sum)
local vector = setmetatable({}, { __call = function(_, x, y) return setmetatable({ x = x, y = y }, {
	__add = function(a, b) return { x = a.x + b.x, y = a.y + b.y } end,
	__tostring = function(v) return "(" .. v.x .. "," .. v.y .. ")" end,
	__index = function(_, k) return k .. "?" end, __len = function() return 2 end, __close = function() print("closed") end }) end })
print(tostring(vector(1, 2)), (vector(1, 2) + vector(3, 4)).y, vector(1, 2).z, #vector(0, 0))
do local v <close> = vector(0, 0) end
print(pcall(error, { code = 1 }), select(2, pcall(function() local x = nil; return x.y end)))
print(xpcall(function() error("deep", 0) end, function(m) return m .. " handled" end))
print(pcall(string.rep, "x", -1), load("return 1 +")) 
for i = 10, 1, -3 do if i == 4 then goto skip end io.write(i, " ") ::skip:: end
print()
print(load("local a <const> = 5; return a * 2")())

-- Collector, weak tables, files.
local weak = setmetatable({}, { __mode = "k" })
for i = 1, 1000 do weak[{}] = i end
collectgarbage() collectgarbage()
print(next(weak), collectgarbage("count") > 0)
local file = assert(io.open("file", "w"))
for i = 1, 1000 do file:write(i, "\n") end
file:close()
local total = 0
for line in io.lines("file", "n") do total = total + line end
print(total, io.open("none"))
local pipe = io.popen("seq 3; exit 2")
print(pipe:read("a"), pipe:close())
print(os.time({ year = 2000, month = 1, day = 1, hour = 0 }), os.date("!%F %T", 0), os.getenv("LANG"))
