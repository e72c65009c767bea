import { describe, expect, test } from 'vitest'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import { create } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import type { Host } from '../../runtime/host.ts'
import type { Files } from '../../runtime/ports/files.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { seeded } from '../faults/random.ts'
import { approved, plannedProject, planStep, projectHost, projectModels } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const rowsEach = 4
const path = 'table.md'
const end = '<end>'
const seeds = (process.env.SEEDS ?? '1,2,3,4,5').split(',').map(Number)
type Way = 'append' | 'edit' | 'write'
const ways: Way[] = ['append', 'edit', 'write']

/** Files whose operations take a number of turns of the event loop that the seed chooses. */
function shuffled(random: () => number): Files {
  const files = createMemoryFiles()
  const slow =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await turns(random() * 4)
      const result = await run(...args)
      await turns(random() * 4)
      return result
    }
  return {
    ...files,
    stat: slow(files.stat),
    read: slow(files.read),
    write: slow(files.write),
    change: (root, name, run) => files.change(root, name, (file) => run({ ...file, write: slow(file.write) })) as never,
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** What one agent does next to add its rows to the file, by what its conversation contains. */
function nextStep({ messages }: ModelCall, name: string, way: Way): Step {
  const results = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))
  const done = results.filter(({ is_error, output }) => !is_error && !Object.hasOwn(output as object, 'content')).length
  if (done === rowsEach) return text('Added.')
  const row = `${name}-${done}\n`
  const id = `call_${results.length}`
  if (way === 'append') return toolCall('files', { action: 'append', path, content: row }, id)
  if (way === 'edit') return toolCall('files', { action: 'edit', path, find: end, replace: `${row}${end}` }, id)
  const last = results.at(-1)
  const content = last && !last.is_error && (last.output as { content?: string }).content
  if (!content) return toolCall('files', { action: 'read', path }, id)
  return toolCall('files', { action: 'write', path, content: content + row }, id)
}

async function rowsIn(host: Host, root: string): Promise<string[]> {
  const bytes = await host.files.read(root, path)
  return (
    new TextDecoder()
      .decode(bytes ?? undefined)
      .match(/agent\d-\d/g)
      ?.sort() ?? []
  )
}

const rowsOf = (agents: number) =>
  Array.from({ length: agents }, (_, agent) =>
    Array.from({ length: rowsEach }, (_, row) => `agent${agent}-${row}`),
  ).flat()

const agentIn = (asked: string) => /agent(\d)/.exec(asked)
const start = (host: Host, root: string) => host.files.write(root, path, new TextEncoder().encode(`rows\n${end}\n`))

/** Each agent has its own way, another one with each seed. */
const wayOf = (agent: string | undefined, seed: number): Way => ways[(Number(agent) + seed) % 3] ?? 'append'

function script(seed: number) {
  return (modelCall: ModelCall, asked: string): Step | undefined => {
    const [name, number] = agentIn(asked) ?? []
    return name ? nextStep(modelCall, name, wayOf(number, seed)) : undefined
  }
}

describe.each(seeds)('seed %i', (seed) => {
  test('six tasks of a project add four rows each to one file', async () => {
    const titles = Array.from({ length: 6 }, (_, index) => [`t${index}`, { title: `Rows of agent${index}` }])
    const plan = planStep(Object.fromEntries(titles))
    const { host } = await projectHost(plan, script(seed), { files: shuffled(seeded(seed)) })
    const planned = await plannedProject(host, { strategy: 'performance' })
    const root = `projects/${planned.id}`
    await start(host, root)
    const { status } = await approved(host, planned.id)

    expect(status).toBe('completed')
    expect(await rowsIn(host, root)).toEqual(rowsOf(6))
  })

  test('four helpers, and four conversations', async () => {
    const tasks = Array.from({ length: 4 }, (_, index) => ({ task: `Rows of agent${index}` }))
    const calls = tasks.flatMap((input, index) => toolCall('delegate', input, `call_${index}`).slice(0, 1))
    const models = projectModels((modelCall, asked) => {
      if (!asked.startsWith('Please')) return script(seed)(modelCall, asked)
      if (modelCall.messages.at(-1)?.role === 'tool') return text('All done.')
      return [...calls, ...toolCall('time', {}).slice(-1)]
    })
    const host = await testHost({ models, files: shuffled(seeded(seed)) })
    await configure(host, ['anthropic'])
    const [agent] = await host.sql.read<{ id: string }>('SELECT id FROM agents')
    const root = `workspaces/${agent?.id}`

    await start(host, root)
    await converse(host, ['Please delegate'])
    expect(await rowsIn(host, root)).toEqual(rowsOf(4))

    await start(host, root)
    await converse(
      host,
      tasks.map(({ task }) => task),
    )
    expect(await rowsIn(host, root)).toEqual(rowsOf(4))
  })
})

/** Has a conversation about each message, all at once. */
async function converse(host: Host, messages: string[]): Promise<void> {
  const answers = await Promise.all(
    messages.map(async (message) => {
      const created = await call(create, host, { body: { title: 'Rows', execution_mode: 'auto' } })
      const { id } = (await created.json()) as { id: string }
      return call(send, host, { body: { message, conversation_id: id } })
    }),
  )
  await Promise.all([...answers.map((answer) => answer.text()), workOff(host)])
}
