import { archetypes } from '../agents/index.ts'
import { ownerOf } from '../auth/owner.ts'
import { readersOf, requireOwner } from '../auth/sharing.ts'
import { stopTurns } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import { endOf } from '../scheduler/index.ts'
import { changedFields } from '../table.ts'
import { iso, laterThan } from '../time.ts'
import { mountFolder } from '../tools/store.ts'
import { machineFolder, openRoot, projectRoot } from '../tools/workspace.ts'
import type { Trust } from '../trust.ts'
import { defined } from '../values.ts'
import type { Work } from '../work/schema.ts'
import { enqueueOnce, listWork, waitIn } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { advanceKind, planKind, stopKind } from './kinds.ts'
import { copyPlan, currentPlan } from './plan-rows.ts'
import { approvePlan, findPlan, listPhases } from './plan-store.ts'
import { phasesOf } from './progress.ts'
import { findShownProject, insertProject, moveProject, updateProject } from './project-store.ts'
import type { NewProject, Phase, Plan, Project, ProjectChanges, ProjectDetails, ShownPlan, Task } from './schema.ts'
import { defaultStrategy } from './strategy.ts'
import { listTasks, publicTask, type StoredTask } from './task-store.ts'

export const requireShownProject = required('project', findShownProject)

/** The project if it belongs to the caller; a 404, or a 403 if it is only shared with them. */
export const requireProject = async (context: Context, id: string) =>
  requireOwner(context, 'project', await requireShownProject(context, id))

export const showPhases = async (context: Context, project: Project, tasks: readonly Task[]): Promise<Phase[]> =>
  phasesOf(project, await listPhases(context, project.id), tasks)

export async function showPlanOf(context: Context, project: Project): Promise<ShownPlan> {
  const plan = await findPlan(context, project.id)
  if (!plan) throw notFound('A plan of this project')
  const phases = await showPhases(context, project, await listTasks(context, project.id))
  const states = new Map(phases.map(({ id, status, task_ids }) => [id, { status, task_ids }]))
  return {
    ...plan,
    phases: plan.phases.map((phase) => ({
      ...phase,
      ...(states.get(phase.id) ?? { status: 'pending', task_ids: phase.tasks.map(({ id }) => id) }),
    })),
  }
}

export async function showProject(context: Context, project: Project): Promise<ProjectDetails> {
  const { id } = project
  const tasks = await listTasks(context, id)
  const planning = await planningJob(context, id)
  return {
    ...project,
    planning: planning !== undefined,
    planning_waits: planning ? waitIn(planning) : null,
    plan: await findPlan(context, id),
    phases: await showPhases(context, project, tasks),
    tasks: tasks.map(publicTask),
  }
}

export async function addProject(context: Context, input: NewProject, trust: Trust = 'owner'): Promise<Project> {
  await checkReferences(context, input)
  const project = await draftProject(context, input, trust)
  await context.commit(
    storeProject(project),
    [event('project.created', { project_id: project.id, name: project.name })],
    { answer: project },
  )
  return project
}

/** The rows of a new project, and its folder of the machine if it has one. */
export const storeProject = (project: Project): Statement[] => [
  insertProject(project),
  ...(project.path === null ? [] : [mountFolder(projectRoot(project.id, project.owner_id), project.path)]),
]

/** Throws a 409 if the project's folder of the machine cannot be used now. */
export const requireFolder = async (context: Context, { id, owner_id }: Project): Promise<void> =>
  void (await openRoot(context, projectRoot(id, owner_id)))

export const draftProject = async (context: Context, input: NewProject, trust: Trust = 'owner'): Promise<Project> => ({
  ...input,
  trust,
  strategy: input.strategy ?? (await defaultStrategy(context)),
  ...unstarted(context),
})

function unstarted(context: Context) {
  const now = context.clock.now()
  return {
    id: newId('proj', now),
    owner_id: ownerOf(context),
    shared_with: [],
    status: 'pending' as const,
    conversation_id: null,
    job_id: null,
    run_id: null,
    error: null,
    created_at: iso(now),
    updated_at: iso(now),
    started_at: null,
    completed_at: null,
  }
}

async function checkReferences(
  context: Context,
  { sme_archetype, path }: Partial<Pick<Project, 'sme_archetype' | 'path'>>,
): Promise<void> {
  if (sme_archetype && !archetypes.some(({ id }) => id === sme_archetype))
    throw invalidField('sme_archetype', `must be ${archetypes.map(({ id }) => id).join(', ')} or null`)
  const folder = path ? await machineFolder(context, path) : null
  if (folder && !folder.ok) throw invalidField('path', folder.problem)
}

/** Sets only the given fields. Of two changes at once, the second is applied on top of the first. */
export const changeProject = (context: Context, id: string, changes: ProjectChanges): Promise<Project> =>
  againIfLost(() => changeOnce(context, id, changes))

async function changeOnce(context: Context, id: string, changes: ProjectChanges): Promise<Project> {
  const project = await requireProject(context, id)
  await checkReferences(context, changedFields(changes, project))
  const shared_with = changes.shared_with && readersOf(project, changes.shared_with)
  const fields = defined({ ...changes, shared_with })
  const changed: Project = { ...project, ...fields }
  // A form sends the description back as it was.
  if (changed.description !== project.description) changed.trust = 'owner'
  const now = laterThan(project.updated_at, context.clock.now())
  const advance = project.status === 'running' ? [advanceWork(context, id)] : []
  await context.commit([updateProject(changed, now), ...advance], [event('project.updated', { project_id: id })])
  return await requireProject(context, id)
}

/** Queues a check of what can start now; a queued check that has not begun sees this change too. */
export const advanceWork = (context: Context, project: string): Statement =>
  enqueueOnce(
    context,
    { kind: advanceKind, subject: project, lane: project, owner_id: ownerOf(context) },
    { or_sooner: true, per_subject: true },
  )

/** Starts a project whose plan waits for approval. Of two people who approve at once, one gets a 409. */
export async function approveProject(
  context: Context,
  id: string,
): Promise<Pick<Project, 'id' | 'status' | 'updated_at'>> {
  const project = await requireProject(context, id)
  const plan = await findPlan(context, id)
  if (project.status !== 'pending')
    throw conflict(`The project is ${project.status}; only a pending one can be approved`)
  if (!plan) throw conflict('The project has no plan yet; generate one first')
  await requireFolder(context, project)
  await refusePlanning(context, id)
  const answer = { id, status: 'running' as const, updated_at: iso(context.clock.now()) }
  await context.commit(...startOf(context, project), { answer })
  return answer
}

export function startOf(context: Context, { id }: Pick<Project, 'id'>): [Statement[], EventInput[]] {
  const now = iso(context.clock.now())
  const move = { from: ['pending'] as const, to: 'running' as const, now }
  return [
    [moveProject(id, move, 'The project is not pending any more'), approvePlan(id, now), advanceWork(context, id)],
    [
      event('project.updated', { project_id: id }),
      event('plan.updated', { project_id: id, plan_id: null, version: null }),
    ],
  ]
}

/** Throws a 409 while a plan is being made. */
export async function refusePlanning(context: Context, id: string): Promise<void> {
  const job = await planningJob(context, id)
  if (job) throw conflict('A plan is being made; wait for it', { job: { id: job.id, status: job.status } })
}

/** The unit of work that makes a plan of the project, if one is queued or running. */
export async function planningJob(context: Context, id: string): Promise<Work | undefined> {
  const [job] = await listWork(context, { kind: planKind, subject: id })
  return job
}

/** Queues the stop of these tasks' turns, so that it happens even if the daemon stops after the commit. */
export const stopWork = (context: Context, project: string, tasks: readonly StoredTask[]): Statement => {
  const conversations = tasks.flatMap(({ conversation_id }) => conversation_id ?? [])
  return insertWork(context, { kind: stopKind, subject: project, payload: { conversations } }).statement
}

/** Stops the turns of these tasks, if they have any. */
export async function stopTasks(context: Context, tasks: readonly StoredTask[]): Promise<void> {
  for (const { conversation_id } of tasks) if (conversation_id) await stopTurns(context, conversation_id)
}

/** A new pending project with the same settings and, if there is one, the same plan, not approved. */
export async function duplicateProject(context: Context, id: string): Promise<Project> {
  const project = await requireShownProject(context, id)
  await checkReferences(context, project)
  const stored = await findPlan(context, id)
  const name = `${project.name} (copy)`.slice(0, 200)
  const plan = stored && (await currentPlan(context, stored))
  const copy = copyOf(context, project, { plan, name })
  const answer = copy.project
  await context.commit(
    [...storeProject(copy.project), ...copy.plan],
    [event('project.created', { project_id: answer.id, name })],
    { answer },
  )
  return answer
}

/** A copy of a project, not started, and the statements of its plan. */
export function copyOf(
  context: Context,
  source: Project,
  { plan, name }: { plan: Plan | null; name: string },
): { project: Project; plan: Statement[] } {
  const project = { ...source, ...unstarted(context), name }
  return { project, plan: plan ? copyPlan(context, plan, project) : [] }
}

/** Reports the end of a project to the run of the job that started it. */
export const reportEnd = (context: Context, { run_id }: Pick<Project, 'run_id'>): Statement[] =>
  run_id === null ? [] : [insertWork(context, endOf({ id: run_id })).statement]
