import { Button, Text } from '@mantine/core'
import { IconMessageOff } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { ApiError } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announceError } from '../../parts/announce.ts'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { changeSettings } from './change-settings.ts'
import classes from './chat.module.css'
import { ChatHeader } from './chat-header.tsx'
import composerClasses from './composer/composer.module.css'
import { Composer } from './composer/composer.tsx'
import type { Settings } from './composer/pickers.tsx'
import { useOpenSession, useView } from './sessions.tsx'
import type { ChatSession } from './state/session.ts'
import { isBusy } from './state/thread.ts'
import { ThreadView } from './thread/thread-view.tsx'

/** One conversation: header, messages, composer. */
export function ConversationView({ id, openList }: { id: string; openList: () => void }) {
  const session = useOpenSession(id)
  const [search] = useSearchParams()
  const error = useView(session, (view) => view.error)
  const loaded = useView(session, (view) => view.loaded)
  const missing = error instanceof ApiError && error.status === 404
  if (missing) return <Missing openList={openList} />
  return (
    <>
      <ChatHeader session={session} openList={openList} />
      {error && !loaded ? (
        <ErrorState what="The conversation" error={error} retry={() => session.open()} />
      ) : (
        <>
          <ThreadView session={session} target={search.get('at')} />
          <Dock session={session} />
        </>
      )}
    </>
  )
}

function Missing({ openList }: { openList: () => void }) {
  return (
    <EmptyState
      icon={<IconMessageOff size={28} />}
      title="This conversation is not here"
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

const unread: Settings = { agent_id: null, mode: 'agent', execution_mode: 'approval_required', model: null }

function Dock({ session }: { session: ChatSession }) {
  const api = useApi()
  const settings = useView(session, ({ thread }) => thread.conversation) ?? unread
  const busy = useView(session, ({ thread }) => isBusy(thread))
  const lost = useView(session, (view) => view.link === 'lost')
  const change = useMutation({
    mutationFn: (changes: Partial<Settings>) => changeSettings(api, session.id, changes),
    onMutate: (changes) => session.changed(changes),
    onError: () => void session.refresh(),
  })
  return (
    <div className={composerClasses.dock}>
      {lost && (
        <Text size="xs" c="dimmed" ta="center" mb={4} role="status" className={classes.lost}>
          The connection was lost. Trying again; the answer goes on.
        </Text>
      )}
      <Composer
        key={session.id}
        conversation={session.id}
        settings={settings}
        change={(changes) => change.mutate(changes)}
        busy={busy}
        send={(text, when_busy, files) => session.send(text, { when_busy, files })}
        stop={() => session.stop().catch(announceError)}
      />
    </div>
  )
}
