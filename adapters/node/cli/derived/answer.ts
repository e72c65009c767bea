import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { toJsonSchema } from '../../../../runtime/http/openapi/json-schema.ts'
import { type Client, profileTimes } from '../client.ts'
import { Failure, plain } from '../command.ts'
import { eventsOf, untilEvent } from '../events.ts'
import { listOf, listPathOf } from './names.ts'
import { columnsOf, eventLine, isReference, listColumnsOf, namesIn, recordOf, type Times, tableOf } from './show.ts'

export interface Shown {
  json?: boolean
  follow?: boolean
  output?: string
}

/** Members of an answer that are shown once and must not be cut. */
const shownOnce = ['secret', 'key', 'token', 'device_token']

const write = (text: string) => void process.stdout.write(`${text}\n`)

/** Prints an answer: a list as a table, one thing as a record, a thing after a change as a row. */
export async function printAnswer(
  client: Client,
  { returns, method, path }: Endpoint,
  answer: unknown,
  { json }: Shown,
): Promise<void> {
  if (json) return write(JSON.stringify(answer))
  if (typeof answer !== 'object' || answer === null) return write(plain(JSON.stringify(answer)))
  if ('deleted' in answer && 'id' in answer) return write(`Deleted ${answer.id}`)
  const times = await timesFor(client, answer)
  const list = listOf(returns)
  // A test changes little, but says much.
  const isChange =
    method !== 'GET' &&
    path.includes('{id}') &&
    !path.endsWith('/test') &&
    'id' in answer &&
    !shownOnce.some((name) => name in answer)
  if (isChange) return write(tableOf([answer], columnsOf(toJsonSchema(returns, 'output')), times))
  if (!list) return write(recordOf(answer, times))
  const {
    [list.name]: rows,
    total,
    offset = 0,
  } = answer as Record<string, unknown> & { total?: number; offset?: number }
  const objects = rows as object[]
  const columns = listColumnsOf(list.row, objects)
  if (objects.length === 0) write(`No ${list.name.replaceAll('_', ' ')}`)
  else if (columns.length === 0) write(plain(objects.join('\n')))
  else write(tableOf(objects, columns, times, await namesFor(client, objects, columns)))
  const next = offset + objects.length
  if (total !== undefined && objects.length > 0 && next < total)
    process.stderr.write(`${next} of ${total}; --offset ${next} shows more\n`)
}

/** The names of the things that rows refer to, as far as the first page of their lists has them. */
async function namesFor(client: Client, rows: readonly object[], columns: readonly string[]) {
  const names = new Map<string, string>()
  const used = columns.filter(
    (column) => isReference.test(column) && rows.some((row) => (row as Record<string, unknown>)[column]),
  )
  for (const column of used) {
    const response = await client.send('GET', listPathOf(column), {}).catch(() => null)
    namesIn(await response?.json(), names)
  }
  return names
}

/** The profile's time zone is read only if there are times to show. */
async function timesFor(client: Client, answer: unknown): Promise<Times> {
  return /"\d{4}-\d\d-\d\dT/.test(JSON.stringify(answer)) ? profileTimes(client) : (text) => text
}

/** Prints each row of a list when it is new or has changed, until the command is stopped. */
export async function followList(client: Client, endpoint: Endpoint, read: () => Promise<unknown>, { json }: Shown) {
  const list = listOf(endpoint.returns)
  if (!list) return
  const times = await profileTimes(client)
  const printed = new Map<string, string>()
  const columns = listColumnsOf(list.row)
  await untilEvent(client, async () => {
    const rows = ((await read()) as Record<string, Record<string, unknown>[]>)[list.name] ?? []
    const changed = rows.filter((row) => printed.get(String(row.id)) !== JSON.stringify(row)).toReversed()
    for (const row of changed) printed.set(String(row.id), JSON.stringify(row))
    if (json) for (const row of changed) write(JSON.stringify(row))
    else if (changed.length > 0)
      write(
        tableOf(changed, columns, times, await namesFor(client, changed, columns))
          .split('\n')
          .slice(printed.size > changed.length ? 1 : 0)
          .join('\n'),
      )
    return undefined
  })
}

/** Whether a thing waits for a person: its stream continues only after an answer, so following it ends. */
const waits = (event: string, data: unknown): boolean =>
  /\.(blocked|paused)$/.test(event) || /^(blocked|paused)$/.test((data as { status?: string } | null)?.status ?? '')

/** Prints the events of a stream; without `follow` only the current state, if it begins with one. */
export async function printStream(client: Client, response: Response, { json, follow }: Shown): Promise<number> {
  const times = await profileTimes(client)
  const names = new Map<string, string>()
  let failed = false
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'snapshot') namesIn(data, names)
    if (json) write(JSON.stringify({ event, data }))
    else if (event === 'snapshot') write(recordOf(data as object, times))
    else write(eventLine(event, data, names, times))
    failed ||= event === 'error'
    if ((event === 'snapshot' && !follow) || waits(event, data)) break
  }
  return failed ? 1 : 0
}

/** Writes a file to `output`, else to the standard output. */
export async function saveFile(response: Response, { json = false, output }: Shown): Promise<void> {
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  const bytes = Readable.from(response.body ?? [])
  if (output === undefined) {
    if (json && !type.includes('json')) throw new Failure('--json needs --output <path> here', { name: 'usage' })
    if (process.stdout.isTTY && !/^text\/|json|xml/.test(type))
      throw new Failure(`This is a file of the type ${type}; use --output <path>`, { name: 'usage' })
    return pipeline(bytes, process.stdout, { end: false })
  }
  const file = createWriteStream(output, { flags: 'wx' })
  await pipeline(bytes, file).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST')
      throw new Failure(`Cannot write ${output}: ${thrown.message}`, { name: 'cannot_write' })
    throw new Failure(`${output} already exists; choose another path`, { name: 'conflict' })
  })
  if (json) write(JSON.stringify({ output, bytes: file.bytesWritten, content_type: type }))
}
