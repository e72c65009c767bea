import { expect, test } from 'vitest'
import { timeNamedIn } from '../../runtime/memory/search/question.ts'

const now = Date.parse('2026-03-18T10:00:00Z')
const share = (question: string, at: string) => timeNamedIn(question, now)?.share(Date.parse(at))

test.each([
  ['What did Ada paint on 3 May 2025?', '2025-05-03T20:00:00Z', 1],
  ['What did Ada paint on May 3rd, 2025?', '2025-05-04T20:00:00Z', 1],
  ['What did Ada paint on May 3rd, 2025?', '2025-05-08T20:00:00Z', 0.4],
  ['What did Ada paint on the 3rd of May 2025?', '2025-06-03T20:00:00Z', 0],
  ['What did Ada paint on 2025-05-03?', '2025-05-03T08:00:00Z', 1],
  ['What did Ada paint on 3 May 2025?', '2024-05-03T20:00:00Z', 0],
  ['Where was she in june?', '2025-06-29T20:00:00Z', 1],
  ['Where was she in june?', '2024-06-29T20:00:00Z', 1],
  ['Where was she in june?', '2025-07-15T20:00:00Z', 0],
  ['Where was she in December 2024?', '2024-12-01T20:00:00Z', 1],
  ['Where was she in December 2024?', '2025-12-01T20:00:00Z', 0],
  ['what did I say yesterday', '2026-03-17T12:00:00Z', 1],
  ['what did I say yesterday', '2026-02-17T12:00:00Z', 0],
  ['what did I say last week', '2026-03-09T00:00:00Z', 1],
  ['what did I say last week', '2026-02-27T00:00:00Z', 0],
  ['what did I say last month', '2026-02-01T00:00:00Z', 1],
] as const)('%s: %s is near by %d', (question, at, expected) => {
  expect(share(question, at)).toBe(expected)
})

test.each([
  'May I ask where she lives?',
  'what may it be?',
  'who did march for the veterans',
  'who was there in 2025?',
  'Which bus is the 12?',
  'did 45 march for the veterans',
])('%s names no time', (question) => {
  expect(timeNamedIn(question, now)).toBeNull()
})

test.each([
  ['in February', '2026-02-01', '2026-03-01'],
  ['in June', '2025-06-01', '2025-07-01'],
  ['on 3 May 2024', '2024-05-03', '2024-05-04'],
  ['on May 45', '2025-05-01', '2025-06-01'],
  ['last month', '2026-02-01', '2026-03-01'],
  ['this week', '2026-03-16', '2026-03-23'],
])('%s lasts from %s until %s', (text, from, until) => {
  expect(timeNamedIn(`what happened ${text}`, now)?.span).toEqual({
    from: Date.parse(from),
    until: Date.parse(until),
  })
})
