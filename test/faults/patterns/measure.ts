// Runs in a worker: reports patterns whose work grows faster than the text that they read.
import { parentPort, workerData } from 'node:worker_threads'
import type { Measured } from './find.ts'
import { ownWords, units } from './units.ts'

const { patterns } = workerData as { patterns: Measured[] }

/** CPU time in milliseconds below which a measurement says nothing. */
const floor = 8
/** Four times the text is four times the work of a linear pattern and sixteen times that of a quadratic one. */
const factor = 4
const steep = 9

function cpu(pattern: RegExp, text: string): number {
  const before = process.threadCpuUsage()
  pattern.lastIndex = 0
  text.replace(pattern, '')
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

type TextOf = (length: number) => string

const least = (pattern: RegExp, text: string) => Math.min(...[1, 2, 3, 4].map(() => cpu(pattern, text)))

/** True if the work grows out of proportion in each of three comparisons. A slow pattern is compared on shorter texts. */
function growsFast(pattern: RegExp, textOf: TextOf, limit: number): boolean {
  for (let length = limit / 32; length <= limit; length *= 2) {
    if (cpu(pattern, textOf(length)) < floor) continue
    const steeper = () => least(pattern, textOf(length)) > steep * least(pattern, textOf(length / factor))
    return steeper() && steeper() && steeper()
  }
  return false
}

function* texts(source: string): Generator<[name: string, textOf: TextOf]> {
  const words = ownWords(source)
  const repeated = [
    ...units,
    ...words.flatMap((word) => [word, `${word} `, `${word}-`, `${word}"`, `${word}/`]),
  ]
  for (const unit of repeated) {
    for (const end of ['', '\u0000', '!\nx']) {
      yield [JSON.stringify(`${unit}…${end}`), (length) => unit.repeat(length / unit.length) + end]
    }
  }
  for (const word of words) {
    for (const unit of units) {
      yield [
        JSON.stringify(`${word}${unit}…`),
        (length) => `${word}${unit.repeat(length / unit.length)}\u0000`,
      ]
    }
  }
}

for (const [index, { source, flags, limit }] of patterns.entries()) {
  parentPort!.postMessage({ index })
  const pattern = new RegExp(source, flags)
  const found = texts(source).find(([, textOf]) => growsFast(pattern, textOf, limit))
  if (found) parentPort!.postMessage({ index, text: found[0] })
}
parentPort!.postMessage('done')
