import { ownValue } from '../../own-value.ts'
import { list, NotExact, skipped } from './equivalent.ts'
import { jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

const types = {
  ...{ text: 'text', textarea: 'multiline', number: 'number', email: 'email', password: 'password', date: 'date' },
  ...{ dropdown: 'select', radio: 'select', checkbox: 'multiselect', hiddenField: 'hidden', file: 'file' },
} as const

/** One page of a form; what it cannot ask for is reported. */
function page(node: Translating, options: Fields): Fields {
  const { formTitle = '', formDescription = '', formFields, defineForm, jsonOutput } = node.parameters
  const list = defineForm === 'json' ? jsonOf(jsonOutput ?? '[]') : listOf(formFields)
  if (!Array.isArray(list)) throw new NotExact('fields from an expression have no equivalent')
  return {
    title: translated(options.formTitle ?? formTitle),
    description: translated(options.formDescription ?? formDescription),
    button: translated(options.buttonLabel ?? ''),
    fields: (list as Fields[]).flatMap((field, index) => fieldOf(node, field, index)),
    time_field: 'submittedAt',
  }
}

function fieldOf(node: Translating, field: Fields, index: number): Fields[] {
  const { fieldType = 'text', fieldLabel = '', fieldName, fieldOptions, requiredField, placeholder = '' } = field
  const type = field.multiselect === true ? 'multiselect' : ownValue(types, String(fieldType))
  if (type === undefined) {
    node.report(
      `formFields.${index}`,
      `asks for ${fieldType === 'html' ? 'nothing: text' : `a ${fieldType}`}, which a form here cannot`,
      field,
    )
    return []
  }
  for (const option of ['acceptFileTypes', 'multipleFiles'])
    if (field[option])
      node.report(`formFields.${index}.${option}`, 'was skipped: one file of any type is taken', field[option])
  const name = String(fieldName || fieldLabel || `field-${index}`)
  return [
    {
      ...{ name, type, label: translated(fieldLabel), required: requiredField === true },
      options: listOf(fieldOptions).map(({ option }) => translated(String(option ?? ''))),
      placeholder: translated(String(placeholder)),
      value: translated(String(field.fieldValue ?? field.defaultValue ?? '')),
    },
  ]
}

/** The forms of n8n, whose answers have the labels of the fields as names. */
export const forms: Readonly<Record<string, Translate>> = {
  formTrigger(node) {
    const { options, responseMode, authentication = 'none' } = node.parameters
    const { respondWithOptions, buttonLabel: _, path, ...others } = (options ?? {}) as Fields
    skipped(node, 'options', others)
    if (authentication !== 'none')
      node.report('authentication', 'is not supported: whoever knows the address may answer', authentication)
    node.report(
      'path',
      'gets another address, which the workflow shows when it is active',
      path ?? node.parameters.path,
    )
    if (responseMode !== undefined && responseMode !== 'onReceived')
      node.report('responseMode', 'is not supported: the page says that the answer was recorded', responseMode)
    const { values } = (respondWithOptions ?? {}) as { values?: Fields }
    const end = { end_text: values?.formSubmittedText, end_url: values?.redirectUrl }
    return { type: 'trigger.form', params: { ...page(node, (options ?? {}) as Fields), ...defined(end) } }
  },
  form(node) {
    const { operation = 'page', options = {}, respondWith } = node.parameters
    if (operation !== 'completion') return formNode({ ...page(node, options as Fields), ...expiryOf(node) })
    const { completionTitle = '', completionMessage = '', redirectUrl = '', responseText = '' } = node.parameters
    if (respondWith === 'returnBinary') throw new NotExact('a file at the end has no equivalent')
    if (respondWith === 'redirect') return formNode({ kind: 'end', end_url: translated(redirectUrl) })
    const text = respondWith === 'showText' ? responseText : completionMessage
    if (/<\w+/.test(String(text))) node.report('responseText', 'is shown as text')
    return formNode({ kind: 'end', end_title: translated(completionTitle), end_text: translated(text) })
  },
}

/** A `wait` node for a form or a call. */
export function waitForAnswer(node: Translating, resume: unknown): Translated | null {
  const {
    options,
    httpMethod = 'GET',
    responseMode = 'onReceived',
    authentication,
    incomingAuthentication,
  } = node.parameters
  if (resume !== 'form' && resume !== 'webhook') return null
  const login = authentication ?? incomingAuthentication ?? 'none'
  if (login !== 'none') node.report('authentication', 'is not supported: whoever knows the address may call it', login)
  if (resume === 'form') return formNode({ ...page(node, (options ?? {}) as Fields), ...expiryOf(node) })
  const method = String(httpMethod)
  if (method !== 'GET' && method !== 'POST') throw new NotExact(`waiting for ${method} has no equivalent`)
  skipped(node, 'options', options)
  if (responseMode !== 'onReceived')
    node.report('responseMode', 'is not supported: the caller gets 202 at once', responseMode)
  return list('wait_for_call', { methods: [method], ...expiryOf(node) })
}

/** How long a node waits. */
function expiryOf(node: Translating): Fields {
  const { limitWaitTime, limitType = 'afterTimeInterval', resumeAmount = 1, resumeUnit = 'hours' } = node.parameters
  if (limitWaitTime !== true) return {}
  const unit = ownValue({ seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }, String(resumeUnit))
  const seconds = limitType === 'afterTimeInterval' ? Number(resumeAmount) * (unit ?? Number.NaN) : Number.NaN
  if (seconds >= 1) return { expires_after_seconds: Math.ceil(seconds) }
  node.report('limitWaitTime', 'is not kept: it waits as long as it takes', node.parameters)
  return {}
}

const formNode = (params: Fields): Translated => list('form', params)

const defined = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, translated(value)]])),
  )
