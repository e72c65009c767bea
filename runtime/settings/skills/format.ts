import type { z } from 'zod'
import { invalid } from '../../fault.ts'
import { FrontMatter } from './schema.ts'

/** What a `SKILL.md` says. */
export interface SkillText {
  name: string
  description: string
  license: string | null
  compatibility: string | null
  metadata: Record<string, string>
  allowed_tools: string[]
  body: string
  content: string
}

const shape = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/

/** Reads a `SKILL.md`. What does not fit the format is a 422 that names the member of the front matter. */
export async function readSkill(content: string): Promise<SkillText> {
  const [, front = '', body = ''] = shape.exec(content) ?? []
  if (front === '') throw refusal('must begin with YAML front matter between two lines of ---')
  if (body.trim() === '') throw refusal('has no instructions after the front matter')
  const { 'allowed-tools': tools, ...matter } = checkFrontMatter(await parseYaml(front))
  return { ...matter, allowed_tools: tools ?? [], body: body.trim(), content }
}

async function parseYaml(front: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    // Aliases are of no use here, and can stand for a text of any length.
    return parse(front, { maxAliasCount: 0, logLevel: 'error' })
  } catch (thrown) {
    const [reason] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
    throw refusal(`front matter is not valid YAML: ${reason}`)
  }
}

function checkFrontMatter(value: unknown): z.output<typeof FrontMatter> {
  const result = FrontMatter.safeParse(value)
  if (result.success) return result.data
  throw invalid(
    result.error.issues.map(({ path, message }) => ({
      path: ['content', ...path.map(String)].join('.'),
      message,
    })),
  )
}

const refusal = (message: string) => invalid([{ path: 'content', message }])
