import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ExecutionDetails, NodeRun, NodeRunSummary } from '../../../runtime/workflows/schema.ts'
import { endpointQuery } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { useSame } from '../../parts/use-stable.ts'
import type { Readable } from './completions.ts'
import { itemsOf } from './data-view.tsx'
import { before } from './editor-state.ts'
import type { Kinds } from './kinds.ts'
import type { Draft } from './use-draft.ts'

/** What a node has passed on. */
export interface Output {
  value: unknown
  /** Its bytes, if `value` is only its beginning. */
  bytes?: number | null
  origin: 'pinned' | 'last run' | 'sample'
}

/** The latest run of a node that has its whole output. */
export function lastRun(execution: ExecutionDetails | null, node: string): NodeRunSummary | undefined {
  const runs = execution?.node_runs.filter(({ node_id, status }) => node_id === node && status === 'succeeded') ?? []
  return runs.findLast(({ iteration }) => iteration === null) ?? runs.at(-1)
}

/** The items of an output, by the routes of their run: the same list each time. */
const parts = new WeakMap<object, Map<string, unknown[]>>()

/** The items that a run has passed on at one of its outputs. */
function passedOn({ output, routes, output_name }: NodeRun, name: string | undefined): unknown {
  if (name === undefined) return output
  if (routes) {
    const known = parts.get(routes) ?? new Map<string, unknown[]>()
    parts.set(routes, known)
    const part =
      known.get(name) ?? (routes[name] ?? []).flatMap((position) => itemsOf(output).slice(position, position + 1))
    known.set(name, part)
    return part
  }
  return output_name === null || output_name === name ? output : []
}

interface Drawn {
  draft: Pick<Draft, 'nodes' | 'pin_data'>
  kinds: Kinds
  execution: ExecutionDetails | null
}

/** A node and, of several, one of its outputs. */
export interface From {
  id: string
  output?: string
}

/** The outputs of nodes: pin data, those of the execution, or samples of triggers. Undefined while they load. */
export function useOutputs({ draft, kinds, execution }: Drawn, from: readonly From[]): (Output | null | undefined)[] {
  const api = useApi()
  const runs = from.map(({ id }) => (Object.hasOwn(draft.pin_data, id) ? undefined : lastRun(execution, id)))
  const queries = useQueries({
    queries: runs.map((run) => ({
      ...endpointQuery(api, '/api/workflows/executions/{id}/node-runs/{seq}', {
        params: { id: execution?.id ?? '', seq: String(run?.seq ?? 1) },
        query: { short: 'true' },
      }),
      enabled: run !== undefined,
    })),
  })
  return from.map(({ id, output }, index): Output | null | undefined => {
    if (Object.hasOwn(draft.pin_data, id)) return { value: draft.pin_data[id], origin: 'pinned' }
    const data = queries[index]?.data
    const run = runs[index]
    const bytes = data?.shortened.includes('output') ? run?.output_size : null
    if (run) return data && { value: passedOn(data, output), bytes, origin: 'last run' }
    const type = draft.nodes.find((node) => node.id === id)?.type ?? ''
    const sample = kinds.get(type)?.sample ?? null
    return sample === null ? null : { value: sample, origin: 'sample' }
  })
}

/** What the expressions of a node can read; `input` is what arrives at it. */
export function useReadable(
  { draft, kinds, execution }: Drawn & { draft: Draft },
  node: string,
  input: unknown,
): Readable {
  const api = useApi()
  const client = useQueryClient()
  const { edges, pin_data, variables } = draft
  const earlier = useMemo(() => before({ edges }, node), [edges, node])
  const nodes = useSame(draft.nodes.filter(({ id }) => earlier.has(id)))
  return useMemo(() => {
    const outputOf = (id: string): unknown => {
      if (Object.hasOwn(pin_data, id)) return itemsOf(pin_data[id])[0]
      const run = lastRun(execution, id)
      if (!run || !execution) return kinds.get(nodes.find((one) => one.id === id)?.type ?? '')?.sample ?? undefined
      const params = { id: execution.id, seq: String(run.seq) }
      const query = endpointQuery(api, '/api/workflows/executions/{id}/node-runs/{seq}', {
        params,
        query: { short: 'true' },
      })
      const data = client.getQueryData<NodeRun>(query.queryKey)
      // It is there at the next key.
      if (!data) void client.prefetchQuery(query)
      return data && itemsOf(data.output)[0]
    }
    return { input: itemsOf(input)[0], vars: variables, nodes, outputOf }
  }, [nodes, pin_data, variables, kinds, execution, input, api, client])
}
