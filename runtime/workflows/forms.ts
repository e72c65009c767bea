import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import { notFound } from '../fault.ts'
import { readBytes } from '../http/body.ts'
import { callLimit } from '../http/call-limit.ts'
import { wonRace } from '../lost-race.ts'
import { iso, second } from '../time.ts'
import { unlessAborted, within } from '../within.ts'
import { workContext } from '../work/run.ts'
import type { StoredExecution } from './execution-store.ts'
import { answersOf, Form } from './form.ts'
import { endResponse, formResponse, messageResponse, seeOther, workingResponse } from './form-html.ts'
import { executionAt, resume, resumePath, waitingToken } from './resume.ts'
import type { Kept } from './runs.ts'
import { beginExecution } from './start.ts'
import type { Token } from './state.ts'
import { enabledTriggers, type Trigger } from './trigger-store.ts'
import { findWorkflow } from './workflow-store.ts'

/** Maximum size of an answer, in bytes. */
const maxAnswer = 1024 * 1024

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
  const sent = new URLSearchParams(new TextDecoder().decode(await readBytes(request, maxAnswer)).replaceAll('%00', ''))
  return trigger ? begin(context, trigger, sent) : answer(context, token, sent)
}

const triggerAt = async (context: Context, token: string): Promise<Trigger | undefined> =>
  (await enabledTriggers(context, 'form', context.secrets.sha256(token)))[0]

async function begin(context: Context, trigger: Trigger, sent: URLSearchParams): Promise<Response> {
  const form = Form.parse(trigger.config)
  const { values, problems } = answersOf(form, sent, iso(context.clock.now()))
  if (problems.size > 0) return formResponse({ form, sent, problems, page: '' })
  const workflow = await findWorkflow(context, trigger.workflow_id)
  if (!workflow) throw notFound('This form')
  const { execution } = await beginExecution(asOwner(context, workflow), workflow, {
    ...{ trigger: 'form', node: trigger.node_id },
    input: values,
  })
  return seeOther(await resumePath(context, execution.id, 'form'))
}

const asOwner = (context: Context, { owner_id }: { owner_id: string }): Context =>
  workContext(context, { id: context.request_id, owner_id }, context.signal)

/** Identifies a page: a node that runs again asks again. */
const pageId = ({ id, wait }: Token): string => `${id}.${(wait?.data as Kept | undefined)?.seq ?? 0}`

const formOf = ({ wait }: Token): Form => Form.parse((wait?.data as Kept | undefined)?.data)

async function answer(context: Context, address: string, sent: URLSearchParams): Promise<Response> {
  const execution = await executionAt(context, address)
  if (!execution) throw notFound('This form')
  const token = await waitingToken(context, execution, 'form')
  if (!token || pageId(token) !== sent.get('page')) return answered()
  const form = formOf(token)
  const { values, problems } = answersOf(form, sent, iso(context.clock.now()))
  if (problems.size > 0) return formResponse({ form, sent, problems, page: pageId(token) })
  const owner = asOwner(context, execution)
  if (!(await wonRace(owner.commit(resume(owner, execution, { token, kind: 'form', value: values }))))) {
    return answered()
  }
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
