import { expect, onTestFinished, test, vi } from 'vitest'
import type { ServerAnswer, ServerCall, ServerQuestion } from '../../../runtime/ports/tool-servers.ts'
import { type Asks, openPage, orderForm, serveAsking } from '../../fixtures/mcp/asking.ts'
import { testToolServers } from '../../support/tool-servers.ts'

const patient = { timeout: 60_000 }

/** A connected server, and a person who answers when the test does. */
async function connected(tools: Record<string, Asks[]>, options: Parameters<typeof serveAsking>[1] = {}) {
  const server = await serveAsking(tools, options)
  onTestFinished(() => server.close())
  const servers = testToolServers()
  const { signal } = new AbortController()
  await servers.connect(
    'mcp_1',
    { transport: 'http', url: server.url, headers: { token: 'canary-token-0123' } },
    { signal },
  )
  const asked: ServerQuestion[] = []
  const answers: ((answer: ServerAnswer) => void)[] = []
  const withdrawn: AbortSignal[] = []
  const ask: ServerCall['ask'] = (question, signal) => {
    asked.push(question)
    withdrawn.push(signal)
    return new Promise((resolve) => answers.push(resolve))
  }
  const callOf = (name: string, own: Partial<ServerCall> = {}): ServerCall => ({
    ...{ name, input: {}, timeout_seconds: 1, signal, onProgress: () => undefined },
    ...own,
  })
  const waitFor = (count: number) => vi.waitFor(() => expect(asked).toHaveLength(count), patient)
  return { server, servers, asked, withdrawn, answers, ask, callOf, waitFor }
}

test('the time limit of a call rests while a person is asked, and begins again afterwards', async () => {
  const { servers, answers, ask, callOf, waitFor } = await connected({ order: [orderForm, orderForm] })
  const call = servers.call('mcp_1', callOf('order', { ask }))
  await waitFor(1)
  await servers.clock.advance(3_600_000)
  answers[0]?.({ action: 'decline' })
  await waitFor(2)
  await servers.clock.advance(3_600_000)
  answers[1]?.({ action: 'accept', content: { cups: 2 } })
  expect(JSON.parse((await call).text)).toEqual([{ action: 'decline' }, { action: 'accept', content: { cups: 2 } }])
})

test('without a person to ask, a question is declined at once', async () => {
  const { servers, callOf } = await connected({ order: [orderForm] })
  expect(JSON.parse((await servers.call('mcp_1', callOf('order'))).text)).toEqual([{ action: 'decline' }])
})

test('the secrets of the address are masked in questions', async () => {
  const params = { ...orderForm.params, message: 'With canary-token-0123?' }
  const { servers, asked, answers, ask, callOf, waitFor } = await connected({ order: [{ ...orderForm, params }] })
  const call = servers.call('mcp_1', callOf('order', { ask }))
  await waitFor(1)
  expect(asked[0]?.message).toBe('With •••?')
  answers[0]?.({ action: 'cancel' })
  await call
})

test('a question outside the stream of its call goes to the only call, and to none of several', async () => {
  const kit = await connected({ order: [orderForm], again: [orderForm] }, { related: false })
  const { servers, answers, ask, callOf, waitFor } = kit
  const first = servers.call('mcp_1', callOf('order', { ask }))
  await waitFor(1)
  const second = await servers.call('mcp_1', callOf('again', { ask }))
  expect(JSON.parse(second.text)).toMatchObject([
    { code: -32600, message: expect.stringContaining('call again when the others') },
  ])
  answers[0]?.({ action: 'decline' })
  expect(JSON.parse((await first).text)).toEqual([{ action: 'decline' }])
})

test.each([
  ['accept', 'has opened the page that this needs. Call it again'],
  ['decline', 'has not opened the page'],
] as const)(
  'a call that needs a page first asks for it, and fails with what came of that: %s',
  async (action, reason) => {
    const page = { ...openPage('https://shop.example/sign-in'), method: 'required' }
    const { servers, asked, answers, ask, callOf, waitFor } = await connected({ sign: [page] })
    const call = servers.call('mcp_1', callOf('sign', { ask }))
    await waitFor(1)
    expect(asked).toEqual([{ message: 'Sign in there', url: 'https://shop.example/sign-in', schema: null }])
    answers[0]?.({ action })
    await expect(call).rejects.toThrow(reason)
    expect(servers.status('mcp_1').state).toBe('connected')
  },
)

test('a call that ends takes its question along', async () => {
  const { servers, withdrawn, ask, callOf } = await connected({ hasty: [orderForm] })
  expect((await servers.call('mcp_1', callOf('hasty', { ask }))).text).toBe('[]')
  expect(withdrawn.map(({ aborted }) => aborted)).toEqual([true])
})
