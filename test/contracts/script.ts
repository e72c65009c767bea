import { expect, test } from 'vitest'
import type { Script } from '../../runtime/ports/script.ts'

/** What every script engine must do. `create` is called once per test. */
export function scriptContract(create: () => Promise<Script>): void {
  test.each([
    ['an expression', 'input.a + 1', 3],
    ['a body', 'const b = input.a * 2\nreturn { b }', { b: 4 }],
    ['a body with await', 'const a = await Promise.resolve(input.a); return [a]', [2]],
    ['an object', '{ a: input.a }', { a: 2 }],
    ['a promise', 'Promise.all([1, Promise.resolve(2)])', [1, 2]],
    ['no result', 'const unused = 1', null],
    ['a function', '() => 1', null],
    ['dates and holes', '[new Date(0), , NaN]', ['1970-01-01T00:00:00.000Z', null, null]],
  ])('returns the value of %s', async (_, code, value) => {
    const script = await create()

    expect(await script.run({ code, input: { a: 2 } })).toEqual({
      ok: true,
      value,
      logs: [],
      logs_truncated: false,
    })
  })

  test('records what the console prints, also before a failure', async () => {
    const script = await create()
    const code = `console.log('tea', 1, { a: [2] }, undefined)\nconsole.error(new Error('cold'))\nthrow 'cup'`

    expect(await script.run({ code })).toMatchObject({
      ok: false,
      error: 'exception',
      message: 'cup',
      logs: ['tea 1 {"a":[2]} undefined', 'Error: cold'],
    })
  })

  test.each([
    ['syntax', 'return 1 +', { line: 1 }],
    ['exception', 'const a = null\na.b', { line: 2, message: expect.stringContaining('TypeError') }],
    ['exception', 'new Promise(() => {})', { message: expect.stringContaining('nothing settles') }],
    ['timeout', 'while (true) {}', { message: 'The code ran longer than 200 ms' }],
    // On the event loop nothing else could end it: the engine itself stops in mid-match.
    ['timeout', '/(a+)+$/.test("a".repeat(50) + "b")', { message: 'The code ran longer than 200 ms' }],
    ['timeout', '"x".repeat(1e6).replace(/x.*y/, "")', { message: 'The code ran longer than 200 ms' }],
    ['memory', '"a".repeat(2 ** 29)', {}],
    ['memory', 'const kept = []; for (;;) kept.push(new Uint8Array(2 ** 20))', {}],
    ['memory', 'const kept = []; for (;;) kept.push(new SharedArrayBuffer(2 ** 20))', {}],
    ['memory', 'Array.from({ length: 1_000_000 }, (_, n) => ({ n }))', {}],
    ['memory', 'globalThis.kept = []; for (;;) kept.push("a".repeat(2 ** 20) + kept.length)', {}],
    ['output', '"a".repeat(2000)', { message: 'The result is longer than 1000 characters as JSON' }],
    ['output', '10n', {}],
  ])('says what failed: %s in %s', async (error, code, more) => {
    const script = await create()
    const limits = { timeout_ms: error === 'timeout' ? 200 : 30_000, memory_mb: 16, output_chars: 1_000 }

    expect(await script.run({ code, ...limits })).toMatchObject({ ok: false, error, ...more })
  })

  test('cuts console output at its limits', async () => {
    const script = await create()
    const long = await script.run({
      code: 'console.log("a".repeat(60)); console.log("b".repeat(60))',
      output_chars: 100,
    })
    const many = await script.run({ code: 'for (let i = 0; i < 5000; i++) console.log(i)' })

    expect(long).toMatchObject({ ok: true, logs: ['a'.repeat(60)], logs_truncated: true })
    expect(many).toMatchObject({ ok: true, logs: { length: 1_000 }, logs_truncated: true })
  })

  test('nothing passes from one call to the next', async () => {
    const script = await create()
    await script.run({ code: 'globalThis.kept = 1; Object.prototype.kept = 2; JSON.parse = () => 3' })

    expect(await script.run({ code: '[typeof kept, {}.kept ?? null, JSON.parse("4")]' })).toMatchObject({
      value: ['undefined', null, 4],
    })
  })

  test('after a failure, and after code that has used much memory, the next call finds all as it was', async () => {
    const script = await create()
    const before = [
      'const full = []; for (let at = 0; at < 20; at++) full.push(new Uint8Array(1e6).fill(7)); globalThis.full = full',
      'Math.max = () => 0; const { a } = null',
      'const DateTime = 1; return globalThis.DateTime.now().year * 0',
      'await new Promise(() => 0)',
    ]
    for (const code of [...before, ...before]) await script.run({ code })
    const result = await script.run({
      code: `const lists = []
        for (let at = 0; at < 8; at++) lists.push(new Uint8Array(1e6).every((byte) => byte === 0))
        return [lists.every(Boolean), typeof full, Math.max(1, 2), DateTime.fromISO('2026-01-02').day]`,
    })
    expect(result).toMatchObject({ ok: true, value: [true, 'undefined', 2, 2] })
  })

  test('keys named __proto__ are left out of the result', async () => {
    const script = await create()
    const result = await script.run({ code: 'JSON.parse(\'{"__proto__": {"admin": true}, "a": 1}\')' })

    expect(result).toMatchObject({ ok: true, value: { a: 1 } })
    expect(Object.keys((result as { value: object }).value)).toEqual(['a'])
  })

  test('serves concurrent callers, each with its own result', async () => {
    const script = await create()
    const results = await Promise.all([1, 2, 3, 4, 5].map((input) => script.run({ code: 'input * 2', input })))

    expect(results.map((result) => result.ok && result.value)).toEqual([2, 4, 6, 8, 10])
  })

  test('calls functions of the host, several at once, and reads their results', async () => {
    const script = await create()
    const asked: unknown[] = []
    const functions = {
      double: async (input: unknown) => {
        asked.push(input)
        return { value: (input as { value: number }).value * 2 }
      },
      'a-b': async () => undefined,
    }
    const code = `const all = await Promise.all([1, 2, 3].map((value) => tools.double({ value })))
      return [...all.map(({ value }) => value), await tools['a-b'](), Object.keys(tools)]`

    expect(await script.run({ code, functions })).toMatchObject({
      ok: true,
      value: [2, 4, 6, null, ['double', 'a-b']],
    })
    expect(asked).toEqual([{ value: 1 }, { value: 2 }, { value: 3 }])
    expect(await script.run({ code: 'typeof tools' })).toMatchObject({ value: 'undefined' })
  })

  test('a function that fails is an exception in the code, and may be called again', async () => {
    const script = await create()
    const functions = { look: async () => Promise.reject(new Error('The page is gone')) }
    const code = `const seen = []
      for (const url of ['a', 'b']) try { await tools.look({ url }) } catch (error) { seen.push(error.message) }
      return seen`

    expect(await script.run({ code, functions })).toMatchObject({
      value: ['The page is gone', 'The page is gone'],
    })
    expect(await script.run({ code: 'await tools.look({})', functions })).toMatchObject({
      ok: false,
      error: 'exception',
      message: 'Error: The page is gone',
    })
    // Without a timer the code could not wait for anything else, and what it asked for is not JSON.
    expect(await script.run({ code: 'tools.look(() => 1).then(() => 1, () => 2)', functions })).toMatchObject({
      value: 2,
    })
  })

  test('the end of the code does not wait for calls that it does not await', async () => {
    const script = await create()
    const functions = { hang: () => new Promise(() => undefined) }

    expect(await script.run({ code: 'void tools.hang(); return 1', functions })).toMatchObject({ value: 1 })
    expect(await script.run({ code: '2' })).toMatchObject({ value: 2 })
  })

  test('the time of the code goes on after a call', async () => {
    const script = await create()
    const functions = { look: async () => 1 }
    const call = { code: 'await tools.look(); while (true) {}', functions, timeout_ms: 200 }

    expect(await script.run(call)).toMatchObject({ ok: false, error: 'timeout' })
  })

  test('throws the reason of the signal', async () => {
    const script = await create()

    await expect(script.run({ code: '1' }, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })
}
