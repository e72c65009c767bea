import { Stack, Text } from '@mantine/core'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { FormModal } from '../../parts/form-modal.tsx'
import { KeptChanges } from '../../parts/kept-changes.tsx'
import { Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { useChange } from '../../parts/use-change.ts'

interface UndoDialogProps {
  conversation: string
  /** The answer. */
  message: string
  close: () => void
}

/** Asks next to the lines that undoing takes out. */
export function UndoDialog({ conversation, message, close }: UndoDialogProps) {
  const params = { id: conversation, message_id: message }
  const query = useEndpoint('/api/chat/conversations/{id}/messages/{message_id}/changes', { params })
  const undo = useChange((api) => api.post('/api/chat/conversations/{id}/messages/{message_id}/undo', { params }), {
    done({ paths }) {
      announce(`Undone in ${counted(paths.length, 'file', 'files')}`)
      close()
    },
  })
  return (
    <FormModal
      title="Undo what this answer changed?"
      verb="Undo changes"
      size="lg"
      submit={() => undo.mutate()}
      close={close}
      isPending={undo.isPending}
      disabled={!query.data}
    >
      <Text size="sm">The lines below are taken back. What others have changed in these files since is kept.</Text>
      <Loaded query={query} what="The changes">
        {({ changes }) => (
          <Stack gap="xs" align="stretch">
            <KeptChanges changes={changes.filter(({ undone }) => !undone)} />
          </Stack>
        )}
      </Loaded>
    </FormModal>
  )
}
