import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Options } from './command.ts'
import { argumentsOf, entry } from './detach.ts'

/** Serves in a child that Node restarts whenever a file that it loaded changes. */
export async function watch(options: Options): Promise<number> {
  const flags = ['--watch', '--watch-preserve-output']
  const plain = argumentsOf({ ...options, dev: undefined })
  const child = spawn(
    process.execPath,
    [...flags, entry, 'start', ...(options.json ? ['--json'] : []), ...plain],
    { stdio: 'inherit' },
  )
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 0
}
