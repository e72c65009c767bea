import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { firstSegment } from '../../../../runtime/http/routes.ts'
import type { Client } from '../client.ts'
import { Failure } from '../command.ts'
import { argumentsOf, listOf, singular, wordsOf } from './names.ts'

const looksLikeId = /^[a-z]+_[0-9a-hjkmnp-tv-z]{20,}$/
const nameFields = ['name', 'title', 'display_name', 'username'] as const

/** The path parameters of a call. Things are named by id, or by name if a list of the area has them. */
export async function paramsOf(
  client: Client,
  { path }: Pick<Endpoint, 'path'>,
  table: readonly Endpoint[],
  args: readonly string[],
): Promise<Record<string, string>> {
  const params: Record<string, string> = {}
  for (const [index, { name }] of argumentsOf(path).entries()) {
    const list = path.slice(0, path.indexOf(`/{${name}}`))
    const lists = table.find((other) => other.method === 'GET' && other.path === list)
    const nameOrId = args[index] ?? ''
    const isId = !name.endsWith('id') || looksLikeId.test(nameOrId)
    params[name] = isId || !lists ? nameOrId : await idOf(client, lists, table, params, nameOrId)
  }
  return params
}

type Row = { id: string; status?: string } & { [Name in (typeof nameFields)[number]]?: string | null }

async function idOf(
  client: Client,
  lists: Endpoint,
  table: readonly Endpoint[],
  params: Record<string, string>,
  nameOrId: string,
): Promise<string> {
  const { name: items, row } = listOf(lists.returns) ?? {}
  const field = nameFields.find((name) => row?.properties?.[name])
  if (!items || !field || !row?.properties?.id) return nameOrId
  const rows = await allRows(client, lists, params, nameOrId, items)
  const isNamed = (one: Row) => one.id === nameOrId || one[field]?.toLowerCase() === nameOrId.toLowerCase()
  const exact = rows.filter(isNamed)
  // A revoked device keeps its name.
  const usable = exact.filter(({ status }) => status !== 'revoked')
  const [thing, other] = usable.length > 0 ? usable : exact.length > 0 ? exact.slice(0, 1) : searched(lists) ? rows : []
  const things = wordsOf(lists, table)
  const noun = singular(things.at(-2) ?? '')
  if (!thing) {
    const message = `There is no ${noun} ${nameOrId}; hearthd ${things.join(' ')} lists them`
    throw new Failure(message, { name: 'not_found' })
  }
  if (other) {
    const ids = (usable.length > 0 ? usable : rows)
      .map(({ id }) => id)
      .slice(0, 5)
      .join(', ')
    throw new Failure(`More than one ${noun} is named ${nameOrId}; use the id: ${ids}`, { name: 'ambiguous' })
  }
  return thing.id
}

const shapeOf = (lists: Endpoint) => (lists.query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
const searched = (lists: Endpoint) => 'search' in shapeOf(lists)

const pageSize = 200

async function allRows(
  client: Client,
  lists: Endpoint,
  params: Record<string, string>,
  nameOrId: string,
  items: string,
) {
  const rows: Row[] = []
  const paged = 'offset' in shapeOf(lists)
  for (;;) {
    const query = {
      ...(paged && { limit: pageSize, offset: rows.length }),
      ...(searched(lists) && { search: nameOrId }),
    }
    const response = await client.send('GET', lists.path, { params, query })
    const page = ((await response.json()) as Record<string, Row[]>)[items] ?? []
    rows.push(...page)
    if (!paged || page.length < pageSize) return rows
  }
}

/** The id of a thing named by id or name, for the commands that are more than one call. */
export async function idAt(client: Client, path: `${string}/{id}`, nameOrId: string): Promise<string> {
  const { areas } = await import('../../../../handlers/index.ts')
  const area = areas.find(({ under }) => (under as readonly string[]).includes(firstSegment(path)))
  const table = ((await area?.load()) ?? []) as readonly Endpoint[]
  return (await paramsOf(client, { path }, table, [nameOrId])).id ?? nameOrId
}
