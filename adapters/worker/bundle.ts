import { build, type Metafile } from 'esbuild'

export interface Bundle {
  /** Each module by its name; the entry is `index.js`. */
  modules: { type: 'ESModule'; path: string; contents: string }[]
  /** What is imported from outside the bundle, once each. */
  external: string[]
  /** Names of the modules that are loaded with the entry. */
  eager: string[]
}

export interface BundleOptions {
  /** Path from the top folder. */
  entry: string
}

/** A Worker as modules for workerd. What is imported when first used stays in modules of its own. */
export async function bundleWorker({ entry }: BundleOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: { index: entry },
    outdir: '/bundle',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker'],
    target: 'es2024',
    // Mistral's package imports it for voice alone, when that is used.
    external: ['livekit-client'],
    metafile: true,
    write: false,
  })
  const modules = outputFiles.map(({ path, text }) => ({
    type: 'ESModule' as const,
    path: nameOf(path),
    contents: text,
  }))
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  const external = imports.filter((one) => one.external).map(({ path }) => path)
  return { modules: entryFirst(modules), external: [...new Set(external)], eager: eagerOf(metafile) }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

const entryFirst = <Module extends { path: string }>(modules: Module[]) =>
  modules.toSorted((left, right) => Number(right.path === 'index.js') - Number(left.path === 'index.js'))

function eagerOf({ outputs }: Metafile): string[] {
  const statics = new Map(
    Object.entries(outputs).map(([path, { imports }]) => [
      nameOf(path),
      imports.filter(({ kind, external }) => kind === 'import-statement' && !external).map((one) => nameOf(one.path)),
    ]),
  )
  const seen = new Set<string>()
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    for (const next of statics.get(name) ?? []) visit(next)
  }
  visit('index.js')
  return [...seen]
}
