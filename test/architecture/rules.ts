import { allImports, type Import, resolveImport, type Sources } from './imports.ts'

/** The two hosts, which put the adapters together, and the one in memory. */
const roots = ['adapters/node', 'adapters/worker']

/** What adapters share. It implements no port. */
const common = 'adapters/process'

/** Files of one idea; generated ones and tables do not count. */
export const longest = 600

type Rule = (one: Import, target: string) => string | null

/** The build of the pages runs in Node. */
const buildTool = /^web\/[^/]+\.ts$/

const isPackage = (target: string) => !/^(handlers|runtime|adapters|web|test)\//.test(target)
const folder = (path: string, depth: number) => path.split('/').slice(0, depth).join('/')

const handlers: Rule = ({ file }, target) => {
  if (isPackage(target)) return target === 'zod' ? null : 'a handler imports no package but zod'
  if (target.startsWith('runtime/')) return null
  if (!target.startsWith('handlers/')) return 'a handler imports its own area and runtime/'
  if (file === 'handlers/index.ts') {
    return target.split('/').length <= 3 ? null : 'handlers/index.ts imports the indexes of areas'
  }
  return folder(file, 2) === folder(target, 2) ? null : 'a handler imports no other area'
}

const runtime: Rule = (_, target) => {
  if (target.startsWith('node:')) return 'runtime/ runs on any host: no node: import'
  return isPackage(target) || target.startsWith('runtime/') ? null : 'runtime/ imports runtime/ only'
}

const ports: Rule = ({ file, type_only }, target) => {
  if (!file.startsWith('runtime/ports/')) return null
  return type_only || target.startsWith('runtime/ports/') ? null : 'a port imports types only'
}

const adapters: Rule = ({ file }, target) => {
  if (isPackage(target) || target.startsWith('runtime/')) return null
  const own = folder(file, 2)
  if (roots.includes(own) && /^(adapters|handlers)\//.test(target)) return null
  return [own, common].includes(folder(target, 2)) ? null : 'an adapter imports runtime/ and no sibling'
}

/** Pure modules of runtime/ that the pages run too. They import types only. */
const shared = [
  'runtime/chat/answer.ts',
  'runtime/devices/client.ts',
  'runtime/label.ts',
  'runtime/workflows/offered-tools.ts',
  'runtime/workflows/script/extension-names.ts',
]

const sharedModules: Rule = ({ file, type_only }) =>
  shared.includes(file) && !type_only ? 'a module that the pages run too imports types only' : null

const web: Rule = ({ type_only }, target) => {
  if (isPackage(target)) return target.startsWith('node:') ? 'the pages run in a browser: no node: import' : null
  if (target.startsWith('web/')) return null
  if (shared.includes(target)) return null
  return type_only && /^(handlers|runtime)\//.test(target) ? null : 'web/ takes types only, of handlers and runtime'
}

const rules: Record<string, Rule[]> = {
  handlers: [handlers],
  runtime: [runtime, ports, sharedModules],
  adapters: [adapters],
  web: [web],
}

/** Imports that the table of folders does not allow, a line each. */
export function forbiddenImports(sources: Sources): string[] {
  return allImports(sources).flatMap((one) => {
    const target = resolveImport(one)
    const area = folder(one.file, 1)
    const reasons = buildTool.test(one.file) ? [] : (rules[area] ?? []).map((rule) => rule(one, target))
    return reasons.filter((reason) => reason !== null).map((reason) => `${one.file} → ${target}: ${reason}`)
  })
}

/** Timers and evaluation of text; what else only one host has is unknown to the compiler (`runtime/tsconfig.json`). */
export function forbiddenGlobals(sources: Sources): string[] {
  const outside = /(?<![.\w'"`])(setTimeout|setInterval|setImmediate|eval|new Function)\(/
  return [...sources]
    .filter(([file]) => /^(runtime|handlers)\//.test(file))
    .flatMap(([file, source]) => {
      const found = outside.exec(source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''))
      return found ? [`${file}: ${found[1]} is not for runtime/ and handlers/`] : []
    })
}

/** Files past the length at which they hold two ideas. */
export function longFiles(sources: Sources): string[] {
  return [...sources]
    .map(([file, source]) => ({ file, lines: source.split('\n').length - 1 }))
    .filter(
      ({ file, lines }) => file !== 'runtime/migrations/0001-schema.ts' && lines > longest && !file.startsWith('test/'),
    )
    .map(({ file, lines }) => `${file}: ${lines} lines`)
}

/** Circles of imports: of those at run time, dynamic ones too, and of the static ones, those of types too. */
export const cycles = (sources: Sources): string[] => [
  ...new Set([...circles(sources, ({ type_only }) => !type_only), ...circles(sources, ({ dynamic }) => !dynamic)]),
]

function circles(sources: Sources, counts: (one: Import) => boolean): string[] {
  const edges = new Map<string, string[]>()
  for (const one of allImports(sources)) {
    const target = resolveImport(one)
    if (counts(one) && sources.has(target)) edges.set(one.file, [...(edges.get(one.file) ?? []), target])
  }
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) return void found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file)) return
    for (const next of edges.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of edges.keys()) visit(file, [])
  return found
}
