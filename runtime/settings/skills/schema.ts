import { z } from 'zod'

/** Characters of a whole `SKILL.md`. The format recommends far less. */
export const skillLimit = 100_000

/** As the Agent Skills format has it: lower-case words joined by single hyphens. */
export const SkillName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens')

/** YAML reads `1.0` as a number; the format says text. */
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const toolNames = z
  .union([z.string().transform((names) => names.split(/[\s,]+/)), z.array(z.string())])
  .transform((names) => names.filter((name) => name !== ''))

/** The front matter of a `SKILL.md`; other members are allowed and ignored. https://agentskills.io/specification */
export const FrontMatter = z.object({
  name: SkillName,
  description: z.string().trim().min(1).max(1_024),
  license: text.pipe(z.string().max(500)).nullable().default(null),
  compatibility: text.pipe(z.string().min(1).max(500)).nullable().default(null),
  metadata: z.record(z.string(), text).default({}),
  'allowed-tools': toolNames.nullable().default(null),
})

export const SkillSummary = z.object({
  /** Null for those that come with hearthd. */
  id: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  source: z.enum(['builtin', 'custom']),
  enabled: z.boolean(),
})
export type SkillSummary = z.infer<typeof SkillSummary>

export const Skill = SkillSummary.extend({
  license: z.string().nullable(),
  compatibility: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** Shown only: what a tool may do is decided by the agent and the person, never by a skill. */
  allowed_tools: z.array(z.string()),
  /** The instructions, Markdown. */
  body: z.string(),
  /** The whole `SKILL.md`. */
  content: z.string(),
})
export type Skill = z.infer<typeof Skill>

export const CustomSkill = Skill.extend({
  id: z.string(),
  source: z.literal('custom'),
  created_at: z.string(),
  updated_at: z.string(),
})
export type CustomSkill = z.infer<typeof CustomSkill>

const content = z.string().min(1).max(skillLimit)

export const NewSkill = z.strictObject({ content, enabled: z.boolean().default(true) })
export type NewSkill = z.output<typeof NewSkill>

export const SkillChanges = z.strictObject({ content, enabled: z.boolean() }).partial()
export type SkillChanges = z.infer<typeof SkillChanges>

/** Without `enabled` a toggle turns it round. */
export const Toggle = z.strictObject({ enabled: z.boolean().optional() })
