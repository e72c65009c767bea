import { expect, test } from 'vitest'
import type { Message } from '../../../runtime/chat/schema.ts'
import { exchangesOf } from '../../../runtime/memory/capture/exchange.ts'
import { configure } from '../../providers/kit.ts'
import { chat } from '../../support/chat.ts'
import { testHost } from '../../support/host.ts'
import { type Step, scriptedModels, text } from '../../support/models.ts'
import { graphOf } from '../graph/support.ts'
import { run } from './support.ts'

/** A host without automatic capture, with scripted answers. */
async function bench(...script: Step[]) {
  const host = await testHost({ models: scriptedModels(...script) })
  await configure(host, ['openai'])
  await host.sql.write([
    {
      sql: `INSERT INTO settings (section, value, updated_at) VALUES ('memory', '{"auto_capture": false}', '')`,
    },
  ])
  return host
}

const episodes = (host: Awaited<ReturnType<typeof testHost>>) =>
  host.sql.read<Record<string, unknown>>(
    `SELECT content, reply, source, trust, position, created_at, provenance ->> '$.message_id' AS message_id FROM episodes ORDER BY created_at`,
  )

test('exchanges become episodes with their original date and their entities', async () => {
  const host = await bench(text('Noted, Berlin it is.'), text('Good morning!'))
  await chat(host, { message: 'I live in Berlin with my sister Clara.' })
  await chat(host, { message: 'Hello!' })
  await host.clock.advance(86_400_000)
  const job = await run(host, 'generate')

  expect(job).toMatchObject({
    kind: 'generate',
    status: 'done',
    params: {},
    result: { episodes_created: 1, episodes_skipped: 1 },
    progress: { phase: 'embeddings' },
  })
  const [user] = await host.sql.read<{ id: string; created_at: string }>(
    `SELECT id, created_at FROM messages WHERE role = 'user' ORDER BY id`,
  )
  expect(await episodes(host)).toEqual([
    {
      content: 'I live in Berlin with my sister Clara.',
      reply: 'Noted, Berlin it is.',
      source: 'conversation',
      trust: 'owner',
      position: 0,
      created_at: user?.created_at,
      message_id: user?.id,
    },
  ])
  expect((await graphOf(host)).nodes.map(({ name }) => name)).toEqual(['Berlin', 'Clara'])
  expect(host.events).toContain('memory.episode.created')
})

test('exchanges that are already episodes are skipped', async () => {
  const host = await bench(text('Noted.'), text('Fine.'))
  await chat(host, { message: 'I live in Berlin with my sister Clara.' })
  await run(host, 'generate')
  await chat(host, { message: 'My brother Tom lives in Rome with two dogs.' })

  expect((await run(host, 'generate')).result).toMatchObject({ episodes_created: 1, episodes_skipped: 1 })
  expect(await episodes(host)).toHaveLength(2)
})

test('every episode without an embedding is embedded, or the result says why not', async () => {
  const host = await bench(text('Noted.'))
  await chat(host, { message: 'I live in Berlin with my sister Clara.' })
  const { result } = await run(host, 'generate')

  const [{ pending } = { pending: -1 }] = await host.sql.read<{ pending: number }>(
    'SELECT count(*) AS pending FROM vectors_pending',
  )
  if (result?.warning === undefined) expect([result?.embeddings_generated, pending]).toEqual([1, 0])
  else expect([result.embeddings_generated, pending]).toEqual([0, 1])
})

test("secrets are redacted, and after external text only the owner's own words are kept", async () => {
  const host = await bench(text('Noted.'))
  await chat(host, {
    message: 'My key for the printer is sk-abcdefghijklmnopqrstuvwx0123 and I live in Bonn.',
  })
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  await run(host, 'generate')
  const [episode] = await episodes(host)

  expect(episode).toMatchObject({ trust: 'owner' })
  expect(await host.sql.read('SELECT reply FROM episodes')).toEqual([{ reply: '' }])
  expect(episode?.content).not.toContain('sk-abcdefghij')
})

test('nothing is generated while memory is off', async () => {
  const host = await bench(text('Noted.'))
  await chat(host, { message: 'I live in Berlin with my sister Clara.' })
  await host.sql.write([{ sql: `UPDATE settings SET value = '{"enabled": false}' WHERE section = 'memory'` }])
  const { result } = await run(host, 'generate')

  expect(result).toMatchObject({ episodes_created: 0, warning: expect.stringContaining('switched off') })
  expect(await episodes(host)).toEqual([])
})

test('only conversations of the given agent are used', async () => {
  const host = await bench(text('Noted.'))
  await chat(host, { message: 'I live in Berlin with my sister Clara.' })
  await host.sql.write([
    {
      sql: `INSERT INTO agents (id, name, enabled, is_default, config, created_at, updated_at)
        SELECT 'agent_2', 'Other', 1, 0, config, created_at, updated_at FROM agents`,
    },
  ])

  expect((await run(host, 'generate', { agent_id: 'agent_2' })).result).toMatchObject({ episodes_created: 0 })
  expect(await episodes(host)).toEqual([])
})

const message = (id: string, role: Message['role'], more: Partial<Message> = {}): Message => ({
  id,
  conversation_id: 'conv_1',
  role,
  content: id,
  parts: [],
  attachments: [],
  model: null,
  provider: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  status: 'complete',
  error: null,
  compacted: false,
  created_at: '2026-01-05T12:00:00.000Z',
  ...more,
})

test.each<[string, Message[], string[]]>([
  ['a question and its answer', [message('1', 'user'), message('2', 'assistant')], ['1→2 at 0']],
  [
    'the answer to a note of the daemon',
    [message('1', 'user'), message('2', 'assistant'), message('3', 'system'), message('4', 'assistant')],
    ['1→2 at 0'],
  ],
  ['an answer that broke off', [message('1', 'user'), message('2', 'assistant', { status: 'error' })], []],
  [
    'a question without an answer',
    [message('1', 'user'), message('2', 'user'), message('3', 'assistant')],
    ['2→3 at 1'],
  ],
  [
    'what was added while the answer was made',
    [
      message('1', 'user'),
      message('2', 'assistant', { parts: [{ type: 'steer', message_id: '3', text: 'and tea' }] }),
      message('3', 'user'),
      message('4', 'user'),
      message('5', 'assistant'),
    ],
    ['1→2 at 0', '4→5 at 2'],
  ],
  [
    'a folded conversation',
    [
      message('1', 'user'),
      message('10', 'system', { content: 'Summary of the conversation so far: x' }),
      message('2', 'assistant'),
    ],
    ['1→2 at 0'],
  ],
])('exchanges of %s', (_, messages, expected) => {
  const found = exchangesOf(messages).map(
    ({ question: asked, answer, position }) => `${asked.id}→${answer.id} at ${position}`,
  )
  expect(found).toEqual(expected)
})
