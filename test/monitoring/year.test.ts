import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { remove as removeConversation } from '../../handlers/chat/conversations.ts'
import { inject } from '../../handlers/chat/messages.ts'
import { history, tokens, usage } from '../../handlers/monitoring/usage.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { settle } from '../../runtime/ledger/ledger.ts'
import { Category } from '../../runtime/ledger/spender.ts'
import type { HistoryItem, Usage } from '../../runtime/monitoring/usage.ts'
import { day, hour, minute } from '../../runtime/time.ts'
import { loopHost, newLoop, notYet, act as onLoop, shown as shownLoop, writer } from '../loops/kit.ts'
import { approved, plannedProject, planStep, projectHost } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { workOff } from '../support/work.ts'

/** Zones with clock changes in both hemispheres, one of half an hour, and one without. */
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']

const local = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
const dateOf = (at: number, zone: string) => local(at, zone).toPlainDate().toString()
const hourOf = (at: number, zone: string) => {
  const time = local(at, zone)
  return `${time.toPlainDate()}T${String(time.hour).padStart(2, '0')}:00${time.offset}`
}

interface Call {
  at: number
  tokens: number
  category: Category
}

/** Every row of the ledger, read without the code under test. */
const ledger = async (host: MemoryHost): Promise<Call[]> =>
  (
    await host.sql.read<{ at: string; tokens: number; category: Category }>(
      'SELECT at, input_tokens + output_tokens AS tokens, category FROM model_calls',
    )
  ).map((row) => ({ ...row, at: Date.parse(row.at) }))

function sums<Key>(calls: readonly Call[], keyOf: (call: Call) => Key): Map<Key, number> {
  const found = new Map<Key, number>()
  for (const one of calls) found.set(keyOf(one), (found.get(keyOf(one)) ?? 0) + one.tokens)
  return found
}
const total = (calls: readonly { tokens: number }[]) => calls.reduce((sum, one) => sum + one.tokens, 0)

let made = 0
/** Each call has an amount of its own, so that no two mistakes cancel each other out. */
async function spend(host: MemoryHost, at: number): Promise<void> {
  made += 1
  const category = Category.options[made % Category.options.length] ?? 'chat'
  const cost = { input_tokens: 1_000 + made, output_tokens: made % 97, cost_usd: made / 1e6 }
  const row = { id: `call_${made}`, owner_id: '', at, provider: 'openai', model: `m${made % 3}` }
  await settle(
    localContext(host),
    {
      call: { ...row, run_ref: `r${made}`, spender: { category } },
      limits: [],
      reserved: false,
      cost,
    },
    {
      end: { ...cost, cached_tokens: 0, status: 'succeeded', estimated: false, error: null },
      statements: [],
    },
  )
}

/** The instants at which a zone changes its clock in 2026. */
function changes(zone: string): number[] {
  const found: number[] = []
  const end = Temporal.ZonedDateTime.from(`2027-01-01T00:00[${zone}]`).epochMilliseconds
  let at = Temporal.ZonedDateTime.from(`2026-01-06T00:00[${zone}]`)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (!next || next.epochMilliseconds >= end) return found
    found.push(next.epochMilliseconds)
    at = next
  }
}

async function expectAgreement(host: MemoryHost, zone: string): Promise<void> {
  const now = host.clock.now()
  const calls = await ledger(host)
  const items: HistoryItem[] = await (await call(history, host, { query: { period: 'month', tz: zone } })).json()
  const byDay = sums(calls, ({ at }) => dateOf(at, zone))
  expect(items).toHaveLength(30)
  for (const { date, total_tokens } of items)
    expect({ zone, date, total_tokens }).toEqual({ zone, date, total_tokens: byDay.get(date) ?? 0 })

  for (const [period, buckets] of [
    ['24h', 24],
    ['7d', 7],
    ['30d', 30],
  ] as const) {
    const seen: Usage = await (await call(usage, host, { query: { period, tz: zone } })).json()
    const from = Date.parse(seen.from)
    const labelOf = (at: number) => (period === '24h' ? hourOf(at, zone) : dateOf(at, zone))
    expect(seen.series).toHaveLength(buckets)
    expect([seen.series[0]?.label, seen.series.at(-1)?.label]).toEqual([labelOf(from), labelOf(now)])
    expect(labelOf(from - 1)).not.toBe(labelOf(from))
    const inside = calls.filter(({ at }) => at >= from && at <= now)
    expect(seen.totals.tokens).toBe(total(inside))
    expect(total(seen.series)).toBe(total(inside))
    expect(total(Object.values(seen.by_model).map(({ total_tokens }) => ({ tokens: total_tokens })))).toBe(
      total(inside),
    )
    const byCategory = sums(inside, ({ category }) => category)
    for (const category of Category.options) expect(seen.breakdown[category]).toBe(byCategory.get(category) ?? 0)
    const byLabel = sums(inside, ({ at }) => labelOf(at))
    for (const { label, tokens } of seen.series)
      expect({ label, tokens }).toEqual({ label, tokens: byLabel.get(label) ?? 0 })
  }
}

test('over a year every sum agrees with the ledger to the token, on days of 23, 25 and 24.5 hours too', async () => {
  const host = await testHost()
  const start = host.clock.now()
  const end = start + 365 * day
  const turns = zones.flatMap(changes)
  const times = new Set<number>()
  for (let at = start; at < end; at += 9 * hour + 7 * minute) times.add(at)
  for (const change of turns)
    for (let at = change - 4 * hour; at < change + 4 * hour; at += 15 * minute) times.add(at - 1).add(at)
  // Soon after each change in its zone, and each month in all zones.
  const stops = [
    ...zones.flatMap((zone) => changes(zone).map((change) => ({ at: change + 20 * hour, seen_in: [zone] }))),
    ...Array.from({ length: 12 }, (_, month) => ({ at: start + (month + 1) * 30 * day, seen_in: zones })),
  ].sort((left, right) => left.at - right.at)
  const pending = [...times].sort((left, right) => left - right)
  for (const { at: stop, seen_in } of stops) {
    for (let next = pending[0]; next !== undefined && next <= stop; next = pending[0]) {
      await spend(host, next)
      pending.shift()
    }
    await host.clock.advance(stop - host.clock.now())
    for (const zone of seen_in) await expectAgreement(host, zone)
  }
  const calls = await ledger(host)
  const all = await (await call(tokens, host)).json()
  expect(calls.length).toBeGreaterThan(1_000)
  expect(all.total_used).toBe(total(calls))
  // The zones had the days that the test is about.
  const hours = (date: string, zone: string) => Temporal.PlainDate.from(date).toZonedDateTime(zone).hoursInDay
  expect([hours('2026-03-29', 'Europe/Berlin'), hours('2026-10-25', 'Europe/Berlin')]).toEqual([23, 25])
  expect(hours('2026-04-05', 'Australia/Lord_Howe')).toBe(24.5)
})

test('folded messages and deleted conversations still count', async () => {
  const models = scriptedModels(text('Hello.'), text('The boiler is serviced in May.'), text('In May.'))
  const host = await testHost({ models })
  await configure(host, ['openai'])
  await chat(host, { message: 'Begin' })
  const { id } = await onlyConversation(host)
  const content = 'The boiler is serviced in May. '.repeat(700)
  for (let number = 0; number < 50; number += 1)
    await call(inject, host, { body: { conversation_id: id, role: 'user', content } })
  await chat(host, { message: 'When is it serviced?', conversation_id: id })
  expect((await conversationOf(host, id)).messages.some(({ compacted }) => compacted)).toBe(true)

  const before = total(await ledger(host))
  expect(before).toBeGreaterThan(0)
  expect((await call(removeConversation, host, { params: { id } })).status).toBe(200)
  await workOff(host)
  const seen: Usage = await (await call(usage, host)).json()
  expect(seen.totals.tokens).toBe(before)
  expect(total(seen.series)).toBe(before)
})

test('loops, project tasks and the planning of projects are in the breakdown', async () => {
  const { host } = await loopHost([notYet], writer())
  const { id } = await newLoop(host)
  await onLoop(host, id, 'start')
  await workOff(host)
  const looped: Usage = await (await call(usage, host)).json()
  expect(looped.breakdown.loops).toBe((await shownLoop(host, id)).tokens_used)
  expect(looped.breakdown.loops).toBe(looped.totals.tokens)

  const { host: other } = await projectHost(planStep({ a: { title: 'Collect kinds of tea' } }))
  const planned = await plannedProject(other)
  const planning: Usage = await (await call(usage, other)).json()
  expect(planning.breakdown).toMatchObject({ project_developer: planning.totals.tokens, projects: 0 })
  expect((await approved(other, planned.id)).status).toBe('completed')
  const done: Usage = await (await call(usage, other)).json()
  expect(done.breakdown.projects).toBeGreaterThan(0)
  expect(done.breakdown.projects + done.breakdown.project_developer).toBe(done.totals.tokens)
  expect(done.task_success).toEqual({ completed: 1, failed: 0, rate: 1 })
})
