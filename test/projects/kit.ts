import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import type { Host, Ports } from '../../runtime/host.ts'
import type { ModelCall, ModelEvent, Models } from '../../runtime/ports/models.ts'
import type { NewProject, Project, ProjectDetails, Task } from '../../runtime/projects/schema.ts'
import { second } from '../../runtime/time.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

type Script = (call: ModelCall, asked: string) => Step | undefined

export interface ProjectModels extends Models {
  calls: ModelCall[]
}

export const askedIn = ({ messages }: ModelCall): string =>
  messages
    .filter(({ role }) => role === 'user')
    .at(-1)
    ?.content.map((part) => (part.type === 'text' ? part.text : ''))
    .join('\n') ?? ''

export const wants = ({ tools }: ModelCall, name: string): boolean => tools.some((tool) => tool.name === name)

/** A model that answers by what it is asked, since tasks run in parallel. Everything else it reports as done, with a result. */
export function projectModels(script: Script): ProjectModels {
  const calls: ModelCall[] = []
  return {
    calls,
    async *stream(modelCall): AsyncIterable<ModelEvent> {
      calls.push({ ...modelCall, messages: structuredClone(modelCall.messages) })
      const step =
        script(modelCall, askedIn(modelCall)) ?? text(`Done: ${askedIn(modelCall).split('\n')[0]}, at 75 °C.`)
      if (typeof step === 'function') return yield* step(modelCall)
      for (const item of step) {
        if (item instanceof Promise) await item
        else if (item instanceof Error) throw item
        else yield item
      }
    },
    list: async () => [{ id: 'm' }],
  }
}

interface DraftTask {
  title: string
  depends_on?: string[]
  acceptance?: string[]
  files?: string[]
  priority?: string
}

/** The tool call that submits a plan; each phase is a map of refs and tasks. */
export const planStep = (...phases: Record<string, DraftTask>[]): Step =>
  toolCall('submit_plan', {
    summary: 'A small plan',
    phases: phases.map((tasks, index) => ({
      name: `Phase ${index + 1}`,
      tasks: Object.entries(tasks).map(([ref, task]) => ({ ref, ...task })),
    })),
  })

/** A host whose model makes `step` of every plan request and answers tasks by `script`. */
export async function projectHost(step: Step, script: Script = () => undefined, ports: Partial<Ports> = {}) {
  const models = projectModels((modelCall, asked) =>
    wants(modelCall, 'submit_plan') ? step : script(modelCall, asked),
  )
  const host = await testHost({ ...ports, models })
  await configure(host, ['anthropic'])
  return { host, models }
}

export async function createProject(host: Host, input: Partial<NewProject> = {}): Promise<Project> {
  const body = { name: 'Tea guide', description: 'Write a guide to tea', ...input }
  return (await call(projects.create, host, { body })).json()
}

/** Creates a project and has its plan made. */
export async function plannedProject(host: Host, input: Partial<NewProject> = {}): Promise<ProjectDetails> {
  const { id } = await createProject(host, input)
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  return shown(host, id)
}

export async function shown(host: Host, id: string): Promise<ProjectDetails> {
  return (await call(projects.show, host, { params: { id } })).json()
}

export async function approved(host: Host, id: string): Promise<ProjectDetails> {
  await call(projects.approve, host, { params: { id } })
  await workOff(host)
  return shown(host, id)
}

export function taskNamed({ tasks }: ProjectDetails, title: string): Task {
  const task = tasks.find((one) => one.title === title)
  if (!task) throw new Error(`no task ${title}`)
  return task
}

/** A step during which the daemon stops, as far as the running work can tell. */
export const stopped = (host: () => Host): Step =>
  async function* ({ signal }) {
    host().process.running.abortAll(new Stopping('stopping'))
    signal.throwIfAborted()
    yield { type: 'text', text: 'never' }
  }

/** Whether a request offers this tool. */
export const offers = (body: unknown, name: string) =>
  JSON.stringify((body as { tools?: unknown }).tools ?? []).includes(`"name":"${name}"`)

/** Lets the clock run, in steps of ten seconds, until the project has ended. */
export async function ended(host: MemoryHost, id: string) {
  for (let step = 0; step < 400; step += 1) {
    const project = await shown(host, id)
    if (project.status !== 'running') return project
    await host.clock.advance(10 * second)
    await workOff(host)
  }
  return shown(host, id)
}
