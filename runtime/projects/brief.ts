import { archetypes } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import type { FileEntry } from '../ports/files.ts'
import { prompt } from '../prompts/prompt.ts'
import type { Agent } from '../tools/agent.ts'
import { cut } from '../tools/text.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { filesOf, type Place } from './files.ts'
import type { Plan, Project } from './schema.ts'
import type { StoredTask, TaskState } from './task-store.ts'

/** What starts other work, or returns later, is not for the agent of a task. */
const otherWork = ['arm_check_in', 'cancel_job', 'list_jobs', 'loop', 'project', 'schedule_job']

export const toolsWithout = ({ decision_mode }: Project): readonly string[] =>
  decision_mode === 'agent' ? [...otherWork, 'ask_user'] : otherWork

/** The first instructions for the agent of a task. The same for all tasks of an agent, so that vendors can cache it. */
export function instructionsFor(project: Place, agent: Agent): string {
  const expert = archetypes.find(({ id }) => id === project.sme_archetype)
  const isForChat = archetypes.some(
    ({ id, system_prompt }) => id === 'assistant' && system_prompt === agent.system_prompt,
  )
  return prompt('task', {
    expert: expert?.system_prompt ?? (isForChat ? '' : agent.system_prompt),
    folder: prompt(project.worktree ? 'task-copy' : 'task-folder'),
    questions: prompt(project.decision_mode === 'agent' ? 'decides-alone' : 'asks-owner'),
  })
}

/** Characters of the goal, of an earlier result, and files that are listed. */
const maxGoal = 20_000
const maxResult = 8_000
const maxListed = 200

interface Surroundings {
  task: StoredTask
  /** The tasks that it depends on. */
  needed: readonly StoredTask[]
  /** All tasks. */
  states: readonly TaskState[]
  plan: Plan | null
  /** The calls of the last attempt with their outcomes, if it failed; else empty. */
  done: string
  /** Whether the results of the tasks before it are untrusted text. */
  tainted: boolean
}

/** What the agent of a task reads before the task itself. */
export async function briefOf(
  context: Context,
  project: Place,
  { task, needed, states, plan, done, tainted }: Surroundings,
): Promise<string> {
  const quoted = (text: string) => (tainted ? wrapUntrusted(text) : text)
  return [
    section(`Goal of the project "${project.name}", as its owner wrote it`, goalOf(project)),
    section(
      'Plan',
      quoted([plan?.summary ?? '', ...listOf(plan?.assumptions ?? [], 'Assumed: ')].filter(Boolean).join('\n')),
    ),
    section('Tasks', quoted(states.map((one) => lineOf(one, task)).join('\n'))),
    ...needed.map((one) => section(`Result of "${one.title}"`, quoted(cut(resultOf(one), maxResult).text))),
    section('Files in the folder', await listingOf(context, project, task)),
    section('Your task, which the next message states, is done when', listOf(task.acceptance).join('\n')),
    section('Files that you are to write', listOf(task.files).join('\n')),
    ...(task.block?.kind === 'question' && task.block.answer
      ? [
          section(
            'Answer of the owner',
            `You asked: ${wrapUntrusted(task.block.question)}\nThe answer: ${task.block.answer}`,
          ),
        ]
      : []),
    section('What the owner adds', task.note ?? ''),
    section('An earlier attempt failed', task.error ?? ''),
    section('What that attempt did', done && wrapUntrusted(cut(done, maxResult).text)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The goal as it was written; that of a stranger is data. */
export function goalOf({ name, description, trust }: Project, max_chars = maxGoal): string {
  const goal = cut(description.trim() || name, max_chars).text
  return trust === 'external' ? wrapUntrusted(goal) : goal
}

const section = (title: string, text: string): string => (text === '' ? '' : `# ${title}\n${text}`)

const listOf = (items: readonly string[], label = ''): string[] => items.map((item) => `- ${label}${item}`)

const lineOf = ({ id, title, status, files }: TaskState, own: StoredTask): string =>
  `- ${title} (${id === own.id ? 'yours' : status}${files.length > 0 ? `; writes ${files.join(', ')}` : ''})`

const resultOf = ({ outputs }: StoredTask): string =>
  outputs.map(({ kind, name, value }) => (kind === 'text' ? value : `${kind}: ${name}`)).join('\n')

/** Names are chosen by whoever wrote the files. */
async function listingOf(context: Context, project: Place, { started_at }: StoredTask): Promise<string> {
  const files = await existingFiles(context, project)
  if (files.length === 0) return 'none'
  const lines = files.slice(0, maxListed).map(({ path, size_bytes, modified_at }) => {
    const isOwn = started_at !== null && modified_at >= started_at
    return `${path} (${size_bytes} bytes${isOwn ? ', changed since your first attempt' : ''})`
  })
  const rest = files.length - lines.length
  return wrapUntrusted([...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n'))
}

/** The files of a project; none if its folder is gone. */
export async function existingFiles(context: Context, project: Place): Promise<FileEntry[]> {
  try {
    return await filesOf(context, project)
  } catch (thrown) {
    if (thrown instanceof Fault) return []
    throw thrown
  }
}
