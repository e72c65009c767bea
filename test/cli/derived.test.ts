import { expect, test } from 'vitest'
import { aliases, expand } from '../../adapters/node/cli/aliases.ts'
import { wordsOf } from '../../adapters/node/cli/command.ts'
import { flagOf } from '../../adapters/node/cli/derived/fields.ts'
import { argumentsOf, listOf, listPathOf } from '../../adapters/node/cli/derived/names.ts'
import { listColumnsOf, tableOf } from '../../adapters/node/cli/derived/show.ts'
import { helpOf } from '../../adapters/node/cli/help.ts'
import { places } from '../../adapters/node/cli/places.ts'
import { entriesOf, find, firstWords } from '../../adapters/node/cli/registry.ts'
import { allEndpoints } from '../../handlers/index.ts'
import { toJsonSchema } from '../../runtime/http/openapi/json-schema.ts'

const endpoints = await allEndpoints()
const entries = (await Promise.all((await firstWords()).map(entriesOf))).flat()
const commands = await Promise.all(entries.map(({ load }) => load()))
const routeOf = (notes = '') => (/^(GET|POST|PUT|PATCH|DELETE) \//.test(notes) ? notes : null)

test('every endpoint has exactly one command, and no two commands have the same words', () => {
  const routes = commands.flatMap(({ notes }) => routeOf(notes) ?? [])
  expect(routes.toSorted()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).toSorted())
  const words = commands.map(({ usage }) => wordsOf(usage).join(' '))
  expect(words.filter((one, at) => words.indexOf(one) !== at)).toEqual([])
})

test('the command of every endpoint has an option for each field, an argument for each parameter, and help', async () => {
  for (const { method, path, query, body, body_kind = 'json', summary } of endpoints) {
    const command = commands.find(({ notes }) => notes === `${method} ${path}`)
    const schemas = [query, method !== 'GET' && body_kind === 'json' ? body : undefined]
    const fields = schemas.flatMap((schema) => {
      const { properties, anyOf } = schema ? toJsonSchema(schema, 'input') : {}
      return [properties, ...(anyOf ?? []).map((one) => one.properties)].flatMap((all) => Object.keys(all ?? {}))
    })
    const place = `${method} ${path}`
    for (const field of fields) expect(Object.keys(command?.options ?? {}), place).toContain(flagOf([field]))
    for (const { label: shown } of argumentsOf(path)) expect(command?.usage, place).toContain(`<${shown}>`)
    expect(command?.options, place).toHaveProperty('json')
    const help = command ? helpOf(command) : ''
    expect(help).toContain(summary)
    for (const field of fields) expect(help).toContain(`--${flagOf([field])}`)
  }
})

test('every endpoint is found by the words of its command', async () => {
  for (const { words } of entries) expect((await find(words)).entry?.words).toEqual(words)
})

test('a short verb is not taken for an argument', async () => {
  expect((await find(['executions', 'ls'])).entry?.words).toEqual(['executions', 'list'])
  expect((await find(['executions', 'Flow'])).entry?.words).toEqual(['executions'])
})

test('a list has columns of plain values, and names what it refers to', () => {
  const lists = endpoints.flatMap(({ method, path, returns }) => {
    const list = method === 'GET' ? listOf(returns) : null
    return list ? [{ path, columns: listColumnsOf(list.row), row: list.row }] : []
  })
  expect(lists.length).toBeGreaterThan(60)
  for (const { path, columns, row } of lists)
    if (row.properties && !row.additionalProperties) expect(columns.length, path).toBeGreaterThan(1)
  const references = lists.flatMap(({ columns }) => columns.filter((column) => /[a-z]_id$/.test(column)))
  const named = references.filter((one) => !/^(check_in|message|parent|pack)_id$/.test(one))
  const paths = endpoints.map(({ path }) => path)
  for (const reference of new Set(named)) expect(paths).toContain(listPathOf(reference))

  const names = new Map([['wf_1', 'Flow']])
  const rows = [{ id: 'exec_1', workflow_id: 'wf_1', value: { tea: 2, kind: 'green' } }]
  expect(tableOf(rows, ['id', 'workflow_id', 'value'], String, names)).toContain(
    'exec_1  Flow      tea: 2, kind: green',
  )
})

test('every alias stands for a command, with options that it has', async () => {
  for (const [name, { options = {} }] of Object.entries(aliases)) {
    const { entry } = await find([...name.split(' '), 'hook_1', 'x'])
    expect(entry, name).toBeDefined()
    const known = (await entry?.load())?.options ?? {}
    const flags = Object.keys(options).flatMap((option) => expand([...name.split(' '), 'x', `--${option}`, 'v']))
    for (const flag of flags.filter((word) => word.startsWith('--'))) expect(known).toHaveProperty([flag.slice(2)])
  }
})

test('every thing with a short place belongs to its area only', async () => {
  for (const [thing, area] of Object.entries(places)) {
    const paths = endpoints.map(({ path }) => path)
    expect(paths.some((path) => path.startsWith(`/api/${area}/${thing}`))).toBe(true)
    expect(paths.some((path) => path.startsWith(`/api/${thing}/`) || path === `/api/${thing}`)).toBe(false)
  }
})
