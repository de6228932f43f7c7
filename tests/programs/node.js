'use strict';
const crypto = require('crypto');
const fs = require('fs');
const zlib = require('zlib');
const { execFileSync, spawn } = require('child_process');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

if (!isMainThread) {
	const counts = new Int32Array(workerData.shared);
	let sum = 0;
	for (let i = 0; i < 200000; i++) sum = (sum * 31 + i * workerData.n) % 1000003;
	for (let i = 0; i < 1000; i++) Atomics.add(counts, 0, workerData.n);
	parentPort.postMessage({ n: workerData.n, sum });
	return;
}

// Hot loops that the compilers take, then types that they did not expect.
function add(a, b) { return a + b; }
let total = 0;
for (let i = 0; i < 300000; i++) total = add(total, i % 7);
console.log(total, add('a', 1), add(0.1, 0.2), add(2n ** 70n, 1n), add([], {}));
for (let i = 0; i < 100000; i++) total = add(total, 0.5);
console.log(total);
class Shape { area() { return 0; } }
class Circle extends Shape { constructor(r) { super(); this.r = r; } area() { return Math.PI * this.r ** 2; } }
class Square extends Shape { constructor(s) { super(); this.s = s; } area() { return this.s * this.s; } }
const areas = (list) => { let sum = 0; for (const s of list) sum += s.area(); return sum; };
const shapes = Array.from({ length: 2000 }, (_, i) => new Square(i % 10));
for (let i = 0; i < 50; i++) areas(shapes);
shapes.push(new Circle(3), new Shape(), { area: () => 'x' });
console.log(areas(shapes));
function overflow(n) { let x = 1; for (let i = 0; i < n; i++) x = x * 3 + 1; return x; }
for (let i = 0; i < 2000; i++) overflow(15);
console.log(overflow(40), overflow(700), (overflow(20) | 0) >>> 3);
function bounds(a, i) { return a[i]; }
const numbers = [1, 2, 3];
for (let i = 0; i < 100000; i++) bounds(numbers, i % 3);
console.log(bounds(numbers, 10), bounds(numbers, -1), bounds('text', 2), bounds(new Float64Array(2), 1));
const sieve = new Uint8Array(300000);
let primes = 0;
for (let i = 2; i < sieve.length; i++) if (!sieve[i]) { primes++; for (let j = i * 2; j < sieve.length; j += i) sieve[j] = 1; }
console.log(primes);
const matrix = (n) => Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => Math.sin(i * n + j)));
const [a, b] = [matrix(60), matrix(60)];
let trace = 0;
for (let i = 0; i < 60; i++) for (let k = 0; k < 60; k++) for (let j = 0; j < 60; j++) if (i === j) trace += a[i][k] * b[k][j];
console.log(trace);
const factorial = (n) => (n < 2n ? 1n : n * factorial(n - 1n));
console.log(String(factorial(100n)), (2n ** 521n - 1n) % 1000000007n);
const depth = (n) => { try { return depth(n + 1); } catch (e) { return e instanceof RangeError && n > 1000; } };
console.log('stack', depth(0));
console.log(JSON.stringify({ a: [1, 2.5, null, 'é', { b: true }], d: new Date(0) }), JSON.parse('[1e3, -0, "\\u263a"]'));
console.log('x1y22z333'.replace(/(\d+)/g, (m) => `<${m.length}>`), 'The Quick'.match(/(?<first>\w+)\s(?<second>\w+)/).groups.second, /(a+)+$/.test('a'.repeat(20)));
const map = new Map(); for (let i = 0; i < 50000; i++) map.set(`k${i * 7919 % 50021}`, i);
console.log(map.size, map.get('k123'), [...map.keys()].slice(0, 3), new Set([3, 1, 3]).size);
function* fibonacci() { let [x, y] = [0, 1]; for (;;) { yield x; [x, y] = [y, x + y]; } }
const fib = []; for (const f of fibonacci()) { if (f > 1e6) break; fib.push(f); }
console.log(fib.length, fib.at(-1));
console.log([5, 3, 10, 1].sort(), [5, 3, 10, 1].toString(), Array.from('héllo').reverse().join(''), 0.1 * 3, 1e21, -1 >>> 0, 1 / 3, 5e-324);
console.log((25).toString(36), (255).toString(2), (0.000001234).toString(), (123.456).toFixed(1), parseFloat('3.14abc'), Math.hypot(3, 4), Math.cbrt(27), Math.fround(5.05));
console.log(eval('1 + 2'), new Function('x', 'return x * 2')(21), Reflect.ownKeys({ b: 1, 2: 1, a: 1 }), new Proxy({}, { get: (_, k) => `got ${String(k)}` }).thing);
let garbage = []; for (let i = 0; i < 200000; i++) { garbage.push({ i, s: 'x' + i }); if (garbage.length > 1000) garbage = []; }
console.log(garbage.length);
console.log(crypto.createHash('sha256').update('text').digest('hex'), crypto.createHmac('sha1', 'key').update('data').digest('base64'));
console.log(crypto.pbkdf2Sync('secret', 'salt', 1000, 16, 'sha512').toString('hex'), crypto.scryptSync('p', 's', 8, { N: 256 }).toString('hex'));
const packed = zlib.gzipSync(Buffer.alloc(100000, 'simulator '), { level: 9 });
console.log(zlib.gunzipSync(packed).length, zlib.brotliDecompressSync(zlib.brotliCompressSync('brotli')).toString());

// WebAssembly: (func (param i32) (result i32)), sum of squares by a loop.
const wasm = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 6, 1, 96, 1, 127, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 115, 0, 0, 10, 30, 1, 28, 1, 1, 127, 3, 64, 32, 1, 32, 0, 32, 0, 108, 106, 33, 1, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11, 32, 1, 11]);
try {
	const { s } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports;
	console.log('wasm', s(1000));
} catch (e) { console.log('wasm', e.message); }

(async () => {
	const sleep = (ms, v) => new Promise((r) => setTimeout(r, ms, v));
	console.log(await Promise.all([sleep(30, 'c'), sleep(10, 'a'), 'now']), await Promise.race([sleep(200, 'slow'), sleep(5, 'fast')]));
	const order = [];
	setImmediate(() => order.push('immediate'));
	process.nextTick(() => order.push('tick'));
	Promise.resolve().then(() => order.push('micro'));
	await sleep(50);
	console.log(order.join(' '));
	await fs.promises.writeFile('file', 'line\n'.repeat(1000));
	let bytes = 0;
	for await (const chunk of fs.createReadStream('file', { highWaterMark: 512 })) bytes += chunk.length;
	console.log(bytes, (await fs.promises.readdir('.')).join(), fs.statSync('file').size);
	console.log(await Promise.allSettled([Promise.reject(new Error('no')), 1]).then((l) => l.map((r) => r.status).join()));
	const shared = new SharedArrayBuffer(4);
	const results = await Promise.all([1, 2, 3].map((n) => new Promise((done, fail) => {
		const worker = new Worker(__filename, { workerData: { n, shared } });
		worker.once('message', done).once('error', fail);
	})));
	console.log(results, new Int32Array(shared)[0]);
	console.log(execFileSync('/bin/sh', ['-c', 'echo child; exit 0']).toString().trim());
	const child = spawn('/usr/bin/tr', ['a-z', 'A-Z']);
	child.stdin.end('through a pipe');
	let text = ''; for await (const chunk of child.stdout) text += chunk;
	console.log(text);
	const server = require('http').createServer((q, r) => r.end(`you asked ${q.url}`)).listen(0, '127.0.0.1', async () => {
		const answer = await fetch(`http://127.0.0.1:${server.address().port}/path?x=1`);
		console.log(answer.status, await answer.text());
		server.close(); server.closeAllConnections();
	});
	process.on('exit', (code) => console.log('exit', code));
	process.on('SIGUSR2', () => { console.log('signal'); });
	process.kill(process.pid, 'SIGUSR2');
})();
