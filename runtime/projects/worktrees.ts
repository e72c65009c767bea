import type { Context } from '../context.ts'
import { conflict } from '../fault.ts'
import type { Host } from '../host.ts'
import { KeyedLock } from '../keyed-lock.ts'
import { machinePath } from '../paths.ts'
import { PathRefused } from '../ports/files.ts'
import { type ChangedFile, RepositoryError } from '../ports/repositories.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { prompt } from '../prompts/prompt.ts'
import type { Sql } from '../table.ts'
import { iso } from '../time.ts'
import { keepChange } from '../tools/file-changes.ts'
import { clearTainted, copyMarks, markTainted, taintedAmong } from '../tools/store.ts'
import { cut } from '../tools/text.ts'
import { openRoot, projectRoot, worktreeRoot, worktreesRoot } from '../tools/workspace.ts'
import { wrapUntrusted } from '../untrusted.ts'
import type { Project } from './schema.ts'
import type { StoredTask } from './task-store.ts'
import {
  changeWorktree,
  deleteWorktree,
  findWorktree,
  saveWorktree,
  type Worktree,
  withWorktree,
} from './worktree-store.ts'

/** The root in which a task works; undefined for the folder of its project. */
export const worktreeOf = async (host: Sql, task_id: string): Promise<string | undefined> =>
  (await findWorktree(host, task_id)) ? worktreeRoot(task_id) : undefined

/** Tasks of a project are merged one after the other, in the order of their ends. */
const merging = processState(() => new KeyedLock())

/** The project's folder of the machine; null if it has none, or if no repository is there. */
async function repositoryOf(context: Context, { id, owner_id, path }: Project): Promise<string | null> {
  if (path === null) return null
  const folder = machinePath(await openRoot(context, projectRoot(id, owner_id)))
  return folder !== null && (await context.repositories.isRepository(folder)) ? folder : null
}

async function refusing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof RepositoryError) throw conflict(`The repository cannot be used: ${thrown.message}`)
    if (thrown instanceof PathRefused)
      throw conflict(`A file of the task cannot be put into the folder: ${thrown.message}`)
    throw thrown
  }
}

/**
 * Gives a task a copy of the project's folder as it is now, if that is a git repository. One with work of an earlier attempt
 * stays, with what others have changed since. Returns the rows that belong to it, and its root; none if it works in the folder.
 */
export async function openWorktree(
  context: Context,
  project: Project,
  task: StoredTask,
): Promise<{ root?: string; statements: Statement[] }> {
  return refusing(async () => {
    const old = await findWorktree(context, task.id)
    const folder = await repositoryOf(context, project)
    if (folder === null) return { statements: old ? [deleteWorktree(task.id)] : [] }
    const root = worktreeRoot(task.id)
    if (old && (await updated(context, project, { folder, old }))) return { root, statements: [] }
    const base = await context.repositories.snapshot(project.id, folder)
    await context.repositories.checkout(project.id, root, base)
    const row = { task_id: task.id, base, accepted: null, pending: null, conflicts: [], rounds: 0 }
    return {
      root,
      statements: [
        saveWorktree(row),
        ...copyMarks(await openRoot(context, projectRoot(project.id, project.owner_id)), root),
      ],
    }
  })
}

interface Copy {
  folder: string
  old: Worktree
}

/** Adds what others have changed to a copy; false if the copy is gone. */
async function updated(context: Context, project: Project, { folder, old }: Copy): Promise<boolean> {
  const merged = await mergedState(context, project, { folder, old }).catch((thrown: unknown) => {
    if (thrown instanceof RepositoryError) return null
    throw thrown
  })
  if (merged) await replaceWith(context, project, old, merged)
  return merged !== null
}

interface Merged {
  /** What the folder contains, and with the work of the task. */
  others: string
  state: string
  yours: string
  conflicts: string[]
}

async function mergedState(context: Context, { id }: Project, { folder, old }: Copy): Promise<Merged> {
  const { repositories } = context
  const root = worktreeRoot(old.task_id)
  if (old.pending !== null) {
    await repositories.checkout(id, root, old.pending)
    await context.commit([changeWorktree(old.task_id, { pending: null })])
  }
  const yours = await repositories.store(id, root)
  const others = await repositories.snapshot(id, folder, yours)
  return { others, yours, ...(await repositories.merge(id, { base: old.base, others, yours })) }
}

/** Puts the merged state into the copy. The row says first what is put there, so that a crash in between is repeated. */
async function replaceWith(
  context: Context,
  { id, owner_id }: Project,
  { task_id, conflicts, rounds }: Worktree,
  merged: Merged,
): Promise<void> {
  const root = worktreeRoot(task_id)
  const folder = await openRoot(context, projectRoot(id, owner_id))
  const marked = await taintedAmong(
    context,
    folder,
    (await context.repositories.changes(id, merged.yours, merged.state)).map(({ path }) => path),
  )
  await context.commit([
    changeWorktree(task_id, {
      base: merged.others,
      accepted: null,
      pending: merged.state,
      conflicts: [...new Set([...conflicts, ...merged.conflicts])],
      rounds: merged.conflicts.length > 0 ? rounds + 1 : rounds,
    }),
    ...marked.map((path) => markTainted(root, path, iso(context.clock.now()))),
  ])
  await context.repositories.checkout(id, root, merged.state)
  await context.commit([changeWorktree(task_id, { pending: null })])
}

/** Whether this work of a task was reviewed already, before a crash. */
export async function isAccepted(context: Context, project: Project, task_id: string): Promise<boolean> {
  const row = await findWorktree(context, task_id)
  if (!row || row.accepted === null || row.pending !== null) return false
  return (await context.repositories.store(project.id, worktreeRoot(task_id))) === row.accepted
}

/** Conflicts of one task that use up no attempt: with tasks that write the same lines, each of the others may cause one. */
const maxRounds = 20
const maxMerges = 20
/** Characters of the conflicts that the agent reads. */
const maxHunks = 12_000

export type MergeOutcome = { ok: true } | { ok: false; findings: string; counts: boolean }

/**
 * Merges the accepted work of a task into the project's folder. In a conflict nothing is merged: the copy then contains both
 * sides, for the agent.
 */
export function mergeTask(context: Context, project: Project, task: StoredTask): Promise<MergeOutcome> {
  return refusing(() => merging(context).run(project.id, () => mergeNow(context, project, task)))
}

async function mergeNow(context: Context, project: Project, task: StoredTask): Promise<MergeOutcome> {
  const { repositories } = context
  const old = await findWorktree(context, task.id)
  const folder = old && (await repositoryOf(context, project))
  if (!old) return { ok: true }
  if (!folder) throw conflict(`The folder ${project.path} is no repository any more`)
  if (old.pending === null) {
    const accepted = await repositories.store(project.id, worktreeRoot(task.id))
    if (accepted !== old.accepted) await context.commit([changeWorktree(task.id, { accepted })])
  }
  // Again if somebody has changed one of the files meanwhile.
  for (let attempt = 1; attempt <= maxMerges; attempt += 1) {
    const merged = await mergedState(context, project, { folder, old })
    if (merged.conflicts.length > 0) {
      const findings = await findingsOf(context, project, merged)
      await replaceWith(context, project, old, merged)
      return { ok: false, findings, counts: old.rounds >= maxRounds }
    }
    const changes = await repositories.changes(project.id, merged.others, merged.state)
    const isWritten = await writeAll(context, project, { task, changes, merged })
    if (isWritten) {
      await repositories.commit(project.id, merged.state, task.title)
      return { ok: true }
    }
  }
  throw conflict(`The files in ${folder} change faster than the work of the task can be merged; retry the task`)
}

interface Writing {
  task: StoredTask
  changes: readonly ChangedFile[]
  merged: Merged
}

/** Writes the merged files into the project's folder; false if one of them is not as it was when they were merged. */
async function writeAll(
  context: Context,
  project: Project,
  { task, changes, merged: { yours, state } }: Writing,
): Promise<boolean> {
  const root = await openRoot(context, projectRoot(project.id, project.owner_id))
  const own = worktreeRoot(task.id)
  const paths = changes.map(({ path }) => path)
  const marked = new Set(await taintedAmong(context, own, paths))
  const contentsOf = async (id: string | null) => id && (await context.repositories.read(project.id, id))
  const mixed = new Set((await context.repositories.changes(project.id, yours, state)).map(({ path }) => path))
  for (const { path, before: old, after: next } of changes) {
    const [before, after] = [(await contentsOf(old)) || null, (await contentsOf(next)) || null]
    const isWritten = await context.files.change(root, path, async (file) => {
      const current = await context.files.read(root, path)
      if (!isEqual(current, before)) return false
      const now = iso(context.clock.now())
      const marks = marked.has(path)
        ? [markTainted(root, path, now)]
        : mixed.has(path)
          ? []
          : [clearTainted(root, path)]
      const change = { root, path, before, after }
      await keepChange(
        {
          context,
          conversation_id: task.conversation_id ?? '',
          message_id: task.message_id ?? '',
          spender: { category: 'projects', run_ref: task.id },
        },
        change,
        marks,
      )
      if (after) await file.write(after)
      return true
    })
    if (!isWritten) return false
    if (!after) await context.files.remove(root, path)
  }
  return true
}

const isEqual = (left: Uint8Array | null, right: Uint8Array | null): boolean =>
  left === null || right === null
    ? left === right
    : left.byteLength === right.byteLength && left.every((byte, at) => byte === right[at])

async function findingsOf(context: Context, { id }: Project, merged: Merged): Promise<string> {
  const changes = await context.repositories.changes(id, merged.others, merged.state)
  const parts: string[] = []
  for (const path of merged.conflicts) {
    const content = changes.find((change) => change.path === path)?.after
    const text = content ? new TextDecoder().decode(await context.repositories.read(id, content)) : ''
    parts.push(`--- ${path}\n${hunksIn(text) || 'one side has removed it, or it is not text'}`)
  }
  return prompt('task-conflict', { hunks: wrapUntrusted(cut(parts.join('\n'), maxHunks).text) })
}

/** The lines between the marks of conflicts, marks included. */
function hunksIn(text: string): string {
  let isInside = false
  const lines = text.split('\n').filter((line) => {
    const isStart = line.startsWith('<<<<<<< ')
    const isEnd = isInside && line.startsWith('>>>>>>> ')
    const isShown = isInside || isStart
    isInside = (isInside || isStart) && !isEnd
    return isShown
  })
  return lines.join('\n')
}

/** The files in which a task has left marks of a conflict. */
export async function unsolvedIn(context: Context, task_id: string): Promise<string[]> {
  const row = await findWorktree(context, task_id)
  const left: string[] = []
  for (const path of row?.conflicts ?? []) {
    const bytes = await context.files.read(worktreeRoot(task_id), path)
    if (bytes && /^(?:<{7} others|>{7} yours)$/m.test(new TextDecoder().decode(bytes))) left.push(path)
  }
  return left
}

/** Removes copies that no task needs any more, such as those that a crash has left. */
export async function pruneWorktrees(host: Host): Promise<void> {
  const names = (await host.files.list(worktreesRoot)).map(({ path }) => path)
  if (names.length === 0) return
  const known = new Set(await withWorktree(host, names))
  for (const name of names) if (!known.has(name)) await host.files.removeRoot(worktreeRoot(name))
}
