import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import type { WireRequest } from '../fixtures/wire/index.ts'
import { playLongChat } from '../support/long-chat.ts'
import { type CacheUse, cachedShare, cacheUse } from '../support/prompt-cache.ts'
import type { Row } from './table.ts'

const wires: [name: string, provider: ProviderId, options?: { base_url: 'own' }][] = [
  ['OpenAI, Responses', 'openai'],
  ['OpenAI, chat completions', 'openai', { base_url: 'own' }],
  ['Anthropic', 'anthropic'],
  ['Google', 'google'],
  ['Mistral', 'mistral'],
  ['Ollama', 'ollama'],
]

/** Replays a conversation at each vendor: the cached share, and the tokens that a turn sends, cached or not. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, ...chat] of wires) {
    const { requests, turns } = await playLongChat(...chat)
    const uses = cacheUse(requests)
    const moved = cacheUse(requests.map(withMovedNotes))
    const uncached = (all: CacheUse[]) => all.reduce((sum, { tokens, cached }) => sum + tokens - cached, 0)
    const second = turns[1]?.from ?? 0
    const shareOf = (all: CacheUse[]) => cachedShare(all.slice(second - 1, second + 1))
    rows.push(
      { what: `${name}: cached share`, value: cachedShare(uses), unit: '', baseline: cachedShare(moved) },
      {
        what: `${name}: cached share after 40 steps`,
        value: shareOf(uses),
        unit: '',
        baseline: shareOf(moved),
      },
    )
    for (const [index, { what, from }] of turns.entries()) {
      const to = turns[index + 1]?.from
      const [own, baseline] = [uses.slice(from, to), moved.slice(from, to)]
      const sent = own.reduce((sum, { tokens }) => sum + tokens, 0)
      const note = `of ${sent} sent in ${own.length} requests`
      rows.push({
        what: `  ${what}, uncached tokens`,
        value: uncached(own),
        unit: '',
        baseline: uncached(baseline),
        note,
      })
    }
  }
  return rows
}

const note = /(\\n)*\[note from the system\] It is \w+, [^"]*/g

/** The baseline: only the last message of the person has its note, so that it moves with each turn. */
function withMovedNotes(request: WireRequest): WireRequest {
  const text = JSON.stringify(request.body)
  const last = [...text.matchAll(note)].at(-1)?.index
  const body = JSON.parse(text.replace(note, (found, ...rest) => (rest.at(-2) === last ? found : '')))
  return { ...request, body }
}
