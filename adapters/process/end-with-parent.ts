import { isMainThread, Worker, workerData } from 'node:worker_threads'

/** Milliseconds between checks; much shorter than a start of the daemon. */
const interval = 50

/**
 * Importing this module ends the process when its parent is gone, however the parent ended. A thread checks, because
 * the main thread may be in a long native call.
 */
if (isMainThread) new Worker(new URL(import.meta.url), { workerData: process.ppid }).unref()
else
  setInterval(() => {
    if (!hasParent(workerData)) process.kill(process.pid, 'SIGKILL')
  }, interval)

/** Windows keeps the id of a parent that has ended; elsewhere a parent that has ended may still be listed. */
function hasParent(parent: number): boolean {
  if (process.ppid !== parent) return false
  try {
    return process.kill(parent, 0)
  } catch {
    return false
  }
}
