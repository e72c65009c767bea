const people = [
  'Ana Silva',
  'Ben Fischer',
  'Clara Rossi',
  'David Cohen',
  'Emma Larsen',
  'Farid Haddad',
  'Grace Okafor',
  'Hugo Martin',
]
const cities = ['Lisbon', 'Berlin', 'Rome', 'Vienna', 'Oslo', 'Cairo', 'Lagos', 'Paris']
const firms = ['Acme Energy', 'Northwind', 'Globex', 'Initech', 'Umbrella Labs', 'Stark Tools']
const plants = ['roses', 'tomatoes', 'tulips', 'beans', 'apple trees', 'onions']
const tools = ['TypeScript', 'SQLite', 'Docker', 'Figma', 'Postgres', 'Grafana']

const take = (list: readonly string[], place: number) => list[place % list.length] ?? ''

type Sentence = (place: number) => { content: string; topics: string[] }

const sentences: Sentence[] = [
  (n) => ({
    content: `${take(people, n)} lives in ${take(cities, n + Math.floor(n / 48))}.`,
    topics: ['people'],
  }),
  (n) => ({ content: `${take(people, n)} works at ${take(firms, n)}.`, topics: ['people', 'work'] }),
  (n) => ({
    content: `The garden needs water and soil for the ${take(plants, n)} in week ${n % 40}.`,
    topics: ['garden'],
  }),
  (n) => ({
    content: `Booked a train ticket with a seat and luggage to ${take(cities, n)} for trip ${n}.`,
    topics: ['travel'],
  }),
  (n) => ({
    content: `${take(people, n)} uses ${take(tools, n)} for release ${n} of the project.`,
    topics: ['software'],
  }),
  (n) => ({
    content: `For dinner number ${n} ${take(people, n)} likes soup with bread and ${take(plants, n)}.`,
    topics: ['food'],
  }),
]

const day = 24 * 60 * 60 * 1_000
const first = Date.parse('2025-01-10T09:00:00.000Z')
const sources = ['conversation', 'conversation', 'manual', 'task', 'insight']

/** What somebody might have gathered in a year: people who move, a garden, trains, software, dinners. */
export const memories = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...sentences[n % sentences.length]?.(n),
    source: take(sources, n),
    trust: n % 9 === 0 ? 'external' : n % 4 === 0 ? 'agent' : 'owner',
    importance: ((n * 37) % 100) / 100,
    valence: ((n * 13) % 20) / 10 - 1,
    created_at: new Date(first + n * day).toISOString(),
  }))
