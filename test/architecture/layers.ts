import { allImports, resolveImport, type Sources } from './imports.ts'

/** Folders of the centre that contribute to the program as areas do. */
const central = ['auth', 'tools']

/** The names of the areas: the folders of runtime/ with an `area.ts` that are not of the centre. */
export const areasOf = (sources: Sources): ReadonlySet<string> =>
  new Set(
    [...sources.keys()]
      .flatMap((file) => /^runtime\/([^/]+)\/area\.ts$/.exec(file)?.[1] ?? [])
      .filter((name) => !central.includes(name)),
  )

const areaIn = (file: string, areas: ReadonlySet<string>): string | null => {
  const [top, name = ''] = file.split('/')
  return top === 'runtime' && areas.has(name) ? name : null
}

/** Imports of an area by the rest of runtime/, of types and at run time alike. */
export const importsByCentre = (sources: Sources, areas: ReadonlySet<string>): string[] =>
  allImports(sources).flatMap((one) => {
    const target = resolveImport(one)
    const isCentral = one.file.startsWith('runtime/') && areaIn(one.file, areas) === null
    return isCentral && areaIn(target, areas) !== null ? [`${one.file} → ${target}`] : []
  })

/** The areas as `runtime/README.md` lists them, the lowest first. */
export const orderIn = (readme: string): string[] => (/builds on:\n`([a-z ]+)`/.exec(readme)?.[1] ?? '').split(' ')

/** Static imports of an upper area by a lower one. */
export function againstOrder(sources: Sources, order: readonly string[]): string[] {
  const areas = new Set(order)
  return allImports(sources).flatMap((one) => {
    const target = resolveImport(one)
    const [lower, upper] = [areaIn(one.file, areas), areaIn(target, areas)]
    if (lower === null || upper === null || one.dynamic) return []
    return order.indexOf(lower) < order.indexOf(upper) ? [`${one.file} → ${target}`] : []
  })
}

/**
 * Imports of an area by its neighbours that pass its door, `runtime/<area>/index.ts`. An area's own endpoints use its
 * files, and the list of areas its `area.ts`. Adapters may use its rules, but no store.
 */
export const pastDoors = (sources: Sources, areas: ReadonlySet<string>): string[] =>
  allImports(sources).flatMap((one) => {
    const target = resolveImport(one)
    const [top, folder] = one.file.split('/')
    const area = areaIn(target, areas)
    if (area === null || target === `runtime/${area}/index.ts`) return []
    if (top === 'adapters') return /store\.ts$/.test(target) ? [`${one.file} → ${target}`] : []
    const isList = one.file === 'handlers/index.ts' && target === `runtime/${area}/area.ts`
    if ((top !== 'runtime' && top !== 'handlers') || folder === area || isList) return []
    return [`${one.file} → ${target}`]
  })
