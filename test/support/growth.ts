import { allEndpoints, areas } from '../../handlers/index.ts'
import type { Host } from '../../runtime/host.ts'
import { serve } from '../../runtime/http/serve.ts'
import { drawn } from '../workflows/kit.ts'
import { peer } from './host.ts'

/** A home whose tables can be filled, and who asks it. */
export interface Grown {
  host: Host
  owner: string
  job: string
  workflow: string
  ask: Ask
  /** The same user, after a restart. */
  askOf(host: Host): Ask
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Response>

/** Sets up a user with a job and a workflow that own the rows. */
export async function grownHome(host: Host): Promise<Grown> {
  const program = serve(areas)
  let key = ''
  const askOf =
    (of: Host): Ask =>
    (method, path, body) => {
      const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) }
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      return program(new Request(`http://127.0.0.1${path}`, { method, headers, ...text }), of, peer)
    }
  const ask = askOf(host)
  const made = async (path: string, body: unknown) => {
    const response = await ask('POST', path, body)
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const admin = await made('/api/setup/admin', { username: 'ada', password: 'correct horse battery' })
  key = admin.api_key.key
  const schedule = { type: 'cron', expression: '0 8 * * *' }
  const { id: job } = await made('/api/scheduler/jobs', { name: 'Tea', goal: 'Make tea', schedule })
  const { id: workflow } = await made('/api/workflows', drawn({ start: { type: 'trigger.manual' } }, []))
  return { host, owner: admin.user.id, job, workflow, ask, askOf }
}

/** `i` counts the rows; ten seconds lie between two of them, the first is the newest. */
const at = (now: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', '${now}', '-' || (i * 10) || ' seconds')`

/** Tables of what a home collects, each with the rows `from` to `to`, as the areas would store them. */
export async function grow({ host, owner, job, workflow }: Grown, from: number, to: number): Promise<void> {
  const time = at(new Date(host.clock.now()).toISOString())
  const id = (prefix: string) => `'${prefix}_0' || printf('%025d', 10000000 - i)`
  const insert = (table: string, columns: Record<string, string>) => ({
    sql: `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})
      INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM n`,
  })
  const mine = `'${owner}'`
  const conversation = `'conv_0' || printf('%025d', 10000000 - i / 10 * 10)`
  await host.sql.write([
    insert('conversations', {
      id: id('conv'),
      owner_id: mine,
      title: `'Conversation ' || i`,
      kind: `'user'`,
      mode: `'chat'`,
      execution_mode: `'auto'`,
      pinned: '0',
      archived: 'i % 10 = 1',
      status: `'idle'`,
      message_count: '10',
      last_message_at: time,
      input_tokens: '100',
      output_tokens: '100',
      cost_usd: '0.01',
      tainted: '0',
      created_at: time,
      updated_at: time,
    }),
    insert('messages', {
      id: id('msg'),
      conversation_id: conversation,
      role: `iif(i % 2, 'user', 'assistant')`,
      content: `'Words of message ' || i || ' about tomatoes and tea, of a usual length for an answer of an agent.'`,
      parts: `'[]'`,
      attachments: `'[]'`,
      input_tokens: '10',
      output_tokens: '10',
      cost_usd: '0.001',
      status: `'complete'`,
      compacted: '0',
      created_at: time,
    }),
    insert('episodes', {
      id: id('ep'),
      owner_id: mine,
      source: `'chat'`,
      created_at: time,
      updated_at: time,
      valence: '0',
      importance: '0.5',
      access_count: '0',
      trust: `'owner'`,
      topics: `'["tea"]'`,
      content: `'Episode ' || i || ': the tomatoes of garden ' || (i % 97) || ' are ripe, and Ada drinks tea.'`,
      pairs: `''`,
    }),
    insert('scheduler_runs', {
      id: id('run'),
      job_id: `'${job}'`,
      status: `iif(i % 20, 'succeeded', 'failed')`,
      trigger: `'schedule'`,
      scheduled_for: time,
      attempt: '1',
      started_at: time,
      completed_at: time,
      output: `'Tea was made'`,
      delivery_status: `'none'`,
      input_tokens: '10',
      output_tokens: '10',
      cost_usd: '0.001',
      created_at: time,
    }),
    insert('model_calls', {
      id: id('call'),
      owner_id: mine,
      at: time,
      status: `'succeeded'`,
      category: `'chat'`,
      provider: `'openai'`,
      model: `'model-' || (i % 3)`,
      conversation_id: conversation,
      run_ref: id('msg'),
      reserved_tokens: '0',
      reserved_usd: '0',
      input_tokens: '100',
      output_tokens: '100',
      cost_usd: '0.01',
      owner: `'a process'`,
      expires_at: time,
      settled_at: time,
    }),
    insert('workflow_executions', {
      id: id('exec'),
      owner_id: mine,
      workflow_id: `'${workflow}'`,
      version: '1',
      trigger: `'manual'`,
      status: `iif(i % 20, 'succeeded', 'failed')`,
      revision: '1',
      state: `'{"tokens":[],"frames":[],"merges":[]}'`,
      input: `'null'`,
      use_pin_data: '0',
      depth: '0',
      created_at: time,
      started_at: time,
      completed_at: time,
    }),
    insert('events', {
      id: id('evt'),
      type: `'conversation.updated'`,
      ts: time,
      data: `'{"conversation_id":"' || ${conversation} || '"}'`,
      owner_id: mine,
    }),
    insert('audit', {
      id: id('aud'),
      at: time,
      actor: `'ada'`,
      action: `'agent.updated'`,
      target: `'agent_' || i`,
      ip: `'127.0.0.1'`,
      request_id: `'r' || i`,
      outcome: `'ok'`,
    }),
    // What the daemon would have done since: embedded the episodes and reported the events.
    { sql: 'DELETE FROM vectors_pending' },
    { sql: 'DELETE FROM conversation_pieces' },
    { sql: 'UPDATE event_consumers SET cursor = (SELECT max(seq) FROM events)' },
    {
      sql: `INSERT INTO conversations_fts (rowid, text) SELECT rowid, title FROM conversations
        WHERE rowid NOT IN (SELECT rowid FROM conversations_fts)`,
    },
  ])
}

/** The newest conversation, episode and execution. */
const newest = (prefix: string) => `${prefix}_00000000000000000010000000`

/** What is shown to people: each GET of the API without an id, and those of one thing, but no streams and no downloads. */
export async function readsOf({ job, workflow }: Grown): Promise<string[]> {
  const ids: [prefix: string, id: string][] = [
    ['/api/scheduler/jobs/{id}', job],
    ['/api/workflows/executions/{id}', newest('exec')],
    ['/api/workflows/{id}', workflow],
    ['/api/chat/conversations/{id}', newest('conv')],
    ['/api/memory/episodes/{id}', newest('ep')],
  ]
  const searches: Record<string, string> = {
    '/api/chat/search': '?q=tomatoes',
    '/api/memory/search': '?q=tomatoes&mode=keyword',
  }
  const all = (await allEndpoints()).filter(({ method, path }) => method === 'GET' && !notRead.test(path))
  return all.flatMap(({ path }) => {
    const [prefix = '', id = ''] = ids.find(([start]) => path.startsWith(start)) ?? []
    const filled = prefix ? path.replace('{id}', id) : path
    return filled.includes('{') ? [] : filled + (searches[path] ?? '')
  })
}

const notRead = /stream$|\/events$|export$|^\/api\/(browser|openapi|docs|features|providers\/discover)/
