import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Installation } from '../../runtime/ports/packages.ts'

const quoted = (path: string) => (/^[\w./:\\-]+$/.test(path) ? path : `"${path}"`)

/**
 * How the program in `folder` was installed: below the folder of global packages, below that of a project, or not
 * below any, which is a checkout.
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

/** npm keeps global packages in `lib` beside the `bin` of Node, or beside Node itself on Windows. */
function isGlobal(project: string, node: string): boolean {
  const home = dirname(node)
  return project === join(home, '..', 'lib') || project === home || !existsSync(join(project, 'package.json'))
}
