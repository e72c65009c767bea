import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refresh } from '../../../api/live.ts'
import type { Approved, ServerChanges, ToolServer } from '../../../api/tool-servers.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'

/** What can be done to a server that is there. */
export function useServer({ id, name }: ToolServer) {
  const api = useApi()
  const queries = useQueryClient()
  const params = { id }
  const onSettled = () => refresh(queries, '/api/settings/skills/mcp')
  const connect = useMutation({
    mutationFn: () => api.post('/api/settings/skills/mcp/{id}/connect', { params }),
    onSuccess: ({ tools }) => announce(`${name} is connected: ${counted(tools.length, 'tool', 'tools')}`),
    onSettled,
  })
  const disconnect = useMutation({
    mutationFn: () => api.post('/api/settings/skills/mcp/{id}/disconnect', { params }),
    onSettled,
  })
  const discover = useMutation({
    mutationFn: () => api.post('/api/settings/skills/mcp/{id}/discover', { params }),
    onSuccess: ({ approved }) => announce(`${name}: ${summaryOf(approved)}`),
    onSettled,
  })
  const test = useMutation({
    mutationFn: () => api.post('/api/settings/skills/mcp/{id}/test', { params }),
    onSuccess({ ok, latency_ms, tools, error }) {
      if (ok) announce(`${name} answered in ${latency_ms} ms with ${counted(tools.length, 'tool', 'tools')}`)
      else announceError(new Error(`${name}: ${error ?? 'no reason given'}`))
    },
    onSettled,
  })
  const change = useMutation({
    mutationFn: (body: ServerChanges) => api.put('/api/settings/skills/mcp/{id}', { params, body }),
    onSettled,
  })
  return { connect, disconnect, discover, test, change }
}

function summaryOf({ added, changed, removed }: Approved['approved']): string {
  const parts = [
    added.length > 0 && `${added.length} new`,
    changed.length > 0 && `${changed.length} changed`,
    removed.length > 0 && `${removed.length} gone`,
  ].filter(Boolean)
  return parts.length === 0 ? 'all tools are as they were' : `${parts.join(', ')}, approved`
}
