import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import { notFound } from '../fault.ts'
import { callLimit } from '../http/call-limit.ts'
import { wonRace } from '../lost-race.ts'
import { iso, second } from '../time.ts'
import { unlessAborted, within } from '../within.ts'
import { workContext } from '../work/run.ts'
import type { StoredExecution } from './execution-store.ts'
import { answersOf, Form, type Sent } from './form.ts'
import { endResponse, formResponse, messageResponse, seeOther, workingResponse } from './form-html.ts'
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
  const { values, problems } = answersOf(form, sent, iso(context.clock.now()))
  if (problems.size > 0) return formResponse({ form, sent: sent.texts, problems, page: '' })
  const start = { trigger: 'form' as const, node: trigger.node_id, input: values }
  const { execution } = await beginExecution(owner, workflow, start)
  return seeOther(await resumePath(context, execution.id, 'form'))
}

const asOwner = (context: Context, { owner_id }: { owner_id: string }): Context =>
  workContext(context, { id: context.request_id, owner_id }, context.signal)

/** Identifies a page: a node that runs again asks again. */
const pageId = ({ id, wait }: Token): string => `${id}.${(wait?.data as Kept | undefined)?.seq ?? 0}`

const formOf = ({ wait }: Token): Form => Form.parse((wait?.data as Kept | undefined)?.data)

async function answer(context: Context, address: string, request: Request): Promise<Response> {
  const execution = await executionAt(context, address)
  if (!execution) throw notFound('This form')
  const owner = asOwner(context, execution)
  const sent = await sentIn(owner, request)
  const token = await waitingToken(context, execution, 'form')
  if (!token || pageId(token) !== sent.texts.get('page')) return answered()
  const form = formOf(token)
  const { values, problems } = answersOf(form, sent, iso(context.clock.now()))
  if (problems.size > 0) return formResponse({ form, sent: sent.texts, problems, page: pageId(token) })
  if (!(await wonRace(owner.commit(resume(owner, execution, { token, kind: 'form', value: values })))))
    return answered()
  context.process.wake()
  return seeOther(await resumePath(context, execution.id, 'form'))
}

const answered = () => messageResponse('Already answered', 'This page was answered before, or it has expired.', 409)

/** How long a browser waits for the next page before it asks again. */
const patience = 10 * second

/** The page at which an execution is. Waits a little for the next one. */
async function pageOfExecution(context: Context, address: string): Promise<Response> {
  const changed = Promise.withResolvers<void>()
  let id = ''
  const subscription = context.bus.subscribe(eventsTopic, ({ type, data }) => {
    const isOwn = (data as { execution_id?: string }).execution_id === id
    if (isOwn && type.startsWith('workflow.run.') && type !== 'workflow.run.started') changed.resolve()
  })
  try {
    const execution = await executionAt(context, address)
    if (!execution) throw notFound('This form')
    id = execution.id
    const page = await nowShown(context, execution)
    if (page) return page
    await within(context, { milliseconds: patience }, (signal) => unlessAborted(changed.promise, signal)).catch(
      () => undefined,
    )
    const later = await executionAt(context, address)
    return (later && (await nowShown(context, later))) ?? workingResponse()
  } finally {
    subscription.close()
  }
}

/** Null while the execution is on its way to the next page. */
async function nowShown(context: Context, execution: StoredExecution): Promise<Response | null> {
  const token = await waitingToken(context, execution, 'form')
  if (token) return formResponse({ form: formOf(token), page: pageId(token) })
  const { page } = execution.state
  const hasEnded = execution.completed_at !== null
  if (hasEnded && execution.status !== 'succeeded')
    return messageResponse('That did not work', 'Your answer was recorded, but it could not be processed.', 200)
  return page && (hasEnded || !page.at_end) ? endResponse(page) : hasEnded ? endResponse(noPage) : null
}

const noPage = { title: '', text: '', url: '', at_end: true }
