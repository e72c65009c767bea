import { ActionIcon, Group, TextInput, Title, Tooltip } from '@mantine/core'
import { IconCheck, IconPencil } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RecordingDetail } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'

/** The name as a heading, and as a field when it is to be another. */
export function RecordingName({ recording: { recording_id, name } }: { recording: RecordingDetail }) {
  const api = useApi()
  const queries = useQueryClient()
  const [typed, setTyped] = useState<string | null>(null)
  const rename = useMutation({
    mutationFn: (next: string) => api.put(`/api/browser/recordings/${recording_id}`, { name: next }),
    meta: { shown: true },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['browser'] })
      setTyped(null)
    },
  })
  if (typed === null)
    return (
      <Group px="sm" pt="xs" gap={4} wrap="nowrap">
        <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Title>
        <Tooltip label="Rename">
          <ActionIcon variant="subtle" color="gray" aria-label="Rename" onClick={() => setTyped(name)}>
            <IconPencil size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
    )
  return (
    <form
      aria-label="Rename"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim()) rename.mutate(typed.trim())
      }}
    >
      <Group px="sm" pt="xs" gap={4} wrap="nowrap" align="flex-start">
        <TextInput
          className="grow"
          size="xs"
          aria-label="New name"
          maxLength={200}
          autoFocus
          value={typed}
          error={fieldErrors(rename.error).name ?? rename.error?.message}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setTyped(null)
          }}
        />
        <ActionIcon type="submit" size="md" aria-label="Save the name" loading={rename.isPending}>
          <IconCheck size={16} />
        </ActionIcon>
      </Group>
    </form>
  )
}
