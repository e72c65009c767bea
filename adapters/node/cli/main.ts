import sade from 'sade'
import { defaultConfig } from '../../../runtime/config.ts'
import { variables } from '../environment.ts'
import { type Command, Failure, type Option } from './command.ts'

/** Command groups by first word. Only the group that was called is loaded. */
const groups: readonly { words: readonly string[]; load(): Promise<{ commands: readonly Command[] }> }[] = [
  { words: ['start', 'stop', 'restart', 'status', 'open'], load: () => import('./lifecycle.ts') },
  { words: ['setup', 'key'], load: () => import('./access.ts') },
  { words: ['chat'], load: () => import('./chat.ts') },
  { words: ['job'], load: () => import('./job.ts') },
  { words: ['project'], load: () => import('./project.ts') },
  { words: ['loop'], load: () => import('./loop.ts') },
  { words: ['channel'], load: () => import('./channel.ts') },
  { words: ['workflow'], load: () => import('./workflow.ts') },
  { words: ['hook'], load: () => import('./hook.ts') },
  { words: ['device'], load: () => import('./device.ts') },
  { words: ['approve'], load: () => import('./approve.ts') },
  { words: ['memory', 'agent', 'file'], load: () => import('./library.ts') },
  {
    words: ['completion'],
    load: async () => ({ commands: [(await import('./completion.ts')).completion(allCommands)] }),
  },
  { words: ['logs'], load: () => import('./logs.ts') },
  { words: ['doctor', 'version'], load: () => import('./doctor.ts') },
  { words: ['features'], load: () => import('./features.ts') },
  { words: ['backup', 'restore'], load: () => import('./backup.ts') },
  { words: ['settings'], load: () => import('./settings.ts') },
  { words: ['service'], load: () => import('./service.ts') },
]

/** Errors whose message is all that a person needs; a stack would only hide it. */
const expected = new Set([
  'CannotListen',
  'FolderInUse',
  'FolderUnusable',
  'StoreDamaged',
  'WrongEncryptionKey',
  'WrongMasterKey',
  'NewerSchema',
  'UnreleasedSchema',
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
  if (/^(help|--help|-h|--version|-v)$/.test(first))
    return programOf(await allCommands()).parse(['', '', first.replace(/^help$/, '--help')])
  const found = (await groups.find((group) => group.words.includes(first))?.load())?.commands ?? []
  const command = found.findLast(({ usage }) => wordsOf(usage).every((word, index) => word === words[index]))
  if (command) return call(command, words)
  const related = found.some(({ usage }) => usage.startsWith(`${first} `))
  if (related && words.length === 1 + Number(wantsHelp(words))) return programOf(found).help()
  throw new Failure(`Unknown command: ${words.join(' ')}. See hearthd --help`, { name: 'usage' })
}

export const allCommands = async () =>
  (await Promise.all(groups.map(({ load }) => load()))).flatMap(({ commands }) => commands)

function programOf(commands: readonly Command[]): sade.Sade {
  const program = sade('hearthd').version(defaultConfig.version)
  for (const command of commands) {
    program.command(command.usage, command.what)
    for (const [name, option] of Object.entries(command.options)) {
      const { value, what, default: fallback } = option
      program.option(flagsOf(name, option).join(', '), value ? `<${value}>  ${what}` : what, fallback)
    }
    for (const example of command.examples ?? []) program.example(example)
  }
  return program
}

function call(command: Command, words: string[]): unknown {
  const help = wantsHelp(words)
  const required = command.usage.match(/<\w+>/g) ?? []
  // sade ends the process if a required argument is missing, so only the help declares arguments as required.
  const usage = help ? command.usage : command.usage.replaceAll('<', '[').replaceAll('>', ']')
  const names = Object.keys(command.options)
  const line = ['', '', ...(help ? words : explicit(command, words))]
  const called = programOf([{ ...command, usage }]).parse(line, {
    lazy: true,
    string: names.filter((name) => command.options[name]?.value),
    boolean: names.filter((name) => !command.options[name]?.value),
    unknown(flag) {
      throw usageError(command, `Unknown option '${flag}'`)
    },
  })
  if (!called) return void (command.usage === 'start' && process.stdout.write(variablesHelp()))
  const { _: surplus, ...parsed } = called.args.pop() as unknown as { _: string[]; [name: string]: unknown }
  const args = called.args.filter((given) => given !== undefined)
  if (args.length < required.length) throw usageError(command, `${required[args.length]} is missing`)
  if (surplus.length > 0) throw usageError(command, `Unexpected argument: ${surplus[0]}`)
  // Of an option given twice, the last value counts.
  const values = names.map((name) => [name, [parsed[name]].flat().at(-1)])
  return command.run(args, Object.fromEntries(values))
}

/** sade would read the word after a flag as its value, and an option without a value as empty. */
function explicit(command: Command, words: string[]): string[] {
  const options = Object.entries(command.options)
  return words.map((word, index) => {
    const [name, option] = options.find((entry) => flagsOf(...entry).includes(word)) ?? []
    if (!option || words.lastIndexOf('--', index) >= 0) return word
    if (!option.value) return `${word}=true`
    const value = words[index + 1]
    if (value === undefined || value.startsWith('-'))
      throw usageError(command, `--${name} needs a <${option.value}>`)
    return word
  })
}

const flagsOf = (name: string, { short }: Option) => [...(short ? [`-${short}`] : []), `--${name}`]
const wordsOf = (usage: string) => usage.split(' ').filter((word) => /^\w/.test(word))
const wantsHelp = (words: string[]) => words.includes('--help') || words.includes('-h')
const usageError = ({ usage }: Command, reason: string) =>
  new Failure(`${reason}. See hearthd ${wordsOf(usage).join(' ')} --help`, { name: 'usage' })

function variablesHelp(): string {
  const lines = Object.values(variables).flatMap(({ name, default: fallback, what }) => [
    `    ${name}${fallback === '' ? '' : `  (default ${fallback})`}`,
    `        ${what}`,
  ])
  return `  Environment\n${lines.join('\n')}\n\n`
}

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
