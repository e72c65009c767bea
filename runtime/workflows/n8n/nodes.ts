import { ownValue } from '../../own-value.ts'
import { branches } from './branches.ts'
import { code } from './code.ts'
import { asNumber, literal } from './conditions.ts'
import { httpRequest } from './http.ts'
import { NotExact } from './script.ts'
import { untranslated } from './texts.ts'
import { type Fields, skipped, type Translate, type Translated, type Translating } from './translating.ts'
import { triggers } from './triggers.ts'

/** Undefined for a type without an equivalent. */
export const translationOf = (type: string): Translate | undefined => {
  const name = typeName(type)
  return Object.hasOwn(translations, name) ? translations[name] : undefined
}

/** A type without the package of n8n's own nodes; empty for one of another package. */
export const typeName = (type: string): string => /^n8n-nodes-base\.(\w+)$/.exec(type)?.[1] ?? ''

const keep: Translated = { type: 'set', params: { values: {}, keep_input: true } }

const valueAs = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'value' in given ? given.value : given

const translations: Readonly<Record<string, Translate>> = {
  ...triggers,
  ...branches,
  httpRequest,
  set: setFields,
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
    const factor = ownValue({ seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }, String(unit))
    if (factor === undefined) throw new NotExact(`the unit ${String(unit)} has no equivalent`)
    if (!isExpression(amount)) return { type: 'delay', params: { seconds: Number(amount) * factor } }
    return { type: 'delay', params: { seconds: `=$number(${node.expression(amount)}) * ${factor}` } }
  },
  executeWorkflow(node) {
    const { source, workflowId, workflowInputs, mode, options } = node.parameters
    const { workflowJson, workflowPath, workflowUrl } = node.parameters
    if (source === 'parameter')
      node.report(
        'workflow_id',
        'holds the workflow itself; import it as one of its own and choose it',
        workflowJson,
      )
    else if (source === 'localFile' || source === 'url')
      node.report('workflow_id', 'names a file of n8n; import it and choose it', workflowPath ?? workflowUrl)
    else node.report('workflow_id', 'names a workflow of n8n; choose the imported one', valueAs(workflowId))
    if (mode === 'each') node.report('mode', 'runs it once, with the whole input', mode)
    const wait = (options as Fields | undefined)?.waitForSubWorkflow !== false
    if (!wait) node.report('wait', 'passes on the id of the execution; in n8n, what it gets')
    const values = (workflowInputs as { value?: Fields | null } | undefined)?.value ?? {}
    const hasInputs = Object.keys(values).length > 0
    return {
      type: 'sub_workflow',
      params: {
        workflow_id: '',
        ...(hasInputs ? { input: node.value('workflowInputs', values) } : {}),
        wait,
      },
    }
  },
  noOp: () => keep,
  stopAndError(node) {
    const { errorType, errorMessage = '', errorObject } = node.parameters
    const input =
      errorType === 'errorObject'
        ? node.json('errorObject', errorObject)
        : node.value('errorMessage', errorMessage)
    const code = 'throw new Error(typeof input === "string" ? input : JSON.stringify(input))'
    return { type: 'code', params: { code, input } }
  },
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

/** The value of a field as n8n converts it; what n8n refuses fails when it runs. */
function typedValue({ version }: Translating, type: unknown, value: unknown): unknown {
  if (typeof value !== 'string' || value.startsWith('=') || type === 'string') return value
  const text = value.trim()
  if (version < 3) {
    if (type === 'boolean') return literal(value, type)
    return version >= 2 && type === 'number' && text === '' ? 0 : literal(value, type)
  }
  if (type === 'number') return text === '' ? 0 : typed(literal(text, type), 'number', value)
  if (type === 'boolean')
    return text === '1' || text === '0' ? text === '1' : typed(literal(text, type), 'boolean', value)
  if (type !== 'array' && type !== 'object') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return refused(type, value)
  }
}

const typed = (value: unknown, type: string, original: string): unknown =>
  typeof value === type ? value : refused(type, original)

function refused(type: string, value: string): never {
  throw new NotExact(`${value.slice(0, 100)} is not a value of the type ${type}`)
}

/** What version 3 and later make of the value of an expression, `$v`. */
const conversions: Readonly<Record<string, string>> = {
  string: '$string($v)',
  number: asNumber('$v'),
  boolean:
    '$lowercase($string($v)) in ["true", "1"] ? true : $lowercase($string($v)) in ["false", "0"] ? false : $error("The value is neither true nor false")',
  // n8n reads texts as JSON, which an expression here cannot.
  array: '$type($v) = "string" ? $error("The value is a text: use a code node to read it as JSON") : $v',
  object: '$type($v) = "string" ? $error("The value is a text: use a code node to read it as JSON") : $v',
}

/** What versions 1 and 2 make of the value of an expression, `$v`. */
const olderConversions: Readonly<Record<string, string>> = {
  number:
    '$type($v) = "string" ? ($trim($v) = "" ? 0 : $contains($trim($v), /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$/i) ? $number($replace($trim($v), /^[+]/, "")) : $v) : $v',
  boolean: '$exists($v) and $not($v in [false, null, 0, ""])',
}

/** Version 1 leaves numbers as they are. */
function conversionOf({ version }: Translating, type: string): string | undefined {
  if (version >= 3) return ownValue(conversions, type)
  return version < 2 && type === 'number' ? undefined : ownValue(olderConversions, type)
}

/** The value of a field of this type, translated. */
function fieldValue(node: Translating, name: string, { type, value }: { type: unknown; value: unknown }) {
  const typed = typedValue(node, type, value)
  const translated = node.value(name, typed)
  const conversion = conversionOf(node, String(type))
  if (!conversion || typeof translated !== 'string') return translated
  // A template, such as `{{ a }}5`, is a text.
  const isTemplate = isExpression(value) && type !== 'string' && !translated.startsWith('=$error(')
  if (!translated.startsWith('=') && !isTemplate) return translated
  const expression = isTemplate ? node.expression(value) : translated.slice(1)
  if (node.version < 3) return `=($v := ${expression}; ${conversion})`
  return `=($v := ${expression}; $exists($v) and $v != null ? (${conversion}) : null)`
}

const isExpression = (value: unknown): value is string => typeof value === 'string' && value.startsWith('=')

/** The values of empty fields in older versions. */
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
    try {
      addField(name, type, value)
    } catch (thrown) {
      if (!(thrown instanceof NotExact)) throw thrown
      node.report(String(name), `fails when the node runs: ${thrown.message}`, value)
      values[String(name)] = untranslated(String(value))
    }
  }
  const addField = (name: unknown, type: unknown, value: unknown) => {
    if (isPlain && /\.|\[\d+\]/.test(String(name)))
      node.report(String(name), 'sets a member of a field; there it is a name', name)
    // In n8n, a number in a path is a position, also where the list is missing.
    const path = String(name).replace(/\.(\d+)(?=\.|\[|$)/g, '[$1]')
    values[path] = fieldValue(node, String(name), { type, value })
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
    for (const { name, value } of list) add(name, type, value ?? ownValue(emptyValues, type) ?? '')
  return { type: 'set', params: { values, keep_input } }
}
