import sade from 'sade'
import { defined } from '../../../runtime/values.ts'
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

/** `--max_iterations` is `--max-iterations`. */
const hyphenated = (word: string): string => word.replace(/^--[\w.-]+/, (flag) => flag.replaceAll('_', '-'))

/** The options as sade reads them. */
function parsed(command: Command, options: Record<string, Option>, words: readonly string[]) {
  const program = sade('hearthd', true)
  for (const [name, option] of Object.entries(options))
    program.option(flagsOf(name, option).join(', '), option.what, option.default)
  const names = Object.keys(options)
  const called = program.parse(['', '', ...explicit(command, options, words)], {
    lazy: true,
    string: names.filter((name) => options[name]?.value),
    boolean: names.filter((name) => !options[name]?.value),
    unknown(flag) {
      throw usageError(command, unknownReason(flag, options))
    },
  })
  const read = (called?.args.at(-1) ?? {}) as unknown as { _?: string[]; [name: string]: unknown }
  const values = names.map((name) => {
    const typed = read[name]
    // Of an option given twice, the last value counts.
    return [name, options[name]?.multiple && typed !== undefined ? [typed].flat() : [typed].flat().at(-1)]
  })
  return { args: (read._ ?? []).map(String), values: defined(Object.fromEntries(values)) }
}

/** Each option with its value in one word: sade would read the word after a flag as its value, and none as empty. */
function explicit(command: Command, options: Record<string, Option>, words: readonly string[]): string[] {
  const result: string[] = []
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag = '', value] = word.split('=')
    const [name, option] = Object.entries(options).find((entry) => flagsOf(...entry).includes(flag)) ?? []
    if (word === '--' || !option || (option.value && value !== undefined)) {
      result.push(word, ...(word === '--' ? rest.splice(0) : []))
    } else if (!option.value) {
      if (value !== undefined && !/^(true|false)$/.test(value)) throw usageError(command, `--${name} takes no value`)
      result.push(`${flag}=${value ?? true}`)
    } else {
      const [next] = rest
      const hint = next === undefined ? '' : `; if it begins with -, write --${name}=…`
      if (next === undefined || /^-./.test(next))
        throw usageError(command, `--${name} needs a <${option.value}>${hint}`)
      result.push(`${flag}=${rest.shift()}`)
    }
  }
  return result
}

const flagsOf = (name: string, { short }: Option) => [...(short ? [`-${short}`] : []), `--${name}`]

function unknownReason(flag: string, options: Record<string, Option>): string {
  const near = nearest(flag.replace(/^-+/, ''), Object.keys(options)).map((one) => `--${one}`)
  return `Unknown option '${flag}'${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`
}

export const usageError = ({ usage }: Pick<Command, 'usage'>, reason: string): Failure =>
  new Failure(`${reason}${reason.endsWith('?') ? '' : '.'} See hearthd ${wordsOf(usage).join(' ')} --help`, {
    name: 'usage',
  })
