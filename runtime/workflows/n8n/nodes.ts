import { conditionExpression, literal, olderExpression } from './conditions.ts'
import { NotExact, piecesOf, translateScript, translateText } from './script.ts'

type Fields = Record<string, unknown>

/** What a translation may use, and what it has to report. */
export interface Translating {
  parameters: Fields
  /** Of its type, without the package. */
  name: string
  version: number
  /** A value with its expressions translated; one that cannot be is reported and kept as text. */
  value(field: string, given: unknown): unknown
  /** A JSON text as a value, with its expressions translated; undefined if it is no JSON. */
  json(field: string, given: unknown): unknown
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
  // `parameter` is the name up to version 2.
  const { parameters, parameter } = (given ?? {}) as { parameters?: unknown[]; parameter?: unknown[] }
  const list = parameters ?? parameter ?? []
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
    const { httpMethod = 'GET', responseMode, authentication, options } = node.parameters
    skipped(node, 'options', options)
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
  if: condition,
  filter(node) {
    node.report('conditions', 'applies to the whole input; in n8n it filters the items of a list')
    return { ...condition(node), outputs: ['true'] }
  },
  switch: switchNode,
  merge(node) {
    const mode = String(node.parameters.mode ?? 'append')
    if (mode === 'append') return { type: 'merge', params: { mode: 'append' } }
    if (mode === 'chooseBranch' || mode === 'passThrough' || mode === 'wait') {
      node.report('mode', 'passes on what arrives first; in n8n one branch is chosen', node.parameters)
      return { type: 'merge', params: { mode: 'first' } }
    }
    node.report('mode', 'joins the fields of both branches; items are not matched', mode)
    return { type: 'merge', params: { mode: 'object' } }
  },
  splitInBatches(node) {
    const { parameters, version } = node
    skipped(node, 'options', parameters.options)
    const batch_size = Number(parameters.batchSize ?? (version >= 3 ? 1 : 10))
    if (!Number.isInteger(batch_size)) throw new NotExact('a batch size from an expression has no equivalent')
    const outputs = version >= 3 ? ['done', 'loop'] : ['loop', 'done']
    return { type: 'loop', params: { items: '=input', batch_size, only_items: true }, outputs }
  },
  code,
  function: code,
  functionItem: code,
  wait(node) {
    const isOld = node.version < 1.1
    const { resume = 'timeInterval', dateTime } = node.parameters
    const { amount = isOld ? 1 : 5, unit = isOld ? 'hours' : 'seconds' } = node.parameters
    if (resume === 'specificTime')
      return { type: 'delay', params: { until: node.value('dateTime', dateTime) } }
    if (resume !== 'timeInterval') throw new NotExact(`waiting for ${resume} has no equivalent`)
    const factor = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }[String(unit)] ?? 1
    if (typeof amount !== 'string' || !amount.startsWith('='))
      return { type: 'delay', params: { seconds: Number(amount) * factor } }
    return { type: 'delay', params: { seconds: `=(${node.expression(amount)}) * ${factor}` } }
  },
  executeWorkflow(node) {
    const { workflowId, workflowInputs, mode, options } = node.parameters
    node.report('workflow_id', 'names a workflow of n8n; choose the imported one', valueAs(workflowId))
    if (mode === 'each') node.report('mode', 'runs it once, with the whole input', mode)
    const values = (workflowInputs as { value?: Fields | null } | undefined)?.value ?? {}
    const hasInputs = Object.keys(values).length > 0
    return {
      type: 'sub_workflow',
      params: {
        workflow_id: '',
        ...(hasInputs ? { input: node.value('workflowInputs', values) } : {}),
        wait: (options as Fields | undefined)?.waitForSubWorkflow !== false,
      },
    }
  },
  noOp: () => keep,
  stickyNote: ({ parameters }) => ({ type: 'note', params: { text: String(parameters.content ?? '') } }),
  emailSend(node) {
    const { toEmail = '', sendTo, subject = '', text, message, html, options } = node.parameters
    skipped(node, 'options', options)
    if (text === undefined && message === undefined && html !== undefined)
      node.report('html', 'is sent as text', html)
    for (const field of ['ccEmail', 'bccEmail', 'attachments'])
      if ((node.parameters[field] ?? '') !== '')
        node.report(field, 'is not supported', node.parameters[field])
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
  const name = typeName(type)
  return Object.hasOwn(translations, name) ? translations[name] : undefined
}

/** A type without the package of n8n's own nodes; empty for one of another package. */
export const typeName = (type: string): string => /^n8n-nodes-base\.(\w+)$/.exec(type)?.[1] ?? ''

function scheduleOf(node: Translating): Fields {
  const rules = (node.parameters.rule as { interval?: Fields[] } | undefined)?.interval ?? [{}]
  if (node.parameters.rule !== undefined && !Array.isArray((node.parameters.rule as Fields).interval))
    node.report('rule', 'is an unknown schedule; replaced by every day at midnight', node.parameters)
  const [rule = {}] = rules
  if (rules.length > 1) node.report('rule', 'has several times; only the first was imported', rules)
  const { field = 'days', triggerAtHour: hour = 0, triggerAtMinute: minute = 0 } = rule
  const cron = (expression: string) => ({ type: 'cron', expression })
  const minutes = Number(rule.minutesInterval ?? 5)
  const hours = Number(rule.hoursInterval ?? 1)
  if (field === 'cronExpression') return cron(String(rule.expression ?? '0 0 * * *'))
  if (field === 'seconds') return { type: 'every', interval: Number(rule.secondsInterval ?? 30) }
  if (field === 'minutes' && minutes < 60) return cron(minutes === 1 ? '* * * * *' : `*/${minutes} * * * *`)
  if (field === 'minutes') return { type: 'every', interval: minutes * 60 }
  if (field === 'hours' && 24 % hours === 0)
    return cron(`${minute} ${hours === 1 ? '*' : `*/${hours}`} * * *`)
  if (field === 'hours') {
    if (minute !== 0) node.report('rule', 'counts from the start, not from this minute', rule)
    return { type: 'every', interval: hours * 3_600 }
  }
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
  const { mode = 'everyDay', hour = 14, minute = 0, cronExpression } = time
  if (mode === 'custom') return { type: 'cron', expression: String(cronExpression ?? '0 0 * * *') }
  if (mode === 'everyMinute') return { type: 'every', interval: 60 }
  if (mode === 'everyHour') return { type: 'cron', expression: `${minute} * * * *` }
  if (mode === 'everyWeek') return { type: 'cron', expression: `${minute} ${hour} * * ${time.weekday ?? 1}` }
  if (mode === 'everyMonth')
    return { type: 'cron', expression: `${minute} ${hour} ${time.dayOfMonth ?? 1} * *` }
  if (mode === 'everyX') {
    const seconds = time.unit === 'minutes' ? 60 : 3_600
    return { type: 'every', interval: Number(time.value ?? 2) * seconds }
  }
  if (mode !== 'everyDay') node.report('triggerTimes', 'runs every day', time)
  return { type: 'cron', expression: `${minute} ${hour} * * *` }
}

/** Names and values given as a JSON object, or as a template that returns one. */
function jsonPairs(node: Translating, field: string, given: unknown): Fields {
  if (given === undefined || given === '') return {}
  const parsed = node.json(field, given)
  if (typeof parsed === 'object' && parsed !== null) return parsed as Fields
  node.report(field, 'is not a JSON object and was skipped', given)
  return {}
}

/** Reports options that have no equivalent. */
function skipped(node: Translating, field: string, options: unknown, except: readonly string[] = []) {
  for (const [name, value] of Object.entries((options ?? {}) as Fields))
    if (!except.includes(name)) node.report(`${field}.${name}`, 'was skipped', value)
}

function httpRequest(node: Translating): Translated {
  const { parameters, version } = node
  const options = (parameters.options ?? {}) as { response?: { response?: Fields }; fullResponse?: unknown }
  const { authentication = 'none', contentType, bodyContentType } = parameters
  if (authentication !== 'none')
    node.report('authentication', 'needs its credential again: add it as a header', authentication)
  const content = contentType ?? bodyContentType ?? 'json'
  if (content !== 'json' && content !== 'raw') node.report('contentType', 'is sent as JSON', content)
  const response = options.response?.response ?? {}
  const format = response.responseFormat ?? parameters.responseFormat
  if (format === 'file') node.report('responseFormat', 'a file is not kept; its type and size are returned')
  skipped(node, 'options', options, ['response', 'fullResponse'])
  // A hidden field of version 3 and later keeps its value.
  const uses = (name: string) => version < 3 || parameters[name] !== false
  const { queryParameters, queryParametersUi, headerParameters, headerParametersUi } = parameters
  const method = parameters.method ?? parameters.requestMethod ?? 'GET'
  const isSent =
    parameters.sendBody === true ||
    parameters.jsonBody !== undefined ||
    parameters.bodyParametersJson !== undefined ||
    parameters.bodyParametersUi !== undefined
  return {
    type: 'http',
    params: {
      method,
      url: node.value('url', parameters.url ?? ''),
      query: {
        ...(uses('sendQuery') ? pairs(node, 'queryParameters', queryParameters ?? queryParametersUi) : {}),
        ...jsonPairs(node, 'jsonQuery', parameters.jsonQuery ?? parameters.queryParametersJson),
      },
      headers: {
        ...(uses('sendHeaders')
          ? pairs(node, 'headerParameters', headerParameters ?? headerParametersUi)
          : {}),
        ...jsonPairs(node, 'jsonHeaders', parameters.jsonHeaders ?? parameters.headerParametersJson),
      },
      ...(isSent && uses('sendBody') ? { body: bodyOf(node) } : {}),
      ...(format === 'text' || format === 'string' ? { response: 'text' } : {}),
      fail_on_error: response.neverError !== true,
      only_body: response.fullResponse !== true && options.fullResponse !== true,
    },
  }
}

function bodyOf(node: Translating): unknown {
  const { jsonBody, bodyParametersJson, body, bodyParameters, bodyParametersUi } = node.parameters
  const json = jsonBody ?? bodyParametersJson
  if (json !== undefined) return node.json('jsonBody', json) ?? node.value('jsonBody', json)
  if (body !== undefined) return node.value('body', body)
  return pairs(node, 'bodyParameters', bodyParameters ?? bodyParametersUi)
}

/** The values of a new field, as n8n converts them. */
function typedValue(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string' || value.startsWith('=')) return value
  if (type !== 'array' && type !== 'object') return literal(value, type)
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

/** What version 3 and later make of the value of an expression, `$v`. */
const conversions: Readonly<Record<string, string>> = {
  string: '$string($v)',
  number: '$v = "" ? 0 : $number($v)',
  boolean:
    '$lowercase($string($v)) in ["true", "1"] ? true : $lowercase($string($v)) in ["false", "0"] ? false : $error("The value is neither true nor false")',
}

/** The value of a field of this type, translated. */
function fieldValue(node: Translating, name: string, { type, value }: { type: unknown; value: unknown }) {
  const translated = node.value(name, typedValue(type, value))
  const conversion = node.version >= 3 ? conversions[String(type)] : undefined
  if (!conversion || typeof translated !== 'string' || !translated.startsWith('=')) return translated
  return `=($v := ${translated.slice(1)}; $exists($v) and $v != null ? (${conversion}) : null)`
}

/** What a field of an older version is without a value. */
const emptyValues: Fields = { string: '', number: 0, boolean: false }

function setFields(node: Translating): Translated {
  const { parameters, version } = node
  const { assignments } = (parameters.assignments ?? {}) as { assignments?: Fields[] }
  const include = parameters.include ?? 'all'
  const keep_input =
    version >= 3.3
      ? parameters.includeOtherFields === true
      : version >= 3
        ? include !== 'none'
        : parameters.keepOnlySet !== true
  skipped(node, 'options', parameters.options, ['dotNotation', 'includeBinary'])
  if (keep_input && (include === 'selected' || include === 'except'))
    node.report('include', 'keeps all fields of the input', include)
  const values: Fields = {}
  const isPlain = (parameters.options as Fields | undefined)?.dotNotation === false
  const add = (name: unknown, type: unknown, value: unknown) => {
    if (isPlain && String(name).includes('.'))
      node.report(String(name), 'sets a member of a field; there the dot is part of the name', name)
    values[String(name)] = fieldValue(node, String(name), { type, value })
  }
  if (parameters.mode === 'raw') {
    const json = node.json('jsonOutput', parameters.jsonOutput ?? '{}')
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw new NotExact('fields from an expression have no equivalent; use a code node')
    return { type: 'set', params: { values: json, keep_input } }
  }
  for (const { name, type, value } of assignments ?? []) add(name, type, value)
  for (const field of (parameters.fields as { values?: Fields[] } | undefined)?.values ?? []) {
    const [key = '', value] = Object.entries(field).find(([name]) => name.endsWith('Value')) ?? []
    add(field.name, key.replace('Value', ''), value ?? '')
  }
  for (const [type, list] of Object.entries((parameters.values ?? {}) as Record<string, Fields[]>))
    for (const { name, value } of list) add(name, type, value ?? emptyValues[type] ?? '')
  return { type: 'set', params: { values, keep_input } }
}

/** The expression of a comparison. One that cannot be translated stays where it is and fails when it runs. */
function comparison(node: Translating, field: string, given: unknown, translated: () => string): string {
  try {
    return translated()
  } catch (thrown) {
    if (!(thrown instanceof NotExact)) throw thrown
    node.report(field, `cannot be translated exactly and fails when it runs: ${thrown.message}`, given)
    return '$error("This comparison could not be imported from n8n: rewrite it")'
  }
}

function condition(node: Translating): Translated {
  const { conditions, combineOperation } = node.parameters
  const translated = () => conditionExpression(conditions, combineOperation === 'any', node.expression)
  return {
    type: 'condition',
    params: { expression: comparison(node, 'conditions', conditions, translated) },
    outputs: ['true', 'false'],
  }
}

function switchNode(node: Translating): Translated {
  const { rules, mode, options } = node.parameters
  if (mode === 'expression') throw new NotExact('an output number from an expression has no equivalent')
  const { values } = (rules ?? {}) as { values?: Fields[] }
  const { fallbackOutput, allMatchingOutputs } = (options ?? {}) as Fields
  if (allMatchingOutputs === true)
    node.report('options.allMatchingOutputs', 'is not supported: only the first case that is true continues')
  const cases = values
    ? values.map(({ conditions, outputKey }, index) => ({
        name: String(outputKey ?? '').slice(0, 100),
        expression: comparison(node, `cases.${index}`, conditions, () =>
          conditionExpression(conditions, false, node.expression),
        ),
      }))
    : olderCases(node)
  if (cases.length === 0) throw new NotExact('it has no rules')
  const fallback = fallbackOutput ?? node.parameters.fallbackOutput ?? -1
  const isOutput = typeof fallback === 'number' && fallback >= 0 && fallback < cases.length
  if (isOutput) node.report('fallbackOutput', 'continues at Otherwise', fallback)
  return { type: 'switch', params: { cases }, outputs: [...cases.map((_, index) => `case:${index}`), 'main'] }
}

/**
 * Rules of versions 1 and 2, which compare one value and may share an output. The first rule that is true decides, also
 * if its output comes later.
 */
function olderCases(node: Translating) {
  const { rules, value1, dataType = 'number' } = node.parameters
  const old = (rules as { rules?: Fields[] } | undefined)?.rules ?? []
  const numbers = old.map(({ output }, index) => Number(output ?? (node.version >= 2 ? index : 0)))
  const count = Math.max(-1, ...numbers) + 1
  const isTrue = (rule: Fields) => olderExpression(String(dataType), { ...rule, value1 }, node.expression)
  return Array.from({ length: count }, (_, number) => {
    const own = old.filter((__, index) => numbers[index] === number)
    const decides = (rule: Fields) => {
      const before = old.slice(0, old.indexOf(rule)).filter((__, index) => (numbers[index] ?? 0) > number)
      return [isTrue(rule), ...before.map((other) => `$not(false or ${isTrue(other)})`)].join(' and ')
    }
    const translated = () => own.map(decides).join(' or ')
    return {
      name: String(own[0]?.outputKey ?? '').slice(0, 100),
      expression: own.length === 0 ? 'false' : comparison(node, `cases.${number}`, own, translated),
    }
  })
}

/** Gives code the variables of n8n. */
const codeBefore = `const asItems = (value) => (Array.isArray(value) ? value : [value]).map((json) => ({ json: json ?? {} }));
const itemsOf = (name) => asItems(input.nodes[name]?.output);
const $ = (name, list = itemsOf(name)) => ({ first: () => list[0], last: () => list.at(-1), item: list[0], all: () => list });
const $node = new Proxy({}, { get: (_, name) => itemsOf(name)[0] });
const plain = (one) => (one && typeof one === 'object' && 'json' in one ? one.json : one);
const all = asItems(input.input);
const $items = (name) => (name === undefined ? all : itemsOf(name));
const $input = { all: () => all, first: () => all[0], last: () => all.at(-1), item: all[0] };
`

/** Code that runs once, and returns its items as one value or a list. */
const codeForAll = (own: string) => `${codeBefore}const returned = await (async (items, $json) => {
${own}
})(all, all[0]?.json);
if (!Array.isArray(returned)) return plain(returned);
return returned.length === 1 ? plain(returned[0]) : returned.map(plain);`

/** Code that runs once for each item. */
const codeForEach = (own: string) => `${codeBefore}const returned = [];
for (const [$itemIndex, one] of all.entries()) {
$input.item = one;
returned.push(plain(await (async (item, $json) => {
${own}
})(one.json, one.json)));
}
return returned.length === 1 ? returned[0] : returned;`

/** What code of n8n may use and this engine does not have. */
const missing = [
  ...['require(', 'fetch(', '$env', 'getWorkflowStaticData', 'this.helpers', '$httpRequest', 'DateTime.'],
  ...['Buffer.', '$now', '$today', '$jmespath', '$item(', '$binary', '.binary', '$workflow', '$execution'],
  ...['$vars', '$prevNode', '$parameter', '$getNodeParameter', '$runIndex', '$evaluateExpression'],
  ...['setTimeout(', 'process.', 'luxon', 'crypto.'],
]

function code(node: Translating): Translated {
  const { language = 'javaScript', jsCode, functionCode, mode } = node.parameters
  if (language !== 'javaScript') throw new NotExact(`code in ${language} has no equivalent`)
  const own = String(jsCode ?? functionCode ?? 'return items')
  const lines = own.split('\n').filter((line) => !line.trimStart().startsWith('//'))
  for (const name of missing)
    if (lines.some((line) => line.includes(name)))
      node.report('jsCode', `uses ${name.replace(/[(.]$/, '')}, which is not available`)
  const isEach = node.name === 'functionItem' || mode === 'runOnceForEachItem'
  return {
    type: 'code',
    params: { code: isEach ? codeForEach(own) : codeForAll(own), input: '={"input": input, "nodes": nodes}' },
  }
}

/** A value for an expression: a literal of JSON, or what its expression says. */
export function asExpression(given: unknown, ids: ReadonlyMap<string, string>): string {
  if (typeof given !== 'string' || !given.startsWith('=')) return JSON.stringify(given ?? null)
  const text = translateText(given, ids)
  if (text.startsWith('=')) return text.slice(1)
  const parts = piecesOf(given.slice(1)).map((piece, index) =>
    index % 2 === 1 ? `(${translateScript(piece, ids)})` : JSON.stringify(piece),
  )
  const joined = parts.filter((part) => part !== '""')
  return joined.length === 0 ? '""' : joined.length === 1 ? `$string(${joined[0]})` : joined.join(' & ')
}
