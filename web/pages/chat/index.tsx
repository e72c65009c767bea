import { Box, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMessageOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'wouter'
import type { Api } from '../../api/client.ts'
import { ApiError } from '../../api/error.ts'
import { sendLater } from '../../app/outbox.ts'
import { useApi, useSession, useUnreachable } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, ErrorState } from '../../parts/list.tsx'
import { Hint } from '../../parts/typography.tsx'
import classes from './chat.module.css'
import composerClasses from './composer.module.css'
import { Composer } from './composer.tsx'
import { ConversationList } from './conversation-list.tsx'
import { ChatHeader } from './header.tsx'
import { NewChat } from './new-chat.tsx'
import type { Settings } from './pickers.tsx'
import { SessionsProvider, useOpenSession, useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'
import { isBusy } from './state/thread.ts'
import { latestChanged, UndoDialog, undoCommand } from './undo-changes.tsx'

/** Needed on phones only. */
const ListDrawer = lazily(() => import('./list-drawer.tsx'), 'ListDrawer')

/** A new chat has no messages. */
const ThreadView = lazily(() => import('./thread-view.tsx'), 'ThreadView', <Box flex={1} />)

/** `/chat` starts a conversation, `/chat/<id>` shows one. */
export function Chat() {
  const { id } = useParams<{ id?: string }>()
  const [listOpened, list] = useDisclosure(false)
  return (
    <SessionsProvider>
      <div className={classes.chat} data-fills>
        <aside className={classes.side} aria-label="Your conversations">
          <ConversationList active={id} close={() => undefined} />
        </aside>
        {listOpened && <ListDrawer active={id} close={list.close} />}
        <Stack gap={0} miw={0} mih={0}>
          {id ? <ConversationView key={id} id={id} openList={list.open} /> : <NewChat openList={list.open} />}
        </Stack>
      </div>
    </SessionsProvider>
  )
}

/** One conversation: header, messages, composer. */
function ConversationView({ id, openList }: { id: string; openList: () => void }) {
  const session = useOpenSession(id)
  const [search] = useSearchParams()
  const error = useView(session, (view) => view.error)
  const loaded = useView(session, (view) => view.loaded)
  if (error instanceof ApiError && error.status === 404) return <Missing openList={openList} />
  return (
    <>
      <ChatHeader session={session} openList={openList} />
      {error && !loaded ? (
        <Box flex={1}>
          <ErrorState what="The conversation" error={error} retry={() => session.open()} />
        </Box>
      ) : (
        <ThreadView session={session} target={search.get('at')} />
      )}
      <Dock session={session} />
    </>
  )
}

function Missing({ openList }: { openList: () => void }) {
  return (
    <EmptyState
      icon={<IconMessageOff size={28} />}
      title="This conversation does not exist"
      action={
        <>
          <Button component={Link} href="/chat">
            New chat
          </Button>
          <Button variant="default" hiddenFrom="sm" onClick={openList}>
            Conversations
          </Button>
        </>
      }
    >
      It was deleted, or the address is wrong.
    </EmptyState>
  )
}

const notLoaded: Settings = {
  agent_id: null,
  mode: 'agent',
  execution_mode: 'approval_required',
  model: null,
}

function Dock({ session }: { session: ChatSession }) {
  const api = useApi()
  const offline = useUnreachable()
  const user = useSession()?.user_id
  const settings = useView(session, ({ thread }) => thread.conversation) ?? notLoaded
  const busy = useView(session, ({ thread }) => isBusy(thread))
  const lost = useView(session, (view) => view.link === 'lost')
  const [undone, setUndone] = useState<string | null>(null)
  const undo = async () => {
    const message = await latestChanged(api, session.id)
    if (message) setUndone(message)
    else announce('There are no changes of files to undo')
  }
  const change = useMutation({
    mutationFn: (changes: Partial<Settings>) => changeSettings(api, session.id, changes),
    onMutate: (changes) => session.changed(changes),
    onError: () => void session.refresh(),
  })
  return (
    <div className={composerClasses.dock}>
      {lost && (
        <Hint ta="center" mb={4} role="status" mih="1.1rem">
          Connection lost, reconnecting. The agent continues in the meantime.
        </Hint>
      )}
      <Composer
        key={session.id}
        conversation={session.id}
        settings={settings}
        change={(changes) => change.mutate(changes)}
        busy={busy}
        send={async (text, when_busy, files) => {
          if (text === undoCommand && files.length === 0) return undo()
          if (!offline) return session.send(text, { when_busy, files })
          sendLater({ conversation: session.id, text, files: files.map(({ file_id }) => file_id), user })
        }}
        stop={() => session.stop().catch(announceError)}
      />
      {undone && <UndoDialog conversation={session.id} message={undone} close={() => setUndone(null)} />}
    </div>
  )
}

/** Each kind of setting has its own endpoint. */
async function changeSettings(api: Api, id: string, changes: Partial<Settings>): Promise<void> {
  const params = { id }
  const { mode, execution_mode, agent_id, model } = changes
  if (mode) await api.patch('/api/chat/conversations/{id}/mode', { params, body: { mode } })
  if (execution_mode) await api.put('/api/chat/conversations/{id}/execution-mode', { params, body: { execution_mode } })
  const body = { ...(agent_id && { agent_id }), ...(model !== undefined && { model }) }
  if (Object.keys(body).length > 0) await api.put('/api/chat/conversations/{id}', { params, body })
}
