import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { Failure } from '../command.ts'
import { askHidden } from '../prompt.ts'
import { type Field, flagOf, type Kind } from './fields.ts'

export type Typed = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The values of options, as the members of the query or of the body. */
export async function membersOf(
  fields: ReadonlyMap<string, Field>,
  place: Field['place'],
  typed: Typed,
): Promise<Record<string, unknown>> {
  const members: Record<string, unknown> = {}
  // A whole object is set before its members.
  const flags = Object.keys(typed).sort((a, b) => a.split('.').length - b.split('.').length)
  for (const flag of flags) {
    const field = fields.get(flag) ?? memberOf(fields, flag)
    const value = typed[flag]
    if (field?.place === place && value !== undefined) set(members, field.path, await typedValue(field, value))
  }
  return members
}

/** A member of an object whose members have any names, such as `--headers.accept`. */
export function memberOf(fields: ReadonlyMap<string, Field>, flag: string): Field | undefined {
  const parts = flag.split('.')
  for (let length = parts.length - 1; length > 0; length--) {
    const parent = fields.get(parts.slice(0, length).join('.'))
    if (parent?.kind === 'json')
      return {
        ...parent,
        kind: parent.item,
        path: [...parent.path, ...parts.slice(length)],
        option: { value: 'value', what: '' },
      }
  }
  return undefined
}

function set(members: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    members[name] = value
    return
  }
  const inner = members[name]
  const object = typeof inner === 'object' && inner !== null ? { ...inner } : {}
  members[name] = object
  set(object as Record<string, unknown>, rest, value)
}

async function typedValue(field: Field, value: NonNullable<Typed[string]>): Promise<unknown> {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') {
    const [whole = ''] = value
    if (value.length === 1 && /^[[@-]/.test(whole)) return jsonOf(flagOf(field.path), whole)
    return value.flatMap((text) =>
      field.item === 'json' ? [one('json', text)] : commas(text).map((part) => one(field.item, part)),
    )
  }
  if (field.nullable && value === 'null') return null
  if (value === '-') return field.kind === 'json' ? jsonOf('', value) : await hidden(field)
  const isWhole = field.kind === 'json' && /^([[{"@]|true$|false$|-?\d+(\.\d+)?$)/.test(value)
  return isWhole ? jsonOf(flagOf(field.path), value) : one(field.kind, value)
}

const hidden = (field: Field) => askHidden(field.option.what.replace(/ \(.*|:.*/, ''))

/** A comma that a space follows is part of a text. */
const commas = (text: string): string[] => text.split(/,(?=\S)/)

function one(kind: Kind, text: string): unknown {
  if (kind === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return kind === 'json' && /^[[{]/.test(text) ? parsed(text) : text
}

/** JSON, `@file`, or `-` for the standard input, which may also have lines of the form `name=value`. */
export async function jsonOf(flag: string, text: string): Promise<unknown> {
  if (text === '-') return process.stdin.isTTY ? {} : assignments(await readAll(process.stdin))
  return parsed(text.startsWith('@') ? await contentOf(text.slice(1)) : text, flag)
}

function assignments(text: string): unknown {
  if (/^\s*[[{"]/.test(text)) return parsed(text)
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1) throw new Failure('Pass JSON, or one name=value per line', { name: 'usage' })
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

function parsed(text: string, flag = ''): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Failure(`${flag && `--${flag}: `}This is not JSON: ${text.slice(0, 80)}`, { name: 'usage' })
  }
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    throw new Failure(`Cannot read ${file}: ${(thrown as Error).message}`, { name: 'usage' })
  }
}
