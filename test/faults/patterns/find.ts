import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { parseAst } from 'vite'

export interface Pattern {
  file: string
  source: string
  flags: string
}

export const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Node {
  type: string
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

function visit(value: unknown, seen: (node: Node) => void): void {
  if (!value || typeof value !== 'object') return
  if (!Array.isArray(value)) seen(value as Node)
  for (const member of Object.values(value)) visit(member, seen)
}

/** Every regular expression literal of the program, and the files that build patterns with `new RegExp`. */
export function findPatterns(): { literals: Pattern[]; builders: string[] } {
  const literals: Pattern[] = []
  const builders = new Set<string>()
  for (const file of globSync('{runtime,handlers,adapters}/**/*.{ts,js}', { cwd: root })) {
    visit(parseAst(readFileSync(root + file, 'utf8'), { lang: 'ts' }), (node) => {
      if (node.regex) literals.push({ file, source: node.regex.pattern, flags: node.regex.flags })
      if (node.callee?.name === 'RegExp') builders.add(file)
    })
  }
  return { literals, builders: [...builders].sort() }
}

/** A pattern, and the length of the longest text that it may get. */
export interface Measured extends Pattern {
  limit: number
}

/** The patterns that the given files build while they load. */
export function builtPatterns(files: string[]): Promise<Pattern[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData: { root, files } })
    worker.once('message', resolve).once('error', reject)
  })
}

/** No pattern needs this many milliseconds of CPU time for all its texts but one whose work explodes. */
const generous = 30_000

/** The patterns that are not linear, each with the text that shows it. */
export async function slowPatterns(patterns: Measured[], cutOff = generous): Promise<string[]> {
  const slow: string[] = []
  for (let left = patterns; left.length > 0; ) left = left.slice(await measureSome(left, slow, cutOff))
  return slow
}

/** Resolves to the number of patterns that were measured: all, or up to the one that had to be cut off. */
function measureSome(patterns: Measured[], slow: string[], cutOff: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./measure.ts', import.meta.url), { workerData: { patterns } })
    let current = 0
    const report = (text: string) => slow.push(`${patterns[current]?.file} /${patterns[current]?.source}/ ${text}`)
    const end = (measured: number) => {
      clearTimeout(timer)
      void worker.terminate()
      resolve(measured)
    }
    let begun = process.cpuUsage()
    const cut = () => {
      const { user, system } = process.cpuUsage(begun)
      // The machine does something else.
      if ((user + system) / 1_000 < 0.9 * cutOff) {
        timer = setTimeout(cut, cutOff / 2)
        return
      }
      report('did not end')
      end(current + 1)
    }
    let timer = setTimeout(cut, cutOff)
    worker.once('error', reject)
    worker.on('message', (message: 'done' | { index: number; text?: string }) => {
      if (message === 'done') return end(patterns.length)
      current = message.index
      if (message.text) report(message.text)
      clearTimeout(timer)
      begun = process.cpuUsage()
      timer = setTimeout(cut, cutOff)
    })
  })
}
