import { useEffect, useEffectEvent, useState } from 'react'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { ownKey } from '../../api/session.ts'
import { useSession } from '../../app/services.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { changed, type History, historyOf, isDirty, redone, undone } from './editor-state.ts'

const members = [
  'name',
  'description',
  'tags',
  'nodes',
  'edges',
  'settings',
  'variables',
  'input_schema',
  'pin_data',
] as const

/** What is saved when a workflow is saved. */
export type Draft = Pick<Workflow, (typeof members)[number]>

const identities = new WeakMap<object, number>()
let last = 0

/** A number for an object, which is never changed: cheaper as a key than what is in it. */
export function identityOf(value: object): number {
  const known = identities.get(value)
  if (known !== undefined) return known
  last += 1
  identities.set(value, last)
  return last
}

export const draftOf = (workflow: Draft): Draft =>
  Object.fromEntries(members.map((name) => [name, workflow[name]])) as Draft

export interface DraftState {
  /** Whether the workflow belongs to someone else who shared it: it can be read and run. */
  readonly: boolean
  draft: Draft
  dirty: boolean
  canUndo: boolean
  canRedo: boolean
  /** Somebody else has saved the workflow, and there are changes here as well. */
  conflict: boolean
  /** Changes with the same `step` are undone together. */
  edit(change: (draft: Draft) => Draft, step?: string): void
  undo(): void
  redo(): void
  /** `result` is the answer after `sent` was saved. */
  saved(sent: Draft, result: Workflow): void
  /** Forgets all changes. */
  discard(): void
}

/** The unsaved state of a workflow. It survives a reload of the page and leaving it, as long as the tab is open. */
export function useDraft(workflow: Workflow): DraftState {
  const key = ownKey(useSession()?.user_id, 'workflow', workflow.id)
  const [{ history, saved_at }, setKept] = useState<Kept>(() => restored(workflow, key))
  const setHistory = (change: (last: History<Draft>) => History<Draft>) =>
    setKept((last) => ({ ...last, history: change(last.history) }))
  // After a save the workflow is still the old one, until it is loaded again.
  const stale = workflow.updated_at > saved_at && JSON.stringify(draftOf(workflow)) !== JSON.stringify(history.saved)
  const dirty = isDirty(history)
  if (stale && !dirty) setKept(unchanged(workflow))
  usePersistence(key, { history, saved_at }, dirty)
  const readonly = !useIsMine(workflow)
  return {
    readonly,
    draft: history.draft,
    dirty,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    conflict: stale && dirty,
    edit: (change, step) => readonly || setHistory((last) => changed(last, change(last.draft), step)),
    undo: () => setHistory(undone),
    redo: () => setHistory(redone),
    saved(sent, result) {
      const saved = draftOf(result)
      setKept(({ history: last }) => ({
        history: { ...last, saved, draft: last.draft === sent ? saved : last.draft, step: null },
        saved_at: result.updated_at,
      }))
    },
    discard: () => setKept(unchanged(workflow)),
  }
}

interface Kept {
  history: History<Draft>
  /** `updated_at` of the workflow that was last saved or loaded. */
  saved_at: string
}

const unchanged = (workflow: Workflow): Kept => ({
  history: historyOf(draftOf(workflow)),
  saved_at: workflow.updated_at,
})

type Stored = Pick<History<Draft>, 'draft' | 'saved'> & Pick<Kept, 'saved_at'>

function restored(workflow: Workflow, key: string): Kept {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Stored | null
    if (!stored) return unchanged(workflow)
    const { draft, saved, saved_at } = stored
    return { history: { ...historyOf(saved), draft, past: [saved] }, saved_at }
  } catch {
    return unchanged(workflow)
  }
}

/** Milliseconds without a change before it is stored. */
const storePause = 200

/** Keeps unsaved changes in the tab; the browser asks before it closes the tab with them. */
function usePersistence(key: string, { history: { draft, saved }, saved_at }: Kept, dirty: boolean): void {
  const store = useEffectEvent(() => {
    if (!dirty) return sessionStorage.removeItem(key)
    try {
      sessionStorage.setItem(key, JSON.stringify({ draft, saved, saved_at } satisfies Stored))
    } catch {
      // There is no room for large pinned data.
    }
  })
  // Not at each key, but before anything can read it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored has changed
  useEffect(() => {
    const timer = setTimeout(store, storePause)
    return () => clearTimeout(timer)
  }, [key, draft, saved, saved_at, dirty])
  useEffect(() => {
    addEventListener('pagehide', store)
    return () => {
      removeEventListener('pagehide', store)
      store()
    }
  }, [])
  useEffect(() => {
    if (!dirty) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [dirty])
}
