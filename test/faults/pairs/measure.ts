import type { Host } from '../../../runtime/host.ts'
import type { Operation } from './operations.ts'
import type { Pair } from './texts.ts'

/** The longest texts that are compared. */
const longest = 20_000
/** Four times both texts is four times the work if it is linear, and sixteen times if each meets all of the other. */
const factor = 4
const steep = 8
/** Milliseconds of CPU time below which the work cannot hurt, whatever it grows like. */
const floor = 20

/** Texts for an operation, of at most these lengths. */
export const textsFor = ({ stored, asked }: Pair, lengths: { stored: number; asked: number }) => ({
  stored: stored(lengths.stored).slice(0, lengths.stored).toWellFormed(),
  asked: asked(lengths.asked).slice(0, lengths.asked).toWellFormed(),
})

/** Milliseconds of CPU time of the operation on texts that are `share` of the longest. */
async function work(newHost: () => Promise<Host>, operation: Operation, pair: Pair, share: number): Promise<number> {
  const length = (limit: number) => Math.ceil(Math.min(limit, longest) * share)
  const { stored, asked } = textsFor(pair, {
    stored: length(operation.stored),
    asked: length(operation.asked),
  })
  const host = await newHost()
  const run = await operation.open(host, stored)
  await run('tea with milk')
  const before = process.threadCpuUsage()
  await run(asked)
  const { user, system } = process.threadCpuUsage(before)
  await host.sql.close()
  return (user + system) / 1000
}

/** True if the work grows out of proportion, seen three times. */
async function growsFast(newHost: () => Promise<Host>, operation: Operation, pair: Pair): Promise<boolean> {
  for (let seen = 0; seen < 3; seen += 1) {
    const long = await work(newHost, operation, pair, 1)
    if (long < floor || long < steep * (await work(newHost, operation, pair, 1 / factor))) return false
  }
  return true
}

/** The pairs whose work grows faster than their texts. */
export async function steepPairs(
  newHost: () => Promise<Host>,
  operation: Operation,
  pairs: readonly Pair[],
): Promise<string[]> {
  const found: string[] = []
  for (const pair of pairs) if (await growsFast(newHost, operation, pair)) found.push(pair.name)
  return found
}
