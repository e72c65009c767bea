import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Lowers the thread's priority on Linux, so that HTTP requests come first when all cores are busy. */
export function lowerPriority(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 4)
  } catch {
    // Not supported on this system.
  }
}
