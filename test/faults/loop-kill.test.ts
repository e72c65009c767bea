import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Loop, LoopDetails } from '../../runtime/loops/schema.ts'
import { type ScriptedStep, text, toolCall } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import { seeded } from './random.ts'

/** Kills of one run; more of them with the variable KILLS, others with SEED. */
const kills = Number(process.env.KILLS ?? 5)
const seed = Number(process.env.SEED ?? 20261123)
const count = 12

interface Sent {
  role: string
  content: unknown
  tool_call_id?: string
  tool_calls?: { id: string; function: { arguments: string } }[]
}

/** Whether a call with this file may have had an effect, as far as the conversation says. */
function mayHaveWritten(messages: Sent[], name: string): boolean {
  return messages.some(({ tool_calls = [] }, index) => {
    const call = tool_calls.find((one) => one.function.arguments.includes(`"${name}"`))
    // Other answers use the same ids.
    const result = messages.slice(index).find(({ tool_call_id }) => tool_call_id === call?.id)
    return call !== undefined && !JSON.stringify(result).includes('never started')
  })
}

/** Appends one line to a file of each iteration, unless it is told that this may have happened. */
const model: ScriptedStep = ({ body }) => {
  const { messages } = body as { messages: Sent[] }
  if (messages.at(-1)?.role === 'tool') return text('It is done.')
  const said = JSON.stringify(messages)
  const note = said.slice(said.lastIndexOf('of at most'))
  const index = /Iteration (\d+) of at most(?!.*Iteration \d+ of at most)/.exec(said)?.[1]
  if (index === undefined || note.includes('Do not do this again')) return text('Nothing to do.')
  const name = `${/line for (loop\d+)/.exec(said)?.[1]}-${index}.txt`
  if (note.includes('The daemon stopped during this iteration') && mayHaveWritten(messages, name))
    return text('Was done.')
  return toolCall('files', { action: 'append', path: name, content: 'once' })
}

const { service } = await wiredService({ otherwise: model })

const shown = (id: string) => service.read<LoopDetails>('GET', `/api/loops/${id}`)

/** Milliseconds until the rest continues; more if other programs use the processors. */
const patience = () => 5_000 * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

const finishedIn = ({ iterations }: LoopDetails) =>
  iterations
    .filter(({ status }) => status === 'finished')
    .map(({ id, index, ended_at, verdict }) => ({ id, index, ended_at, verdict }))

/** A person leaves out what may have happened already. */
async function skipRepeat({ id, question }: LoopDetails): Promise<void> {
  if (question?.kind === 'repeat') await service.read('POST', `/api/loops/${id}/answer`, { answer: 'Skip' })
}

const ended = ({ status }: Loop) => ['completed', 'failed', 'cancelled'].includes(status)

let loops = 0

async function runningLoop(): Promise<string> {
  loops += 1
  const code = `return { complete: input.iteration >= ${count} }`
  const { id } = await service.read<Loop>('POST', '/api/loops', {
    goal: `Write one line for loop${loops}`,
    verification: { kind: 'command', spec: { code } },
  })
  await service.read('POST', `/api/loops/${id}/start`)
  return id
}

test(`a loop survives ${kills} kills: finished iterations stay finished, and nothing is done twice`, async () => {
  const random = seeded(seed)
  let id = await runningLoop()
  for (let kill = 0; kill < kills; kill += 1) {
    // Long enough for some iterations to end.
    await sleep(random() * 1_500)
    const before = await shown(id)
    await service.kill()
    await service.restart()
    const started = performance.now()
    const after = await shown(id)
    expect(finishedIn(after)).toEqual(expect.arrayContaining(finishedIn(before)))

    // The rest continues without help, but for what nobody can know.
    await eventually(async () => {
      const now = await shown(id)
      await skipRepeat(now)
      return ended(now) || now.updated_at !== after.updated_at
    })
    expect(performance.now() - started).toBeLessThan(patience())
    if (ended(await shown(id))) {
      await checkFiles(id)
      id = await runningLoop()
    }
  }
  const done = await eventually(async () => {
    const now = await shown(id)
    await skipRepeat(now)
    return ended(now) && now
  })
  expect(done).toMatchObject({ status: 'completed', iteration: count })
  await checkFiles(id)
})

/** What the workspaces contain: all loops work in that of the one agent. */
function filesOf(loop: string): Map<string, string[]> {
  const root = join(service.folder, 'files', 'workspaces')
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(`${loop}-`))
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const)
  return new Map(found.map(([name, content]) => [name, content.split('\n').filter(Boolean)]))
}

/** Each iteration that reported it has written its line exactly once, and none has written it twice. */
async function checkFiles(id: string): Promise<void> {
  const { goal, iterations } = await shown(id)
  const loop = goal.split(' ').at(-1) ?? ''
  const files = filesOf(loop)
  for (const lines of files.values()) expect(lines).toEqual(['once'])
  for (const { index, summary } of iterations)
    if (summary !== 'Nothing to do.') expect([...files.keys()]).toContain(`${loop}-${index}.txt`)
}
