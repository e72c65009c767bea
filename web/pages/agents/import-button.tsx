import { Button, FileButton } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { Agent } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'

export function ImportButton() {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const load = useMutation({
    mutationFn: async (file: File) => api.post<Agent>('/api/agents/import', parsed(await file.text())),
    async onSuccess(agent) {
      await queries.invalidateQueries({ queryKey: ['agents'] })
      navigate(`/agents/${agent.id}`)
    },
  })
  return (
    <FileButton accept="application/json,.json" onChange={(file) => file && load.mutate(file)}>
      {(props) => (
        <Button variant="default" leftSection={<IconUpload size={16} />} loading={load.isPending} {...props}>
          Import
        </Button>
      )}
    </FileButton>
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('This file is not JSON. Choose one that “Export” wrote.')
  }
}
