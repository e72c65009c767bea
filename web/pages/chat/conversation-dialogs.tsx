import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import { FormModal } from '../../parts/form-modal.tsx'
import { whole } from '../../parts/numbers.ts'
import { ShareDialog } from '../../parts/share-dialog.tsx'
import { Links } from './links.tsx'

interface ConversationDialogsProps {
  dialog: 'rename' | 'share' | 'delete'
  conversation: Conversation
  rename: (title: string) => void
  share: (shared_with: string[]) => void
  remove: { mutate: (input: undefined, options: { onSettled: () => void }) => void; isPending: boolean }
  close: () => void
}

export function ConversationDialogs({ dialog, conversation, rename, share, remove, close }: ConversationDialogsProps) {
  const { title, message_count } = conversation
  if (dialog === 'rename') return <Rename title={title} rename={rename} close={close} />
  if (dialog === 'share') {
    const text =
      'The people you choose can read this conversation and write in it. Its settings and approvals remain yours.'
    return (
      <ShareDialog
        title="Share conversation"
        text={text}
        shared_with={conversation.shared_with}
        share={share}
        close={close}
      >
        <Links conversation={conversation.id} />
      </ShareDialog>
    )
  }
  return (
    <FormModal
      title={`Delete “${title}”?`}
      verb="Delete"
      danger
      submit={() => remove.mutate(undefined, { onSettled: close })}
      close={close}
      isPending={remove.isPending}
    >
      <Text size="sm">
        {message_count > 0
          ? `Its ${whole(message_count)} messages are deleted too. This cannot be undone.`
          : 'This cannot be undone.'}
      </Text>
    </FormModal>
  )
}

type RenameProps = Pick<ConversationDialogsProps, 'rename' | 'close'> & { title: string }

function Rename({ title, rename, close }: RenameProps) {
  const [typed, setTyped] = useState(title)
  const submit = () => {
    rename(typed.trim())
    close()
  }
  return (
    <FormModal title="Rename conversation" verb="Rename" submit={submit} close={close} disabled={!typed.trim()}>
      <TextInput
        label="Name"
        value={typed}
        maxLength={200}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormModal>
  )
}
