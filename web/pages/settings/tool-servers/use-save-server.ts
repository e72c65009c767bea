import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../../../api/live.ts'
import type { NewServer, ServerChanges, ToolServer } from '../../../api/tool-servers.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'

/** Adds or changes a server, and deletes it once that was confirmed. */
export function useSaveServer(server: ToolServer | null, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, ask] = useState(false)
  const done = async () => {
    await refresh(queries, '/api/settings/skills/mcp')
    close()
  }
  const save = useMutation({
    mutationFn: (body: NewServer & ServerChanges) =>
      server
        ? api.put('/api/settings/skills/mcp/{id}', { params: { id: server.id }, body })
        : api.post('/api/settings/skills/mcp', { body }),
    meta: { shown: true },
    onSuccess(saved) {
      announce(`${saved.name} is saved`)
      return done()
    },
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/settings/skills/mcp/{id}', { params: { id: server?.id ?? '' } }),
    onSuccess: done,
  })
  return { save, remove, asked, ask }
}
