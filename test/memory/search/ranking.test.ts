import { expect, test } from 'vitest'
import { noEmbedder } from '../../../adapters/memory/embedder.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import type { Conversation } from '../../bench/memory/dataset.ts'
import { remember } from '../../bench/memory/evaluate.ts'

type Session = Conversation['sessions'][number]

const session = (id: string, date: string, ...texts: string[]): Session => ({
  id,
  date,
  turns: texts.map((text, place) => ({ id: `${id}:${place + 1}`, text })),
})

/** The turns that a question finds, best first, by words alone. */
async function found(question: string, ...sessions: Session[]): Promise<(string | undefined)[]> {
  const { host, turns } = await remember([{ id: 'talk', sessions, questions: [] }], noEmbedder)
  const search = { q: question, mode: 'hybrid', filter: {}, limit: 20, offset: 0 } as const
  return (await searchEpisodes(host, search)).results.map(({ episode }) => turns.get(episode.id))
}

const chat = session(
  'a',
  '2025-03-02T18:00:00Z',
  'The museum was closed, so we walked along the river and had ice cream',
  'Which instrument did your sister learn at school in the end?',
  'The cello, for nine years, and she still has the one from her teacher',
  'My sister has never learned an instrument, she says, and school was dull',
)

test('an answer without words of the question ranks before the question', async () => {
  const [first, ...others] = await found('What instrument did her sister learn at school?', chat)

  expect(first).toBe('talk/a:3')
  expect(others).toContain('talk/a:2')
})

test('a question with a parenthesis at its end is still a question', async () => {
  const turns = chat.turns.map((turn) =>
    turn.text.endsWith('?') ? { ...turn, text: `${turn.text} (shares a picture of a flute)` } : turn,
  )

  const order = await found('What instrument did her sister learn at school?', { ...chat, turns })

  expect(order.indexOf('talk/a:3')).toBeLessThan(order.indexOf('talk/a:2'))
})

const painted = 'We painted the fence, and then we painted the gate'

test('of equal matches the one from the named time ranks first', async () => {
  const sessions = ['2025-03-02', '2025-04-06', '2025-05-04'].map((date, place) =>
    session(`s${place}`, `${date}T10:00:00Z`, painted),
  )

  expect((await found('What did we paint in April?', ...sessions))[0]).toBe('talk/s1:1')
  expect((await found('What did we paint on 3 May 2025?', ...sessions))[0]).toBe('talk/s2:1')
  expect((await found('What did we paint on March 2nd?', ...sessions))[0]).toBe('talk/s0:1')
})

test('an episode from the named time is found without common words', async () => {
  const sessions = [
    session('before', '2025-04-06T10:00:00Z', painted),
    session('then', '2025-05-03T10:00:00Z', 'The cello has a new string'),
  ]

  expect(await found('What happened on 3 May 2025?', ...sessions)).toContain('talk/then:1')
})
