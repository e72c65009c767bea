import texts from './builtin.json' with { type: 'json' }
import type { SkillText } from './schema.ts'

const shape = /^---\nname: (.*)\ndescription: (.*)\n---\n([\s\S]*)$/

/** The built-in skills. They have a name and a description, without YAML's quotation marks, so no YAML parser is loaded. */
export const builtinSkills: readonly SkillText[] = Object.values(texts).map((content) => {
  const [, name = '', description = '', body = ''] = shape.exec(content) ?? []
  const none = { license: null, compatibility: null, metadata: {}, allowed_tools: [] }
  return { name, description, ...none, body: body.trim(), content }
})
