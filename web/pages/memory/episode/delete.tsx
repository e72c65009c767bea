import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { episodePath } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { useRestore } from './use-restore.ts'

/** Milliseconds in which the deletion is offered to be undone. Its own address offers that for 30 days. */
const offered = 12_000

/** Deletes without a question, because it can be undone. */
export function DeleteButton({ id }: { id: string }) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const restore = useRestore(id)
  const remove = useMutation({
    mutationFn: () => api.remove(episodePath(id)),
    async onSuccess() {
      navigate('/memory', { replace: true })
      // This button is gone by then, and what a mutation tells its component would not be heard.
      offerUndo(() =>
        restore.mutateAsync(undefined).then(
          () => navigate(`/memory/${id}`),
          () => undefined,
        ),
      )
      await queries.invalidateQueries({ queryKey: ['memory'] })
    },
  })
  return (
    <Button
      variant="default"
      leftSection={<IconTrash size={16} />}
      loading={remove.isPending}
      onClick={() => remove.mutate()}
    >
      Delete
    </Button>
  )
}

function offerUndo(undo: () => unknown): void {
  const id = notifications.show({
    autoClose: offered,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    message: (
      <Group justify="space-between">
        <Text size="sm">The memory was deleted</Text>
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
