import { z } from 'zod'
import { invalid } from '../../fault.ts'
import { errorMessage } from '../../thrown.ts'
import { readable } from '../../validation.ts'

/** Characters of a `SKILL.md`. The format recommends far fewer. */
const skillLimit = 100_000

const SkillName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens')

/** YAML parses `1.0` as a number; the format says text. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const toolNames = z
  .union([z.string().transform((names) => names.split(/[\s,]+/)), z.array(z.string())])
  .transform((names) => names.filter((name) => name !== ''))

/** The front matter of a `SKILL.md`; other members are ignored. https://agentskills.io/specification */
const FrontMatter = z.object({
  name: SkillName,
  description: z.string().trim().min(1).max(1_024),
  license: text.pipe(z.string().max(500)).nullable().default(null),
  compatibility: text.pipe(z.string().min(1).max(500)).nullable().default(null),
  metadata: z.record(z.string(), text).default({}),
  'allowed-tools': toolNames.nullable().default(null),
})

export const SkillSummary = z.object({
  /** Null for a built-in skill. */
  id: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  source: z.enum(['builtin', 'custom']),
  enabled: z.boolean(),
})
export type SkillSummary = z.infer<typeof SkillSummary>

/** What a `SKILL.md` contains besides name and description. */
export const parsed = {
  license: z.string().nullable(),
  compatibility: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** For information: the agent and the user decide what a tool may do, never a skill. */
  allowed_tools: z.array(z.string()),
  /** The instructions, Markdown. */
  body: z.string(),
}

export const Skill = SkillSummary.extend({
  ...parsed,
  /** The whole `SKILL.md`. */
  content: z.string(),
})
export type Skill = z.infer<typeof Skill>

/** What people set. */
export const fields = {
  content: z.string().min(1).max(skillLimit).meta({
    title: 'SKILL.md',
    description: 'Name and description between the --- lines, then the instructions in Markdown',
    format: 'markdown',
  }),
  enabled: z.boolean().default(true).meta({ title: 'Agents may use it' }),
}

/** Without `enabled`, the state is toggled. */
export const Toggle = z.strictObject({ enabled: z.boolean().optional() })

/** A parsed `SKILL.md`. */
export type SkillText = Omit<Skill, 'id' | 'source' | 'enabled'>

const skillShape = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/

/** Parses a `SKILL.md`. Throws a 422 that names the wrong member of the front matter. */
export async function readSkill(content: string): Promise<SkillText> {
  const [, front = '', body = ''] = skillShape.exec(content) ?? []
  if (front === '') throw refusal('must begin with YAML front matter between two lines of ---')
  if (body.trim() === '') throw refusal('has no instructions after the front matter')
  const { 'allowed-tools': tools, ...matter } = checkFrontMatter(await parseYaml(front))
  return { ...matter, allowed_tools: tools ?? [], body: body.trim(), content }
}

async function parseYaml(front: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    // Aliases can expand to a text of any length.
    return parse(front, { maxAliasCount: 0, logLevel: 'error' })
  } catch (thrown) {
    const [reason] = errorMessage(thrown).split('\n')
    throw refusal(`front matter is not valid YAML: ${reason}`)
  }
}

function checkFrontMatter(value: unknown): z.output<typeof FrontMatter> {
  const result = FrontMatter.safeParse(value, readable)
  if (result.success) return result.data
  throw invalid(
    result.error.issues.map(({ path, message }) => ({
      path: ['content', ...path.map(String)].join('.'),
      message,
    })),
  )
}

const refusal = (message: string) => invalid([{ path: 'content', message }])
