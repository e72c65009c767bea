import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../../../adapters/clock/clock.ts'
import { openStore } from '../../../adapters/libsql/open.ts'
import { createMemoryHost } from '../../../adapters/memory/host.ts'
import { areas } from '../../../handlers/index.ts'
import type { Context } from '../../../runtime/context.ts'
import { NewEpisode, type SearchMode } from '../../../runtime/memory/schema.ts'
import { embedQuery } from '../../../runtime/memory/search/embedding.ts'
import { rankSemantic } from '../../../runtime/memory/search/hybrid.ts'
import { embedPending } from '../../../runtime/memory/search/indexing.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import { searchState } from '../../../runtime/memory/state.ts'
import { workContext } from '../../../runtime/work/run.ts'
import { addEpisodes } from '../../support/add-episodes.ts'
import { percentile, type Row } from '../table.ts'
import { madeUpEmbedder, madeUpTexts } from './made-up.ts'

const sizes = [1_000, 10_000, 100_000]
const queries = 60
const turns = 20

/** How long searches take in memories of three sizes, in a database file, with vectors of 512 dimensions. */
export async function run(): Promise<Row[]> {
  // The clock's timers keep no process alive.
  const alive = setInterval(() => undefined, 1_000)
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const store = await openStore({ data_dir: folder })
  try {
    const host = await createMemoryHost(areas, { sql: store.sql, embedder: madeUpEmbedder })
    const context = workContext({ ...host, clock: createClock() }, { id: 'bench' }, new AbortController().signal)
    const texts = madeUpTexts(1)
    const rows: Row[] = []
    for (const [place, size] of sizes.entries()) {
      rows.push(...(await grow(context, size - (sizes[place - 1] ?? 0), texts)))
      rows.push(...(await measure(context, size)))
    }
    return rows
  } finally {
    clearInterval(alive)
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function grow(context: Context, count: number, texts: ReturnType<typeof madeUpTexts>): Promise<Row[]> {
  const inputs = Array.from({ length: count }, (_, index) => ({
    ...NewEpisode.parse({ content: texts.text(8 + (index % 25)), agent_id: `agent_${index % 5}` }),
    position: index % turns,
    provenance: {
      conversation_id: `conv_${count}_${Math.floor(index / turns)}`,
      message_id: null,
      channel: null,
      url: null,
    },
  }))
  const stored = await seconds(() => addEpisodes(context, inputs))
  const indexed = await seconds(() => embedPending(context))
  const row = (what: string, value: number) => ({ what, value: count / value, unit: 'episodes/s' })
  return [row(`import of ${count}`, stored), row(`index of ${count}, without the model`, indexed)]
}

async function measure(context: Context, size: number): Promise<Row[]> {
  const asked = Array.from({ length: queries }, (_, index) => madeUpTexts(index + 7).question(5))
  const index = searchState(context).index('local/made-up')
  const built = await seconds(() => index.sync(context))
  const search = (mode: SearchMode) => (q: string) =>
    searchEpisodes(context, { q, mode, filter: {}, limit: 10, offset: 0 })
  const semantic = async (q: string) => {
    const { meaning } = await embedQuery(context, q)
    const begun = performance.now()
    if (meaning) await rankSemantic(context, meaning, {})
    return performance.now() - begun
  }
  const rows = [
    ...latency(`keyword, ${size}`, await timed(asked, search('keyword'))),
    ...latency(`vector stage, ${size}`, await timedBy(asked, semantic)),
    ...latency(`hybrid, cached vector, ${size}`, await timed(asked, search('hybrid'))),
  ]
  rows.push(...latency(`longest stretch of a hybrid search, ${size}`, await timedBy(asked, stretch(search('hybrid')))))
  const memory = { what: `index in memory, ${size}`, value: index.bytes / 2 ** 20, unit: 'MiB' }
  return [{ what: `index built, ${size}`, value: built * 1000, unit: 'ms' }, ...rows, memory]
}

const timed = (asked: readonly string[], run: (q: string) => Promise<unknown>) =>
  timedBy(asked, async (q) => {
    const begun = performance.now()
    await run(q)
    return performance.now() - begun
  })

/** The longest that others wait for their turn while it runs. */
const stretch = (run: (q: string) => Promise<unknown>) => async (q: string) => {
  let [last, longest, running] = [performance.now(), 0, true]
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    if (running) setImmediate(look)
  }
  setImmediate(look)
  await run(q)
  running = false
  look()
  return longest
}

/** The second time, so that what is cached and compiled is. */
async function timedBy(asked: readonly string[], run: (q: string) => Promise<number>): Promise<number[]> {
  for (const q of asked) await run(q)
  const samples: number[] = []
  for (const q of asked) samples.push(await run(q))
  return samples
}

const latency = (what: string, samples: readonly number[]): Row[] =>
  [0.5, 0.95].map((fraction) => ({
    what: `${what}, p${fraction * 100}`,
    value: percentile(samples, fraction),
    unit: 'ms',
  }))

async function seconds(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return (performance.now() - begun) / 1000
}
