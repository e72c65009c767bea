import { expect, test } from 'vitest'
import { respond } from '../../handlers/chat/approvals.ts'
import { create as createConversation } from '../../handlers/chat/conversations.ts'
import { create, proposals } from '../../handlers/chat/permissions.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { insertApproval } from '../../runtime/chat/approval-store.ts'
import type { Question } from '../../runtime/chat/permission.ts'
import { permissionFor } from '../../runtime/chat/permissions.ts'
import { day, iso, minute } from '../../runtime/time.ts'
import type { Risk } from '../../runtime/tools/modes.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

/** Numbers from 0 to below 1 that are the same in each run (Mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Recorded {
  at: number
  tool: string
  input: Record<string, unknown>
  risk: Risk
  tainted: boolean
  /** What the household answers when it is asked. */
  approved: boolean
}

interface Habit {
  per_day: number
  tool: string
  risk?: Risk
  input(random: () => number): Record<string, unknown>
  refused?: true
  tainted?: true
}

const of = <Item>(random: () => number, ...items: Item[]) => items[Math.floor(random() * items.length)] as Item
const device = (command: string, params: (random: () => number) => object) => (random: () => number) => ({
  device_id: 'dev_hall',
  command,
  params: params(random),
})

/** What the agents of a household ask for. */
const habits: Habit[] = [
  { per_day: 9, tool: 'device_command', input: device('light', (random) => ({ state: of(random, 'on', 'off') })) },
  {
    per_day: 4,
    tool: 'device_command',
    input: device('heat', (random) => ({ degrees: 18 + Math.floor(random() * 4) })),
  },
  {
    per_day: 5,
    tool: 'files',
    input: (random) => ({ action: 'append', path: 'lists/shopping.md', content: `- ${random()}` }),
  },
  { per_day: 3, tool: 'files', input: (random) => ({ action: 'write', path: `notes/${random()}.md`, content: 'x' }) },
  {
    per_day: 3,
    tool: 'browser',
    input: (random) => ({ url: `https://printer.example/jobs/${random()}`, action: of(random, 'act', 'download') }),
  },
  { per_day: 4, tool: 'channel_send', input: (random) => ({ channel_id: 'chan_family', text: `${random()}` }) },
  { per_day: 2, tool: 'tables', input: (random) => ({ action: 'insert', table: 'Meter', text: `${random()}` }) },
  {
    per_day: 0.6,
    tool: 'http_request',
    risk: 'high',
    input: () => ({ url: 'https://bank.example/pay', method: 'POST' }),
  },
  { per_day: 0.6, tool: 'channel_send', input: () => ({ channel_id: 'chan_work', text: 'x' }), tainted: true },
  { per_day: 0.5, tool: 'shell', input: (random) => ({ command: `make ${random()}` }) },
  {
    per_day: 0.5,
    tool: 'files',
    input: (random) => ({ action: 'write', path: `accounts/${random()}.md`, content: 'x' }),
    refused: true,
  },
]

/** Some days of a household, by habit and at random, in the order of time. */
function recordingOf(seed: number, from: number, days: number): Recorded[] {
  const random = randomFrom(seed)
  const calls = habits.flatMap(({ per_day, tool, risk = 'medium', input, refused, tainted = false }) =>
    Array.from({ length: Math.round(per_day * days) }, () => ({
      at: Math.floor(from + random() * days * day),
      ...{ tool, risk, tainted, input: input(random), approved: !refused },
    })),
  )
  return calls.toSorted((one, other) => one.at - other.at)
}

test('with the proposals accepted, a household is asked a fifth as often, and about every risky call', async () => {
  const host = await testHost()
  const { id: agent_id } = await requireDefaultAgent(host)
  const { id: conversation_id, owner_id } = await (await call(createConversation, host, { body: {} })).json()
  const calls = recordingOf(27, host.clock.now(), 7)
  let prompts = 0
  const passed: Recorded[] = []
  for (const [index, recorded] of calls.entries()) {
    const { at, tool, input, risk, tainted, approved } = recorded
    await host.clock.advance(at - host.clock.now())
    const place = { agent_id, project_id: null, loop_id: null, tainted }
    const question: Question = { owner_id, conversation_id, place, tool, input, risk, at }
    if (await permissionFor(localContext(host), question, false)) {
      passed.push(recorded)
      continue
    }
    prompts += 1
    const id = `apr_${String(index).padStart(6, '0')}`
    const shown = { summary: tool, agent_reason: null, reason: null, resolved_at: null, resolved_by: null }
    const unasked = { question: null, sealed_answer: null }
    const asked = { id, conversation_id, run_ref: 'msg_1', call_id: id, permission_id: null, ...shown, ...unasked }
    const times = { requested_at: iso(at), expires_at: iso(at + 30 * minute) }
    const approval = { ...asked, ...times, tool, input, risk, place, status: 'pending' as const }
    await localContext(host).commit([insertApproval(approval)])
    await call(respond, host, { params: { id: conversation_id }, body: { approval_id: id, approved } })
    const offered = await (await call(proposals, host, { query: { approval_id: id } })).json()
    for (const { permission } of offered.proposals)
      expect((await call(create, host, { body: permission })).status).toBe(201)
  }
  const saved = 1 - prompts / calls.length
  expect(saved).toBeGreaterThanOrEqual(0.8)
  expect(passed.filter(({ risk, tainted, approved }) => risk === 'high' || tainted || !approved)).toEqual([])
  // All that is left are risky calls, those that the household refuses, and what it had not yet allowed three times.
  expect(prompts).toBeGreaterThan(
    calls.filter(({ risk, tainted, approved }) => risk === 'high' || tainted || !approved).length,
  )
})
