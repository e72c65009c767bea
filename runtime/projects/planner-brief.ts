import { archetypes, visibleAgents } from '../agents/index.ts'
import { describeNow, profile } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { prompt } from '../prompts/prompt.ts'
import { readSection } from '../sections/section.ts'
import type { Agent } from '../tools/agent.ts'
import { toolsFor } from '../tools/registry.ts'
import { cut, firstSentence } from '../tools/text.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { existingFiles, toolsWithout } from './brief.ts'
import { projectTexts } from './files.ts'
import { listEnded } from './project-store.ts'
import type { Project } from './schema.ts'
import type { StrategyRules } from './strategy.ts'

/** The first instructions for the planner. */
export function plannerInstructions({ sme_archetype }: Project, { advice }: StrategyRules): string {
  const expert = archetypes.find(({ id }) => id === sme_archetype)
  return prompt('planner', { expert: expert?.system_prompt ?? '', advice })
}

export interface PlannerBrief {
  /** What the planner reads after the goal. */
  text: string
  /** Whether it quotes untrusted text. */
  tainted: boolean
  agents: readonly Agent[]
}

/** Characters of the beginnings of files, together and of one. */
const maxBeginnings = 20_000
const maxBeginning = 1_000
const maxListed = 100

/** What is true where the project is carried out: time, person, agents, tools and files. */
export async function plannerBrief(context: Context, project: Project, agent: Agent): Promise<PlannerBrief> {
  const lessons = project.use_lessons ? await lessonsFor(context, project) : ''
  const { display_name } = await readSection(context, profile)
  const without = toolsWithout(project)
  const tools = (await toolsFor(agent, context, { unattended: true })).filter(({ name }) => !without.includes(name))
  const agents = (await visibleAgents(context)).filter(({ enabled }) => enabled)
  const files = (await existingFiles(context, project)).slice(0, maxListed)
  const { texts, tainted } = files.length === 0 ? { texts: {}, tainted: false } : await beginningsOf(context, project)
  const listed = files.map(({ path, size_bytes }) => `${path} (${size_bytes} bytes)`).join('\n')
  const beginnings = Object.entries(texts).map(([path, text]) => `${path}:\n${text}`)
  const text = [
    `${await describeNow(context)}${display_name ? ` The owner is ${display_name}.` : ''}`,
    `Agents that can do a task (agent: their name; without one, ${agent.name}):\n${agents.map(describe).join('\n')}`,
    `Tools:\n${tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`).join('\n') || 'none'}`,
    ...(files.length > 0 ? [`Files in the project folder:\n${wrapUntrusted(listed)}`] : []),
    ...(lessons ? [`How earlier projects ended; avoid what went wrong:\n${wrapUntrusted(lessons)}`] : []),
    ...(beginnings.length > 0 ? [`How they begin:\n${wrapUntrusted(beginnings.join('\n\n'))}`] : []),
  ]
  return { text: text.join('\n\n'), tainted: tainted || lessons !== '', agents }
}

/** Earlier projects that are read, and characters of what they say together. */
const maxEarlier = 5
const maxLessons = 6_000

/** How the owner's last projects ended: their errors, and what their audits found. */
async function lessonsFor(context: Context, { owner_id }: Project): Promise<string> {
  const lines = (await listEnded(context, owner_id, maxEarlier)).flatMap(({ name, status, error, audit }) => [
    `${name} (${status}${audit ? `, score ${audit.score}` : ''})${error ? `: ${error}` : ''}`,
    ...(audit?.findings ?? [])
      .filter(({ severity }) => severity !== 'info')
      .map(({ message, suggestion }) => `- ${message}${suggestion ? ` ${suggestion}` : ''}`),
  ])
  return cut(lines.join('\n'), maxLessons).text
}

const beginningsOf = (context: Context, project: Project) =>
  projectTexts(context, project, { max_chars: maxBeginnings, max_each: maxBeginning })

const describe = ({ name, description }: Agent): string =>
  `- ${name}${description ? `: ${firstSentence(description)}` : ''}`
