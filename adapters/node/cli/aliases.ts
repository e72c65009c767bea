import { places } from './places.ts'

/** Another name of a derived command: the words that it stands for. */
interface Alias {
  /** The words of the command; a function also places the leading arguments. */
  to: string | ((args: readonly string[]) => readonly string[])
  /** Options by their names here: the name there, or words in which `$` is the value. */
  options?: Readonly<Record<string, string | readonly string[]>>
}

/** Short names of verbs, after any thing. */
export const synonyms: Readonly<Record<string, string>> = {
  ls: 'list',
  rm: 'delete',
  new: 'create',
  add: 'create',
  get: 'show',
}

/** Names of commands by their first two words, the thing in the singular. */
export const aliases: Readonly<Record<string, Alias>> = {
  'loop new': {
    to: 'loops create',
    options: {
      agent: 'agent-id',
      criterion: 'success-criteria',
      check: ['--verification', '{"kind":"command"}', '--verification.spec.code', '$'],
      url: ['--verification', '{"kind":"http"}', '--verification.spec.url', '$'],
      ask: ['--verification', '{"kind":"human"}'],
      iterations: 'max-iterations',
      usd: 'budget.usd',
      every: 'interval-seconds',
    },
  },
  'loop logs': { to: 'loops events' },
  'project logs': { to: 'projects events' },
  'job logs': { to: 'jobs runs list', options: { lines: 'limit' } },
  'memory add': { to: 'episodes create' },
  'file put': { to: 'files create' },
  'file get': { to: 'files content' },
  'channel add': {
    to: ([platform = '', name = '']) => ['channels', 'create', platform, '--name', name, '--credentials', '-'],
  },
  'channel pair': {
    to: 'pairings approve',
    options: { owner: ['--role', 'owner'] },
  },
  'channel pairings': { to: 'pairings list' },
  'hook notify': {
    to: ([event = '', message = '']) => [
      'hooks',
      'create',
      event,
      event,
      '--action',
      JSON.stringify({ kind: 'notify', message }),
    ],
    options: { channel: ['--action.channel', 'channel', '--action.channel-id', '$'] },
  },
  'hook send': { to: ([event = '', url = '']) => ['webhooks', 'create', URL.parse(url)?.host ?? url, url, event] },
  'hook receive': {
    to: ([name = '']) => ['webhooks', 'incoming', 'create', name],
    options: { auth: 'auth.kind', message: ['--action.kind', 'agent', '--action.message', '$'] },
  },
  'hook log': { to: ([id = '']) => [...placeOf(id), id.startsWith('hook_') ? 'runs' : 'deliveries', 'list', id] },
  'hook rm': { to: ([id = '']) => [...placeOf(id), 'delete', id] },
  'settings history': { to: 'settings history list' },
  'settings undo': { to: 'settings history undo' },
  'feature plan': { to: 'packs plan' },
}

const placeOf = (id: string): readonly string[] =>
  id.startsWith('whin_') ? ['webhooks', 'incoming'] : id.startsWith('wh_') ? ['webhooks'] : ['hooks']

/** The line without an alias. */
export function expand(line: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = line
  const alias = aliases[`${first} ${second}`] ?? aliases[`${first.replace(/s$/, '')} ${second}`]
  // `scheduler jobs list` is the long form of `jobs list`.
  if (!alias) return Object.hasOwn(places, second) && places[second] === first ? line.slice(1) : line
  const end = rest.findIndex((word) => word.startsWith('-'))
  const args = end < 0 ? rest : rest.slice(0, end)
  const options = end < 0 ? [] : renamed(rest.slice(end), alias.options)
  return typeof alias.to === 'string' ? [...alias.to.split(' '), ...args, ...options] : [...alias.to(args), ...options]
}

function renamed(words: readonly string[], options: Alias['options'] = {}): string[] {
  const queue = [...words]
  const result: string[] = []
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    const there = Object.hasOwn(options, name) ? options[name] : undefined
    if (there === undefined) result.push(word)
    else if (typeof there === 'string') result.push(value === undefined ? `--${there}` : `--${there}=${value}`)
    else result.push(...there.map((part) => (part === '$' ? (value ?? queue.shift() ?? '') : part)))
  }
  return result
}
