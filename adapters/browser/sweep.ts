import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** An argument of each of our browsers, to find those that a killed daemon left running. */
export const markOf = (folder: string) => `--hearthd-browser=${folder}`

export const temporary = (folder: string) => join(folder, 'tmp')

/** Where downloads are stored until they are complete. */
export const downloading = (folder: string) => join(temporary(folder), 'downloads')

/** Kills the browsers that a killed daemon left running on this folder, and removes their temporary files. */
export function sweepBrowsers(folder: string): number {
  const orphans = endBrowsers(folder)
  rmSync(temporary(folder), { recursive: true, force: true })
  return orphans
}

/** Kills every browser on this folder, with its child processes. */
export function endBrowsers(folder: string): number {
  const pids = processesWith(markOf(folder))
  for (const pid of pids) {
    kill(-pid)
    kill(pid)
  }
  return pids.length
}

/** Without /proc nothing is found; Chromium then exits when its pipe to us closes. */
function processesWith(argument: string): number[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.filter((pid) => argumentsOf(pid).includes(argument)).map(Number)
  } catch {
    return []
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has exited meanwhile.
  }
}
