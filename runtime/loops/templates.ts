import { invalidField, notFound } from '../fault.ts'
import { type LoopTemplate, NewLoop } from './schema.ts'
import texts from './templates.json' with { type: 'json' }

type Draft = Omit<LoopTemplate, 'loop'> & { loop: Partial<NewLoop> & { goal: string } }

const drafts = texts as Draft[]

/** Ready-made loops, filled in with the examples. */
export const templates: LoopTemplate[] = drafts.map((draft) => ({
  ...draft,
  loop: loopFrom(draft.id, Object.fromEntries(draft.inputs.map(({ name, example }) => [name, example]))),
}))

/** The loop of a template with its inputs filled in. */
export function loopFrom(id: string, values: Readonly<Record<string, string>>): NewLoop {
  const draft = drafts.find((one) => one.id === id)
  if (!draft) throw notFound(`The template ${id}`)
  for (const { name } of draft.inputs) if (!values[name]?.trim()) throw invalidField(`values.${name}`, 'is required')
  const parsed = NewLoop.safeParse({ name: draft.name, ...(filled(draft.loop, values) as Partial<NewLoop>) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalidField('values', `${issue?.path.join('.')}: ${issue?.message}`)
}

/** The value with its placeholders replaced. In code they are inside string literals, so they are escaped. */
function filled(value: unknown, values: Readonly<Record<string, string>>, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, values))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, filled(one, values, name)]))
  if (typeof value !== 'string') return value
  return value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const text = values[name]?.trim() ?? ''
    return key === 'code' ? JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'") : text
  })
}
