import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import { expand, synonyms } from './aliases.ts'
import { type Command, type Entry, type Found, wordsOf } from './command.ts'
import { places } from './places.ts'

interface Group {
  words: readonly string[]
  /** Whether things of the API have the same first word. */
  shared?: boolean
  load(): Promise<{ commands: readonly Command[] }>
}

/** Commands that are more than one call, by first word. Only the group that was called is loaded. */
const groups: readonly Group[] = [
  { words: ['start', 'stop', 'restart', 'status', 'open'], load: () => import('./lifecycle.ts') },
  { words: ['setup', 'key'], shared: true, load: () => import('./access.ts') },
  { words: ['chat'], shared: true, load: () => import('./chat.ts') },
  { words: ['approve'], load: () => import('./approve.ts') },
  { words: ['jobs', 'projects', 'workflows', 'features'], shared: true, load: () => import('./waiting.ts') },
  { words: ['devices'], shared: true, load: () => import('./device.ts') },
  { words: ['logs'], load: () => import('./logs.ts') },
  { words: ['doctor', 'version'], load: () => import('./doctor.ts') },
  { words: ['backup', 'restore'], load: () => import('./backup.ts') },
  { words: ['service'], load: () => import('./service.ts') },
  { words: ['completion'], load: loadCompletion },
  { words: ['api'], load: () => import('./api.ts') },
]

async function loadCompletion(): Promise<{ commands: readonly Command[] }> {
  return { commands: [(await import('./completion.ts')).completion({ find, firstWords })] }
}

const entryOf = (command: Command): Entry => {
  const { usage, what } = command
  return { words: wordsOf(usage), usage, what, load: () => command }
}

/** The commands whose first word is this one. */
export async function entriesOf(word: string): Promise<Entry[]> {
  const group = groups.find(({ words }) => words.includes(word))
  const own = ((await group?.load())?.commands ?? []).map(entryOf).filter(({ words }) => words[0] === word)
  return group && !group.shared ? own : [...own, ...(await derivedEntries(word))]
}

/** The commands of the endpoints of the area that this word names. */
async function derivedEntries(word: string): Promise<Entry[]> {
  const { areas } = await import('../../../handlers/index.ts')
  const area = places[word] ?? word
  const named = areas.filter(({ under }) => under.some((prefix) => wordOfPrefix(prefix) === area))
  const tables = await Promise.all(named.map(async ({ load }) => (await load()) as readonly Endpoint[]))
  const [{ commandOf, usageOf }, { wordsOf }] = await Promise.all([
    import('./derived/command.ts'),
    import('./derived/names.ts'),
  ])
  const entries = tables.flatMap((table) =>
    table.map((endpoint) => ({
      words: wordsOf(endpoint, table),
      what: endpoint.summary,
      get usage() {
        return usageOf(endpoint, table)
      },
      load: () => commandOf(endpoint, table),
    })),
  )
  return entries.filter(({ words }) => words[0] === word)
}

/** The first word of the commands of endpoints under a prefix of a path. */
const wordOfPrefix = (prefix: string): string =>
  prefix === 'api/' ? 'endpoints' : prefix.startsWith('api/') ? prefix.slice(4) : 'root'

/** Every first word of a command. */
export async function firstWords(): Promise<string[]> {
  const { areas } = await import('../../../handlers/index.ts')
  const prefixes = areas.flatMap(({ under }) => under.map(wordOfPrefix))
  return [...new Set([...groups.flatMap(({ words }) => words), ...prefixes, ...Object.keys(places)])].sort()
}

/** The commands that are written by hand. */
export const ownCommands = async (): Promise<Command[]> =>
  (await Promise.all(groups.map(({ load }) => load()))).flatMap(({ commands }) => commands)

/** The command that begins the line: by its own words, by an alias, or by a short name of its verb. */
export async function find(line: readonly string[]): Promise<Found> {
  const own = await match(line)
  if (own.entry && own.entry.words.length > 1) return own
  const expanded = expand(line)
  if (expanded !== line) return match(expanded)
  const other = await match(line, synonymOf)
  // `executions ls` is a list, not the executions of a workflow named `ls`.
  return own.entry && own.entry.words.length >= (other.entry?.words.length ?? 0) ? own : other
}

/** The first word may also be in the singular. */
async function match(line: readonly string[], verbOf = (word: string) => word): Promise<Found> {
  const [first = '', ...more] = line
  const related: Entry[] = []
  for (const name of [first, `${first}s`]) {
    const entries = await entriesOf(name)
    const entry = longest(entries, [name, ...more.map(verbOf)])
    if (entry) return { entry, rest: line.slice(entry.words.length), related: entries }
    related.push(...entries)
  }
  return { entry: undefined, rest: more, related }
}

const synonymOf = (word: string): string => (Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word)

function longest(entries: readonly Entry[], words: readonly string[]): Entry | undefined {
  const matching = entries.filter((entry) => entry.words.every((word, index) => word === words[index]))
  return matching.toSorted((a, b) => b.words.length - a.words.length)[0]
}
