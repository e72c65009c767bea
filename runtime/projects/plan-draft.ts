import { z } from 'zod'
import { findCycle } from '../graph.ts'
import { Priority } from './schema.ts'

export const maxTasks = 500

/** A plan as a model returns it. Tasks name each other by `ref`. */
export const PlanDraft = z.object({
  summary: z.string().trim().min(1).max(5_000).describe('What the project delivers, in one or two sentences'),
  assumptions: z.array(z.string().max(1_000)).max(50).default([]).describe('What you took for granted'),
  minutes: z.int().min(0).max(100_000).optional().describe('How long all of it may take'),
  phases: z
    .array(
      z.object({
        name: z.string().trim().min(1).max(200),
        goal: z.string().max(5_000).default(''),
        tasks: z.array(
          z.object({
            ref: z.string().trim().min(1).max(100).describe('A short name for depends_on, such as t1'),
            title: z.string().trim().min(1).max(200),
            description: z.string().max(20_000).default('').describe('Everything that the agent must know'),
            priority: Priority.default('normal'),
            depends_on: z.array(z.string()).max(100).default([]).describe('refs of tasks that must come first'),
            acceptance: z
              .array(z.string().trim().min(1).max(1_000))
              .max(20)
              .default([])
              .describe('What must be true of the result'),
            files: z
              .array(z.string().trim().min(1).max(500))
              .max(50)
              .default([])
              .describe('Paths below the project folder that it writes'),
            agent: z.string().max(200).optional().describe('Name of the agent; default: the one of the project'),
          }),
        ),
      }),
    )
    .min(1)
    .max(50),
})
export type PlanDraft = z.output<typeof PlanDraft>

/** What is wrong with a plan beyond its shape, as sentences; empty if it can be carried out. Pure. */
export function planProblems({ phases }: PlanDraft): string[] {
  const tasks = phases.flatMap((phase, index) => phase.tasks.map((task) => ({ ...task, phase: index })))
  if (tasks.length === 0) return ['The plan has no tasks']
  if (tasks.length > maxTasks)
    return [`The plan has ${tasks.length} tasks; at most ${maxTasks} are possible. Divide the goal.`]
  const byRef = new Map(tasks.map((task) => [task.ref, task]))
  const problems = tasks
    .filter((task, index) => tasks.findIndex(({ ref }) => ref === task.ref) < index)
    .map(({ ref }) => `Two tasks have the ref ${ref}`)
  for (const { ref, phase, depends_on } of tasks)
    for (const other of depends_on) {
      const needed = byRef.get(other)
      if (!needed) problems.push(`Task ${ref} depends on ${other}, which is not in the plan`)
      else if (needed.phase > phase) problems.push(`Task ${ref} depends on ${other} of a later phase`)
    }
  const edges = tasks.flatMap(({ ref, depends_on }) => depends_on.map((from) => ({ from, to: ref })))
  const cycle = findCycle(byRef.keys(), edges)
  if (cycle) problems.push(`These tasks wait for each other in a cycle: ${cycle.join(', ')}`)
  return problems
}

/** What makes a plan hard to carry out or to check, as sentences. Pure. */
export function planWeaknesses({ phases }: PlanDraft, agents: readonly string[]): string[] {
  const tasks = phases.flatMap((phase) => phase.tasks)
  return [
    ...tasks
      .filter(({ acceptance }) => acceptance.length === 0)
      .map(({ ref }) => `Task ${ref} has no acceptance criteria`),
    ...tasks
      .filter(({ agent }) => agent !== undefined && !agents.includes(agent))
      .map(({ ref, agent }) => `Task ${ref} names no agent that exists: ${agent}`),
  ]
}

/** The plan with tasks that write the same file one after the other, in the order of the plan. Pure. */
export function withoutSharedFiles(draft: PlanDraft): PlanDraft {
  const phases = draft.phases.map((phase) => {
    const tasks = phase.tasks.map((task) => ({ ...task, depends_on: [...task.depends_on] }))
    for (const [at, task] of tasks.entries())
      for (const earlier of tasks.slice(0, at)) {
        const shares = earlier.files.some((path) => task.files.includes(path))
        if (shares && !waitsFor(tasks, task, earlier.ref) && !waitsFor(tasks, earlier, task.ref))
          task.depends_on.push(earlier.ref)
      }
    return { ...phase, tasks }
  })
  return { ...draft, phases }
}

type DraftTask = PlanDraft['phases'][number]['tasks'][number]

function waitsFor(tasks: readonly DraftTask[], { depends_on }: DraftTask, ref: string): boolean {
  if (depends_on.includes(ref)) return true
  return tasks.some((task) => depends_on.includes(task.ref) && waitsFor(tasks, task, ref))
}
