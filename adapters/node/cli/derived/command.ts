import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { isFile, isStream } from '../../../../runtime/http/returns.ts'
import { keyOption, withClient } from '../client.ts'
import { type Command, jsonOption, type Option } from '../command.ts'
import { confirmed } from '../prompt.ts'
import { followList, printAnswer, printStream, type Shown, saveFile } from './answer.ts'
import { type Field, fieldsOf } from './fields.ts'
import { bodyOf, type Call, inputOf, refused, requiredOf } from './input.ts'
import { argumentsOf, listOf, wordsOf } from './names.ts'
import { memberOf, type Typed } from './values.ts'

/** What cannot be undone is confirmed first. */
const dangerous = /^(delete|clear|reset|prune|truncate|restore|rotate|rotate-(secret|token))$/

const isDangerous = ({ method, path }: Endpoint): boolean =>
  method === 'DELETE' || (method === 'POST' && dangerous.test(path.split('/').at(-1) ?? ''))

/** The words of an endpoint's command, its path parameters, then what it requires and the files it takes. */
export function usageOf(endpoint: Endpoint, table: readonly Endpoint[]): string {
  const fields = bodyOf(endpoint) === 'form' ? [] : requiredOf(fieldsOf(endpoint))
  const takesFile = ['form', 'raw', 'whole'].includes(bodyOf(endpoint))
  return [
    ...wordsOf(endpoint, table),
    ...argumentsOf(endpoint.path).map(({ label }) => `<${label}>`),
    ...fields.map((flag) => `[${flag}]`),
    ...(takesFile ? ['[file]'] : isFile(endpoint.returns) ? ['[output]'] : []),
  ].join(' ')
}

/** The command of an endpoint; `table` has all endpoints of its area. */
export function commandOf(endpoint: Endpoint, table: readonly Endpoint[]): Command {
  const fields = fieldsOf(endpoint)
  return {
    usage: usageOf(endpoint, table),
    what: endpoint.summary,
    options: optionsOf(endpoint, fields),
    optionNamed: (name) => memberOf(fields, name)?.option,
    notes: `${endpoint.method} ${endpoint.path}`,
    run: (args, typed) => {
      const { key, yes, ...display } = typed as Shown & { key?: string; yes?: boolean }
      return withClient({ key }, async (client) => {
        if (!yes && isDangerous(endpoint)) await confirmed([endpoint.summary, ...args].join(' '))
        return call({ client, endpoint, table, fields, args, values: typed as Typed }, display)
      })
    },
  }
}

function optionsOf(endpoint: Endpoint, fields: ReadonlyMap<string, Field>): Record<string, Option> {
  const { returns, method, owner } = endpoint
  const kind = bodyOf(endpoint)
  const isFollowed = method === 'GET' && (isStream(returns) || listOf(returns) !== null)
  const following = isStream(returns) ? 'Keep printing until it has ended' : 'Keep printing what is new'
  return {
    ...Object.fromEntries([...fields].map(([flag, { option }]) => [flag, option])),
    ...(kind === 'form' && { form: { value: 'name=value', multiple: true, what: 'Another field of the form' } }),
    ...(kind !== 'none' && {
      body: { value: 'json', what: 'The whole body: JSON, @file, or - for the standard input' },
    }),
    ...(isFile(returns) && { output: { value: 'path', what: 'Write to this file, not to the standard output' } }),
    ...(isFollowed && { follow: { short: 'f', what: following } }),
    ...(isDangerous(endpoint) && { yes: { short: 'y', what: 'Do not ask' } }),
    ...(owner === 'caller' && {
      owner: { value: 'user', what: 'For administrators: the user whose data it is, or all to read' },
    }),
    ...keyOption,
    ...jsonOption,
  }
}

async function call(made: Call, display: Shown): Promise<unknown> {
  const { client, endpoint } = made
  const { method, path, returns } = endpoint
  const { input, rest: output } = await inputOf(made)
  const send = () => client.send(method, path, input).catch(refused(made))
  if (isStream(returns)) return printStream(client, await send(), { follow: method !== 'GET', ...display })
  if (isFile(returns)) return saveFile(await send(), { ...display, ...(output && { output }) })
  const read = async () => (await send()).json() as Promise<unknown>
  if (display.follow) return followList(client, endpoint, read, display)
  return printAnswer(client, endpoint, await read(), display)
}
