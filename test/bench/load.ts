import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Load, LoadResult } from './load-worker.ts'

const worker = new URL('./load-worker.ts', import.meta.url).pathname

/** Loads a server from a process of its own, after one second of warm-up. */
export async function load(options: Load): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [worker, JSON.stringify(options)])
  return JSON.parse(stdout) as LoadResult
}
