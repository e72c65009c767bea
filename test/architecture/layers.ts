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
export const orderIn = (readme: string): string[] =>
  (/builds on:\n`([a-z ]+)`/.exec(readme)?.[1] ?? '').split(' ')

/** Pairs of areas of which the lower one still imports the upper one. A pair goes once nothing needs it. */
const upward = [
  'agents → chat',
  'agents → scheduler',
  'agents → settings',
  'chat → memory',
  'chat → projects',
  'chat → settings',
  'scheduler → channels',
]

/** Static imports of an upper area by a lower one, and pairs of the list above that have none. */
export function againstOrder(sources: Sources, order: readonly string[], allowed = upward): string[] {
  const areas = new Set(order)
  const imports = allImports(sources).flatMap((one) => {
    const target = resolveImport(one)
    const [lower, upper] = [areaIn(one.file, areas), areaIn(target, areas)]
    if (lower === null || upper === null || one.dynamic) return []
    return order.indexOf(lower) < order.indexOf(upper)
      ? [{ pair: `${lower} → ${upper}`, line: `${one.file} → ${target}` }]
      : []
  })
  const unused = allowed.filter((pair) => imports.every((one) => one.pair !== pair))
  return [
    ...imports.filter(({ pair }) => !allowed.includes(pair)).map(({ line }) => line),
    ...unused.map((pair) => `${pair} is allowed, but nothing needs it`),
  ]
}
