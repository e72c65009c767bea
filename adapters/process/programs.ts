import type { ChildProcess } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const suffixes = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']

/** The folders of PATH. */
export const pathFolders = ({ PATH = '' }: Environment = process.env): string[] =>
  PATH.split(delimiter).filter(isAbsolute)

/** The path of the first of these programs that is installed: by the names, then by the folders of PATH. */
export const findProgram = (names: readonly string[], env?: Environment): string | null =>
  names
    .flatMap((name) => (isAbsolute(name) ? [name] : pathFolders(env).map((folder) => join(folder, name))))
    .flatMap((path) => suffixes.map((suffix) => path + suffix))
    .find(isExecutable) ?? null

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Sends a signal to all processes of a group by its leader, which may have ended. */
export function signalGroup({ pid }: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}
