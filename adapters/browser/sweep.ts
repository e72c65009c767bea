import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Stands on the command line of each of our browsers, so that those of a daemon that was killed are found. */
export const markOf = (folder: string) => `--hearthd-browser=${folder}`

export const temporary = (folder: string) => join(folder, 'tmp')

/** Where files lie while they are loaded. */
export const downloading = (folder: string) => join(temporary(folder), 'downloads')

/** Ends the browsers that a killed daemon has left behind on this folder, and removes their temporary files. */
export function sweepBrowsers(folder: string): number {
  const orphans = endBrowsers(folder)
  rmSync(temporary(folder), { recursive: true, force: true })
  return orphans
}

/** Ends whatever browser runs on this folder, each with the processes that it has started. */
export function endBrowsers(folder: string): number {
  const pids = processesWith(markOf(folder))
  for (const pid of pids) {
    kill(-pid)
    kill(pid)
  }
  return pids.length
}

/** Where there is no /proc, Chromium ends by itself when its pipe to us has closed. */
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
    // it has ended meanwhile
  }
}
