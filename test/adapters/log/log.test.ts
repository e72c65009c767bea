import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog, formatLine } from '../../../adapters/log/log.ts'
import { redact } from '../../../adapters/log/redact.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = () => join(folder, 'logs', 'hearthd.log')
const lines = () =>
  readFileSync(file(), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('writes one object per line, readable by its owner only', () => {
  const log = createLog({ level: 'info', file: file() })
  log.write('warn', 'it is late', { by_seconds: 3 })
  log.close()

  expect(lines()).toEqual([{ at: expect.any(String), level: 'warn', message: 'it is late', by_seconds: 3 }])
  expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test('drops lines below its level', () => {
  const log = createLog({ level: 'warn', file: file() })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log.write(level, level)
  log.close()

  expect(lines().map((line) => line.level)).toEqual(['warn', 'error'])
})

const key = `svc_${'0123456789abcdef'.repeat(4)}`

test.each([
  ['an API key in the message', `used ${key}`],
  ['a session', `sess_${'a1'.repeat(32)}`],
  ['a bearer header', 'authorization: Bearer abcdefghijklmnop'],
  ['a vendor key', 'refused sk-ant-REDACTED'],
  ['the query of a target', 'GET /ws/events?token=secretvalue HTTP/1.1'],
  ['the query of a URL', 'https://example.com/a?token=secretvalue'],
])('takes out %s', (_, text) => {
  const written = JSON.stringify(redact({ text, nested: [{ deep: text }] }))

  expect(written).not.toMatch(/0123456789|a1a1a1|abcdefghijkl|REDACTED-not|secretvalue|ant-RED/)
})

test('removes fields whose names mark them as secret', () => {
  const secret = redact({
    api_key: 'x',
    password: 'y',
    headers: { Authorization: 'z', accept: 'w' },
    key_count: 2,
  })

  expect(secret).toEqual({
    api_key: '[redacted]',
    password: '[redacted]',
    headers: { Authorization: '[redacted]', accept: 'w' },
    key_count: 2,
  })
})

test('logs errors with their stack, and limits deeply nested values', () => {
  const endless: Record<string, unknown> = {}
  endless.self = endless

  expect(redact({ cause: new Error('broken') })).toMatchObject({
    cause: expect.stringContaining('Error: broken'),
  })
  expect(JSON.stringify(redact(endless))).toContain('…')
})

test('formats a line for people', () => {
  const line = { at: '2026-01-05T12:34:56.000Z', level: 'info' as const, message: 'hello', name: 'x' }

  expect(formatLine(line, { colours: false, timezone: 'UTC' })).toBe('12:34:56 info  hello name=x')
  expect(formatLine(line, { colours: false, timezone: 'Asia/Kolkata' })).toContain('18:04:56')
  expect(formatLine(line, { colours: true, timezone: 'UTC' })).toContain('\u001b[36minfo')
})

test('the latest lines are read from the file of earlier processes too, redacted, and followed live', async () => {
  const before = createLog({ level: 'info', file: file() })
  before.write('info', `the key is ${key}`)
  before.close()
  const log = createLog({ level: 'info', file: file() })
  const seen: string[] = []
  const stop = log.follow(({ message }) => seen.push(message))
  log.write('info', 'second', { token: key })
  stop()
  log.write('info', 'third')

  const recent = await log.recent()
  expect(recent.map(({ message }) => message)).toEqual(['the key is [redacted]', 'second', 'third'])
  expect(JSON.stringify(recent)).not.toContain(key)
  expect(seen).toEqual(['second'])
  log.close()
})

test('the files of a log are counted, and rotated ones deleted by age', async () => {
  const log = createLog({ level: 'info', file: file() })
  log.write('info', 'hello')
  const { bytes } = (await log.files?.size()) ?? {}
  expect(bytes).toBe(statSync(file()).size)
  for (const [number, day] of [
    [1, 20],
    [2, 10],
  ] as const) {
    writeFileSync(`${file()}.${number}`, 'x'.repeat(100))
    const at = new Date(`2026-01-${day}T00:00:00Z`)
    utimesSync(`${file()}.${number}`, at, at)
  }
  const size = { count: 3, bytes: (bytes ?? 0) + 200, oldest_at: '2026-01-10T00:00:00.000Z' }
  expect(await log.files?.size()).toEqual(size)
  await log.files?.prune('2026-01-15T00:00:00.000Z')
  expect(readdirSync(join(folder, 'logs')).sort()).toEqual(['hearthd.log', 'hearthd.log.1'])
  log.close()
})
