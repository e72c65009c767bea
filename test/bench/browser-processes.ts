import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { markOf } from '../../adapters/browser/sweep.ts'

/** Of Linux, in one second of a core. */
const ticks = 100

interface Process {
  pid: number
  group: string
  /** Seconds of a core that it has used. */
  cpu_s: number
}

/** Processes of the browsers on one folder. Chromium's helpers bear no mark but the group of the browser that has it. */
export class BrowserProcesses {
  readonly #mark: string
  readonly #groups = new Set<string>()

  constructor(folder: string) {
    this.#mark = markOf(folder)
  }

  /** Seconds of a core that those have used which live now, and a process beside them. */
  cpu(beside: number): number {
    const own = readProcess(String(beside))?.cpu_s ?? 0
    return this.living().reduce((sum, { cpu_s }) => sum + cpu_s, own)
  }

  /** Those that live now, also of browsers that were only seen before. */
  living(): Process[] {
    const all = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => readProcess(pid) ?? [])
    for (const { group, marks } of all) if (marks.includes(this.#mark)) this.#groups.add(group)
    return all.filter(({ group }) => this.#groups.has(group))
  }
}

function readProcess(pid: string): (Process & { marks: string[] }) | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, , group = ''] = fields
    if (state === 'Z') return null
    const cpu_s = (Number(fields[11]) + Number(fields[12])) / ticks
    return { pid: Number(pid), group, cpu_s, marks: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') }
  } catch {
    return null
  }
}

/** Megabytes of all files in a folder; none when there is no folder. */
export function folderMb(folder: string): number {
  try {
    const sizes = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const about = statSync(join(folder, name), { throwIfNoEntry: false })
      return about?.isFile() ? about.size : 0
    })
    return sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20
  } catch {
    return 0
  }
}
