// Runs in a worker: reports patterns whose work grows faster than the text that they read.
import { parentPort, workerData } from 'node:worker_threads'
import type { Measured } from './find.ts'
import { ownWords, units } from './units.ts'

const { patterns } = workerData as { patterns: Measured[] }

/** Milliseconds below which one search says nothing. */
const floor = 4
/** Four times the text is four times the work of a linear pattern and sixteen times that of a quadratic one. */
const factor = 4
const steep = 8
/** Milliseconds of CPU time that a comparison measures: systems count it in steps of up to 10. */
const measured = 80

function search(pattern: RegExp, text: string): number {
  const before = performance.now()
  pattern.lastIndex = 0
  text.replace(pattern, '')
  return performance.now() - before
}

const quickest = (pattern: RegExp, text: string) => Math.min(...[1, 2, 3].map(() => search(pattern, text)))

/** CPU time of one search, whatever else the machine does. */
function work(pattern: RegExp, text: string): number {
  const before = process.threadCpuUsage()
  for (let count = 1; ; count += 1) {
    search(pattern, text)
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= measured * 1000) return (user + system) / count
  }
}

type TextOf = (length: number) => string

/**
 * False if the longest text cannot reach the floor in more than linear time: work that grows with the square takes a
 * sixteenth for a quarter of the text. The shorter text is for patterns whose work explodes.
 */
const isSuspicious = (pattern: RegExp, textOf: TextOf, limit: number) =>
  [limit / 32, limit / 4].some((length) => {
    const text = textOf(length)
    return search(pattern, text) > floor / 16 && quickest(pattern, text) > floor / 16
  })

/** True if the work grows out of proportion, seen twice. A slow pattern is compared on shorter texts. */
function growsFast(pattern: RegExp, textOf: TextOf, limit: number): boolean {
  if (!isSuspicious(pattern, textOf, limit)) return false
  for (let length = limit / 32; length <= limit; length *= 2) {
    if (search(pattern, textOf(length)) < floor) continue
    const long = quickest(pattern, textOf(length))
    if (long < floor || long < 6 * quickest(pattern, textOf(length / factor))) continue
    const steeper = () => work(pattern, textOf(length)) > steep * work(pattern, textOf(length / factor))
    return steeper() && steeper()
  }
  return false
}

const repeatOf = (unit: string, end: string, length: number) => unit.repeat(length / unit.length) + end

const kept = new Map<string, string>()

/** Kept, because every pattern gets the texts of these units. */
function unitText(unit: string, end: string, length: number): string {
  const name = `${length} ${unit} ${end}`
  const text = kept.get(name) ?? repeatOf(unit, end, length)
  if (length < 10_000) kept.set(name, text)
  return text
}

function* texts(source: string): Generator<[name: string, textOf: TextOf]> {
  const words = ownWords(source)
  const ownUnits = words.flatMap((word) => [word, `${word} `, `${word}-`, `${word}"`, `${word}/`])
  for (const end of ['', '\u0000', '!\nx']) {
    for (const unit of units) {
      yield [JSON.stringify(`${unit}…${end}`), (length) => unitText(unit, end, length)]
    }
    for (const unit of ownUnits) {
      yield [JSON.stringify(`${unit}…${end}`), (length) => repeatOf(unit, end, length)]
    }
  }
  for (const word of words) {
    for (const unit of units) {
      yield [JSON.stringify(`${word}${unit}…`), (length) => `${word}${unit.repeat(length / unit.length)}\u0000`]
    }
  }
}

for (const [index, { source, flags, limit }] of patterns.entries()) {
  parentPort?.postMessage({ index })
  const pattern = new RegExp(source, flags)
  const found = texts(source).find(([, textOf]) => growsFast(pattern, textOf, limit))
  if (found) parentPort?.postMessage({ index, text: found[0] })
}
parentPort?.postMessage('done')
