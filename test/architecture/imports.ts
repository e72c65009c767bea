/** One import of one file. `type_only` ones cost nothing at run time, `dynamic` ones wait for their call. */
export interface Import {
  file: string
  specifier: string
  type_only: boolean
  dynamic: boolean
}

export type Sources = ReadonlyMap<string, string>

const statement =
  /^\s*(?:import|export)\s+(type\s+)?(?:[\w*$\s{},]+?\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

/** Every import of a file: static, dynamic and re-exports. */
export function importsOf(file: string, source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return [...code.matchAll(statement)].map(([, type, fixed, dynamic]) => ({
    file,
    specifier: fixed ?? dynamic ?? '',
    type_only: type !== undefined,
    dynamic: dynamic !== undefined,
  }))
}

/** The path of a relative import below the top folder; packages stay as they are. */
export function resolveImport({ file, specifier }: Import): string {
  if (!specifier.startsWith('.')) return specifier
  const parts = file.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Every import of all files. */
export const allImports = (sources: Sources): Import[] =>
  [...sources].flatMap(([file, source]) => importsOf(file, source))
