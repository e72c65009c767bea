import { afterAll, describe, expect, test } from 'vitest'
import { createClock } from '../../../adapters/clock/clock.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createScript } from '../../../adapters/memory/script.ts'
import { ThreadScript } from '../../../adapters/script/script.ts'
import { ScriptError } from '../../../runtime/ports/script.ts'
import { scriptContract } from '../../contracts/script.ts'

const shared = new ThreadScript({ clock: createClock(), idle_ms: 60_000, threads: 2 })
const inMemory = createScript()
afterAll(() => shared.close())

describe('in threads', () => scriptContract(async () => shared))
describe('in memory', () => scriptContract(async () => inMemory))

test('its threads start with the first call, end when idle, and start again', async () => {
  const clock = createFakeClock()
  const script = new ThreadScript({ clock, idle_ms: 1_000, threads: 1 })
  expect(script.threads).toBe(0)
  await script.run({ code: '1' })
  await clock.advance(999)
  expect(script.threads).toBe(1)
  await clock.advance(1)
  await expect.poll(() => script.threads).toBe(0)

  expect(await script.run({ code: '1' })).toMatchObject({ value: 1 })
  await script.close()
  expect(script.threads).toBe(0)
})

test('a stopped call ends with its thread, and the next one runs', async () => {
  const script = new ThreadScript({ clock: createClock(), idle_ms: 60_000, threads: 1 })
  const stop = new AbortController()
  const endless = script.run({ code: 'while (true) {}', timeout_ms: 60_000 }, stop.signal)
  const next = script.run({ code: '2' })
  stop.abort(new Error('enough'))

  await expect(endless).rejects.toThrow('enough')
  expect(await next).toMatchObject({ value: 2 })
  await script.close()
})

test('waiting and running calls get an error when it is closed', async () => {
  const script = new ThreadScript({ clock: createClock(), idle_ms: 60_000, threads: 1 })
  const calls = [1, 2].map(() => script.run({ code: 'while (true) {}', timeout_ms: 60_000 }))
  const failed = Promise.all(calls.map((call) => expect(call).rejects.toBeInstanceOf(ScriptError)))
  await script.close()
  await failed
})

/** Each must end within its limits and leave an engine that works. `value`: what it may return. */
const escapes: [string, string, unknown?][] = [
  ['process', 'typeof process + typeof require + typeof module + typeof Worker', 'undefined'.repeat(4)],
  ['fetch', 'typeof fetch + typeof XMLHttpRequest + typeof WebSocket', 'undefined'.repeat(3)],
  ['timers', 'typeof setTimeout + typeof setInterval + typeof queueMicrotask'],
  ['WebAssembly', 'typeof WebAssembly', 'undefined'],
  ['std and os of QuickJS', 'typeof std + typeof os + typeof scriptArgs', 'undefined'.repeat(3)],
  ['constructor chain', 'return this?.constructor.constructor("return typeof process")()', 'undefined'],
  ['function constructor', '(() => {}).constructor("return typeof process")()', 'undefined'],
  ['async function constructor', '(async () => {}).constructor("return typeof process")()', 'undefined'],
  ['generator constructor', '(function* () {}).constructor("yield typeof process")().next().value', 'undefined'],
  ['constructor of console', 'console.log.constructor("return typeof process")()', 'undefined'],
  [
    'constructor of the host function’s error',
    'try { console.log(Symbol()) } catch (e) { return e.constructor.constructor("return typeof process")() }',
  ],
  ['indirect eval', '(0, eval)("typeof process")', 'undefined'],
  ['import()', 'await import("node:fs")'],
  ['import() of data', 'await import("data:text/javascript,export default 1")'],
  ['import.meta', 'import.meta.url'],
  ['breaking out of the wrapper', '1)); globalThis.x = (async () => (2'],
  ['breaking out of the body', '}); while (true) {} (async () => {'],
  ['arguments.callee', 'arguments.callee.caller'],
  ['stack trace', 'new Error().stack'],
  ['prepareStackTrace', 'Error.prepareStackTrace = (e, frames) => { while (true) {} }; throw new Error("x")'],
  [
    'stackTraceLimit',
    'Error.stackTraceLimit = 1e9; (function f(n) { if (n) f(n - 1); else throw new Error("x") })(500)',
  ],
  ['prototype pollution', 'Object.prototype.polluted = 1; Array.prototype.map = 2; return {}', {}],
  ['pollution through the result', '({ constructor: { prototype: { polluted: 1 } } })'],
  ['replaced JSON', 'JSON.stringify = () => "not json"; return 1', 1],
  ['replaced String', 'globalThis.String = () => { while (true) {} }; console.log({}); return 1', 1],
  ['toJSON of all objects', 'Object.prototype.toJSON = () => "x".repeat(1e7); return {}'],
  ['endless loop', 'for (;;);'],
  ['endless loop in catch', 'for (;;) { try { for (;;); } catch {} finally { continue } }'],
  ['endless recursion', '(function f() { f() })()'],
  ['endless recursion that catches', '(function f() { try { f() } catch { f() } })()'],
  ['endless generator', '[...(function* () { for (;;) yield 1 })()]'],
  ['endless iterator', 'Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) })'],
  ['endless async generator', 'for await (const x of (async function* () { for (;;) yield 1 })()) {}'],
  ['flood of microtasks', 'const f = () => Promise.resolve().then(f); return f()'],
  ['flood of promises', 'for (;;) Promise.resolve().then(() => {})'],
  ['await loop', 'for (;;) await null'],
  ['thenable without end', '({ then(resolve) { resolve(this) } })'],
  ['native loop over a sparse array', 'new Array(2 ** 32 - 1).indexOf(5)'],
  ['native sort', 'const a = new Array(2 ** 31); a[0] = 1; a.sort()'],
  ['native join', 'new Array(2 ** 31).join("")'],
  ['length of an array-like', 'Array.prototype.includes.call({ length: Number.MAX_SAFE_INTEGER }, 1)'],
  ['regular expression', '/(a+)+$/.test("a".repeat(50) + "b")'],
  ['regular expression with lookbehind', '/(?<=(a*)*)b$/.test("a".repeat(5000))'],
  ['allocation of objects', 'const a = []; for (;;) a.push({})'],
  ['allocation in catch', 'const a = []; for (;;) { try { a.push(new Array(1e5).fill(0)) } catch {} }'],
  ['giant string', 'let s = "abcdefgh"; for (;;) s += s'],
  ['giant strings kept', 'const a = []; for (let i = 0; ; i++) a.push("x".repeat(1e6) + i)'],
  ['giant array buffer', 'new ArrayBuffer(2 ** 31)'],
  ['growing array buffer', 'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30)'],
  ['shared memory and waiting', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['giant bigint', '2n ** 100000000n'],
  ['padStart', '"".padStart(2 ** 30 - 25, "abc")'],
  ['replace amplification', '"a".repeat(1e5).replace(/a/g, "$`")'],
  ['JSON.parse of deep text', 'JSON.parse("[".repeat(1e6))'],
  ['a deep result', 'let o = {}; for (let i = 0; i < 300; i++) o = { o }; return o'],
  ['a deeper result', 'let o = []; for (let i = 0; i < 1e5; i++) o = [o]; return o'],
  ['a circular result', 'const o = {}; o.o = o; return o'],
  ['a bomb of shared references', 'let o = ["x".repeat(100)]; for (let i = 0; i < 30; i++) o = [o, o]; return o'],
  ['a getter in the result', '({ get a() { for (;;); } })'],
  ['a throwing getter in the result', '({ get a() { throw new Error("x") } })'],
  ['a proxy in the result', 'new Proxy({}, { ownKeys: () => { for (;;); } })'],
  ['a proxy without end', 'new Proxy([], { get: (t, k) => (k === "length" ? 1e9 : k === "toJSON" ? undefined : 1) })'],
  ['toJSON that returns itself anew', 'class A { toJSON() { return { a: new A() } } }; return new A()'],
  ['a revoked proxy', 'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy'],
  ['throwing a proxy', 'throw new Proxy(new Error("x"), { get: () => { for (;;); } })'],
  [
    'an error with endless getters',
    'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
  ],
  ['an error with a giant message', 'throw new Error("x".repeat(5e6))'],
  ['throwing null', 'throw null'],
  ['throwing a symbol', 'throw Symbol("x")'],
  ['console flood', 'for (;;) console.log("x".repeat(1000))'],
  ['giant console line', 'console.log("x".repeat(2e6)); return 1', 1],
  ['console with a hostile object', 'console.log({ toJSON() { for (;;); } })'],
  ['FinalizationRegistry', 'new FinalizationRegistry(() => { for (;;); }).register({}, 1); return 1', 1],
  ['lone surrogates', '"\\ud800"'],
  ['NUL', '"\\0".repeat(10)', '\0'.repeat(10)],
  ['code of 90,000 parentheses', '('.repeat(90_000)],
  ['code of 90,000 additions', `1${'+1'.repeat(90_000)}`],
]

test.each(escapes)('contains %s', async (_, code, value) => {
  const result = await shared.run({ code, timeout_ms: 300, memory_mb: 16, output_chars: 10_000 })
  if (value !== undefined) expect(result).toMatchObject({ ok: true, value })
  expect(JSON.stringify(result).length).toBeLessThan(60_000)
  expect(Object.keys(Object.prototype)).toEqual([])

  expect(await shared.run({ code: '[input, {}.polluted ?? null]', input: 7, timeout_ms: 5_000 })).toMatchObject({
    ok: true,
    value: [7, null],
  })
})
