import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
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
  const { positionals: args, values } = parsed(command, options, words)
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

function parsed(command: Command, options: Record<string, Option>, words: string[]) {
  const config: ParseArgsOptionsConfig = {}
  for (const [name, { value, short, multiple, default: fallback }] of Object.entries(options))
    config[name] = {
      type: value ? 'string' : 'boolean',
      ...(short && { short }),
      ...(multiple && { multiple }),
      ...(fallback !== undefined && { default: fallback }),
    }
  const args = words.map((word) => {
    const [, name = '', value] = /^--([\w.-]+)=(true|false)$/.exec(word) ?? []
    return config[name]?.type === 'boolean' ? (value === 'true' ? `--${name}` : `--no-${name}`) : word
  })
  try {
    return parseArgs({ args, options: config, allowPositionals: true, allowNegative: true })
  } catch (thrown) {
    throw usageError(command, reasonOf(thrown as Error & { code?: string }, options))
  }
}

function reasonOf({ code, message }: Error & { code?: string }, options: Record<string, Option>): string {
  const flag = /'(?:-\w, )?(--?[\w.-]+)/.exec(message)?.[1] ?? ''
  const name = flag.replace(/^--/, '')
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearest(name.replace(/^-/, ''), Object.keys(options)).map((one) => `--${one}`)
    return `Unknown option '${flag}'${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`
  }
  const value = options[name]?.value
  if (value === undefined) return `${flag} takes no value`
  return message.includes('ambiguous')
    ? `${flag} needs a <${value}>; if it begins with -, write ${flag}=…`
    : `${flag} needs a <${value}>`
}

export const usageError = ({ usage }: Pick<Command, 'usage'>, reason: string): Failure =>
  new Failure(`${reason}${reason.endsWith('?') ? '' : '.'} See hearthd ${wordsOf(usage).join(' ')} --help`, {
    name: 'usage',
  })
