import { LocalEmbedder } from '../../../adapters/embedder/local.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import type { Row } from '../table.ts'
import { readDataset } from './dataset.ts'
import { ownFixture } from './quality.ts'

const count = 256

/** How many texts a second the local model embeds, in batches as an import sends them and one at a time. */
export async function run(folder = ownFixture): Promise<Row[]> {
  const words = readDataset(folder).flatMap(({ sessions }) =>
    sessions.flatMap(({ turns }) => turns.flatMap(({ text }) => text.split(/\s+/))),
  )
  const texts = (length: number) =>
    Array.from({ length: count }, (_, index) =>
      Array.from({ length }, (_, at) => words[(index * length + at) % words.length]).join(' '),
    )
  const embedder = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 60_000 })
  const embed = (some: string[]) => embedder.embed({ provider: 'local', model: null, texts: some, purpose: 'passage' })
  const rate = async (what: string, task: () => Promise<unknown>): Promise<Row> => {
    const begun = performance.now()
    await task()
    return { what, value: (count / (performance.now() - begun)) * 1000, unit: 'texts/s' }
  }
  try {
    await embed(texts(25))
    const rows: Row[] = []
    for (const length of [25, 75]) {
      const some = texts(length)
      rows.push(await rate(`${length} words, all at once`, () => embed(some)))
      rows.push(
        await rate(`${length} words, one after the other`, async () => {
          for (const text of some) await embed([text])
        }),
      )
    }
    return rows
  } finally {
    await embedder.close()
  }
}
