import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { createParser } from 'eventsource-parser'
import { useEffect } from 'react'
import type { ExecutionDetails, NodeRunSummary } from '../../../runtime/workflows/schema.ts'
import type { Api } from '../../api/client.ts'
import { refresh } from '../../api/live.ts'
import { optionalQuery } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'

const address = '/api/workflows/executions'

export const isActive = ({ status }: Pick<ExecutionDetails, 'status'>): boolean =>
  ['queued', 'running', 'waiting'].includes(status)

/** An execution, which is read again whenever its event stream reports a change. */
export function useExecution(id: string | null) {
  const api = useApi()
  const queries = useQueryClient()
  const query = useQuery({
    ...optionalQuery(api, `${address}/{id}`, { params: { id: id ?? '' }, query: { short: 'true' } }),
    enabled: id !== null,
  })
  const active = query.data ? isActive(query.data) : false
  useEffect(() => {
    if (!active || id === null) return
    const stop = new AbortController()
    void follow(api, queries, id, stop.signal)
    return () => stop.abort()
  }, [api, queries, id, active])
  return query
}

/** Milliseconds after a change before the execution is reloaded, since the stream contains only part of it. */
const collect = 700

type Change = Pick<NodeRunSummary, 'seq'> & Partial<NodeRunSummary>

/** Keeps the cached execution up to date until it has ended. */
async function follow(api: Api, queries: QueryClient, id: string, signal: AbortSignal): Promise<void> {
  const params = { id }
  const { queryKey } = optionalQuery(api, `${address}/{id}`, { params, query: { short: 'true' } })
  let timer: ReturnType<typeof setTimeout> | undefined
  const read = () => {
    timer = undefined
    void refresh(queries, `${address}/${id}`)
  }
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'snapshot') {
        queries.setQueryData(queryKey, JSON.parse(data))
        void refresh(queries, `${address}/${id}/node-runs`)
      }
      if (event !== 'node') return
      const change = JSON.parse(data) as Change
      queries.setQueryData<ExecutionDetails | null>(queryKey, (last) => last && withChange(last, change))
      timer ??= setTimeout(read, collect)
    },
  })
  try {
    const { body } = await api.open('GET', `${address}/{id}/events`, { params, signal })
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) parser.feed(part.value)
  } catch {
    // The bus refreshes the execution when it waits or ends.
  }
  clearTimeout(timer)
}

const started = {
  input_size: null,
  input_preview: null,
  output_size: null,
  output_preview: null,
  output_name: null,
  pinned: false,
}

function withChange(execution: ExecutionDetails, change: Change): ExecutionDetails {
  const at = execution.node_runs.findIndex(({ seq }) => seq === change.seq)
  const run = { ...started, ...execution.node_runs[at], ...change } as NodeRunSummary
  const node_runs = at < 0 ? [...execution.node_runs, run] : execution.node_runs.with(at, run)
  return { ...execution, node_runs }
}
