import { z } from 'zod'
import type { Agent } from '../../agents/schema.ts'
import type { Host } from '../../host.ts'
import { type Tool, ToolError, tool } from '../../tools/tool.ts'
import { skillsOf } from './available.ts'
import { builtinSkills } from './builtin.ts'
import { readSkill } from './format.ts'
import type { SkillSummary } from './schema.ts'
import { findSkillByName } from './store.ts'

const skill = tool({
  name: 'skill',
  description:
    'Reads the instructions of one of your skills. Use it before you begin work that the description of a skill fits, ' +
    'and then follow them.',
  input: z.object({ name: z.string().min(1).max(64).describe('As the list of your skills has it') }),
  summary: ({ name }) => `Read the skill ${name}`,
  async run({ name }, { context, agent }) {
    const usable = await skillsOf(context, agent.skills)
    if (!usable.some((candidate) => candidate.name === name))
      throw new ToolError(`There is no skill ${name}; there are: ${usable.map((one) => one.name).join(', ')}`)
    return { name, instructions: await instructionsOf(context, name) }
  },
})

async function instructionsOf(host: Pick<Host, 'sql'>, name: string): Promise<string> {
  const builtin = (await builtinSkills()).find((text) => text.name === name)
  if (builtin) return builtin.body
  const record = await findSkillByName(host, name)
  if (!record) throw new ToolError(`The skill ${name} has just been deleted`)
  return (await readSkill(record.content)).body
}

/**
 * The tool that reads skills, for an agent that has some. Names and descriptions stand in the system prompt; the
 * instructions are read when they are needed, so a skill that is not used costs a line.
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
