import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { arrayBuffer } from 'node:stream/consumers'
import type { z } from 'zod'
import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { isFile } from '../../../../runtime/http/returns.ts'
import { readable } from '../../../../runtime/validation.ts'
import { type AnyInput, type Client, type Issue, Refusal } from '../client.ts'
import { Failure } from '../command.ts'
import { type Field, fieldsOf, flagOf } from './fields.ts'
import { paramsOf } from './find.ts'
import { argumentsOf, wordsOf } from './names.ts'
import { jsonOf, membersOf, type Typed } from './values.ts'

export interface Call {
  client: Client
  endpoint: Endpoint
  /** All endpoints of its area. */
  table: readonly Endpoint[]
  fields: ReadonlyMap<string, Field>
  args: readonly string[]
  values: Typed
}

/** `fields`: an object with known members; `whole`: any other JSON. */
export function bodyOf(endpoint: Endpoint): 'none' | 'fields' | 'whole' | 'form' | 'raw' {
  const { method, body, body_kind = 'json' } = endpoint
  if (method === 'GET' || (body_kind === 'json' && !body)) return 'none'
  if (body_kind !== 'json') return body_kind
  return [...fieldsOf(endpoint).values()].some(({ place }) => place === 'body') ? 'fields' : 'whole'
}

/** Options that may also be given as arguments: what is required, but flags, objects and secrets. */
export const requiredOf = (fields: ReadonlyMap<string, Field>): string[] =>
  [...fields].flatMap(([flag, { required, kind, secret }]) =>
    required && !secret && kind !== 'boolean' && kind !== 'json' ? [flag] : [],
  )

/** The request, checked against the schemas; `rest` is the argument after those that it contains. */
export async function inputOf(made: Call): Promise<{ input: AnyInput; rest: string | undefined }> {
  const { client, endpoint, table, fields, args } = made
  const flags = requiredOf(fields).filter((flag) => made.values[flag] === undefined)
  const more = args.slice(argumentsOf(endpoint.path).length)
  const rest = more[flags.length]
  if (rest !== undefined && ['none', 'fields'].includes(bodyOf(endpoint)) && !isFile(endpoint.returns))
    throw new Failure(`Unexpected argument: ${rest}`, { name: 'usage' })
  const values = { ...made.values, ...argumentValues(fields, flags, more) }
  const query = textOf(await membersOf(fields, 'query', values))
  check(made, endpoint.query, query)
  const payload = await payloadOf(made, values, rest)
  if (payload.body !== undefined) check(made, endpoint.body, payload.body)
  const params = await paramsOf(client, endpoint, table, args)
  check(made, endpoint.params, params)
  const { owner } = values
  return { input: { params, query: { ...query, ...(owner !== undefined && { owner }) }, ...payload }, rest }
}

const argumentValues = (fields: ReadonlyMap<string, Field>, flags: readonly string[], args: readonly string[]) =>
  Object.fromEntries(
    flags.flatMap((flag, index): [string, string | string[]][] => {
      const value = args[index]
      return value === undefined ? [] : [[flag, fields.get(flag)?.kind === 'list' ? [value] : value]]
    }),
  )

/** Query values are text. */
const textOf = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

async function payloadOf(
  { endpoint, fields }: Call,
  values: Typed,
  file: string | undefined,
): Promise<Omit<AnyInput, 'params' | 'query'>> {
  const kind = bodyOf(endpoint)
  const body = typeof values.body === 'string' ? values.body : file === undefined ? undefined : `@${file}`
  if (kind === 'none') return {}
  if (kind === 'form') return { content: await formOf(values, file) }
  if (kind === 'raw') return { content: await contentOf(body) }
  if (kind === 'whole') return { body: body === undefined ? {} : await jsonOf('body', body) }
  const whole = typeof values.body === 'string' ? await jsonOf('body', values.body) : {}
  return { body: { ...(whole as object), ...(await membersOf(fields, 'body', values)) } }
}

async function formOf({ form: extra = [] }: Typed, file: string | undefined): Promise<FormData> {
  const form = new FormData()
  for (const field of [extra].flat()) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(String(field)) ?? []
    form.append(name, value)
  }
  if (file !== undefined) form.append('file', await fileOf(file), basename(file))
  return form
}

/** `@file`, `-` for the standard input, or the content itself. */
async function contentOf(body: string | undefined): Promise<Blob> {
  if (body === undefined || body === '-')
    return process.stdin.isTTY ? new Blob([]) : new Blob([await arrayBuffer(process.stdin)])
  return body.startsWith('@') ? fileOf(body.slice(1)) : new Blob([body])
}

/** Read while it is sent, not as a whole. */
async function fileOf(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch {
    throw new Failure(`${path} cannot be read`, { name: 'not_found' })
  }
}

function check(made: Call, schema: z.ZodType | undefined, value: unknown): void {
  const result = schema?.safeParse(value, readable)
  if (!result || result.success) return
  throw wrong(
    made,
    result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  )
}

/** Names the options, not the fields, of what the daemon refuses. */
export const refused =
  (made: Call) =>
  (thrown: unknown): never => {
    throw thrown instanceof Refusal && thrown.issues.length > 0 ? wrong(made, thrown.issues) : thrown
  }

function wrong({ endpoint, table, fields }: Call, issues: readonly Issue[]): Failure {
  const args = requiredOf(fields)
  const lines = issues.map(({ path, place, message }) => {
    if (place) return `${place} ${message}`
    const flag = flagOf(path.split('.'))
    const option = fields.has(flag) || path.includes('.') ? `--${flag}` : path
    return `${args.includes(flag) && message === 'is required' ? `<${flag}>` : option} ${message}`.trim()
  })
  const words = wordsOf(endpoint, table).join(' ')
  return new Failure(`${[...new Set(lines)].join('; ')}. See hearthd ${words} --help`, { name: 'usage' })
}
