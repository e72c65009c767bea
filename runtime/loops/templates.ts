import { invalidField, notFound } from '../fault.ts'
import { type LoopTemplate, NewLoop } from './schema.ts'

type Draft = Omit<LoopTemplate, 'loop'> & { loop: Partial<NewLoop> & { goal: string } }

const drafts: Draft[] = [
  {
    id: 'wait-for-site',
    name: 'Wait until a site answers',
    description: 'Looks at an address every few minutes until it answers, and says what it shows.',
    offline: true,
    inputs: [{ name: 'url', label: 'Address', example: 'https://example.com/health' }],
    loop: {
      goal: 'Fetch {{url}}',
      verification: { kind: 'http', spec: { url: '{{url}}' } },
      interval_seconds: 300,
      max_iterations: 100,
      on_blocked: 'pause',
    },
  },
  {
    id: 'collect-lines',
    name: 'Add to a list until it is long enough',
    description: 'Adds a line to a file in each iteration until the file has the wanted number of lines.',
    offline: true,
    inputs: [
      { name: 'text', label: 'Line to add', example: 'Stretched for five minutes' },
      { name: 'count', label: 'Lines in the end', example: '3' },
    ],
    loop: {
      goal: 'Append "{{text}}" to list.md',
      verification: {
        kind: 'command',
        spec: {
          language: 'javascript',
          code: "const lines = (input.files['list.md'] ?? '').split('\\n').filter(Boolean)\nreturn { complete: lines.length >= Number('{{count}}'), missing: ['more lines'], evidence: lines.length + ' lines' }",
        },
      },
      interval_seconds: 3_600,
    },
  },
  {
    id: 'review-with-me',
    name: 'Do it until I am content',
    description: 'Does the work, shows you the result, and does it again as you say until you accept it.',
    offline: true,
    inputs: [{ name: 'goal', label: 'What to do', example: 'Write "Dear guests, welcome" to invitation.md' }],
    loop: {
      goal: '{{goal}}',
      verification: {
        kind: 'human',
        spec: { question: 'Is this what you wanted? If not, say what to change.' },
      },
    },
  },
  {
    id: 'write-and-improve',
    name: 'Write and improve a text',
    description: 'Writes a text and improves it until a second model finds nothing missing.',
    offline: false,
    inputs: [
      { name: 'topic', label: 'Topic', example: 'The history of tea in Britain' },
      { name: 'length', label: 'Words', example: '800' },
    ],
    loop: {
      goal: 'Write an article about {{topic}} with about {{length}} words to article.md, and improve it in each iteration.',
      success_criteria: [
        'article.md has about {{length}} words and covers the topic',
        'It is well structured, correct and free of repetition',
      ],
      max_iterations: 6,
    },
  },
  {
    id: 'research',
    name: 'Research until the questions are answered',
    description: 'Searches and reads sources until every question has an answer with at least two of them.',
    offline: false,
    inputs: [{ name: 'questions', label: 'Questions', example: 'Which heat pumps fit a house of 1970?' }],
    loop: {
      goal: 'Research and write to research.md: {{questions}}',
      success_criteria: ['Every question has an answer', 'Every answer names at least two sources with addresses'],
      constraints: 'Quote no source that was not read.',
      max_iterations: 10,
    },
  },
  {
    id: 'valid-json',
    name: 'Produce data that passes a check',
    description: 'Produces a JSON file until a JavaScript check accepts it.',
    offline: false,
    inputs: [
      { name: 'data', label: 'Data', example: 'The planets with their names and radii in km' },
      { name: 'count', label: 'Entries at least', example: '8' },
    ],
    loop: {
      goal: 'Write a JSON array to data.json: {{data}}',
      verification: {
        kind: 'command',
        spec: {
          language: 'javascript',
          code: "const list = JSON.parse(input.files['data.json'] ?? 'null')\nif (!Array.isArray(list)) return { complete: false, missing: ['data.json is not a JSON array'] }\nreturn { complete: list.length >= Number('{{count}}'), missing: ['more entries'], evidence: list.length + ' entries' }",
        },
      },
      max_iterations: 8,
    },
  },
  {
    id: 'tidy-notes',
    name: 'Tidy up notes',
    description: 'Goes through the files of the workspace and puts them in order until a second model is content.',
    offline: false,
    inputs: [{ name: 'rules', label: 'Rules', example: 'One file per topic, newest entry first' }],
    loop: {
      goal: 'Tidy up the files of the workspace, a few in each iteration. Rules: {{rules}}',
      success_criteria: ['Every file follows the rules', 'No content is lost'],
      constraints: 'Delete nothing; move it instead.',
      max_iterations: 15,
    },
  },
]

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
