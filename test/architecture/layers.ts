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
