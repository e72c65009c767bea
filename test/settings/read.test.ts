import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { servedSections } from '../../handlers/settings/sections.ts'
import { AgentChanges } from '../../runtime/agents/schema.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const code = new Map(
  globSync('{runtime,adapters,handlers,web}/**/*.{ts,tsx}', { cwd: root })
    .filter((file) => !/\b(dist|migrations)\b/.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')]),
)

const importsOf = new Map(
  [...code].map(([file, text]) => [
    file,
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
      relative(root, join(root, dirname(file), path)),
    ),
  ]),
)

/** A file, and those that import it directly or through one other. The list of all sections reads none. */
function near(seeds: readonly string[]): string[] {
  const found = new Set(seeds)
  for (let distance = 0; distance < 2; distance += 1)
    for (const [file, imports] of importsOf)
      if (file !== 'handlers/settings/sections.ts' && imports.some((path) => found.has(path))) found.add(file)
  return [...found]
}

interface Setting {
  path: string[]
  unavailable: boolean
}

function settingsOf(schema: z.core.$ZodType, path: string[] = [], marked = false): Setting[] {
  let inner = schema
  let unavailable = marked
  for (;;) {
    unavailable ||= z.globalRegistry.get(inner)?.unavailable !== undefined
    const { def } = inner._zod as unknown as { def: { innerType?: z.core.$ZodType } }
    if (!def.innerType) break
    inner = def.innerType
  }
  if (!(inner instanceof z.ZodObject)) return [{ path, unavailable }]
  return Object.entries(inner.shape).flatMap(([name, member]) =>
    settingsOf(member as z.core.$ZodType, [...path, name], unavailable),
  )
}

/** `.name`, `{ name }` or, in a map of the pages, `'name'`. A key with a value defines it. */
const reads = (name: string, file: string) =>
  new RegExp(
    `\\.${name}\\b(?!\\s*=[^=])|[{,]\\s*${name}(?:\\s*[,}=]|:\\s*\\w+\\s*[,}])${file.startsWith('web/') ? `|: '${name}'` : ''}`,
  )

const sections = [
  ...servedSections.map(({ section }) => ({ name: section.name, schema: section.schema as z.ZodObject })),
  { name: 'agents', schema: AgentChanges as z.ZodObject },
]

const seedsOf = (name: string): string[] =>
  [...code]
    .filter(([file, text]) =>
      name === 'agents'
        ? file === 'runtime/agents/schema.ts'
        : (file.startsWith('runtime/') &&
            new RegExp(`defineSection\\([^)]{0,40}name: '${name}'`).test(text)) ||
          (file.startsWith('web/') && text.includes(`/api/settings/${name.replace('_', '-')}`)),
    )
    .map(([file]) => file)

/** Passed to the browser as they are. */
const passedWhole = new Set(['geolocation'])

describe.each(sections)('$name', ({ name, schema }) => {
  const files = near(seedsOf(name))
  // `config.name` builds the schema of agents.
  const textOf = (file: string) => (code.get(file) ?? '').replace(/\bconfig\.\w+/g, '')
  const isRead = (member: string) => files.some((file) => reads(member, file).test(textOf(file)))
  test.each(settingsOf(schema).map((setting) => [setting.path.join('.'), setting] as const))(
    '%s has an effect, or is marked as not available yet',
    (_, { path, unavailable }) => {
      expect(files.length).toBeGreaterThan(0)
      const [member = ''] = path
      const read = isRead(member) && (isRead(path.at(-1) ?? '') || passedWhole.has(member))
      if (!unavailable) expect(read).toBe(true)
    },
  )
})

test.each(['snapshot_interval_ms'])('%s is still marked because nothing reads it', (name) => {
  const found = [...code].filter(([, text]) => new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\s*[,}]`).test(text))
  expect(found.map(([file]) => file)).toEqual([])
})
