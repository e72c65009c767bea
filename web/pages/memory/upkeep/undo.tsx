import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readable } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'

/** Brings back the graph that the latest rebuild has replaced. */
export function Undo({ disabled }: { disabled: boolean }) {
  const [asked, setAsked] = useState(false)
  return (
    <Group>
      <Button
        size="compact-sm"
        variant="subtle"
        leftSection={<IconArrowBackUp size={14} />}
        disabled={disabled}
        onClick={() => setAsked(true)}
      >
        Undo the last rebuild…
      </Button>
      {asked && <Question close={() => setAsked(false)} />}
    </Group>
  )
}

function Question({ close }: { close: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const undo = useMutation({
    mutationFn: () => api.post<{ kept: number }>('/api/memory/undo'),
    meta: { shown: true },
    async onSuccess({ kept }) {
      announce(`The earlier graph is back; ${counted(kept, 'older one is', 'older ones are')} kept`)
      close()
      await queries.invalidateQueries({ queryKey: ['memory'] })
    },
  })
  return (
    <Modal opened onClose={close} title="Bring the earlier graph back?">
      <Stack>
        <Text size="sm">
          The graph of now goes away and the one before the last rebuild takes its place. Memories themselves
          do not change.
        </Text>
        {undo.isError && (
          <Alert color="red" role="alert" title="It was not brought back">
            {readable(undo.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            Keep this one
          </Button>
          <Button loading={undo.isPending} onClick={() => undo.mutate()}>
            Bring it back
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
