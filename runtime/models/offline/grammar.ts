import grammar from './grammar.json' with { type: 'json' }
import type { Intent, Rule, Slots } from './types.ts'

/** A file name in a form: quoted, or with an extension. Its bounds keep the forms that search for it linear. */
const FOLDERS = String.raw`(?:~?/|\.{1,2}/)?(?:[\p{L}\p{N}_-][\p{L}\p{N}_. -]{0,60}?/){0,20}`
const FILE = String.raw`[\p{L}\p{N}_.-]{0,100}[\p{L}\p{N}_-]\.[A-Za-z][A-Za-z0-9]{0,7}`
export const PATH = `(?:"[^"\\n]{1,200}"|'[^'\\n]{1,200}'|${FOLDERS}${FILE})`

/** Types of slots, as in `{path:path}`. */
const TYPES: Record<string, string> = {
  text: '.+?',
  any: '.*',
  line: '[^\\n]+',
  word: '\\S+?',
  name: "\\p{L}[\\p{L}'. -]{0,60}",
  title: '"[^"]+"|[^:,\\n]+?',
  path: PATH,
}

/** What stands for more than itself in a form. */
const SIGNS: Record<string, string> = {
  '(': '(?:',
  '[': '(?:',
  ']': ')?',
  '}': ')',
  ' ': '\\s',
  '*': '.{1,1000}?',
  '#': '(?:\\d[\\d:.]*|an?|half an|one|two|three|four|five|six|ten|twelve|fifteen|twenty|thirty)',
}

/**
 * A form of words as a pattern for a whole request, case ignored: `[optional]`, `(one|other)`, `<part>`, `{slot}`,
 * `{slot:type}`, `{slot=form}`, `*` for any words and `#` for a number.
 */
function compile(form: string): RegExp {
  const source = withParts(form).replace(
    /\{(\w+)(?::(\w+))?(\}|=)|[([\]} *#]|[.?+^$]/g,
    (sign, slot?: string, type = 'text', end?: string) => {
      if (slot === undefined) return SIGNS[sign] ?? `\\${sign}`
      return end === '=' ? `(?<${slot}>` : `(?<${slot}>${TYPES[type]})`
    },
  )
  return new RegExp(`^(?:${source})$`, 'isu')
}

const parts = new Map(Object.entries(grammar.parts))
const withParts = (form: string): string =>
  form.replace(/<(\w+)>/g, (_, name: string) => withParts(parts.get(name) ?? ''))

/** A line "@ 0.9 | slot: value | not: pattern | whole: pattern" has what the forms after it share. */
function rulesOf(lines: readonly string[]): Rule[] {
  const rules: Rule[] = []
  for (const line of lines)
    if (line.startsWith('@ ')) rules.push(headOf(line.slice(2)))
    else rules.at(-1)?.forms.push(compile(line))
  return rules
}

function headOf(line: string): Rule {
  const [score, ...fields] = line.split(' | ')
  const values = fields.map((field) => {
    const colon = field.indexOf(': ')
    return [field.slice(0, colon), field.slice(colon + 2)]
  })
  const { not, whole, ...slots }: Slots = Object.fromEntries(values)
  const pattern = (source?: string) => (source === undefined ? undefined : new RegExp(source, 'iu'))
  return { score: Number(score), slots, forms: [], not: pattern(not), whole: pattern(whole) }
}

/** The words of every intent, in the order of help and of preference when two score alike. */
export const WORDS = Object.entries(grammar.intents).map(([name, { rules, ...words }]) => ({
  name,
  tools: [],
  examples: [],
  ...(words as Partial<Omit<Intent, 'rules'>>),
  rules: rulesOf(rules),
}))
