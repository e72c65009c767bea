import { useEffect, useState } from 'react'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
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
  const [history, setHistory] = useState<History<Draft>>(() => restored(workflow))
  const server = JSON.stringify(draftOf(workflow))
  const stale = server !== JSON.stringify(history.saved)
  const dirty = isDirty(history)
  if (stale && !dirty) setHistory(historyOf(draftOf(workflow)))
  usePersistence(workflow.id, history, dirty)
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
      setHistory((last) => ({ ...last, saved, draft: last.draft === sent ? saved : last.draft, step: null }))
    },
    discard: () => setHistory(historyOf(draftOf(workflow))),
  }
}

const keyOf = (id: string) => `hearthd.workflow.${id}`

function restored(workflow: Workflow): History<Draft> {
  const saved = draftOf(workflow)
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(workflow.id)) ?? 'null') as Pick<
      History<Draft>,
      'draft' | 'saved'
    > | null
    return kept ? { ...historyOf(kept.saved), draft: kept.draft, past: [kept.saved] } : historyOf(saved)
  } catch {
    return historyOf(saved)
  }
}

/** Milliseconds after the last change. */
const settled = 400

function usePersistence(id: string, { draft, saved }: History<Draft>, dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return sessionStorage.removeItem(keyOf(id))
    const timer = setTimeout(
      () => sessionStorage.setItem(keyOf(id), JSON.stringify({ draft, saved })),
      settled,
    )
    return () => clearTimeout(timer)
  }, [id, draft, saved, dirty])
}
