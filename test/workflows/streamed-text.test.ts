import { expect, test } from 'vitest'
import type { ExecutionSummary, Workflow } from '../../runtime/workflows/schema.ts'
import { cut, slow, text, toolCall } from '../fixtures/wire/index.ts'
import { wiredService } from '../support/wired-service.ts'
import { drawn } from './kit.ts'

/** What models write reaches the caller of a webhook while they write it: a real daemon, over real sockets. */

const { service, wire } = await wiredService()

const hook = (params: object = {}) => ({ type: 'trigger.webhook', params: { response: 'stream', ...params } })
const agent = (params: object = {}) => ({ type: 'agent', params: { prompt: 'Say it', ...params } })
const llm = (params: object = {}) => ({ type: 'llm', params: { prompt: 'Say it', ...params } })
const respond = { type: 'respond', params: { respond_with: 'text', body: 'The end' } }

/** The response to a call of a new workflow, and where the execution is. */
const called = async (nodes: Parameters<typeof drawn>[0], arrows: string[]) =>
  calledAt(await service.read<Workflow>('POST', '/api/workflows', drawn(nodes, arrows)))

async function calledAt({ id }: Pick<Workflow, 'id'>) {
  await service.read('POST', `/api/workflows/${id}/activate`)
  const { triggers } = await service.read<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
  const response = fetch(service.url + triggers[0]?.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chatInput: 'Say it' }),
  })
  const status = async () => {
    const path = `/api/workflows/${id}/executions`
    return (await service.read<{ executions: ExecutionSummary[] }>('GET', path)).executions[0]?.status
  }
  return { response, status }
}

/** What has come of a response, once that is as long as `expected`; what more comes belongs to the next. */
function arriving(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (expected: string): Promise<string> => {
    while (text.length < expected.length) {
      const { done = true, value = '' } = (await reader?.read()) ?? {}
      text += value
      if (done) break
    }
    return text
  }
}

test.each([
  ['an agent', agent(), 'waiting'],
  ['a model', llm(), 'running'],
])('the first words of %s come before it has ended', async (_, speaker, status) => {
  wire.script(slow(['one ', 'two ', 'three']))
  const kit = await called({ go: hook(), say: speaker, end: respond }, ['go → say', 'say → end'])
  wire.release(1)
  const response = await kit.response
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  const read = arriving(response)
  expect(await read('one ')).toBe('one ')
  // The vendor holds its answer open until it is released.
  expect(await kit.status()).toBe(status)
  wire.release(1)
  expect(await read('one two ')).toBe('one two ')
  wire.release(1)
  const whole = 'one two threeThe end'
  expect(await read(`${whole} and more`)).toBe(whole)
  expect(await kit.status()).toBe('succeeded')
})

test('lines of JSON have what the chat clients of n8n read', async () => {
  wire.script(slow(['one ', 'two']))
  const nodes = { go: hook({ stream_format: 'json_lines' }), say: agent(), end: respond }
  const { response } = await called(nodes, ['go → say', 'say → end'])
  wire.release(2)
  const answer = await response
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const lines = (await answer.text()).trimEnd().split('\n')
  const pieces = lines.map((line) => JSON.parse(line))
  // Words that arrive together are one piece.
  const shown = pieces.map(({ type, content = '' }) => (type === 'item' ? content : `<${type}>`))
  expect(shown.join('')).toBe('<begin>one two<end><begin>The end<end>')
  expect(pieces[0].metadata).toMatchObject({ nodeId: 'say', nodeName: 'say', timestamp: expect.any(Number) })
})

test('the text around calls of tools comes too, and two agents come one after the other', async () => {
  wire.script(toolCall('todo', { items: [] }, { text: ['First, '] }), text('then.'), text('Second.'))
  const nodes = { go: hook(), one: agent(), two: agent() }
  const { response } = await called(nodes, ['go → one', 'one → two'])
  expect(await (await response).text()).toBe('First, \n\nthen.Second.')
})

test('a node that does not stream gives nothing but its output', async () => {
  wire.script(text('hidden'))
  const { response } = await called({ go: hook(), say: agent({ stream: false }), end: respond }, [
    'go → say',
    'say → end',
  ])
  expect(await (await response).text()).toBe('The end')
})

const langchain = '@n8n/n8n-nodes-langchain'
const talking = {
  webhook: ['n8n-nodes-base.webhook', { httpMethod: 'POST', path: 'x', responseMode: 'streaming' }],
  chat: [`${langchain}.chatTrigger`, { public: true, options: { responseMode: 'streaming' } }],
} as const

test.each(Object.entries(talking))(
  'an imported %s and agent stream as they did in n8n',
  async (name, [type, parameters]) => {
    const at = { position: [0, 0] }
    const asks = name === 'chat' ? {} : { promptType: 'define', text: '={{ $json.body.chatInput }}' }
    const file = {
      name: 'Imported',
      nodes: [
        { ...{ id: 'h', name: 'Hook', type, typeVersion: 1.1, ...at }, parameters },
        {
          ...{ id: 'a', name: 'Agent', type: `${langchain}.agent`, typeVersion: 2.2, ...at },
          parameters: { ...asks, options: { enableStreaming: true } },
        },
      ],
      connections: { Hook: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] } },
    }
    const { workflow } = await service.read<{ workflow: Workflow }>('POST', '/api/workflows/import', file)
    wire.script(slow(['one ', 'two']))
    const { response, status } = await calledAt(workflow)
    wire.release(1)
    const metadata = { nodeId: 'a', nodeName: 'Agent', timestamp: Date.now() }
    const lines = (...pieces: object[]) => pieces.map((piece) => `${JSON.stringify({ ...piece, metadata })}\n`).join('')
    const [begin, one] = [{ type: 'begin' }, { type: 'item', content: 'one ' }]
    const read = arriving(await response)
    const typesIn = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type)
    expect(typesIn(await read(lines(begin, one)))).toEqual(['begin', 'item'])
    expect(await status()).toBe('running')
    expect(wire.requests.at(-1)?.last_user_text).toContain('Say it')
    wire.release(1)
    const all = await read(lines(begin, one, { type: 'item', content: 'two' }, { type: 'end' }, {}))
    expect(typesIn(all)).toEqual(['begin', 'item', 'item', 'end'])
  },
)

// The run waits for the vendor and asks again, so this is the last test.
test('a text that its vendor breaks off is cut, so that nobody takes it for the whole', async () => {
  wire.script(cut('one two three'))
  const { response } = await called({ go: hook(), say: llm() }, ['go → say'])
  await expect((await response).text()).rejects.toThrow()
})
