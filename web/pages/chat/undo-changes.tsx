import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import type { Message } from '../../../runtime/chat/schema.ts'
import type { Api } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Hint } from '../../parts/typography.tsx'

export const UndoDialog = lazily(() => import('./undo-dialog.tsx'), 'UndoDialog')

/** The command of the composer. */
export const undoCommand = '/undo'

/** The latest answer whose changes of files are not undone; null if there is none. */
export async function latestChanged(api: Pick<Api, 'get'>, id: string): Promise<string | null> {
  const { answers } = await api.get('/api/chat/conversations/{id}/changes', { params: { id } })
  return answers.findLast(({ undone }) => !undone)?.message_id ?? null
}

/** A button at an answer that has changed files. Only answers with tools ask for it. */
export function UndoButton({ message: { id, conversation_id } }: { message: Message }) {
  const [opened, setOpened] = useState(false)
  const { data } = useEndpoint(
    '/api/chat/conversations/{id}/changes',
    { params: { id: conversation_id } },
    { retry: false },
  )
  const changed = data?.answers.find(({ message_id }) => message_id === id)
  if (!changed) return null
  if (changed.undone) return <Hint px="0.35rem">Changes undone</Hint>
  return (
    <>
      <SmallButton variant="subtle" icon={IconArrowBackUp} onClick={() => setOpened(true)}>
        Undo changes
      </SmallButton>
      {opened && <UndoDialog conversation={conversation_id} message={id} close={() => setOpened(false)} />}
    </>
  )
}
