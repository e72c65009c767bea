import type { z } from 'zod'
import { everyUser, ownerOf } from '../auth/owner.ts'
import { userById } from '../auth/user-store.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { required } from '../required.ts'
import { iso, laterThan } from '../time.ts'
import { defined, isSameJson } from '../values.ts'
import { cancelled } from './ending.ts'
import { findRow, openExecutions } from './execution-store.ts'
import { type ImportNote, noteIssues, openNotes } from './import-notes.ts'
import { sweepFiles } from './item-files.ts'
import {
  Definition,
  Issue,
  type NewWorkflow,
  type Workflow,
  type WorkflowChanges,
  type WorkflowVersion,
} from './schema.ts'
import { changeTriggers, removeTriggers } from './triggers.ts'
import { allIssues, referenceIssues, refuse, structureIssues } from './validate.ts'
import {
  definitionOf,
  deleteWorkflow,
  findNotes,
  findOwnWorkflow,
  findShownWorkflow,
  findVersion,
  insertVersion,
  insertWorkflow,
  pruneVersions,
  setNotes,
  updateWorkflow,
} from './workflow-store.ts'

/** The workflow if the caller may read and run it, else a 404. */
export const requireWorkflow = required('workflow', findShownWorkflow)

/** The workflow if the caller may change it, else a 404. */
export async function requireOwnWorkflow(context: Context, id: string): Promise<Workflow> {
  const workflow = await findOwnWorkflow(context, id)
  if (!workflow) throw notFound(`A workflow ${id} of yours`)
  return workflow
}

interface Added {
  /** What the request answers. */
  answer?: (workflow: Workflow) => unknown
  notes?: readonly ImportNote[]
}

/** Stores a new workflow, as a draft. */
export async function addWorkflow(
  context: Context,
  input: NewWorkflow,
  { answer = (workflow) => workflow, notes = [] }: Added = {},
): Promise<Workflow> {
  refuse(await structureIssues(input))
  const now = context.clock.now()
  const workflow: Workflow = {
    ...input,
    id: newId('wf', now),
    owner_id: ownerOf(context),
    status: 'draft',
    version: 1,
    shared_with: [],
    created_at: iso(now),
    updated_at: iso(now),
  }
  await context.commit(
    [insertWorkflow(workflow), insertVersion(workflow), ...(notes.length > 0 ? [setNotes(workflow.id, notes)] : [])],
    [event('workflow.created', { workflow_id: workflow.id, name: workflow.name })],
    { answer: answer(workflow) },
  )
  return workflow
}

export function withChanges<Changed extends Workflow>(workflow: Changed, changes: WorkflowChanges): Changed {
  const fields = defined(changes)
  return { ...workflow, ...fields, settings: { ...workflow.settings, ...changes.settings } }
}

/**
 * Changes a workflow. A new definition is a new version, which later executions use. Of two changes at once, the second
 * is applied on top of the first.
 */
export async function changeWorkflow(context: Context, id: string, changes: WorkflowChanges): Promise<Workflow> {
  return againIfLost(async () => {
    const before = await requireOwnWorkflow(context, id)
    const after = withChanges(before, changes)
    after.shared_with = await checkShared(context, before, after.shared_with)
    return store(context, before, after)
  })
}

/** Stores a new workflow of a person. What a file or a copy refers to is checked when the workflow is activated. */
export async function createWorkflow(context: Context, input: NewWorkflow): Promise<Workflow> {
  refuse(await structureIssues(input))
  refuse(await referenceIssues(context, input))
  return addWorkflow(context, input)
}

/** Stores a changed workflow, checked: an active one must be able to run. */
async function store(context: Context, before: Workflow, after: Workflow): Promise<Workflow> {
  const isNew = !isSameJson(definitionOf(after), definitionOf(before))
  if (isNew) {
    refuse(after.status === 'active' ? await allIssues(context, after) : await structureIssues(after))
    refuse(await referenceIssues(context, after, before))
  }
  if (after.settings.error_workflow_id !== before.settings.error_workflow_id) await checkErrorWorkflow(context, after)
  const changed: Workflow = {
    ...after,
    version: before.version + Number(isNew),
    updated_at: laterThan(before.updated_at, context.clock.now()),
  }
  const triggers = await changeTriggers(context, changed)
  const notes = isNew ? await findNotes(context, changed.id) : []
  const open = openNotes(notes, before, changed)
  await context.commit(
    [
      updateWorkflow(changed, before),
      ...(open.length < notes.length ? [setNotes(changed.id, open)] : []),
      ...(isNew ? [insertVersion(changed), pruneVersions(changed)] : []),
      ...triggers.statements,
    ],
    [event('workflow.updated', { workflow_id: changed.id }), ...triggers.events],
  )
  return changed
}

async function checkErrorWorkflow(context: Context, { id, settings }: Workflow): Promise<void> {
  const { error_workflow_id } = settings
  if (error_workflow_id === null) return
  if (error_workflow_id === id || !(await findOwnWorkflow(context, error_workflow_id)))
    throw invalidField('settings.error_workflow_id', 'must be another workflow of yours')
}

async function checkShared(context: Context, { owner_id }: Workflow, shared: readonly string[]): Promise<string[]> {
  const users = [...new Set(shared)].filter((user) => user !== owner_id)
  for (const [index, user] of users.entries())
    if (user !== everyUser && !(await userById(context, user)))
      throw invalidField(`shared_with.${index}`, `must be ${everyUser} or the id of a user`)
  return users
}

/** Switches the triggers of a workflow on. */
export const activateWorkflow = (context: Context, id: string): Promise<Workflow> =>
  againIfLost(async () => {
    const workflow = await requireOwnWorkflow(context, id)
    refuse(await allIssues(context, workflow))
    if (workflow.status === 'active') return workflow
    return store(context, workflow, { ...workflow, status: 'active' })
  })

/** Switches the triggers of a workflow off. What runs continues. */
export const deactivateWorkflow = (context: Context, id: string): Promise<Workflow> =>
  againIfLost(async () => {
    const workflow = await requireOwnWorkflow(context, id)
    if (workflow.status === 'disabled') return workflow
    return store(context, workflow, { ...workflow, status: 'disabled' })
  })

/** A copy of a workflow that belongs to the caller. */
export async function duplicateWorkflow(context: Context, id: string): Promise<Workflow> {
  const { name, description, tags, ...workflow } = await requireWorkflow(context, id)
  const copy = { ...definitionOf(workflow), name: `${name} (copy)`, description, tags }
  return addWorkflow(context, copy, { notes: await findNotes(context, id) })
}

/** A note of an import, as an issue of its workflow. */
export const Note = Issue.pick({ path: true, message: true })

/** Drops a note of the import that somebody has dealt with, in whatever way. */
export const settleNote = (context: Context, id: string, { path, message }: z.output<typeof Note>): Promise<Workflow> =>
  againIfLost(async () => {
    const workflow = await requireOwnWorkflow(context, id)
    const notes = await findNotes(context, id)
    const issues = noteIssues(notes, workflow)
    const left = notes.filter((_, at) => issues[at]?.path !== path || issues[at].message !== message)
    if (left.length === notes.length) throw notFound('This note of the import')
    const updated = event('workflow.updated', { workflow_id: id })
    await context.commit([setNotes(id, left, notes)], [updated], { answer: workflow })
    return workflow
  })

/** Deletes a workflow with its versions and executions; what runs of it is stopped. */
export const removeWorkflow = (context: Context, id: string): Promise<void> =>
  againIfLost(() => removeOnce(context, id))

async function removeOnce(context: Context, id: string): Promise<void> {
  const workflow = await requireOwnWorkflow(context, id)
  const triggers = await removeTriggers(context, workflow)
  const ends = []
  for (const open of await openExecutions(context, id)) {
    const execution = await findRow(context, open.id)
    if (execution)
      ends.push(await cancelled(context, { ...execution, name: workflow.name }, 'Its workflow was deleted'))
  }
  await context.commit(
    [...ends.flatMap(({ statements }) => statements), ...triggers.statements, deleteWorkflow(id)],
    [...ends.flatMap(({ events }) => events), ...triggers.events, event('workflow.deleted', { workflow_id: id })],
  )
  for (const end of ends) end.announce()
  await sweepFiles(context)
}

export async function requireVersion(context: Context, id: string, version: number): Promise<WorkflowVersion> {
  await requireWorkflow(context, id)
  const entry = await findVersion(context, id, version)
  if (!entry) throw notFound(`Version ${version} of the workflow`)
  return entry
}

/** Makes an earlier version the current one, as a new version. */
export const restoreVersion = (context: Context, id: string, version: number): Promise<Workflow> =>
  againIfLost(() => restoreOnce(context, id, version))

async function restoreOnce(context: Context, id: string, version: number): Promise<Workflow> {
  const workflow = await requireOwnWorkflow(context, id)
  const entry = await findVersion(context, id, version)
  if (!entry) throw notFound(`Version ${version} of the workflow`)
  if (version === workflow.version) throw conflict(`Version ${version} is the current one`)
  return store(context, workflow, { ...workflow, ...Definition.parse(entry) })
}
