import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { entriesOf, firstWords, ownCommands } from '../../adapters/node/cli/registry.ts'
import { variables } from '../../adapters/node/environment.ts'

const top = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(top, file), 'utf8')
const readme = read('README.md')

test.each(Object.values(variables))('$name is in the README with its default', ({ name, default: value }) => {
  const row = readme.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
  expect(row).toBeDefined()
  if (name !== 'SERVICE_TIMEZONE') expect(row).toContain(value === '' ? '| – |' : `\`${value}\``)
})

test('every command is in the README', async () => {
  for (const { usage } of await ownCommands()) expect(readme).toContain(usage.split(/\s+[<[]/)[0])
  const derived = (await Promise.all((await firstWords()).map(entriesOf))).flat()
  const own = new Set((await ownCommands()).map(({ usage }) => usage))
  const things = new Set(derived.filter(({ usage }) => !own.has(usage)).flatMap(({ words }) => words[0] ?? []))
  const listed = /Things are `([^`]*)`/.exec(readme)?.[1]?.split(/\s+/)
  expect(listed).toEqual([...things].toSorted())
})

test("every dependency is in the README's table", () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const table = readme.slice(readme.indexOf('## Dependencies'))
  const told = (name: string) => table.includes(name) || table.includes(`${name.split('/')[0]}/*`)
  expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !told(name))).toEqual([])
})

test('no README in a folder is longer than 60 lines', () => {
  const folders = globSync('{handlers,runtime,adapters,web,test}/**/README.md', {
    cwd: top,
    exclude: ['**/node_modules/**'],
  })
  const long = folders.filter((file) => read(file).trimEnd().split('\n').length > 60)
  expect(folders.length).toBeGreaterThan(20)
  expect(long).toEqual([])
})
