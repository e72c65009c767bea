import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels } from '../../adapters/models/index.ts'
import { create as createAgent } from '../../handlers/agents/agents.ts'
import { create as createConversation } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { setKey } from '../../handlers/providers/providers.ts'
import { ModelError, type ModelEvent, type Models } from '../../runtime/ports/models.ts'
import { minute, second } from '../../runtime/time.ts'
import {
  badChunk,
  cut,
  drip,
  endEarly,
  errorEvent,
  fail,
  garbage,
  hang,
  refuse,
  reset,
  type Step,
  startWire,
  text,
  type Wire,
  type WireRequest,
} from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import { conversationOf, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { endings } from './chat-client.ts'
import { seeded } from './random.ts'

/** How one vendor behaves in one turn, and what the policy makes of it. */
interface Behaviour {
  step: Step
  /** Null: the turn ends well. */
  code: string | null
  /** The call succeeded, with an answer that is none. */
  empty?: boolean
  /** The prompt is folded and sent once more. */
  folded?: boolean
  /** Something was said before it failed, so no other model may begin anew. */
  began?: boolean
  /** The model is left alone for so long after the first failure in a row; doubled with each, up to `most`. */
  cool?: { scope: 'model' | 'provider'; first: number; most: number }
  /** The vendor itself named the time, in milliseconds. */
  asked?: number
}

const short = { scope: 'model', first: 10 * second, most: 2 * minute } as const
const quota = { scope: 'model', first: 30 * second, most: 15 * minute } as const
const cutOff = { scope: 'model', first: 5 * second, most: 1 * minute } as const

const behaviours: Record<string, Behaviour> = {
  well: { step: text('All is well.'), code: null },
  slow: { step: drip('Byte — 昔'), code: null },
  nothing: { step: text(''), code: 'interrupted', empty: true },
  limit: { step: fail(429), code: 'rate_limit', cool: quota },
  wait: { step: fail(429, { retry_after: '90' }), code: 'rate_limit', cool: quota, asked: 90 * second },
  error: { step: fail(500), code: 'provider_unavailable', cool: short },
  gateway: { step: garbage('<h1>502</h1>', { status: 502 }), code: 'provider_unavailable', cool: short },
  busy: { step: fail(503), code: 'overloaded', cool: short },
  reset: { step: reset(), code: 'provider_unavailable', cool: short },
  html: { step: garbage(), code: 'provider_unavailable', cool: short },
  hang: {
    step: hang(),
    code: 'timeout',
    cool: { scope: 'model', first: 30 * second, most: 10 * minute },
  },
  cut: { step: cut('Once upon'), code: 'interrupted', began: true, cool: cutOff },
  early: { step: endEarly('Once upon'), code: 'interrupted', began: true, cool: cutOff },
  chunk: { step: badChunk('Once upon'), code: 'interrupted', began: true, cool: cutOff },
  event: { step: errorEvent('overloaded', 'Once upon'), code: 'overloaded', began: true, cool: short },
  filter: { step: refuse('content_filter'), code: 'content_filter' },
  long: { step: refuse('context_overflow'), code: 'context_overflow', folded: true },
}

const names = Object.keys(behaviours)
const vendors = ['openai', 'mistral'] as const
type Vendor = (typeof vendors)[number]

type Plan = Record<Vendor, string>

interface Cooling {
  code: string | null
  until: number
  strikes: number
  asked: boolean
}

/** A request that is never answered is given up after five minutes: the servers are local. */
const patience = 5 * minute

/** The policy, told a second time: who is called in a turn, and how it ends. Both vendors have one model each. */
class Oracle {
  readonly #cooling = new Map<Vendor, Cooling>()

  /** The calls of one turn in order, and its end; `now` is when it begins. */
  turn(plan: Plan, now: number, folded = false): { calls: Vendor[]; code: string | null } {
    const calls: Vendor[] = []
    let code: string | null = 'rate_limit'
    let at = now
    for (const vendor of this.#queue(now)) {
      const behaviour = behaviours[plan[vendor]] as Behaviour
      calls.push(vendor)
      if (plan[vendor] === 'hang') at += patience
      this.#learn(vendor, behaviour, at)
      code = behaviour.code
      if (behaviour.folded && !folded) {
        const again = this.turn(plan, at, true)
        return { calls: [...calls, ...again.calls], code: again.code }
      }
      if (code === null || behaviour.began || !behaviour.cool) break
    }
    return { calls, code }
  }

  /** Whoever is not cooling down; else the first that cools down by our own rule, never by the vendor's word. */
  #queue(now: number): Vendor[] {
    const free = vendors.filter((vendor) => (this.#cooling.get(vendor)?.until ?? 0) <= now)
    if (free.length > 0) return free
    return vendors.filter((vendor) => this.#cooling.get(vendor)?.asked === false).slice(0, 1)
  }

  #learn(vendor: Vendor, { code, cool, asked, empty }: Behaviour, now: number): void {
    if (code === null || empty) this.#cooling.delete(vendor)
    if (!cool) return
    const before = this.#cooling.get(vendor)
    const again = before?.code === code && now < before.until + 10 * minute
    const strikes = again ? before.strikes + 1 : 1
    const length = asked ?? Math.min(cool.first * 2 ** (strikes - 1), cool.most)
    this.#cooling.set(vendor, { code, until: now + length, strikes, asked: asked !== undefined })
  }
}

/** Errors as they are, but none that is waited for: retries have their own tests, and here the clock stands still. */
async function* withoutRetries(events: AsyncIterable<ModelEvent>): AsyncIterable<ModelEvent> {
  try {
    yield* events
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    const { code, message, retry_after_seconds } = thrown
    throw new ModelError(code, message, { retry_after_seconds })
  }
}

let wire: Wire
let host: Awaited<ReturnType<typeof testHost>>
let agent: string

/** The message says how the two vendors behave: `<openai's> <mistral's>`. */
function behaviourFor({ vendor, last_user_text }: WireRequest): string {
  const [openai = '', mistral = ''] = last_user_text.split(' ')
  return vendor === 'openai' ? openai : mistral
}

beforeAll(async () => {
  wire = await startWire({ otherwise: (request) => (behaviours[behaviourFor(request)] as Behaviour).step })
  const models = (): Models => createModels({ fetch: wire.fetch, clock: host.clock })
  host = await testHost({
    models: {
      stream: (made) => withoutRetries(models().stream(made)),
      list: (access) => models().list(access),
    },
  })
  for (const vendor of vendors) {
    const body = { api_key: 'sk-test-0123456789', base_url: wire.url[vendor], default_model: 'model-a' }
    await call(setKey, host, { params: { id: vendor }, body })
  }
  const made = await call(createAgent, host, {
    body: {
      name: 'Steady',
      model: {
        provider: 'openai',
        model: 'model-a',
        fallbacks: [{ provider: 'mistral', model: 'model-a' }],
      },
    },
  })
  agent = ((await made.json()) as { id: string }).id
})

afterAll(() => wire.close())

async function turn(message: string) {
  const made = await call(createConversation, host, { body: { agent_id: agent } })
  const { id } = (await made.json()) as { id: string }
  const response = await call(send, host, { body: { message, conversation_id: id } })
  const before = wire.requests.length
  let ended = false
  const worked = workOff(host).finally(() => (ended = true))
  if (/hang/.test(message)) void giveUp(() => ended)
  const [stream] = await Promise.all([response.text(), worked])
  return { id, events: parseEvents(stream), requests: wire.requests.slice(before) }
}

/** Whenever a request hangs, its minute passes. */
async function giveUp(ended: () => boolean): Promise<void> {
  let seen = wire.requests.length
  while (!ended()) {
    await new Promise((resolve) => setImmediate(resolve))
    const request = wire.requests[seen]
    if (!request) continue
    seen += 1
    if (behaviourFor(request) === 'hang') await host.clock.advance(patience)
  }
}

test('1,000 turns with misbehaving vendors: each ends once, and every call is allowed by the policy', async () => {
  const random = seeded(Number(process.env.SEED ?? 20_260_105))
  const any = () => names[Math.floor(random() * names.length)] as string
  const oracle = new Oracle()
  let calls = 0
  for (let number = 0; number < 1_000; number += 1) {
    await host.clock.advance(Math.floor(random() * 45) * second)
    // If both vendors named a time, the turn would wait for it.
    const plan = { openai: any(), mistral: any().replace('wait', 'limit') }
    const message = `${plan.openai} ${plan.mistral}`
    const expected = oracle.turn(plan, host.clock.now())
    const { id, events, requests } = await turn(message)

    const told = `turn ${number}: ${message}`
    const ending = expected.code === null ? { event: 'done' } : { event: 'error', data: { code: expected.code } }
    expect(endings(events), told).toMatchObject([ending])
    expect(
      requests.map(({ vendor }) => vendor),
      told,
    ).toEqual(expected.calls)
    calls += expected.calls.length
    expect((await conversationOf(host, id)).status, told).toBe('idle')
  }
  expect(wire.requests).toHaveLength(calls)
  expect(await host.sql.read(`SELECT id FROM work WHERE status IN ('running', 'queued', 'waiting')`)).toEqual([])
})
