import { Failure, type Found, wordsOf } from './command.ts'
import { groupHelp, helpOf, overview } from './help.ts'
import { nearest } from './nearest.ts'
import { parseCommand } from './parse.ts'
import { entriesOf, find, firstWords, ownCommands } from './registry.ts'

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
  if (/^(help|--help|-h)$/.test(first)) return show(await everything())
  if (/^(--version|-v)$/.test(first)) return run(['version'])
  const match = await find(words)
  const asksHelp = words.includes('--help') || words.includes('-h')
  const isThing = match.related.length > 1 && match.rest.every((word) => word.startsWith('-'))
  if (match.entry && !(asksHelp && isThing && match.entry.words.length === 1)) {
    const command = await match.entry.load()
    if (asksHelp) return show(helpOf(command))
    const { args, values } = parseCommand(command, match.rest)
    return command.run(args, values)
  }
  if (!isThing) throw await unknown(words, match)
  return show(groupHelp(match.related[0]?.words[0] ?? '', match.related))
}

const show = (text: string): void => void process.stdout.write(text)

async function unknown(words: readonly string[], { related }: Found): Promise<Failure> {
  const typed = words.filter((word) => !word.startsWith('-'))
  const names = related.length > 0 ? related.map((entry) => entry.words.join(' ')) : await firstWords()
  const near = nearest(related.length > 0 ? typed.slice(0, 2).join(' ') : (typed[0] ?? ''), names)
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '.'
  const help = related.length > 0 ? `hearthd ${typed[0]} --help` : 'hearthd --help'
  return new Failure(`Unknown command: ${typed.join(' ')}${hint} See ${help}`, { name: 'usage' })
}

async function everything(): Promise<string> {
  const own = await ownCommands()
  const names = new Set(own.map(({ usage }) => wordsOf(usage).join(' ')))
  const things = new Map<string, string[]>()
  for (const word of await firstWords()) {
    const verbs = (await entriesOf(word)).filter((entry) => !names.has(entry.words.join(' ')))
    if (verbs.length > 0) things.set(word, [...new Set(verbs.flatMap((entry) => entry.words[1] ?? []))])
  }
  return overview(own, things)
}

/** Prints the error, as JSON with `--json`, and returns the exit code. */
function report(thrown: unknown, json: boolean): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const isExpected = error instanceof Failure || expected.has(error.name)
  const text = json
    ? JSON.stringify({ error: isExpected ? codeOf(error) : 'internal_error', message: error.message })
    : `hearthd: ${isExpected ? error.message : error.stack}`
  process.stderr.write(`${text}\n`)
  return error instanceof Failure ? error.exit_code : 1
}

/** `CannotListen` → `cannot_listen`; a refusal of the program keeps its code. */
const codeOf = (error: Error & { code?: unknown }) =>
  error.name === 'Fault' ? error.code : error.name.replace(/\B[A-Z]/g, '_$&').toLowerCase()
