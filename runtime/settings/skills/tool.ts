import { z } from 'zod'
import type { Host } from '../../host.ts'
import type { Agent } from '../../tools/agent.ts'
import { type Tool, ToolError, tool } from '../../tools/tool.ts'
import { builtinSkills } from './builtin.ts'
import { readSkill, type SkillSummary } from './schema.ts'
import { skillsOf } from './skills.ts'
import { customSkills } from './store.ts'

const skill = tool({
  name: 'skill',
  description:
    'Reads the instructions of one of your skills. Use it before you begin work that fits the description of a skill, ' +
    'then follow the instructions.',
  input: z.object({ name: z.string().min(1).max(64).describe('As in the list of your skills') }),
  summary: ({ name }) => `Read the skill ${name}`,
  async run({ name }, { context, agent }) {
    const usable = await skillsOf(context, agent.skills)
    if (!usable.some((candidate) => candidate.name === name))
      throw new ToolError(`There is no skill ${name}; there are: ${usable.map((one) => one.name).join(', ')}`)
    return { name, instructions: await instructionsOf(context, name) }
  },
})

async function instructionsOf(host: Pick<Host, 'sql'>, name: string): Promise<string> {
  const builtin = builtinSkills.find((text) => text.name === name)
  if (builtin) return builtin.body
  const record = await customSkills.find(host, { name })
  if (!record) throw new ToolError(`The skill ${name} was deleted`)
  return (await readSkill(record.content)).body
}

/**
 * The tool that reads skills, for an agent with skills. The system prompt lists names and descriptions; instructions
 * are read when needed, so an unused skill costs one line.
 */
export async function skillTool(host: Pick<Host, 'sql'>, agent: Agent): Promise<Tool[]> {
  const skills = await skillsOf(host, agent.skills)
  return skills.length === 0 ? [] : [{ ...skill, prompt: promptOf(skills) }]
}

const promptOf = (skills: readonly SkillSummary[]): string =>
  [
    'You have skills: instructions for kinds of work. When one fits what is asked, read it with the tool skill first.',
    ...skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ')}`),
  ].join('\n')
