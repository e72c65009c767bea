import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Installation } from '../../runtime/ports/packages.ts'
import { pathFolders } from '../process/programs.ts'

const quoted = (path: string) => (/^[\w./:\\-]+$/.test(path) ? path : `"${path}"`)

/**
 * How the program in `folder` was installed: as a global package, as a package of a project, or as a checkout.
 */
export function installationOf(folder: string, node: string): Installation {
  const modules = folder.lastIndexOf(`${sep}node_modules${sep}`)
  if (modules < 0) {
    const repair_command = `npm --prefix ${quoted(folder)} ci`
    return { kind: 'editable', label: `Checkout in ${folder}`, repair_command }
  }
  const project = folder.slice(0, modules)
  if (isGlobal(project, node)) {
    return { kind: 'system', label: 'Global package', repair_command: 'npm install --global hearthd' }
  }
  const repair_command = `npm --prefix ${quoted(project)} install hearthd`
  return { kind: 'venv', label: `Package of ${project}`, repair_command }
}

/** npm keeps global packages in `lib` next to the `bin` of Node, or next to Node itself on Windows. */
function isGlobal(project: string, node: string): boolean {
  const home = dirname(node)
  return project === join(home, '..', 'lib') || project === home || !existsSync(join(project, 'package.json'))
}

/** Paths of npm relative to the folder of a `node` or an `npm`. */
const npmPaths = [
  ['..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'],
  ['node_modules', 'npm', 'bin', 'npm-cli.js'],
]

interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  /** The Node that runs this process. */
  node: string
}

/** The script of npm: the one that started this process, the one next to its Node, or the first on PATH; or null. */
export function findNpm({ env, node }: Surroundings): string | null {
  const folders = pathFolders(env)
  const candidates = [
    env.npm_execpath,
    ...nextTo(dirname(node)),
    ...folders.flatMap((folder) => [real(join(folder, 'npm')), ...nextTo(folder)]),
  ]
  return candidates.find((path) => path?.endsWith('npm-cli.js') && existsSync(path)) ?? null
}

const nextTo = (folder: string) => npmPaths.map((path) => join(folder, ...path))

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
