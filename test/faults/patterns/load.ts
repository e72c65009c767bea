// Runs in a worker: records the patterns that the given files build with `new RegExp` while they load and are used.
import { parentPort, workerData } from 'node:worker_threads'
import type { Pattern } from './find.ts'

const { root, files } = workerData as { root: string; files: string[] }
const built = new Map<string, Pattern>()
const plain = globalThis.RegExp

function record(pattern: RegExp): RegExp {
  const place = new Error().stack?.split('\n').find((line) => files.some((file) => line.includes(root + file)))
  const file = files.find((name) => place?.includes(root + name))
  if (file) built.set(`${file} ${pattern}`, { file, source: pattern.source, flags: pattern.flags })
  return pattern
}

globalThis.RegExp = new Proxy(plain, {
  construct: (target, given) => record(Reflect.construct(target, given)),
  apply: (target, self, given) => record(Reflect.apply(target, self, given)),
})

for (const file of files) await import(root + file)
parentPort?.postMessage([...built.values()])
