import { parseArgs } from 'node:util'
import { defaultConfig } from '../../../runtime/config.ts'
import { variables } from '../environment.ts'
import { type Command, Failure, type Option, type Values } from './command.ts'

/** Command groups by first word. Only the group that was called is loaded. */
const groups: readonly { words: readonly string[]; load(): Promise<{ commands: readonly Command[] }> }[] = [
  { words: ['start', 'stop', 'restart', 'status', 'open'], load: () => import('./lifecycle.ts') },
  { words: ['setup', 'key'], load: () => import('./access.ts') },
  { words: ['chat'], load: () => import('./chat.ts') },
  { words: ['job'], load: () => import('./job.ts') },
  { words: ['logs'], load: () => import('./logs.ts') },
  { words: ['doctor', 'version'], load: () => import('./doctor.ts') },
  { words: ['features'], load: () => import('./features.ts') },
  { words: ['backup', 'restore'], load: () => import('./backup.ts') },
  { words: ['service'], load: () => import('./service.ts') },
]

/** Errors whose message is all that a person needs; a stack would only hide it. */
const expected = new Set([
  'CannotListen',
  'FolderInUse',
  'FolderUnusable',
  'StoreDamaged',
  'WrongEncryptionKey',
  'NewerSchema',
  'WrongVariable',
  'StoreUnavailable',
  'Fault',
])

/** Runs one command line. Exit codes: 0 success, 1 failure, 130 cancelled at the keyboard. */
export async function main(argv: string[]): Promise<void> {
  const words = argv.slice(2)
  try {
    const code = await run(words)
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (thrown) {
    process.exitCode = report(thrown, words.includes('--json'))
  }
}

async function run(words: string[]): Promise<unknown> {
  const [first = 'help'] = words
  if (first === '--version' || first === '-v') return say(`hearthd ${defaultConfig.version}`)
  if (/^(help|--help|-h)$/.test(first)) return say(overview(await allCommands()))
  const group = groups.find((candidate) => candidate.words.includes(first))
  const found = (await group?.load())?.commands ?? []
  const command = found.findLast(({ usage }) => wordsOf(usage).every((word, index) => word === words[index]))
  if (command) return call(command, words.slice(wordsOf(command.usage).length))
  const related = found.filter(({ usage }) => usage.startsWith(`${first} `))
  if (related.length > 0 && words.length === 1 + Number(wantsHelp(words))) return say(overview(related))
  throw new Failure(`Unknown command: ${words.join(' ')}. See hearthd --help`, { name: 'usage' })
}

export const allCommands = async () =>
  (await Promise.all(groups.map(({ load }) => load()))).flatMap(({ commands }) => commands)

function call(command: Command, words: string[]): unknown {
  if (wantsHelp(words)) return say(help(command))
  const { values, positionals } = parse(command, words)
  const needed = command.usage.match(/<\w+>/g) ?? []
  const allowed = command.usage.match(/[<[]\w+[>\]]/g) ?? []
  if (positionals.length < needed.length)
    throw usageError(command, `${needed[positionals.length]} is missing`)
  if (positionals.length > allowed.length)
    throw usageError(command, `Unexpected argument: ${positionals[allowed.length]}`)
  return command.run(positionals, values)
}

function parse(command: Command, args: string[]): { values: Values; positionals: string[] } {
  const options = Object.entries(command.options).map(([name, { value, short, default: fallback }]) => [
    name,
    { type: value ? 'string' : 'boolean', ...(short && { short }), ...(fallback && { default: fallback }) },
  ])
  try {
    const config = { args, options: Object.fromEntries(options), allowPositionals: true } as const
    return parseArgs(config) as { values: Values; positionals: string[] }
  } catch (thrown) {
    const [reason = ''] = (thrown as Error).message.split(/\. |\n/)
    throw usageError(command, reason)
  }
}

const wordsOf = (usage: string) => usage.split(' ').filter((word) => /^\w/.test(word))
const wantsHelp = (words: string[]) => words.includes('--help') || words.includes('-h')

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

const usageError = ({ usage }: Command, reason: string) =>
  new Failure(`${reason}. See hearthd ${wordsOf(usage).join(' ')} --help`, { name: 'usage' })

const overview = (commands: readonly Command[]) =>
  [
    '  Usage',
    '    hearthd <command> [options]',
    '',
    '  Commands',
    ...columns(commands.map(({ usage, what }) => [usage, what])),
    '',
    '  hearthd <command> --help explains a command',
    '',
  ].join('\n')

function help({ usage, what, options, examples = [] }: Command): string {
  const rows = [...Object.entries(options), ['help', { what: 'Show this help', short: 'h' }] as const]
  const lines = [`  ${what}`, '', '  Usage', `    hearthd ${usage} [options]`]
  lines.push(
    '',
    '  Options',
    ...columns(rows.map(([name, option]) => [flagsOf(name, option), whatOf(option)])),
  )
  if (examples.length > 0) lines.push('', '  Examples', ...examples.map((line) => `    hearthd ${line}`))
  if (usage === 'start') lines.push('', '  Environment', ...variableLines())
  return `${lines.join('\n')}\n`
}

const flagsOf = (name: string, { short, value }: Option) =>
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`
const whatOf = ({ what, default: fallback }: Option) => (fallback ? `${what} (default ${fallback})` : what)

function columns(rows: (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `    ${left.padEnd(width)}  ${right}`)
}

const variableLines = () =>
  Object.values(variables).flatMap(({ name, default: fallback, what }) => [
    `    ${name}${fallback === '' ? '' : `  (default ${fallback})`}`,
    `        ${what}`,
  ])

/** Prints the error, as JSON with `--json`, and returns the exit code. */
function report(thrown: unknown, json: boolean): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const known = error instanceof Failure || expected.has(error.name)
  const text = json
    ? JSON.stringify({ error: known ? codeOf(error) : 'internal_error', message: error.message })
    : `hearthd: ${known ? error.message : error.stack}`
  process.stderr.write(`${text}\n`)
  return error instanceof Failure ? error.exit_code : 1
}

/** `CannotListen` → `cannot_listen`; a refusal of the program keeps its code. */
const codeOf = (error: Error & { code?: unknown }) =>
  error.name === 'Fault' ? error.code : error.name.replace(/\B[A-Z]/g, '_$&').toLowerCase()
