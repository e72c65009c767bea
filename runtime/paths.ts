import { PathRefused } from './ports/files.ts'

/** Bytes of UTF-8: the limit of one name on every common file system, and of a path where it is shortest. */
const longestName = 255
const longestPath = 1024

/** The names in a relative path that is valid on every system. Throws `PathRefused` for any other. */
export function readPath(path: string): string[] {
  const refusal = refusePath(path)
  if (refusal) throw new PathRefused(refusal)
  return path.split('/')
}

/** Roots are named by the program itself, so their names are simple: `workspaces/agent_01…`. */
export function readRoot(root: string): string[] {
  const names = readPath(root)
  if (names.every((name) => /^[A-Za-z0-9][\w.-]*$/.test(name))) return names
  throw new PathRefused('the root has a name that roots cannot have')
}

/** The names of a folder; none for the root itself, which is `undefined` or empty. */
export function readFolder(folder: string | undefined): string[] {
  return folder ? readPath(folder) : []
}

/** Why a path is refused; null when it is fine. */
export function refusePath(path: string): string | null {
  if (path === '') return 'the path is empty'
  if (byteLength(path) > longestPath) return `the path is longer than ${longestPath} bytes`
  if (!path.isWellFormed()) return 'the path is not valid Unicode'
  if (path.startsWith('/')) return 'the path is absolute'
  if (path.includes('\\')) return 'the path has a backslash'
  // Code that decodes once more, or folds full-width letters, must not reach another path.
  if (/%(25)*(00|2e|2f|5c)/i.test(path)) return 'the path has encoded dots or slashes'
  for (const name of path.split('/')) {
    const refusal = refuseName(name)
    if (refusal) return refusal
  }
  return null
}

function refuseName(name: string): string | null {
  const plain = name.normalize('NFKC')
  if (name === '') return 'the path has an empty name'
  if (plain === '.' || plain === '..') return 'the path leaves its folder'
  if (/[/\\]/.test(plain)) return 'a name has something like a slash'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'a name has a control character'
  if (/[<>:"|?*]/.test(name)) return 'a name has a character that not every system allows'
  if (/[. ]$/.test(name)) return 'a name ends with a dot or a space'
  if (byteLength(name) > longestName) return `a name is longer than ${longestName} bytes`
  return reserved.test(plain) ? 'a name is reserved on Windows' : null
}

/** https://learn.microsoft.com/windows/win32/fileio/naming-a-file: also with any extension. */
const reserved = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])[ .]*(\..*)?$/i

const byteLength = (text: string): number => new TextEncoder().encode(text).length
