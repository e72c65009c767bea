import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { call } from './set.ts'
import { codeOf, isExpression, translated } from './texts.ts'
import { type Fields, NotExact, type Translate, type Translated, type Translating } from './translating.ts'
import table from './vendors.json' with { type: 'json' }

/** A request of an API. In values, `$name` is a parameter of the node, and `$name!field` one without a field. */
interface Operation {
  method?: string
  path?: string
  query?: Fields
  body?: unknown
  /** Code over the answer. */
  transform?: string
  /** The parameter with the fields to write. */
  needs?: string
  /** Parameters with which it would do something else. */
  refuse?: readonly string[]
  /** How the result differs. */
  note?: string
}

interface Vendor {
  base: string
  headers?: Record<string, string>
  /** By resource and operation. */
  operations: Readonly<Record<string, Operation>>
  /** What a file leaves out because it is the default. */
  resource?: string
  usual?: string
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
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  const [path = '', without] = value.slice(1).split('!')
  const own = translated(parameterAt(parameters, path))
  if (without === undefined || typeof own !== 'object' || own === null) return own
  return Object.fromEntries(Object.entries(own).filter(([name]) => name !== without))
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

function request(node: Translating): Translated {
  const vendor = ownValue(vendors, node.name)
  if (!vendor) throw new NotExact('its API is not known')
  const { parameters } = node
  const resource = parameters.resource ?? vendor.resource
  const action = String(parameters.operation ?? vendor.usual ?? 'create')
  const name = resource === undefined ? action : `${resource}.${action}`
  const operation = ownValue(vendor.operations, name) ?? ownValue(vendor.operations, action)
  if (!operation) throw new NotExact(`its operation ${name} has no equivalent`)
  const { method = 'GET', path = '', query = {}, body, transform = '', needs, refuse = [], note } = operation
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
  if (!node.has_credential) node.report('credential', 'needs a credential for this service: choose it in the node')
  if (note !== undefined) node.report('operation', note, name)
  return {
    type: 'http',
    params: {
      method,
      url: addressOf(vendor.base + path, own),
      query: filled(query, own),
      headers: vendor.headers ?? {},
      ...(body === undefined ? {} : { body: filled(body, own) }),
      only_body: true,
      body_field: 'data',
      transform,
    },
    input_mode: 'item',
  }
}

/** A message on a channel: the output is the input. */
const message =
  (text: string, to: string): Translate =>
  (node) => {
    const content = parameterAt(node.parameters, text)
    if (content === undefined) throw new NotExact('it has no text')
    node.report('channel_id', 'sends on a channel: choose it, with the same account, in the node')
    node.report('', 'passes its input on; in n8n, what the service answers')
    const target = parameterAt(node.parameters, to)
    return {
      type: 'notify',
      params: {
        channel: 'channel',
        channel_id: '',
        message: translated(content),
        ...(target === undefined ? {} : { to: translated(target) }),
      },
      input_mode: 'item',
    }
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
      return { type: 'notify', params, input_mode: 'item' }
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
