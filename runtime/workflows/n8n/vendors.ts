import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { each, NotExact, skipped } from './equivalent.ts'
import { call } from './set.ts'
import { codeOf, isExpression, translated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'
import table from './vendors.json' with { type: 'json' }

/**
 * A request of an API. In values, `$name` is a parameter of the node, `$name!field` one without a field, and what begins with
 * `js:` is code over the parameters `p`.
 */
interface Operation {
  /** The parameters that it is for, of several requests of one operation. */
  when?: Fields
  method?: string
  /** Instead of that of the service. */
  base?: string
  path?: string
  query?: Fields | string
  headers?: Record<string, string>
  body?: unknown
  body_type?: string
  /** The parameter that names the field of the answer, which is a file. */
  file?: string
  /** Code over the answer. */
  transform?: string
  /** The parameter with the fields to write. */
  needs?: string
  /** Parameters with which it would do something else. */
  refuse?: readonly string[]
  /** The options that its code reads, of a group that it gets whole. */
  uses?: readonly string[]
  /** How the result differs. */
  note?: string
  pages?: Paging
}

/** How all results are requested from a service that answers with a part of them. */
interface Paging {
  /** The parameter that says which part. */
  name: string
  in?: string
  /** Expression. */
  value: string
  /** Expression: the part is the last one. */
  last: string
  /** What a file leaves out of `returnAll`. */
  all?: boolean
}

interface Vendor {
  base: string
  headers?: Record<string, string>
  /** The credential that the service takes. */
  credential?: string
  /** What the host of the address stands for, which is part of the credential in n8n. */
  host?: string
  /** By resource and operation. */
  operations: Readonly<Record<string, Operation | readonly Operation[]>>
  /** What a file leaves out because it is the default; `usual` is the operation, or those by resource. */
  resource?: string
  usual?: string | Readonly<Record<string, string>>
}

const vendors: Readonly<Record<string, Vendor>> = table

/** The value at the first of some paths, such as `table.value|table`, that has one. */
function parameterAt(parameters: Fields, paths: string): unknown {
  for (const path of paths.split('|')) {
    const value = path
      .split('.')
      .reduce<unknown>(
        (at, name) => (typeof at === 'object' && at !== null ? ownValue(at as Fields, name) : undefined),
        parameters,
      )
    if (value !== undefined && (typeof value !== 'object' || !('__rl' in (value ?? {})))) return value
  }
  return undefined
}

/** A value of the table with the parameters of a node. Undefined members are left out. */
function filled(value: unknown, parameters: Fields): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, parameters)).filter((one) => one !== undefined)
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([name, one]) => [name, filled(one, parameters)] as const)
    return Object.fromEntries(members.filter(([, one]) => one !== undefined))
  }
  if (typeof value === 'string' && value.startsWith('js:')) return computed(value.slice(3), parameters)
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  const [path = '', without] = value.slice(1).split('!')
  const own = translated(parameterAt(parameters, path))
  if (without === undefined || typeof own !== 'object' || own === null) return own
  return Object.fromEntries(Object.entries(own).filter(([name]) => name !== without))
}

/** Code over those parameters that it names, or all if it takes `p` itself. */
function computed(code: string, parameters: Fields): string {
  const isWhole = /\bp(?![\w.?])/.test(code)
  const names = isWhole
    ? Object.keys(parameters)
    : new Set([...code.matchAll(/\bp\.(\w+)/g)].map(([, name = '']) => name))
  const members = [...names].map((name) => `${name}: ${deepCode(ownValue(parameters, name))}`)
  return scriptExpression(`((p) => (${code}))({ ${members.join(', ')} })`)
}

/** A parameter as code, with the expressions in it. What was chosen from a list is its value. */
function deepCode(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(deepCode).join(', ')}]`
  if (typeof value !== 'object' || value === null) return call(codeOf(value))
  if ('__rl' in value) return deepCode((value as Fields).value)
  const members = Object.entries(value).map(([name, one]) => `[${JSON.stringify(name)}]: ${deepCode(one)}`)
  return `{ ${members.join(', ')} }`
}

/** An address with parameters: `{name}`; `{name/}` keeps its slashes; `{name~pattern}` is the part that matches. */
function addressOf(template: string, parameters: Fields): string {
  const pieces = template.split(/\{((?:[^{}]|\{[\d,]+\})+)\}/)
  const literal: string[] = []
  const code: string[] = []
  for (const [index, piece] of pieces.entries()) {
    const [, paths = '', slashes, pattern] = /^([^/~]+)(\/)?(?:~(.+))?$/.exec(piece) ?? []
    const value = index % 2 === 1 ? parameterAt(parameters, paths) : piece
    if (value === undefined || value === null || value === '')
      if (index % 2 === 1) throw new NotExact(`${paths.split('|')[0]} is missing`)
    const encode = (text: string) => {
      const part = pattern ? (new RegExp(pattern).exec(text)?.[0] ?? text) : text
      return index % 2 === 0 ? part : slashes ? encodeURI(part) : encodeURIComponent(part)
    }
    if (!isExpression(value)) {
      const text = encode(String(value ?? ''))
      literal.push(text)
      code.push(JSON.stringify(text))
      continue
    }
    const own = call(codeOf(value))
    const part = pattern ? `(String(${own}).match(new RegExp(${JSON.stringify(pattern)}))?.[0] ?? "")` : own
    code.push(`${slashes ? 'encodeURI' : 'encodeURIComponent'}(${part})`)
  }
  return code.length === literal.length ? literal.join('') : scriptExpression(code.join(' + '))
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === 'none' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)

/** Parameters that hold options, each of which would change what the request does. */
const groups = [
  'options',
  'additionalFields',
  'additionalOptions',
  'otherOptions',
  'updateFields',
  'editFields',
  'filters',
]

/** What only concerns how n8n shows or signs the result. */
const idle = ['appendAttribution', 'includeLinkToWorkflow', 'singleEvents', 'simple']

/** Reports the options that a translation does not name. */
function reportUnused(node: Translating, used: Operation): void {
  const names = JSON.stringify(used).replaceAll('?.', '.')
  for (const group of groups) {
    const members = node.parameters[group]
    if (typeof members !== 'object' || members === null) continue
    if (used.uses === undefined && new RegExp(`[$.]${group}(?![.\\w])`).test(names)) continue
    skipped(node, group, members, [
      ...idle,
      ...Object.keys(members).filter((name) => names.includes(`${group}.${name}`)),
    ])
  }
}

function request(node: Translating): Translated {
  const vendor = ownValue(vendors, node.name)
  if (!vendor) throw new NotExact('its API is not known')
  const { parameters } = node
  const resource = parameters.resource ?? vendor.resource
  const usual = typeof vendor.usual === 'object' ? ownValue(vendor.usual, String(resource)) : vendor.usual
  const action = String(parameters.operation ?? usual ?? 'create')
  const name = resource === undefined ? action : `${resource}.${action}`
  const operation = operationOf(vendor, [name, action], parameters)
  if (!operation) throw new NotExact(`its operation ${name} has no equivalent`)
  const { method = 'GET', path = '', query = {}, body, transform = '', needs, refuse = [], note } = operation
  const { base = vendor.base, body_type, file } = operation
  for (const name of refuse)
    if (!isUnset(parameterAt(parameters, name))) throw new NotExact(`its parameter ${name} has no equivalent`)
  const own: Fields = { item: '={{ $json }}', ...parameters }
  if (needs !== undefined) {
    const columns = (parameters[needs] ?? {}) as Fields
    if (typeof columns.value !== 'object' && columns.mappingMode !== 'autoMapInputData')
      throw new NotExact(`${needs} has no fields`)
    if (columns.mappingMode === 'autoMapInputData')
      own[needs] = { ...columns, value: path.includes('{columns.value.id}') ? undefined : '={{ $json }}' }
  }
  const needed = vendor.credential ?? (node.has_credential ? undefined : 'one for this service')
  if (needed !== undefined) node.report('credential', `needs a credential: ${needed}`)
  if (note !== undefined) node.report('operation', note, name)
  reportUnused(node, operation)
  if (vendor.host !== undefined)
    node.report('url', `has no host, which n8n keeps in the credential: enter ${vendor.host}`)
  return each('http', {
    method,
    url: addressOf(base + path, own),
    query: filled(query, own),
    headers: { ...vendor.headers, ...operation.headers },
    ...(body === undefined ? {} : { body: filled(body, own) }),
    ...(body_type === undefined ? {} : { body_type }),
    ...(file === undefined
      ? {}
      : { response: 'file', file_field: `$binary.${String(parameterAt(parameters, file) ?? 'data')}` }),
    only_body: true,
    body_field: 'data',
    transform,
    ...(operation.pages ? pagesOf(operation.pages, parameters) : {}),
  })
}

function pagesOf({ all, in: place = 'query', name, value, last }: Paging, { returnAll = all }: Fields): Fields {
  if (returnAll !== true && !isExpression(returnAll)) return {}
  const max = returnAll === true ? null : computed('p.all ? null : 1', { all: returnAll })
  return { pages: { change: [{ in: place, name, value }], until: 'expression', expression: last, max } }
}

/** The request for an operation, by one of its names and its parameters. */
function operationOf({ operations }: Vendor, names: readonly string[], parameters: Fields): Operation | undefined {
  const requests = names.map((name) => ownValue(operations, name)).find((one) => one !== undefined)
  return [requests ?? []]
    .flat()
    .find(({ when = {} }: Operation) =>
      Object.entries(when).every(([name, value]) => parameterAt(parameters, name) === value),
    )
}

/** A message on a channel: the output is the input. */
const message =
  (text: string, to: string): Translate =>
  (node) => {
    const content = parameterAt(node.parameters, text)
    if (content === undefined) throw new NotExact('it has no text')
    node.report('channel_id', 'sends on a channel: choose it, with the same account, in the node')
    node.report('', 'passes its input on; in n8n, what the service answers')
    reportUnused(node, {})
    const target = parameterAt(node.parameters, to)
    return each('notify', {
      channel: 'channel',
      channel_id: '',
      message: translated(content),
      ...(target === undefined ? {} : { to: translated(target) }),
    })
  }

const isOne = ({ parameters }: Translating, resource: string, operations: readonly string[]): boolean =>
  operations.includes(String(parameters.operation ?? operations[0])) && (parameters.resource ?? resource) === resource

/** Messages are sent by channels and mail; everything else is a request to the API. */
const messages: Readonly<Record<string, { resource: string; operations: string[]; send: Translate }>> = {
  telegram: {
    ...{ resource: 'message', operations: ['sendMessage'] },
    send: message('text', 'chatId'),
  },
  slack: {
    ...{ resource: 'message', operations: ['post'] },
    send: message('text|messageText', 'channelId.value|channel|user.value'),
  },
  discord: {
    ...{ resource: 'message', operations: ['send'] },
    send: message('content|text', 'channelId.value'),
  },
  whatsApp: {
    ...{ resource: 'message', operations: ['send'] },
    send: message('textBody', 'recipientPhoneNumber'),
  },
  mattermost: {
    ...{ resource: 'message', operations: ['post'] },
    send: message('message', 'channelId'),
  },
  gmail: {
    ...{ resource: 'message', operations: ['send'] },
    send({ parameters, report }) {
      const { sendTo, toList, subject = '', message: text, htmlMessage } = parameters
      const to = sendTo ?? (Array.isArray(toList) ? toList.join(', ') : '')
      const content = text ?? htmlMessage ?? ''
      if (to === '') report('sendTo', 'is empty: add the recipient')
      if (parameters.emailType !== 'text') report('message', 'is sent as text', content)
      report('', 'is sent by the mail server of the settings, and passes its input on')
      const params = {
        channel: 'email',
        to: translated(to),
        subject: translated(subject),
        message: translated(content),
      }
      return each('notify', params)
    },
  },
}

/** The nodes of services, by name. */
export const vendorNodes: Readonly<Record<string, Translate>> = Object.fromEntries(
  [...new Set([...Object.keys(vendors), ...Object.keys(messages)])].map((name): [string, Translate] => [
    name,
    (node) => {
      const own = ownValue(messages, name)
      return own && isOne(node, own.resource, own.operations) ? own.send(node) : request(node)
    },
  ]),
)
