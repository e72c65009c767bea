import { z } from 'zod'
import type { Context } from '../../context.ts'
import { textOf } from '../../expressions.ts'
import type { DatabaseServer, RedisCommand } from '../../ports/databases.ts'
import { isRecord } from '../../values.ts'
import { withField } from '../field-path.ts'
import { nodeType, permanentError } from '../node-type.ts'
import { databaseCredential, withDatabase } from './database.ts'

const Params = z.object({
  action: z
    .enum(['get', 'set', 'delete', 'increment', 'keys', 'push', 'pop', 'publish', 'info', 'command'])
    .default('get')
    .meta({
      labels: {
        get: 'Get a value',
        set: 'Set a value',
        delete: 'Delete a key',
        increment: 'Increment a number',
        keys: 'Get keys and their values',
        push: 'Add to a list',
        pop: 'Take from a list',
        publish: 'Publish a message',
        info: 'Get information about the server',
        command: 'Send any command',
      },
    }),
  credential: databaseCredential,
  key: z
    .string()
    .max(10_000)
    .default('')
    .meta({ description: 'Or the list, the channel, or the pattern of keys, such as user:*' }),
  value: z
    .unknown()
    .optional()
    .meta({ description: 'To set, add or publish. Objects become hashes and lists become lists' }),
  type: z.enum(['auto', 'string', 'hash', 'list', 'set']).default('auto').meta({ title: 'Type of the value' }),
  expires_seconds: z.int().min(1).nullable().default(null).meta({ title: 'Expires after', unit: 'seconds' }),
  from_end: z.boolean().default(false).meta({ description: 'To add or take: at the end of the list' }),
  field: z
    .string()
    .max(200)
    .default('value')
    .meta({ description: 'To get or take: the field of the output with the value' }),
  with_values: z.boolean().default(true).meta({ description: 'Of keys: their values too' }),
  command: z.array(z.string().max(1_000_000)).max(1_000).default([]).meta({
    description: 'Such as ["LLEN", "tasks"]; an argument is never read as part of another',
  }),
})
type Params = z.output<typeof Params>
type Action = Params['action']

const reading: readonly Action[] = ['get', 'keys', 'info']

/** Keys that are listed. */
const maxKeys = 10_000

export const redis = nodeType<Params>({
  type: 'redis',
  title: 'Redis',
  description: 'Reads and changes values of Redis. What changes something passes its input on.',
  category: 'data',
  params: Params,
  usual_input: 'item',
  risk: 'medium',
  side_effects: true,
  effect: ({ action }) => !reading.includes(action),
  run: (params, { context, input }) =>
    withDatabase(context, params.credential, async (server) => {
      if (server.engine !== 'redis')
        throw permanentError('invalid_params', 'This credential is for a database of SQL: use the node Database')
      if (params.key === '' && params.action !== 'info' && params.action !== 'command')
        throw permanentError('invalid_params', 'Key is required')
      const output = await perform(params, new Client(context, server))
      return { output: output === passOn ? input : output }
    }),
})

const passOn = Symbol('input')

class Client {
  readonly #context: Context
  readonly #server: DatabaseServer

  constructor(context: Context, server: DatabaseServer) {
    this.#context = context
    this.#server = server
  }

  all = (commands: readonly RedisCommand[]): Promise<unknown[]> =>
    commands.length === 0
      ? Promise.resolve([])
      : this.#context.databases.command(this.#server, commands, this.#context.signal)

  send = async (...command: string[]): Promise<unknown> => (await this.all([command]))[0]
}

async function perform(params: Params, client: Client): Promise<unknown> {
  const { action, key, value, field, from_end, expires_seconds, command } = params
  const expiring: RedisCommand[] = expires_seconds === null ? [] : [['EXPIRE', key, String(expires_seconds)]]
  switch (action) {
    case 'get':
      return withField({}, field, (await valuesOf(client, [key], params.type))[0])
    case 'set':
      await client.all([...settings(params), ...expiring])
      return passOn
    case 'delete':
      await client.send('DEL', key)
      return passOn
    case 'increment': {
      const [number] = await client.all([['INCR', key], ...expiring])
      return { [key]: number }
    }
    case 'keys':
      return listed(params, client)
    case 'push':
      await client.send(from_end ? 'RPUSH' : 'LPUSH', key, textOf(value))
      return passOn
    case 'pop':
      return withField({}, field, parsed(await client.send(from_end ? 'RPOP' : 'LPOP', key)))
    case 'publish':
      await client.send('PUBLISH', key, textOf(value))
      return passOn
    case 'info':
      return infoOf(String(await client.send('INFO')))
    case 'command':
      if (command.length === 0) throw permanentError('invalid_params', 'Command is required')
      return withField({}, field, await client.send(...command))
  }
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text)) as unknown
  } catch {
    return text
  }
}

/** The commands that store a value as its type, in place of what the key had. */
function settings({ key, value, type }: Params): RedisCommand[] {
  const own = type === 'auto' ? (Array.isArray(value) ? 'list' : isRecord(value) ? 'hash' : 'string') : type
  if (own === 'string') return [['SET', key, textOf(value)]]
  const texts =
    own === 'hash'
      ? Object.entries(isRecord(value) ? value : {}).flatMap(([name, one]) => [name, textOf(one)])
      : [value].flat().map(textOf)
  if (texts.length === 0) return [['DEL', key]]
  return [
    ['DEL', key],
    [own === 'hash' ? 'HSET' : own === 'list' ? 'RPUSH' : 'SADD', key, ...texts],
  ]
}

const readings: Readonly<Record<string, (key: string) => RedisCommand>> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1'],
}

async function valuesOf(client: Client, keys: readonly string[], type: Params['type'] = 'auto'): Promise<unknown[]> {
  const types = type === 'auto' ? await client.all(keys.map((key) => ['TYPE', key])) : keys.map(() => type)
  const commands = keys.map((key, index) => (readings[String(types[index])] ?? ((own) => ['GET', own]))(key))
  const values = await client.all(commands)
  return values.map((value, index) => (types[index] === 'hash' ? recordOf(value) : value))
}

/** Replies of `HGETALL` are pairs in a row. */
function recordOf(reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply
  const pairs = Array.from({ length: reply.length / 2 }, (_, index) => [String(reply[2 * index]), reply[2 * index + 1]])
  return Object.fromEntries(pairs)
}

async function listed({ key: pattern, with_values }: Params, client: Client): Promise<unknown> {
  const keys = new Set<string>()
  let cursor = '0'
  do {
    const [next, some] = (await client.send('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000')) as [string, string[]]
    for (const key of some) keys.add(key)
    cursor = next
    if (keys.size > maxKeys)
      throw permanentError('too_large', `More than ${maxKeys} keys match ${pattern}: use a narrower pattern`)
  } while (cursor !== '0')
  const own = [...keys].sort()
  if (!with_values) return { keys: own }
  const values = await valuesOf(client, own)
  return Object.fromEntries(own.map((key, index) => [key, values[index]]))
}

/** What `INFO` says as an object: numbers are numbers, and `a=1,b=2` is an object. */
function infoOf(text: string): Record<string, unknown> {
  const number = (value: string) => (/^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value)
  const lines = text.split(/\r?\n/).filter((line) => line.includes(':') && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const name = line.slice(0, line.indexOf(':'))
      const value = line.slice(name.length + 1)
      const members = value.split(',').map((member) => member.split('='))
      const isRecord = members.every(({ length }) => length === 2)
      return [
        name,
        isRecord ? Object.fromEntries(members.map(([key = '', own = '']) => [key, number(own)])) : number(value),
      ]
    }),
  )
}
