import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef } from 'react'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { useStable } from '../../parts/use-stable.ts'
import type { Place, Readable } from './completions.ts'
import { type Draft, identityOf } from './use-draft.ts'

/** A field that a value can be inserted into. */
interface Target {
  label: string
  insert(place: Place): void
}

/** The fields of a form that values can be inserted into. */
export class Targets {
  readonly #fields = new Set<{ current: Target }>()
  #last: { current: Target } | undefined

  add(field: { current: Target }): () => void {
    this.#fields.add(field)
    return () => {
      this.#fields.delete(field)
      if (this.#last === field) this.#last = undefined
    }
  }

  focus(field: { current: Target }): void {
    this.#last = field
  }

  /** Inserts into the field that had the focus last, else into the first one. */
  readonly insert = (place: Place): void => {
    const [first] = this.#fields
    const target = this.#last ?? first
    if (target) target.current.insert(place)
    else announce('Add a value to the form first: the field is inserted there')
  }
}

interface Scope extends Pick<Draft, 'pin_data' | 'edges'> {
  workflow: string
  /** The workflow as it is drawn now; a key that changes it does not change the scope. */
  draft(): Draft
  node: string
  /** Id of the execution whose data expressions are evaluated over; null for pin data and samples alone. */
  execution: string | null
  /** Position of the item, for a node that runs for each. */
  item: number
  readable: Readable
  targets: Targets
}

const ScopeContext = createContext<Scope | null>(null)

/** Around forms whose values may be computed: those of a trigger may not. */
export function ExpressionScope({ children, ...scope }: Scope & { children: ReactNode }) {
  const { workflow, node, execution, item, readable, targets, pin_data, edges } = scope
  const draft = useStable(scope.draft)
  const value = useMemo(
    () => ({ workflow, draft, node, execution, item, readable, targets, pin_data, edges }),
    [workflow, draft, node, execution, item, readable, targets, pin_data, edges],
  )
  return <ScopeContext value={value}>{children}</ScopeContext>
}

export const useScope = () => use(ScopeContext)

/** Makes a field one that values can be inserted into. Returns what to call when it gets the focus. */
export function useTarget(target: Target): () => void {
  const targets = useScope()?.targets
  const field = useRef(target)
  useEffect(() => {
    field.current = target
  })
  useEffect(() => targets?.add(field), [targets])
  return () => targets?.focus(field)
}

/** Milliseconds without a key before a text is evaluated. */
const pause = 300

/** The value of a text with expressions at the node; undefined until it is known. */
export function usePreview(text: string) {
  const api = useApi()
  const scope = useScope()
  const [settled] = useDebouncedValue(text, pause)
  const { workflow = '', node: node_id = '', execution: execution_id = null, item: index = 0 } = scope ?? {}
  const query = useQuery({
    queryKey: [
      'preview',
      node_id,
      execution_id,
      index,
      settled,
      scope && [scope.pin_data, scope.edges].map(identityOf),
    ],
    enabled: scope !== null && settled.trim() !== '',
    queryFn({ signal }) {
      const { nodes = [], edges = [], pin_data = {}, variables = {} } = scope?.draft() ?? {}
      const body = { text: settled, node_id, execution_id, index, changes: { nodes, edges, pin_data, variables } }
      return api.post('/api/workflows/{id}/preview', { params: { id: workflow }, body, signal })
    },
    placeholderData: (last) => last,
    retry: false,
  })
  return query.data ?? (query.error ? { value: null, error: query.error.message } : undefined)
}
