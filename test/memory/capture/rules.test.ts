import { expect, test } from 'vitest'
import { coversTrust, sameFacts, sameText } from '../../../runtime/memory/capture/duplicate.ts'
import { isSaved } from '../../../runtime/memory/capture/exchange.ts'
import {
  importanceOf,
  topicsOf,
  withoutOutput,
  withoutRecalled,
  worthKeeping,
} from '../../../runtime/memory/capture/rules.ts'

test.each([
  'My sister Ana lives in Lisbon',
  'I prefer tea',
  'we decided to ship on Friday',
  'Remember: the door code changes in May',
  'How do I install Postgres on Ubuntu with replication?',
  'The kitchen renovation starts next month with new cabinets',
  'Ich wohne seit 2019 in Hamburg',
  '私は東京に住んでいて、猫を二匹飼っています',
  'Order 1115 has arrived without its second parcel',
  'The check engine light of the blue van came on',
  'Write a poem about my garden. I planted six rose bushes there in May.',
  'Lower back pain kept the plumber Novak at home',
  'I need a wheelchair since the accident in May',
  'I want to move to Lisbon next year',
  'Mir gehört ein blauer Volvo aus 2015',
  // Other languages pass: nothing that a person states is lost.
  'Erinnere mich in zwei Stunden an die nasse Wäsche im Keller',
])('worth keeping: %s', (said) => {
  expect(worthKeeping(said, 'Noted.')).toBe(true)
})

test.each([
  '',
  'hi',
  'Hello there!',
  'thanks, great',
  'Good morning',
  'ok continue please',
  "what's the time?",
  'What time is it now?',
  "what's the weather in Berlin?",
  'tell me a joke',
  'remind me to take my pills every day at 8am',
  'rename d.txt to final.txt',
  'add dentist to my todo list',
  'forget that my locker is 88',
  'What is 3 * (4 + 5)?',
  '/clear everything and all the rest',
  'ping',
  'danke!',
  'Write a short poem about autumn leaves',
  'Lower the volume of the kitchen speaker',
  'Check the logs of the web server for errors',
  'Summarise https://example.org/annual-report for me',
  'Translate this sentence about trains into German',
  'Please make a table of the largest lakes in Europe',
  'Write a toast for my sister Ana',
  'Ok, now list three ideas for a birthday party',
  'Explain quantum entanglement briefly. Give three examples of it.',
  'Could you book a table for two?',
  'Can you please summarise the annual report of Siemens?',
  'I want you to list three names for a dog',
  "I'd like you to translate my letter",
  'I need a recipe for pancakes',
  'Remind me to call the dentist',
  'Help me plan a trip to Lisbon',
])('not worth keeping: %s', (said) => {
  expect(worthKeeping(said, 'Here you are.')).toBe(false)
})

test('a message without a reply is not kept', () => {
  expect(worthKeeping('My sister Ana lives in Lisbon', ' ')).toBe(false)
})

test('requests to remember are more important than statements, and statements than questions', () => {
  const asked = importanceOf('How does a heat pump work?')
  const told = importanceOf('My heat pump is broken')
  const kept = importanceOf('Remember that my heat pump was installed on 3 May by Thermo')

  expect(asked).toBeLessThan(told)
  expect(told).toBeLessThan(kept)
  expect(asked).toBeGreaterThanOrEqual(0.1)
  expect(kept).toBeLessThanOrEqual(0.95)
})

test('topics are names first, then frequent words', () => {
  expect(topicsOf('The boiler leaks. Tomorrow the plumber Novak looks at the boiler.', 'A boiler may leak.')).toEqual([
    'novak',
    'boiler',
    'leaks',
    'plumber',
  ])
  expect(topicsOf('What do I do?', 'This.')).toEqual([])
})

test('long code, logs, tables and JSON are removed, and what a person wrote stays', () => {
  const code = `Why does this fail?\n\`\`\`js\n${'const x = 1\n'.repeat(40)}\`\`\`\nI use Node 24.`
  const log = `It says:\n${Array.from({ length: 9 }, (_, n) => `2026-01-05T12:00:0${n}Z ERROR cannot open`).join('\n')}\nand stops`
  const json = `${Array.from({ length: 10 }, (_, n) => `  "key${n}": ${n},`).join('\n')}`

  expect(withoutOutput(code)).toBe('Why does this fail?\n[40 lines of code]\nI use Node 24.')
  expect(withoutOutput(log)).toBe('It says:\n[9 lines of output]\nand stops')
  expect(withoutOutput(json)).toBe('[10 lines of output]')
  expect(withoutOutput('Run `npm test`:\n```\nnpm test\n```\nand read it')).toContain('npm test\n```')
})

test('sentences that only repeat a memory are removed', () => {
  const memory = ['My sister Ana lives in Lisbon and works as a doctor']

  expect(withoutRecalled('Your sister Ana lives in Lisbon. Trains to Porto take three hours.', memory)).toBe(
    'Trains to Porto take three hours.',
  )
  expect(withoutRecalled('Your sister Ana lives in Lisbon [ep_01abc].', memory)).toBe('')
  expect(withoutRecalled('Buy milk.', [])).toBe('Buy milk.')
})

test.each([
  ['My sister Ana lives in Lisbon', 'my sister ANA  lives in Lisbon!', true],
  ['My sister Ana lives in Lisbon', 'My sister Ana lived in Lisbon', false],
])('the same words: %s / %s', (left, right, same) => {
  expect(sameText(left, right)).toBe(same)
})

test.each([
  ['My sister Ana lives in Lisbon', 'Ana, my sister, lives in Lisbon now', true],
  ['My flight leaves on the 12th of May', 'My flight leaves on the 13th of May', false],
  ['My sister Ana lives in Lisbon', 'My sister Ana lives in Porto', false],
  ['I eat meat on Sundays', 'I do not eat meat on Sundays', false],
  ['I love cats', 'We repaired the boiler', false],
])('the same facts: %s / %s', (left, right, same) => {
  expect(sameFacts(left, right)).toBe(same)
})

test("a stranger's text does not replace the owner's", () => {
  expect(coversTrust('external', 'owner')).toBe(false)
  expect(coversTrust('owner', 'external')).toBe(true)
  expect(coversTrust('owner', 'owner')).toBe(true)
})

test.each([
  ['Remember that my locker is 42', 'my locker is 42', true],
  ['Remember that my locker is 42', 'I like tea', false],
])('%s: saved as "%s" by the agent: %s', (said, saved, expected) => {
  expect(isSaved(said, [saved])).toBe(expected)
})
