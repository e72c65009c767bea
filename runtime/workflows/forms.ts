import type { Context } from '../context.ts'
import { whileSubscribed } from '../events/subscribe.ts'
import { invalid, invalidField, notFound } from '../fault.ts'
import { type Answers, answersOf, inputName, type Sent, sentOf } from '../form-fields.ts'
import { callLimit } from '../http/call-limit.ts'
import { wonRace } from '../lost-race.ts'
import { iso, second } from '../time.ts'
import { asOwner } from '../work/run.ts'
import { settles } from './events.ts'
import type { StoredExecution } from './execution-store.ts'
import { FileValue } from './file-value.ts'
import { dataOf, Form, fieldsOf, formAnswers } from './form.ts'
import { endResponse, type Filled, formResponse, messageResponse, seeOther, workingResponse } from './form-html.ts'
import { uploadedFile } from './item-files.ts'
import type { Signal } from './node-type.ts'
import { executionAt, resume, resumePath, waitingToken } from './resume.ts'
import type { Kept } from './runs.ts'
import { beginExecution } from './start.ts'
import type { Token } from './state.ts'
import { enabledTriggers, type Trigger } from './trigger-store.ts'
import { receivedBody } from './webhook-body.ts'
import { findWorkflow } from './workflow-store.ts'

/** Maximum size of an answer with its files, in bytes. */
const maxAnswer = 16 * 1024 * 1024

/** Maximum answers at one address per minute. */
const countAnswer = callLimit(120)

/** The form that starts a workflow, or the page at which an execution is. */
export async function showForm(context: Context, token: string): Promise<Response> {
  const trigger = await triggerAt(context, token)
  if (trigger) return formResponse({ form: Form.parse(trigger.config), page: '' })
  return pageOfExecution(context, token)
}

/** An answer to it. An answer starts the workflow, or continues the execution; each page is answered once. */
export async function submitForm(context: Context, token: string, request: Request): Promise<Response> {
  const trigger = await triggerAt(context, token)
  countAnswer(context, trigger?.key ?? context.secrets.sha256(token))
  return trigger ? begin(context, trigger, request) : answer(context, token, request)
}

async function sentIn(context: Context, request: Request): Promise<Sent> {
  const { body, files } = await receivedBody(context, request, maxAnswer)
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {})
  const texts = fields.flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => (typeof one === 'string' ? [[name, one]] : [])),
  )
  return { texts: new URLSearchParams(texts), files: new Map(files) }
}

const triggerAt = async (context: Context, token: string): Promise<Trigger | undefined> =>
  (await enabledTriggers(context, 'form', context.secrets.sha256(token)))[0]

async function begin(context: Context, trigger: Trigger, request: Request): Promise<Response> {
  const form = Form.parse(trigger.config)
  const workflow = await findWorkflow(context, trigger.workflow_id)
  if (!workflow) throw notFound('This form')
  const owner = asOwner(context, workflow)
  const sent = await sentIn(owner, request)
  const { values, problems } = formAnswers(form, sent, iso(context.clock.now()))
  if (problems.size > 0) return formResponse({ form, sent: sent.texts, problems, page: '' })
  const start = { trigger: 'form' as const, node: trigger.node_id, input: values }
  const { execution } = await beginExecution(owner, workflow, start)
  return seeOther(await resumePath(context, execution.id, 'form'))
}

/** Identifies a page: a node that runs again asks again. */
const pageId = ({ id, wait }: Token): string => `${id}.${(wait?.data as Kept | undefined)?.seq ?? 0}`

/** What a waiting node shows. */
function pageOfToken(token: Token): Filled {
  const { kind, message = '', options = [] } = token.wait ?? {}
  const page = pageId(token)
  if (kind === 'form') return { form: Form.parse(dataOf(token.wait)), page }
  const form = Form.parse({ title: 'Approval', description: message, fields: fieldsOf(token.wait) })
  return { form, page, choices: options }
}

interface Addressed {
  execution: StoredExecution
  kind: 'form' | 'approval'
}

async function addressedBy(context: Context, address: string): Promise<Addressed> {
  for (const kind of ['form', 'approval'] as const) {
    const execution = await executionAt(context, address, kind)
    if (execution) return { execution, kind }
  }
  throw notFound('This form')
}

async function answer(context: Context, address: string, request: Request): Promise<Response> {
  const { execution, kind } = await addressedBy(context, address)
  const owner = asOwner(context, execution)
  const sent = await sentIn(owner, request)
  const token = await waitingToken(context, execution, kind)
  if (!token || pageId(token) !== sent.texts.get('page')) return answered()
  const page = pageOfToken(token)
  const [choice = '', comment = ''] = [sent.texts.get('choice'), sent.texts.get('comment')].map((text) => text ?? '')
  const { signal, problems } = signalOf(context, page, { sent, choice, comment, by: null })
  if (problems.size > 0) return formResponse({ ...page, sent: sent.texts, problems })
  if (!(await wonRace(owner.commit(resume(owner, execution, { token, signal }))))) return answered()
  context.process.wake()
  return seeOther(await resumePath(context, execution.id, kind))
}

interface Given {
  sent: Sent
  choice: string
  comment: string
  by: string | null
}

/** An answer to a waiting node, or what is wrong with it. Only the first choice of an approval asks for its fields. */
function signalOf(
  context: Context,
  { form, choices = [] }: Filled,
  { sent, choice, comment, by }: Given,
): { signal: Signal; problems: Answers['problems'] } {
  if (choices.length === 0) {
    const { values, problems } = formAnswers(form, sent, iso(context.clock.now()))
    return { signal: { type: 'wake', value: values }, problems }
  }
  if (!choices.includes(choice)) throw invalidField('choice', `must be ${choices.join(' or ')}`)
  const hasFields = choice === choices[0] && form.fields.length > 0
  const { values, problems } = hasFields ? answersOf(form.fields, sent) : { values: {}, problems: new Map() }
  return { signal: { type: 'answer', choice, comment: comment.slice(0, 5_000), by, values }, problems }
}

/**
 * The answer of a program or the UI to a waiting form or approval, with its values by name. That of a file is
 * `{file_id}`, which its caller has uploaded.
 */
export async function answerTo(
  context: Context,
  token: Token,
  { values, ...given }: Omit<Given, 'sent'> & { values: Values },
): Promise<Signal> {
  const page = pageOfToken(token)
  const { fields } = page.form
  const files = new Map<string, FileValue | undefined>()
  for (const [index, { name, type }] of fields.entries()) {
    const uploaded = type === 'file' ? FileValue.safeParse(values[name]).data : undefined
    if (uploaded) files.set(inputName(index), (await uploadedFile(context, uploaded.file_id)) ?? undefined)
  }
  const sent = { ...sentOf(fields, values), files }
  const { signal, problems } = signalOf(context, page, { ...given, sent })
  if (problems.size > 0)
    throw invalid([...problems].map(([at, message]) => ({ path: `values.${fields[at]?.name}`, message })))
  return signal
}

type Values = Record<string, unknown>

const answered = () => messageResponse('Already answered', 'This page was answered before, or it has expired.', 409)

/** How long a browser waits for the next page before it asks again. */
const patience = 10 * second

/** The page at which an execution is. Waits a little for the next one. */
async function pageOfExecution(context: Context, address: string): Promise<Response> {
  let id = ''
  const hasSettled = (type: string, { execution_id }: Record<string, unknown>) => settles(type) && execution_id === id
  return whileSubscribed(context, hasSettled, async (next) => {
    const { execution, kind } = await addressedBy(context, address)
    id = execution.id
    const page = await nowShown(context, { execution, kind })
    if (page) return page
    await next(patience, context.signal)
    const later = await executionAt(context, address, kind)
    return (later && (await nowShown(context, { execution: later, kind }))) ?? workingResponse()
  })
}

/** Null while the execution is on its way to the next page. */
async function nowShown(context: Context, { execution, kind }: Addressed): Promise<Response | null> {
  const token = await waitingToken(context, execution, kind)
  if (token) return formResponse(pageOfToken(token))
  if (kind === 'approval') return messageResponse('Thank you', 'Nothing waits for an answer here.', 200)
  const { page } = execution.state
  const hasEnded = execution.completed_at !== null
  if (hasEnded && execution.status !== 'succeeded')
    return messageResponse('That did not work', 'Your answer was recorded, but it could not be processed.', 200)
  return page && (hasEnded || !page.at_end) ? endResponse(page) : hasEnded ? endResponse(noPage) : null
}

const noPage = { title: '', text: '', url: '', at_end: true }
