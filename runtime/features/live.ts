import type { InstallProgress } from '../ports/packages.ts'
import { processState } from '../process-state.ts'

/** Lines of the package manager that are kept. */
const tail = 50

export interface LiveInstall {
  progress: InstallProgress
  log: string[]
}

/** How far the installation of this process is, by the id of its work. A restart forgets it. */
export class LiveInstalls {
  readonly #installs = new Map<string, LiveInstall>()

  begin(id: string): LiveInstall {
    const install: LiveInstall = { progress: { phase: 'installing', done: 0, total: 0 }, log: [] }
    this.#installs.set(id, install)
    return install
  }

  of(id: string): LiveInstall | undefined {
    return this.#installs.get(id)
  }

  end(id: string): void {
    this.#installs.delete(id)
  }
}

export function addLine(install: LiveInstall, line: string): void {
  install.log.push(line.slice(0, 500))
  if (install.log.length > tail) install.log.splice(0, install.log.length - tail)
}

export const liveInstalls = processState(() => new LiveInstalls())
