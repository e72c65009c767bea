import sade from 'sade'
import { type Command, Failure, type Option, type Values, wordsOf } from './command.ts'
import { nearest } from './nearest.ts'

/** The arguments and options of a command that was found by its first words. */
export function parseCommand(command: Command, typed: readonly string[]): { args: string[]; values: Values } {
  const words = typed.map(hyphenated)
  const options: Record<string, Option> = { ...command.options }
  for (const [, name = ''] of words.join('\n').matchAll(/^--([\w.-]+)/gm)) {
    const option = name in options ? undefined : command.optionNamed?.(name)
    if (option) options[name] = option
  }
  const { args, values } = parsed(command, options, words)
  const required = command.usage.match(/<[\w-]+>/g) ?? []
  const accepted = command.usage.match(/[<[][\w-]+/g) ?? []
  if (args.length < required.length) throw usageError(command, `${required[args.length]} is missing`)
  const surplus = args[accepted.length]
  if (surplus !== undefined) throw usageError(command, `Unexpected argument: ${surplus}`)
  return { args, values: values as Values }
}

/** `--max_iterations` is `--max-iterations`, `--enabled=false` is `--no-enabled`. */
const hyphenated = (word: string): string => {
  const [, flag = '', value = ''] = /^(--[\w.-]+)(.*)$/s.exec(word) ?? []
  if (flag === '') return word
  if (/^=(true|false)$/.test(value)) return word.replaceAll('_', '-')
  return flag.replaceAll('_', '-') + value
}

/**
 * The options as sade reads them. It has `--help` and `--version` of its own, so the names that it sees have a prefix, and it
 * would read the word after a flag as the value of the flag.
 */
function parsed(command: Command, options: Record<string, Option>, words: readonly string[]) {
  const program = sade('hearthd', true)
  for (const [name, { what, default: fallback }] of Object.entries(options))
    program.option(`--${prefix}${name}`, what, fallback)
  const namesOf = (isFlag: boolean) =>
    Object.keys(options)
      .filter((name) => (options[name]?.value === undefined) === isFlag)
      .map((name) => prefix + name)
  const called = program.parse(['', '', ...explicit(command, options, words)], {
    lazy: true,
    string: namesOf(false),
    boolean: namesOf(true),
  })
  const { _: args = [], ...read } = (called?.args.at(-1) ?? {}) as unknown as {
    _?: string[]
    [name: string]: unknown
  }
  const values = Object.entries(options).flatMap(([name, { multiple }]) => {
    const typed = read[prefix + name]
    if (typed === undefined) return []
    // Of an option given twice, the last value counts.
    return [[name, multiple ? [typed].flat() : [typed].flat().at(-1)]]
  })
  return { args: args.map(String), values: Object.fromEntries(values) as Record<string, unknown> }
}

const prefix = 'o.'

/** Each option with its value in one word, checked. */
function explicit(command: Command, options: Record<string, Option>, words: readonly string[]): string[] {
  const end = words.indexOf('--')
  const result: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if ((end >= 0 && at >= end) || !/^-./.test(word) || /^-\d/.test(word)) {
      result.push(word)
      continue
    }
    const [, negated = '', typed = '', given] = /^--?(no-)?([\w.-]+)(?:=(.*))?$/s.exec(word) ?? []
    const isLong = word.startsWith('--')
    const named = isLong ? typed : Object.keys(options).find((name) => options[name]?.short === typed)
    const name = named !== undefined && named in options ? named : `${negated}${named ?? ''}`
    const option = options[name]
    if (!option) throw usageError(command, unknownReason(word.replace(/=.*/s, ''), options))
    if (option.value === undefined) {
      if (given !== undefined && !/^(true|false)$/.test(given))
        throw usageError(command, `--${name} takes no value`)
      result.push(`--${prefix}${name}=${negated === '' ? (given ?? 'true') : 'false'}`)
      continue
    }
    const next = words[at + 1]
    if (given === undefined && (next === undefined || /^-./.test(next)))
      throw usageError(
        command,
        `--${name} needs a <${option.value}>${next === undefined ? '' : `; if it begins with -, write --${name}=…`}`,
      )
    result.push(`--${prefix}${name}=${given ?? next}`)
    if (given === undefined) at += 1
  }
  return result
}

function unknownReason(flag: string, options: Record<string, Option>): string {
  const near = nearest(flag.replace(/^-+/, ''), Object.keys(options)).map((one) => `--${one}`)
  return `Unknown option '${flag}'${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`
}

export const usageError = ({ usage }: Pick<Command, 'usage'>, reason: string): Failure =>
  new Failure(`${reason}${reason.endsWith('?') ? '' : '.'} See hearthd ${wordsOf(usage).join(' ')} --help`, {
    name: 'usage',
  })
