import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseEvents, type StreamedEvent } from '../support/chat.ts'
import { upgradeRefusal } from './upgrade.ts'

/** A whole service that listens. */
export interface RunningHost {
  /** Without a slash at its end. */
  url: string
  /** What setup needs from where the test sits. */
  setup_headers?: Record<string, string>
  close(): Promise<void>
}

interface Asked {
  body?: unknown
  headers?: Record<string, string>
  key?: string | null
}

const origin = 'http://localhost:5173'

/** What every host answers, and answers alike. One service lives through all of it, from its first start. */
export function hostSuite(open: () => Promise<RunningHost>): void {
  let host: RunningHost
  let key = ''
  let session = ''

  beforeAll(async () => {
    host = await open()
  }, 60_000)
  afterAll(() => host?.close())

  function ask(method: string, path: string, { body, headers = {}, key: own = key }: Asked = {}): Promise<Response> {
    const credential: Record<string, string> = own ? { authorization: `Bearer ${own}` } : {}
    const json: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const init: RequestInit = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    return fetch(`${host.url}${path}`, { method, headers: { ...json, ...credential, ...headers }, ...init })
  }

  const jsonOf = async (response: Promise<Response>, status = 200) => {
    const answered = await response
    const text = await answered.text()
    expect(answered.status, text).toBe(status)
    return JSON.parse(text)
  }

  const refusal = async (response: Promise<Response>, status: number, error: string) => {
    const body = await jsonOf(response, status)
    expect(body).toMatchObject({ error, message: expect.any(String), status })
    return body
  }

  test('is alive, ready and in bootstrap mode', async () => {
    expect(await jsonOf(ask('GET', '/health/live'))).toEqual({ status: 'alive' })
    expect(await jsonOf(ask('GET', '/health/ready'))).toEqual({ status: 'ready' })
    expect(await jsonOf(ask('GET', '/api/health'))).toEqual({ status: 'healthy', bootstrap_mode: true })
    expect(await jsonOf(ask('GET', '/health'))).toMatchObject({
      status: 'healthy',
      uptime_seconds: expect.any(Number),
    })
  })

  test('refuses all other requests before setup', async () => {
    expect(await jsonOf(ask('GET', '/api/agents'), 401)).toEqual({ error: 'Missing Authorization header' })
    expect(await jsonOf(ask('GET', '/api/agents', { key: `svc_${'a'.repeat(64)}` }), 401)).toEqual({
      error: 'Invalid or revoked API key',
    })
  })

  test('is set up once', async () => {
    const asked = {
      body: { username: 'ada', password: 'correct horse battery', key_name: 'First key' },
      headers: host.setup_headers ?? {},
    }
    const made = await jsonOf(ask('POST', '/api/setup/admin', asked), 201)
    key = made.api_key.key

    expect(made.user).toMatchObject({ username: 'ada', role: 'admin' })
    expect(key).toMatch(/^svc_[0-9a-f]{64}$/)
    expect(await jsonOf(ask('GET', '/api/health'))).toMatchObject({ bootstrap_mode: false })
    expect((await ask('POST', '/api/setup/admin', { ...asked, key: null })).status).toBe(401)
  })

  test('exchanges a password for a session', async () => {
    const login = (password: string) =>
      ask('POST', '/api/auth/login', { key: null, body: { username: 'ada', password } })
    session = (await jsonOf(login('correct horse battery'))).token

    expect(await jsonOf(login('wrong'), 401)).toEqual({ error: expect.any(String) })
    expect(await jsonOf(ask('GET', '/api/auth/me', { key: session }))).toMatchObject({
      kind: 'session',
      user: { username: 'ada' },
    })
  }, 20_000)

  test('manages agents', async () => {
    const agent = await jsonOf(
      ask('POST', '/api/agents', { body: { name: 'Grüße 🔥', temperature: 0.5, max_steps: 7 } }),
      201,
    )

    expect(agent).toMatchObject({ name: 'Grüße 🔥', temperature: 0.5, max_steps: 7, is_default: false })
    expect(await jsonOf(ask('GET', `/api/agents/${agent.id}`))).toEqual(agent)
    const renamed = await jsonOf(ask('PUT', `/api/agents/${agent.id}`, { body: { name: 'Bo' } }))
    expect(renamed).toMatchObject({ name: 'Bo', temperature: 0.5 })
    expect((await jsonOf(ask('GET', '/api/agents'))).count).toBe(2)
    expect(await jsonOf(ask('DELETE', `/api/agents/${agent.id}`))).toEqual({ deleted: true, id: agent.id })
    await refusal(ask('GET', `/api/agents/${agent.id}`), 404, 'not_found')
  })

  const say = (message: string, more: object = {}) =>
    ask('POST', '/api/chat/messages/stream', { body: { message, ...more } })

  test('streams a turn of the offline model to its end, and stores it', async () => {
    const response = await say('What is 12 * 13?')
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = parseEvents(await response.text())
    const start = events[0]

    expect(start).toMatchObject({ event: 'message_start', data: { provider: 'offline' } })
    expect(events.at(-1)?.event).toBe('done')
    expect(spoken(events)).toContain('156')
    const conversation = await jsonOf(ask('GET', `/api/chat/conversations/${start?.data.conversation_id}`))
    expect(conversation).toMatchObject({ status: 'idle', message_count: 2 })
    expect(conversation.messages[1]).toMatchObject({ status: 'complete', content: spoken(events) })
  })

  test('waits for approval, and continues after it', async () => {
    const stream = eventsOf(await say('Write "tea" to the file note.txt'))
    const asked = await next(stream, 'approval_required')
    const { id, conversation_id } = asked.data.approval ?? { id: '', conversation_id: '' }
    const path = `/api/chat/conversations/${conversation_id}/approval-response`
    const resolved = await jsonOf(ask('POST', path, { body: { approval_id: id, approved: true } }))
    await next(stream, 'approval_resolved')
    const result = await next(stream, 'tool_result')
    await next(stream, 'done')

    expect(resolved.approval).toMatchObject({ status: 'approved' })
    expect(result.data).toMatchObject({ is_error: false })
    await refusal(ask('POST', path, { body: { approval_id: id, approved: true } }), 409, 'conflict')
  })

  test('sends events to a socket', async () => {
    const { ticket } = await jsonOf(ask('POST', '/api/auth/ws-ticket'))
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/ws/events?token=${ticket}`)
    const frames = framesOf(socket)
    await opened(socket)
    socket.send(JSON.stringify({ type: 'subscribe', types: ['conversation.*'] }))
    socket.send('not JSON')
    expect((await frames.next()).value).toMatchObject({ type: 'error' })
    const { id } = await jsonOf(ask('POST', '/api/chat/conversations', { body: { title: 'Tea' } }), 201)

    expect((await frames.next()).value).toMatchObject({
      type: 'conversation.created',
      data: { conversation_id: id },
      seq: expect.any(Number),
    })
    socket.close()
  })

  test('opens no socket without a credential or for a foreign page', async () => {
    const refused = async (query: string, headers: Record<string, string> = {}) => {
      const response = await upgradeRefusal(`${host.url}/ws/events${query}`, headers)
      return [response.status, response.headers.get('x-content-type-options')]
    }
    expect(await refused('')).toEqual([401, 'nosniff'])
    expect(await refused('?token=nonsense')).toEqual([401, 'nosniff'])
    expect(await refused(`?token=${key}`, { origin: 'http://evil.example' })).toEqual([403, 'nosniff'])
  })

  test('sends the security headers with every answer', async () => {
    for (const response of [
      await ask('GET', '/health'),
      await ask('GET', '/api/nothing'),
      await ask('GET', '/api/agents'),
    ]) {
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'x-xss-protection': '1; mode=block',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
        'cache-control': 'no-store',
      })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('echoes an allowed origin and its own, and no other', async () => {
    const allowed = async (from: string) =>
      (await ask('GET', '/health', { headers: { origin: from } })).headers.get('access-control-allow-origin')
    expect(await allowed(origin)).toBe(origin)
    expect(await allowed(host.url)).toBe(host.url)
    expect(await allowed('http://evil.example')).toBeNull()
    expect(await allowed('null')).toBeNull()
  })

  test('answers a preflight', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' }
    const response = await ask('OPTIONS', '/api/agents', { headers, key: null })

    expect(response.status).toBe(204)
    expect(response.headers.get('vary')).toContain('Origin')
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-allow-headers')).toContain('X-API-Key')
  })

  test('runs a POST once per key', async () => {
    const post = (name: string) =>
      ask('POST', '/api/agents', { body: { name }, headers: { 'idempotency-key': 'once-1' } })
    const first = await post('Once')
    const again = await post('Once')

    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.status, await again.json()]).toEqual([201, await first.json()])
    const other = await refusal(post('Twice'), 422, 'validation_error')
    expect(other.issues).toEqual([{ path: 'Idempotency-Key', message: expect.any(String) }])
  })

  test('refuses with the two error shapes', async () => {
    await refusal(ask('GET', '/api/nothing'), 404, 'not_found')
    const method = ask('DELETE', '/api/agents')
    await refusal(method, 405, 'method_not_allowed')
    await refusal(ask('POST', '/api/agents', { body: '{"name":', headers: {} }), 400, 'bad_request')
    await refusal(
      ask('POST', '/api/agents', {
        body: 'name=x',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      415,
      'unsupported_media_type',
    )
    const wrong = await refusal(
      ask('POST', '/api/agents', { body: { name: 7, max_steps: 0 } }),
      422,
      'validation_error',
    )
    expect(wrong.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(['max_steps', 'name'])
    await refusal(ask('GET', '/api/chat/conversations?limit=many'), 400, 'bad_request')
  })

  test('reports the methods allowed for a path', async () => {
    const response = await ask('PATCH', '/api/agents')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'HEAD, GET, POST'])
  })

  test('refuses a body that is too large', async () => {
    const system_prompt = 'x'.repeat(1_100_000)
    await refusal(ask('POST', '/api/agents', { body: { name: 'Big', system_prompt } }), 413, 'payload_too_large')
  })

  test('answers HEAD as GET without a body', async () => {
    const response = await ask('HEAD', '/api/agents')
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  test('accepts hostile text as text, and refuses what cannot be stored', async () => {
    const name = `'; DROP TABLE agents; -- \u202e\ufeff{{x}} __proto__`
    expect(await jsonOf(ask('POST', '/api/agents', { body: { name } }), 201)).toMatchObject({
      name: name.trim(),
    })
    for (const text of ['a\u0000b', 'a\ud800b']) {
      await refusal(ask('POST', '/api/agents', { body: { name: text } }), 422, 'validation_error')
    }
  })

  test('stores and returns files', async () => {
    const picture = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
    const form = new FormData()
    form.set('file', new File([picture], '../../x.png'))
    const headers = { authorization: `Bearer ${key}` }
    const upload = fetch(`${host.url}/api/settings/avatar`, { method: 'POST', body: form, headers })
    const { avatar_url } = await jsonOf(upload)
    const response = await ask('GET', avatar_url)

    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([...picture])
    expect(response.headers.get('content-disposition')).toBe('attachment')
  })

  test('is itself a tool server', async () => {
    const response = await ask('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_agents', arguments: {} } },
      headers: { accept: 'application/json, text/event-stream' },
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(text).toContain('Hearth')
  })

  test('documents itself', async () => {
    const document = await jsonOf(ask('GET', '/api/openapi.json'))
    expect(document.paths['/api/agents'].post.operationId).toBe('postAgents')
    expect((await jsonOf(ask('GET', '/api/', { key: null }))).name).toBe('hearthd')
    const docs = await ask('GET', '/api/docs/content')
    expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await docs.text()).toContain('/api/chat/messages/stream')
  })

  test('closes the sockets of a revoked credential', async () => {
    const made = await jsonOf(ask('POST', '/api/auth/keys', { body: { name: 'Short', scopes: ['read'] } }), 201)
    const socket = new WebSocket(`${host.url.replace('http', 'ws')}/ws/events?token=${made.key}`)
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code))
    })
    await opened(socket)
    await jsonOf(ask('DELETE', `/api/auth/keys/${made.id}`))

    expect(await closed).toBe(4401)
    expect((await ask('GET', '/api/agents', { key: made.key })).status).toBe(401)
  })
}

const spoken = (events: StreamedEvent[]) =>
  events
    .filter(({ event }) => event === 'token')
    .map(({ data }) => data.content)
    .join('')

/** The events of a stream, as they come. */
async function* eventsOf({ body }: Response): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('\n\n') + 2
    if (end < 2) continue
    yield* parseEvents(rest.slice(0, end))
    rest = rest.slice(end)
  }
}

async function next(events: AsyncGenerator<StreamedEvent>, name: string): Promise<StreamedEvent> {
  for (;;) {
    const { done, value } = await events.next()
    if (done) throw new Error(`the stream ended without ${name}`)
    if (value.event === name) return value
    if (value.event === 'error') throw new Error(JSON.stringify(value.data))
  }
}

const opened = (socket: WebSocket) =>
  new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the socket did not open')))
  })

/** What a socket is told, in order. */
async function* framesOf(socket: WebSocket): AsyncGenerator<unknown> {
  const frames: unknown[] = []
  let arrived = Promise.withResolvers<void>()
  socket.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(String(data)))
    arrived.resolve()
  })
  for (;;) {
    if (frames.length === 0) await arrived.promise
    arrived = Promise.withResolvers<void>()
    yield* frames.splice(0)
  }
}
