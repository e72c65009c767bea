import { afterEach, describe, expect, test } from 'vitest'
import { createModels } from '../../adapters/models/index.ts'
import { provider as setUpProvider } from '../../handlers/auth/setup.ts'
import { list, models, setKey, test as testProvider } from '../../handlers/providers/providers.ts'
import { changeAgent, requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { chooseModel } from '../../runtime/providers/access.ts'
import { saveCooldown } from '../../runtime/providers/store.ts'
import { startWire, text, toolCall, type Wire, type WireRequest } from '../fixtures/wire/index.ts'
import type { Refused } from '../fixtures/wire/refusals.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'

let wire: Wire | undefined
afterEach(() => wire?.close())

/** A daemon and a server with these rules. */
async function daemon(refuse: (request: WireRequest) => Refused | null = () => null) {
  wire = await startWire({ refuse })
  const server = wire
  const host = await testHost()
  Object.assign(host, { models: createModels({ fetch, clock: host.clock }) })
  const set = async (body: Record<string, unknown>, query = {}) => {
    const base_url = server.url.openai
    const response = await call(setKey, host, {
      params: { id: 'openai' },
      query,
      body: { base_url, ...body },
    })
    return { status: response.status, body: await response.json() }
  }
  const shown = async () => (await (await call(list, host)).json()).providers.find((one: Id) => one.id === 'openai')
  const tested = async () => (await call(testProvider, host, { params: { id: 'openai' } })).json()
  return { host, server, set, shown, tested, context: localContext(host) }
}

type Id = { id: string }

const bodyOf = ({ body }: WireRequest) => body as Record<string, unknown>
const asked = ({ requests }: Wire) => requests.filter(({ method }) => method === 'POST')
const keysOf = (request: WireRequest | undefined) => Object.keys(request?.body ?? {}).sort()
const last = <Item>(items: Item[]) => items.at(-1)
const badRequest = (body: unknown): Refused => ({ status: 400, body })
const said = (message: string) => badRequest({ error: { message, type: 'invalid_request_error', code: null } })

/** What every chat needs; a strict server refuses the rest. */
const plain = new Set(['model', 'messages', 'stream', 'tools'])

const dialects: Record<string, (name: string) => Refused> = {
  Azure: (name) => said(`Unrecognized request argument supplied: ${name}`),
  OpenAI: (name) => said(`Unknown parameter: '${name}'.`),
  LiteLLM: (name) =>
    said(
      `litellm.UnsupportedParamsError: azure does not support parameters: ['${name}'], for model=gpt-4. To drop these, set \`litellm.drop_params=True\``,
    ),
  vLLM: (name) =>
    badRequest({
      object: 'error',
      message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': False}]`,
      type: 'BadRequestError',
      code: 400,
    }),
  FastAPI: (name) => ({
    status: 422,
    body: {
      detail: [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }],
    },
  }),
  Groq: (name) => said(`property '${name}' is unsupported`),
  Anthropic: (name) => said(`${name}: Extra inputs are not permitted`),
  Python: (name) => ({
    status: 500,
    body: { error: { message: `create() got an unexpected keyword argument '${name}'` } },
  }),
}

describe('arguments', () => {
  test('a compatible server gets plain arguments only, and its test the same as a chat', async () => {
    const { host, server, set } = await daemon()
    expect((await set({ default_model: 'model-a' }, { tested: 'true' })).status).toBe(200)
    const [test] = asked(server)
    await chat(host, { message: 'Hello' })

    expect(keysOf(test)).toEqual(['messages', 'model', 'stream', 'stream_options', 'tools'])
    expect(keysOf(last(asked(server)))).toEqual(keysOf(test))
  })

  test('the test sends the settings of the agent', async () => {
    const { set, server, context } = await daemon()
    const { id } = await requireDefaultAgent(context)
    await changeAgent(context, id, { temperature: 0.3, max_output_tokens: 2_000 })
    await set({ default_model: 'model-a' }, { tested: 'true' })
    expect(bodyOf(asked(server)[0] as WireRequest)).toMatchObject({ temperature: 0.3, max_tokens: 2_000 })
  })

  test.each(Object.entries(dialects))(
    'what a server like %s refuses is left out, remembered and shown',
    async (_, refusal) => {
      const { host, server, set, shown, context } = await daemon((request) => {
        const extra = request.method === 'POST' && keysOf(request).find((key) => !plain.has(key))
        return extra ? refusal(extra) : null
      })
      const { id } = await requireDefaultAgent(context)
      await changeAgent(context, id, { temperature: 0.3 })
      expect((await set({ default_model: 'model-a' }, { tested: 'true' })).body.last_test).toMatchObject({
        ok: true,
      })
      expect(await shown()).toMatchObject({ status: 'ok' })
      const adjusted = (await shown()).adjusted_arguments as { argument: string; sent_as: null }[]
      expect(adjusted.map(({ argument }) => argument).sort()).toEqual(['stream_options', 'temperature'])

      const { length } = asked(server)
      const events = await chat(host, { message: 'Hello' })
      expect(last(events)).toMatchObject({ event: 'done' })
      expect(asked(server)).toHaveLength(length + 1)
      expect(keysOf(last(asked(server)))).toEqual([...plain].sort())
    },
  )

  test('it is learned in a chat as well, at once, and the person reads what of their settings does not apply', async () => {
    const { host, server, set, context } = await daemon((request) => {
      const { temperature } = (request.body ?? {}) as { temperature?: number }
      return temperature === undefined
        ? null
        : said(`Unsupported value: 'temperature' does not support ${temperature} with this model.`)
    })
    await set({ default_model: 'model-a' })
    const { id } = await requireDefaultAgent(context)
    await changeAgent(context, id, { temperature: 0.3 })
    const first = await chat(host, { message: 'Hello' })
    expect(JSON.stringify(first)).toContain('model-a takes no temperature')
    await chat(host, { message: 'Hello' })
    expect(asked(server).map((request) => bodyOf(request).temperature)).toEqual([0.3, undefined, undefined])
  })

  test('an argument is renamed if the server names another', async () => {
    const { host, server, set, shown, context } = await daemon((request) =>
      keysOf(request).includes('max_tokens')
        ? said(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          )
        : null,
    )
    await set({ default_model: 'model-a' })
    const { id } = await requireDefaultAgent(context)
    await changeAgent(context, id, { max_output_tokens: 2_000 })
    await chat(host, { message: 'Hello' })
    expect(bodyOf(last(asked(server)) as WireRequest)).toMatchObject({ max_completion_tokens: 2_000 })
    expect((await shown()).adjusted_arguments).toEqual([
      { argument: 'max_tokens', sent_as: 'max_completion_tokens', model: 'model-a' },
    ])
  })

  test('saving the access again forgets what was refused', async () => {
    let strict = true
    const { set, shown } = await daemon((request) =>
      strict && keysOf(request).includes('stream_options') ? said("Unknown parameter: 'stream_options'.") : null,
    )
    await set({ default_model: 'model-a' }, { tested: 'true' })
    expect((await shown()).adjusted_arguments).toHaveLength(1)
    strict = false
    await set({ default_model: 'model-a' }, { tested: 'true' })
    expect((await shown()).adjusted_arguments).toEqual([])
  })

  test('a refusal that names no argument is shown in the words of the server', async () => {
    const message = 'The tokenizer of this model has no chat template.'
    const { host, set, tested } = await daemon(({ method }) => (method === 'POST' ? said(message) : null))
    expect((await set({ default_model: 'model-a' }, { tested: 'true' })).body.message).toContain(message)
    await set({ default_model: 'model-a' })
    expect(await tested()).toMatchObject({ ok: false, error: `invalid_request: openai: ${message}` })
    expect(last(await chat(host, { message: 'Hello' }))).toMatchObject({
      event: 'error',
      data: { code: 'invalid_request', message: expect.stringContaining(message) },
    })
  })

  test('an argument that the server keeps refusing ends in its error', async () => {
    const { host, server, set } = await daemon(({ method }) =>
      method === 'POST' ? said("Unknown parameter: 'stream_options'.") : null,
    )
    await set({ default_model: 'model-a' })
    expect(last(await chat(host, { message: 'Hello' }))).toMatchObject({ data: { code: 'invalid_request' } })
    expect(asked(server)).toHaveLength(2)
  })
})

describe('reasoning', () => {
  const thinking = toolCall('time', {}, { reasoning: ['Let me look.'] })
  const reasoningIn = (request: WireRequest | undefined) =>
    JSON.stringify(request ? bodyOf(request).messages : []).match(/"reasoning(_content)?":"[^"]*"/)?.[0]

  /** The assistant's messages with tool calls, since the last message of the person. */
  const callsIn = (request: WireRequest) =>
    ((bodyOf(request).messages ?? []) as Record<string, unknown>[]).filter(({ tool_calls }) => tool_calls)

  test.each(['reasoning_content', 'reasoning'])('%s is returned to a server that needs it', async (name) => {
    const { host, server, set } = await daemon((request) => {
      const isMissing = request.method === 'POST' && callsIn(request).some((message) => !(name in message))
      return isMissing ? said(`Missing \`${name}\` field in the assistant message at message index 2.`) : null
    })
    await set({ default_model: 'model-a' })
    server.script(thinking, thinking, text('Noon.'))
    expect(last(await chat(host, { message: 'What time is it?' }))).toMatchObject({ event: 'done' })
    expect(reasoningIn(last(asked(server)))).toBe(`"${name}":"Let me look."`)
    // One call was refused; the next turn knows.
    expect(asked(server)).toHaveLength(4)
    server.script(thinking, text('One.'))
    await chat(host, { message: 'And now?' })
    expect(asked(server)).toHaveLength(6)
  })

  test('it is not sent to others', async () => {
    const { host, server, set } = await daemon()
    await set({ default_model: 'model-a' })
    server.script(thinking, text('Noon.'))
    await chat(host, { message: 'What time is it?' })
    expect(reasoningIn(last(asked(server)))).toBeUndefined()
  })
})

describe('a server that knows only its own models', () => {
  const knows =
    (...names: string[]) =>
    (request: WireRequest) =>
      request.method === 'POST' && !names.includes(String(bodyOf(request).model))
        ? {
            status: 404,
            body: { error: { message: `The model \`${bodyOf(request).model}\` does not exist.`, code: 404 } },
          }
        : null

  test('its first model is the default, and has no price and no size of the vendor', async () => {
    const { host, server, set, context } = await daemon(knows('qwen3:8b'))
    server.models = ['qwen3:8b', 'gpt-5']
    const { status, body } = await set({}, { tested: 'true' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      default_model: 'qwen3:8b',
      last_test: { ok: true, model: 'qwen3:8b' },
    })
    expect(body.models.map(({ id }: Id) => id)).toEqual(['qwen3:8b', 'gpt-5'])
    const { model } = await requireDefaultAgent(context)
    expect(await chooseModel(context, 'openai/gpt-5', model)).toMatchObject({
      priced: false,
      context_tokens: null,
    })
    expect(last(await chat(host, { message: 'Hello' }))).toMatchObject({ event: 'done' })
    expect(await host.sql.read('SELECT DISTINCT cost_usd FROM model_calls')).toEqual([{ cost_usd: 0 }])
  })

  test('during setup as well', async () => {
    const { host, server } = await daemon(knows('qwen3:8b'))
    server.models = ['qwen3:8b']
    const setup = { provider: 'openai', base_url: server.url.openai }
    const response = await call(setUpProvider, host, { body: setup })
    expect(await response.json()).toMatchObject({ default_model: 'qwen3:8b' })
  })

  test('the error names the model, and what else there is', async () => {
    const { server, set } = await daemon(knows('qwen3:8b'))
    server.models = ['qwen3:8b']
    const { status, body } = await set({ default_model: 'gpt-5' }, { tested: 'true' })
    expect({ status, ...body }).toMatchObject({
      status: 409,
      code: 'test_failed',
      message: expect.stringContaining('The model `gpt-5` does not exist.'),
      models: ['qwen3:8b'],
    })
  })

  test('models that do not chat are not the default', async () => {
    const { server, set } = await daemon()
    server.models = ['text-embedding-nomic', 'bge-reranker', 'qwen3:8b']
    expect((await set({})).body.default_model).toBe('qwen3:8b')
  })

  test('a list of 500 is kept whole', async () => {
    const { server, set } = await daemon()
    server.models = Array.from({ length: 500 }, (_, index) => `model-${index}`)
    const { body } = await set({}, { tested: 'true' })
    expect(body).toMatchObject({ default_model: 'model-0', last_test: { ok: true } })
    expect(body.models).toHaveLength(500)
  })

  test('without a list, the name of the model is asked for', async () => {
    const { host, server, set } = await daemon(({ method }) =>
      method === 'GET' ? { status: 404, body: { detail: 'Not Found' } } : null,
    )
    for (const query of [{}, { tested: 'true' }]) {
      const { status, body } = await set({}, query)
      expect({ status, ...body }).toMatchObject({ status: 422, issues: [{ path: 'default_model' }] })
      expect(body.message).toContain('Not Found')
    }
    const setup = { provider: 'openai', base_url: server.url.openai }
    const issues = (await (await call(setUpProvider, host, { body: setup })).json()).issues
    expect(issues).toMatchObject([{ path: 'model' }])
    expect((await set({ default_model: 'qwen3:8b' }, { tested: 'true' })).body.last_test).toMatchObject({
      ok: true,
      model: 'qwen3:8b',
    })
  })

  test('a path in front of it is kept', async () => {
    const { server, set } = await daemon()
    const base_url = server.url.openai.replace('/v1', '/team/proxy/v1')
    server.models = ['qwen3:8b']
    expect((await set({ base_url }, { tested: 'true' })).body).toMatchObject({ default_model: 'qwen3:8b' })
    expect(server.requests.map(({ path }) => path)).toContain('/openai/team/proxy/v1/chat/completions')
  })

  test('another server has other models, and a default of its own', async () => {
    const { server, set } = await daemon()
    server.models = ['qwen3:8b']
    await set({})
    await using other = await startWire()
    other.models = ['llama']
    const { body } = await set({ base_url: other.url.openai })
    expect(body).toMatchObject({ default_model: 'llama', models: [{ id: 'llama' }] })
  })

  test('its list can be asked for again', async () => {
    const { host, server, set } = await daemon()
    server.models = ['qwen3:8b']
    await set({})
    server.models = ['qwen3:8b', 'gpt-5']
    const { models: listed } = await (await call(models, host, { params: { id: 'openai' } })).json()
    expect(listed[1]).toMatchObject({ id: 'gpt-5', input_usd_per_mtok: null, context_tokens: null })
  })
})

test('a test that succeeds lifts the cooldown of its provider', async () => {
  const { host, set, shown, tested } = await daemon()
  await set({ default_model: 'model-a' })
  const cooldown = { until: host.clock.now() + 3_600_000, code: 'auth' as const, strikes: 3, asked: true }
  await host.sql.write([saveCooldown('openai', '*', cooldown), saveCooldown('openai', 'model-a', cooldown)])
  expect(await shown()).toMatchObject({ status: 'cooldown' })
  expect(await tested()).toMatchObject({ ok: true })
  expect(await shown()).toMatchObject({ status: 'ok', cooldown_until: null })
  expect(last(await chat(host, { message: 'Hello' }))).toMatchObject({ event: 'done' })
})
