import { afterEach, expect, test } from 'vitest'
import { createFakeClock } from '../../adapters/memory/clock.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createModels } from '../../adapters/models/index.ts'
import * as files from '../../handlers/projects/files.ts'
import * as plan from '../../handlers/projects/plan.ts'
import { Strategy } from '../../runtime/projects/schema.ts'
import { minute, second } from '../../runtime/time.ts'
import { type Step, startWire, text, toolCall, type Vendor, type Wire } from '../fixtures/wire/index.ts'
import { brokenToolCall, fail } from '../fixtures/wire/steps.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { approved, createProject, ended, offers } from './kit.ts'

let wire: Wire | undefined
afterEach(() => wire?.close())

const drafted = {
  summary: 'A guide to tea',
  phases: [
    {
      name: 'Writing',
      tasks: [
        {
          ref: 'a',
          title: 'Write a guide to tea',
          acceptance: ['It names green tea'],
          files: ['tea.md'],
        },
      ],
    },
  ],
}

interface Asked {
  /** The conversation of the agent, in the words of its vendor's wire. */
  said: string
  /** Calls of the agent that have a result. */
  results: number
  /** Milliseconds since its first request. */
  passed: number
}

type Agent = (asked: Asked) => Step

const write = (content: string, path = 'tea.md') => toolCall('files', { action: 'write', path, content })
const append = (content: string) => toolCall('files', { action: 'append', path: 'tea.md', content })
const whole = '{"action":"write","path":"tea.md","content":"Green tea is steamed'

const agents = {
  careful: ({ results }) => (results === 0 ? write('Green tea is steamed.') : text('I wrote tea.md.')),
  lazy: () => text('I wrote the guide to tea.md. It is complete.'),
  'failing-tool': ({ results }) =>
    results % 2 === 0 ? write('Green tea', `../../${results}/tea.md`) : text('The guide is finished.'),
  wordy: ({ results }) =>
    results === 0 ? write('Green tea. '.repeat(10_000)) : text('Tea is a drink. '.repeat(10_000)),
  'cut-off': ({ results, said }) => {
    if (results === 0) return brokenToolCall('files', whole, { finish: 'length' })
    if (results === 1)
      return said.includes('cut at the output limit') && said.includes('smaller pieces')
        ? write('Green tea is steamed,')
        : text('What was wrong?')
    if (results === 2) return append('and then dried.')
    return said.includes('I wrote tea.md in') ? text(' two pieces.') : text('I wrote tea.md in', { finish: 'length' })
  },
  limited: ({ results, passed }) => {
    if (passed < 120 * second) return fail(429, { retry_after: '120' })
    if (passed < 10 * minute) return fail(503)
    return results === 0 ? write('Green tea is steamed.') : text('I wrote tea.md.')
  },
} satisfies Record<string, Agent>

const outcomes: Record<keyof typeof agents, [status: string, attempts: number]> = {
  careful: ['completed', 1],
  lazy: ['failed', 3],
  'failing-tool': ['failed', 3],
  wordy: ['completed', 1],
  'cut-off': ['completed', 1],
  limited: ['completed', 1],
}

const names = Object.keys(agents) as (keyof typeof agents)[]

/** A project of one task, carried out by an agent on a wire; the reviewer believes what it reads. */
async function carriedOut(name: keyof typeof agents, strategy: Strategy, vendor: Vendor) {
  let began: number | null = null
  const host: MemoryHost = await testHost()
  wire = await startWire({
    otherwise({ body }) {
      if (offers(body, 'submit_plan')) return toolCall('submit_plan', drafted)
      if (offers(body, 'submit_audit')) return toolCall('submit_audit', { score: 90, findings: [] })
      const said = JSON.stringify(body)
      if (offers(body, 'submit_verdict'))
        return toolCall('submit_verdict', { met: /Green tea/.test(said), missing: 'The guide' })
      began ??= host.clock.now()
      const { messages, input } = body as { messages?: object[]; input?: object[] }
      const results = JSON.stringify(messages ?? input).match(
        /"role":"tool"|"type":"tool_result"|"type":"function_call_output"/g,
      )
      return agents[name]({ said, results: results?.length ?? 0, passed: host.clock.now() - began })
    },
  })
  host.models = createModels({ fetch: wire.fetch, clock: createFakeClock('2026-01-05T09:00:00.000Z') })
  await configure(host, [vendor as 'openai'])
  const { id } = await createProject(host, { strategy })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  await approved(host, id)
  return { host, project: await ended(host, id), requests: wire.requests }
}

test.each(Strategy.options.flatMap((strategy) => names.map((name) => [strategy, name] as const)))(
  '%s: the %s agent',
  async (strategy, name) => {
    const { project, requests } = await carriedOut(name, strategy, 'anthropic')
    const [task] = project.tasks
    expect([task?.status, task?.attempts]).toEqual(outcomes[name])
    expect(project.status).toBe(outcomes[name][0])
    for (const { body } of requests) expect(JSON.stringify(body).length).toBeLessThan(250_000)
  },
)

test.each(['openrouter', 'openai', 'anthropic'] as const)(
  'on the wire of %s, a call that is cut is written in pieces, and a lazy agent completes nothing',
  async (vendor) => {
    const { host, project } = await carriedOut('cut-off', 'economy', vendor)
    expect(project.status).toBe('completed')
    const raw = await call(files.raw, host, { params: { id: project.id }, query: { path: 'tea.md' } })
    expect(await raw.text()).toBe('Green tea is steamed,\nand then dried.\n')
    await wire?.close()
    expect((await carriedOut('lazy', 'economy', vendor)).project.status).toBe('failed')
  },
)
