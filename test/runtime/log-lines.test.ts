import { expect, test } from 'vitest'
import { LogLines } from '../../runtime/log-lines.ts'

const line = (message: string) => ({ at: '2026-01-05T12:00:00.000Z', level: 'info' as const, message })

async function afterLines(count: number, text: string) {
  const lines = new LogLines()
  for (let at = 1; at <= count; at += 1) lines.add({ ...line(`${at} ${text}`), size: 1n })
  return (await lines.recent()).map(({ message }) => message)
}

test('keeps the latest lines, by number and by characters', async () => {
  const short = await afterLines(10_000, 'tea')
  expect(short.length).toBeGreaterThanOrEqual(2_000)
  expect(short.length).toBeLessThanOrEqual(4_000)
  expect(short.at(-1)).toBe('10000 tea')

  const long = await afterLines(1_000, 'x'.repeat(10_000))
  expect(long.join('').length).toBeGreaterThan(1_000_000)
  expect(long.join('').length).toBeLessThan(2_200_000)
  expect(long.at(-1)).toMatch(/^1000 x/)
})

test('the latest line is kept however long it is', async () => {
  expect(await afterLines(3, 'x'.repeat(3_000_000))).toHaveLength(1)
})

test('listeners get lines that are not kept', async () => {
  const lines = new LogLines()
  const messages: string[] = []
  const stop = lines.follow(({ message }) => messages.push(message))
  lines.add(line('kept'))
  lines.publish(line('published'))
  stop()
  lines.add(line('later'))
  expect(messages).toEqual(['kept', 'published'])
  expect((await lines.recent()).map(({ message }) => message)).toEqual(['kept', 'later'])
})
