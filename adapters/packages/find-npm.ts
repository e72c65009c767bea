import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Where npm lies below the folder of a `node` or of an `npm`. */
const below = [
  ['..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'],
  ['node_modules', 'npm', 'bin', 'npm-cli.js'],
]

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  /** The program that runs us. */
  node: string
}

/** The script of npm: the one that started us, the one beside our Node, or the first on PATH. Null when there is none. */
export function findNpm({ env, node }: Surroundings): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [
    env.npm_execpath,
    ...beside(dirname(node)),
    ...folders.flatMap((folder) => [real(join(folder, 'npm')), ...beside(folder)]),
  ]
  return candidates.find((path) => path?.endsWith('npm-cli.js') && existsSync(path)) ?? null
}

const beside = (folder: string) => below.map((path) => join(folder, ...path))

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** The first of `programs` on PATH. */
export function locateProgram(
  programs: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const paths = programs.flatMap((program) => folders.map((folder) => join(folder, program)))
  return paths.find((path) => existsSync(path)) ?? null
}
