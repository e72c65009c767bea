import { expect, test } from 'vitest'
import type { Recalled } from '../../../runtime/chat/turn/recalled.ts'
import { isRelevant, textOfMemory, usageIn, withinBudget } from '../../../runtime/memory/recall/recall.ts'
import { feedbackFactor } from '../../../runtime/memory/search/ranking.ts'

const memory = { id: 'ep_01abc', text: 'My sister Ana lives in Lisbon and works as a doctor' }

test.each([
  ['In Lisbon, where she is a doctor.', 'Where does my sister Ana live?', true],
  ['I know it from [ep_01abc].', 'How do you know?', true],
  ['She works in Lisbon.', 'Tell me about Ana', true],
  ['I do not know where your sister Ana lives.', 'Where does my sister Ana live?', false],
  ['The capital of Portugal is nice.', 'Where does my sister Ana live?', false],
  ['', 'Where does my sister Ana live?', false],
])('whether "%s" uses the memory', (text, said, used) => {
  expect(usageIn({ text, said })(memory)).toBe(used)
})

test('one of two facts is enough if it is a name or a number', () => {
  const memory = { id: 'ep_3', text: 'My sister Lena lives in Hamburg and works at Siemens' }
  const said = 'Where does my sister Lena live?'

  expect(usageIn({ text: 'Your sister Lena lives in Hamburg.', said })(memory)).toBe(true)
  expect(usageIn({ text: 'Your sister Lena works somewhere.', said })(memory)).toBe(false)
  expect(usageIn({ text: 'I do not know where she lives.', said })(memory)).toBe(false)
})

test('a memory with one keyword is used if the answer contains it', () => {
  expect(usageIn({ text: 'Tea, as always.', said: 'What shall I drink?' })({ id: 'ep_2', text: 'Tea' })).toBe(true)
})

test.each([
  ['Where does my sister Ana live?', true],
  ['Does Ana work?', true],
  ['sister', true],
  ['Does the harbour master of Lisbon publish a table of the tides?', false],
  ['What is on television tonight?', false],
])('whether the memory is relevant to "%s"', (question, related) => {
  expect(isRelevant(question, memory.text)).toBe(related)
})

test('use raises a score and disuse lowers it, by at most a tenth', () => {
  const after = (used: number, ignored: number) => feedbackFactor({ used, ignored })

  expect(after(0, 0)).toBe(1)
  expect(after(1, 0)).toBeGreaterThan(1)
  expect(after(0, 1)).toBeLessThan(1)
  expect(after(5, 5)).toBe(1)
  expect(after(1_000_000, 0)).toBeLessThanOrEqual(1.1)
  expect(after(0, 1_000_000)).toBeGreaterThanOrEqual(0.9)
})

test('memories are shortened, include the reply, and fit into a budget together', () => {
  expect(textOfMemory('I like\n tea', 'Good to know.')).toBe('I like tea — answered: Good to know.')
  const long = textOfMemory('a '.repeat(5_000), 'b '.repeat(5_000))
  expect(long.length).toBeLessThan(900)
  expect(long).toContain('answered: b b')

  const many = Array.from(
    { length: 20 },
    (): Recalled => ({
      id: 'ep_1',
      text: 'x'.repeat(800),
      trust: 'owner',
      created_at: '',
      score: 1,
    }),
  )
  expect(withinBudget(many)).toHaveLength(5)
})
