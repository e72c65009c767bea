import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { apiNodes } from './apis.ts'
import { branches } from './branches.ts'
import { code } from './code.ts'
import { dataNodes } from './data-nodes.ts'
import { databaseNodes } from './databases.ts'
import { each, NotExact, skipped } from './equivalent.ts'
import { fileNodes } from './file-nodes.ts'
import { forms, waitForAnswer } from './forms.ts'
import { httpRequest } from './http.ts'
import { langchainNodes } from './langchain.ts'
import { respondToWebhook } from './respond.ts'
import { setFields } from './set.ts'
import { googleSheets } from './sheets.ts'
import { storeNodes } from './stores.ts'
import { codeOf, isExpression, jsonOf, translated } from './texts.ts'
import type { Fields, Translate, Translated } from './translating.ts'
import { triggers } from './triggers.ts'
import { vendorNodes } from './vendors.ts'

/** Undefined for a type without an equivalent. */
export const translationOf = (type: string): Translate | undefined => {
  const table = type.startsWith('@') ? models : translations
  return ownValue(table, typeName(type))
}

/** A type without the package of n8n's own nodes; empty for one of another package. */
export const typeName = (type: string): string =>
  /^(?:n8n-nodes-base|@n8n\/n8n-nodes-langchain)\.(\w+)$/.exec(type)?.[1] ?? ''

const models: Readonly<Record<string, Translate>> = { ...langchainNodes, ...storeNodes }

const keep: Translated = { type: 'set', params: { values: {}, keep_input: true } }

const memberOf = (wrapped: unknown): unknown =>
  typeof wrapped === 'object' && wrapped !== null && 'value' in wrapped ? wrapped.value : wrapped

const translations: Readonly<Record<string, Translate>> = {
  ...triggers,
  ...branches,
  ...dataNodes,
  ...fileNodes,
  ...vendorNodes,
  ...databaseNodes,
  ...apiNodes,
  ...forms,
  googleSheets,
  openAi: (node) => (node.parameters.resource === 'image' ? vendorNodes : langchainNodes).openAi?.(node) ?? keep,
  httpRequest,
  set: setFields,
  code,
  function: code,
  functionItem: code,
  wait(node) {
    const isOld = node.version < 1.1
    const { resume = 'timeInterval', dateTime } = node.parameters
    const { amount = isOld ? 1 : 5, unit = isOld ? 'hours' : 'seconds' } = node.parameters
    if (resume === 'specificTime') return { type: 'delay', params: { until: translated(dateTime) } }
    const answer = waitForAnswer(node, resume)
    if (answer) return answer
    if (resume !== 'timeInterval') throw new NotExact(`waiting for ${resume} has no equivalent`)
    const factor = ownValue({ seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }, String(unit))
    if (factor === undefined) throw new NotExact(`the unit ${String(unit)} has no equivalent`)
    const seconds = isExpression(amount)
      ? scriptExpression(`$typed(${codeOf(amount)}, "number") * ${factor}`)
      : Number(amount) * factor
    return { type: 'delay', params: { seconds } }
  },
  executeWorkflow(node) {
    const { source, workflowId, workflowInputs, mode, options } = node.parameters
    const { workflowJson, workflowPath, workflowUrl } = node.parameters
    if (source === 'parameter')
      node.report('workflow_id', 'holds the workflow itself; import it as one of its own and choose it', workflowJson)
    else if (source === 'localFile' || source === 'url')
      node.report('workflow_id', 'names a file of n8n; import it and choose it', workflowPath ?? workflowUrl)
    else node.report('workflow_id', 'names a workflow of n8n; choose the imported one', memberOf(workflowId))
    const wait = (options as Fields | undefined)?.waitForSubWorkflow !== false
    if (!wait) node.report('wait', 'passes on the id of the execution; in n8n, what it gets')
    const values = (workflowInputs as { value?: Fields | null } | undefined)?.value ?? {}
    const hasInputs = Object.keys(values).length > 0
    return {
      type: 'sub_workflow',
      params: { workflow_id: '', ...(hasInputs ? { input: translated(values) } : {}), wait },
      input_mode: mode === 'each' || hasInputs ? 'item' : 'list',
    }
  },
  respondToWebhook,
  noOp(node) {
    if (Object.keys(node.parameters).length > 0)
      node.report('', 'does nothing, as in n8n, although it has the parameters of another node', node.parameters)
    return keep
  },
  stopAndError({ parameters }) {
    const { errorType, errorMessage = '', errorObject } = parameters
    const error = errorType === 'errorObject' ? jsonOf(errorObject) : translated(errorMessage)
    return { type: 'stop', params: { error } }
  },
  stickyNote: ({ parameters }) => ({ type: 'note', params: { text: String(parameters.content ?? '') } }),
  emailSend(node) {
    const { toEmail = '', sendTo, subject = '', text, message, html, options } = node.parameters
    skipped(node, 'options', options)
    if (text === undefined && message === undefined && html !== undefined) node.report('html', 'is sent as text', html)
    for (const field of ['ccEmail', 'bccEmail', 'attachments'])
      if ((node.parameters[field] ?? '') !== '') node.report(field, 'is not supported', node.parameters[field])
    if ((sendTo ?? toEmail) === '') node.report('toEmail', 'is empty: add the recipient')
    return each('notify', {
      channel: 'email',
      to: translated(sendTo ?? toEmail),
      subject: translated(subject),
      message: translated(text ?? message ?? html ?? ''),
    })
  },
}
