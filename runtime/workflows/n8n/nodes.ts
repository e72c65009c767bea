import { conditionExpression, ruleExpression } from './conditions.ts'
import { NotExact, translateText } from './script.ts'

type Fields = Record<string, unknown>

/** What a translation may use, and what it has to report. */
export interface Translating {
  parameters: Fields
  version: number
  /** A value with its expressions translated; one that cannot be is reported and kept as text. */
  value(field: string, given: unknown): unknown
  /** A value as a JSONata expression. */
  expression(given: unknown): string
  report(field: string, message: string, original?: unknown): void
}

export interface Translated {
  type: string
  params: Fields
  /** The output for each output index of n8n. Default: `main`. */
  outputs?: readonly string[]
}

type Translate = (node: Translating) => Translated

const keep: Translated = { type: 'set', params: { values: {}, keep_input: true } }

const valueAs = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'value' in given ? given.value : given

/** Name and value pairs, as n8n stores headers, queries and fields. */
function pairs(node: Translating, field: string, given: unknown): Fields {
  const list = (given as { parameters?: unknown[] } | undefined)?.parameters ?? []
  return Object.fromEntries(
    list.map((one) => {
      const { name, value } = one as { name?: unknown; value?: unknown }
      return [String(name ?? ''), node.value(`${field}.${name}`, value ?? '')]
    }),
  )
}

const translations: Readonly<Record<string, Translate>> = {
  manualTrigger: () => ({ type: 'trigger.manual', params: {} }),
  start: () => ({ type: 'trigger.manual', params: {} }),
  executeWorkflowTrigger: () => ({ type: 'trigger.manual', params: {} }),
  errorTrigger(node) {
    node.report(
      '',
      'starts when this workflow is the error workflow of another one; choose it in the settings there',
    )
    return { type: 'trigger.manual', params: {} }
  },
  webhook(node) {
    node.report(
      'path',
      'gets another address, which the workflow shows when it is active',
      node.parameters.path,
    )
    const { httpMethod = 'GET', responseMode, authentication } = node.parameters
    if (responseMode !== undefined && responseMode !== 'onReceived')
      node.report('responseMode', 'is not supported: the caller gets 202 at once', responseMode)
    if (authentication !== undefined && authentication !== 'none')
      node.report('authentication', 'is not supported: whoever knows the address may call it', authentication)
    return { type: 'trigger.webhook', params: { methods: [httpMethod].flat() } }
  },
  scheduleTrigger: (node) => ({ type: 'trigger.schedule', params: { schedule: scheduleOf(node) } }),
  cron: (node) => ({ type: 'trigger.schedule', params: { schedule: cronOf(node) } }),
  interval({ parameters }) {
    const seconds = { seconds: 1, minutes: 60, hours: 3_600 }[String(parameters.unit ?? 'seconds')] ?? 1
    const interval = Number(parameters.interval ?? 1) * seconds
    return { type: 'trigger.schedule', params: { schedule: { type: 'every', interval } } }
  },
  httpRequest,
  set: setFields,
  if: (node) => ({ ...condition(node), outputs: ['true', 'false'] }),
  filter: (node) => ({ ...condition(node), outputs: ['true', 'false'] }),
  switch: switchNode,
  merge(node) {
    const mode = String(node.parameters.mode ?? 'append')
    if (mode === 'append' || mode === 'passThrough') return { type: 'merge', params: { mode: 'append' } }
    if (mode === 'chooseBranch') return { type: 'merge', params: { mode: 'first' } }
    node.report('mode', 'joins the fields of both branches; items are not matched', mode)
    return { type: 'merge', params: { mode: 'object' } }
  },
  splitInBatches({ parameters, version }) {
    const batch_size = Number(parameters.batchSize ?? (version >= 3 ? 1 : 10))
    const outputs = version >= 3 ? ['done', 'loop'] : ['loop', 'done']
    return { type: 'loop', params: { items: '=input', batch_size }, outputs }
  },
  code,
  function: code,
  functionItem: code,
  wait(node) {
    const { resume = 'timeInterval', amount = 1, unit = 'hours', dateTime } = node.parameters
    if (resume === 'specificTime')
      return { type: 'delay', params: { until: node.value('dateTime', dateTime) } }
    if (resume !== 'timeInterval') throw new NotExact(`waiting for ${resume} has no equivalent`)
    const factor = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }[String(unit)] ?? 1
    return { type: 'delay', params: { seconds: Number(amount) * factor } }
  },
  executeWorkflow(node) {
    node.report(
      'workflowId',
      'names a workflow of n8n; choose the imported one',
      valueAs(node.parameters.workflowId),
    )
    return { type: 'sub_workflow', params: { workflow_id: '' } }
  },
  noOp: () => keep,
  stickyNote: ({ parameters }) => ({ type: 'note', params: { text: String(parameters.content ?? '') } }),
  emailSend(node) {
    const { toEmail = '', sendTo, subject = '', text, message, html } = node.parameters
    if ((sendTo ?? toEmail) === '') node.report('toEmail', 'is empty: add the recipient')
    return {
      type: 'notify',
      params: {
        channel: 'email',
        to: node.value('toEmail', sendTo ?? toEmail),
        subject: node.value('subject', subject),
        message: node.value('text', text ?? message ?? html ?? ''),
      },
    }
  },
}

/** Undefined for a type without an equivalent. */
export const translationOf = (type: string): Translate | undefined => {
  const [, name = ''] = /^n8n-nodes-base\.(\w+)$/.exec(type) ?? []
  return Object.hasOwn(translations, name) ? translations[name] : undefined
}

function scheduleOf(node: Translating): Fields {
  const rules = (node.parameters.rule as { interval?: Fields[] } | undefined)?.interval ?? [{}]
  if (node.parameters.rule !== undefined && !Array.isArray((node.parameters.rule as Fields).interval))
    node.report('rule', 'is an unknown schedule; replaced by every day at midnight', node.parameters)
  const [rule = {}] = rules
  if (rules.length > 1) node.report('rule', 'has several times; only the first was imported', rules)
  const { field = 'days', triggerAtHour: hour = 0, triggerAtMinute: minute = 0 } = rule
  const cron = (expression: string) => ({ type: 'cron', expression })
  if (field === 'cronExpression') return cron(String(rule.expression ?? '0 0 * * *'))
  if (field === 'seconds') return { type: 'every', interval: Number(rule.secondsInterval ?? 30) }
  if (field === 'minutes') return { type: 'every', interval: Number(rule.minutesInterval ?? 5) * 60 }
  if (field === 'hours') return { type: 'every', interval: Number(rule.hoursInterval ?? 1) * 3_600 }
  if (field === 'weeks') {
    if (Number(rule.weeksInterval ?? 1) !== 1) node.report('rule', 'runs every week', rule)
    return cron(`${minute} ${hour} * * ${[rule.triggerAtDay ?? 0].flat().join(',')}`)
  }
  if (field === 'months' && Number(rule.monthsInterval ?? 1) !== 1)
    node.report('rule', 'was replaced by every month', rule)
  if (field === 'months') return cron(`${minute} ${hour} ${rule.triggerAtDayOfMonth ?? 1} * *`)
  if (Number(rule.daysInterval ?? 1) !== 1) node.report('rule', 'runs every day', rule)
  return cron(`${minute} ${hour} * * *`)
}

function cronOf(node: Translating): Fields {
  const times = (node.parameters.triggerTimes as { item?: Fields[] } | undefined)?.item ?? []
  const [time = {}] = times
  if (times.length === 0 && Object.keys(node.parameters).length > 0)
    node.report('triggerTimes', 'is an unknown schedule; replaced by every day at midnight', node.parameters)
  if (times.length > 1) node.report('triggerTimes', 'has several times; only the first was imported', times)
  const { mode = 'everyDay', hour = 0, minute = 0, cronExpression } = time
  if (mode === 'custom') return { type: 'cron', expression: String(cronExpression ?? '0 0 * * *') }
  if (mode === 'everyMinute') return { type: 'every', interval: 60 }
  if (mode === 'everyHour') return { type: 'cron', expression: `${minute} * * * *` }
  if (mode === 'everyWeek') return { type: 'cron', expression: `${minute} ${hour} * * ${time.weekday ?? 1}` }
  if (mode !== 'everyDay') node.report('triggerTimes', 'runs every day', time)
  return { type: 'cron', expression: `${minute} ${hour} * * *` }
}

/** Names and values given as a JSON object, or as a template that returns one. */
function jsonPairs(node: Translating, field: string, given: unknown): Fields {
  if (given === undefined || given === '') return {}
  try {
    const parsed = JSON.parse(String(given).replace(/^=/, '')) as Fields
    return Object.fromEntries(
      Object.entries(parsed).map(([name, value]) => {
        const isTemplate = typeof value === 'string' && value.includes('{{')
        return [name, node.value(`${field}.${name}`, isTemplate ? `=${value}` : value)]
      }),
    )
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    node.report(field, 'is not a JSON object and was skipped', given)
    return {}
  }
}

function httpRequest(node: Translating): Translated {
  const { parameters } = node
  const options = (parameters.options ?? {}) as { response?: { response?: Fields } }
  const { authentication = 'none', contentType, bodyContentType } = parameters
  if (authentication !== 'none')
    node.report('authentication', 'needs its credential again: add it as a header', authentication)
  if (contentType !== undefined && contentType !== 'json' && contentType !== 'raw')
    node.report('contentType', 'is sent as JSON', contentType ?? bodyContentType)
  const response = options.response?.response ?? {}
  for (const name of Object.keys(options))
    if (name !== 'response') node.report(`options.${name}`, 'was skipped', (options as Fields)[name])
  const sends =
    parameters.sendBody === true ||
    parameters.jsonBody !== undefined ||
    parameters.bodyParametersJson !== undefined
  return {
    type: 'http',
    params: {
      method: parameters.method ?? parameters.requestMethod ?? 'GET',
      url: node.value('url', parameters.url ?? ''),
      query: {
        ...pairs(node, 'queryParameters', parameters.queryParameters),
        ...jsonPairs(node, 'jsonQuery', parameters.jsonQuery ?? parameters.queryParametersJson),
      },
      headers: {
        ...pairs(node, 'headerParameters', parameters.headerParameters),
        ...jsonPairs(node, 'jsonHeaders', parameters.jsonHeaders ?? parameters.headerParametersJson),
      },
      ...(sends ? { body: bodyOf(node) } : {}),
      ...(response.responseFormat === 'text' ? { response: 'text' } : {}),
      fail_on_error: response.neverError !== true,
      only_body: response.fullResponse !== true,
    },
  }
}

function bodyOf(node: Translating): unknown {
  const { jsonBody, bodyParametersJson, body, bodyParameters } = node.parameters
  const text = jsonBody ?? bodyParametersJson ?? body
  if (text === undefined) return pairs(node, 'bodyParameters', bodyParameters)
  return node.value('jsonBody', parsedJson(text))
}

/** A literal JSON text as a value. */
function parsedJson(text: unknown): unknown {
  if (typeof text !== 'string' || text.startsWith('=')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function setFields(node: Translating): Translated {
  const { parameters } = node
  const assignments = (parameters.assignments as { assignments?: Fields[] } | undefined)?.assignments
  const values: Fields = {}
  if (parameters.mode === 'raw') {
    const json = parsedJson(parameters.jsonOutput ?? '{}')
    if (typeof json !== 'object' || json === null)
      throw new NotExact('fields from an expression have no equivalent; use a code node')
    for (const [name, value] of Object.entries(json)) values[name] = node.value(name, value)
    return { type: 'set', params: { values, keep_input: parameters.includeOtherFields === true } }
  }
  if (assignments) {
    for (const { name, value } of assignments) values[String(name)] = node.value(String(name), value)
    return { type: 'set', params: { values, keep_input: parameters.includeOtherFields === true } }
  }
  const fields = (parameters.fields as { values?: Fields[] } | undefined)?.values
  for (const field of fields ?? []) {
    const typed = Object.entries(field).find(([name]) => name.endsWith('Value'))?.[1]
    values[String(field.name)] = node.value(String(field.name), typed)
  }
  for (const list of Object.values((parameters.values ?? {}) as Record<string, Fields[]>))
    for (const { name, value } of list) values[String(name)] = node.value(String(name), value)
  const keep_input = fields ? parameters.include !== 'none' : parameters.keepOnlySet !== true
  return { type: 'set', params: { values, keep_input } }
}

function condition(node: Translating): Translated {
  const { conditions, combineOperation } = node.parameters
  const expression = conditionExpression(conditions, combineOperation === 'any', node.expression)
  return { type: 'condition', params: { expression } }
}

function switchNode(node: Translating): Translated {
  const { rules, value1, mode } = node.parameters
  if (mode === 'expression') throw new NotExact('an output number from an expression has no equivalent')
  const { values, rules: old } = (rules ?? {}) as { values?: Fields[]; rules?: Fields[] }
  if (values) {
    const cases = values.map(({ conditions, outputKey }) => ({
      name: String(outputKey ?? ''),
      expression: conditionExpression(conditions, false, node.expression),
    }))
    return {
      type: 'switch',
      params: { cases },
      outputs: [...cases.map((_, index) => `case:${index}`), 'main'],
    }
  }
  const left = node.expression(value1)
  const numbers = (old ?? []).map(({ output }, index) => Number(output ?? index))
  const count = Math.max(-1, ...numbers) + 1
  const cases = Array.from({ length: count }, (_, number) => {
    const own = (old ?? []).filter((__, index) => numbers[index] === number)
    const parts = own.map((rule) => ruleExpression(rule, left, node.expression))
    return { name: '', expression: parts.join(' or ') || 'false' }
  })
  return { type: 'switch', params: { cases }, outputs: [...cases.map((_, index) => `case:${index}`), 'main'] }
}

/** Gives code the variables of n8n, and returns its items as one value or a list. */
const codeBefore = `const items = (Array.isArray(input.input) ? input.input : [input.input]).map((json) => ({ json }));
const $json = items[0]?.json, item = $json;
const $input = { all: () => items, first: () => items[0], last: () => items.at(-1), item: items[0] };
const outputOf = (name) => ({ json: input.nodes[name]?.output });
const $ = (name) => ({ first: () => outputOf(name), last: () => outputOf(name), item: outputOf(name), all: () => [outputOf(name)] });
const $node = new Proxy({}, { get: (_, name) => outputOf(name) });
const returned = await (async () => {
`
const codeAfter = `
})();
const plain = (one) => (one && typeof one === 'object' && 'json' in one ? one.json : one);
if (!Array.isArray(returned)) return plain(returned);
return returned.length === 1 ? plain(returned[0]) : returned.map(plain);`

/** What code of n8n may use and this engine does not have. */
const missing = [
  'require(',
  'fetch(',
  '$env',
  '$getWorkflowStaticData',
  'this.helpers',
  '$httpRequest',
  'DateTime.',
  'Buffer.',
]

function code(node: Translating): Translated {
  const { language = 'javaScript', jsCode, functionCode } = node.parameters
  if (language !== 'javaScript') throw new NotExact(`code in ${language} has no equivalent`)
  const own = String(jsCode ?? functionCode ?? 'return items')
  for (const name of missing)
    if (own.includes(name)) node.report('jsCode', `uses ${name.replace(/[(.]$/, '')}, which is not there`)
  return {
    type: 'code',
    params: { code: `${codeBefore}${own}${codeAfter}`, input: '={"input": input, "nodes": nodes}' },
  }
}

/** A value for an expression: a literal of JSON, or what its expression says. */
export function asExpression(given: unknown, ids: ReadonlyMap<string, string>): string {
  if (typeof given !== 'string') return JSON.stringify(given ?? null)
  const text = translateText(given, ids)
  if (given.startsWith('=') && text.startsWith('=')) return text.slice(1)
  if (!given.startsWith('=') || !text.includes('{{')) return JSON.stringify(given.replace(/^=/, ''))
  const parts = text.split(/\{\{|\}\}/)
  return parts.map((part, index) => (index % 2 === 1 ? `(${part.trim()})` : JSON.stringify(part))).join(' & ')
}
