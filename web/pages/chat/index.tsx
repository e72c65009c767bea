import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import { useParams } from 'wouter'
import classes from './chat.module.css'
import { ConversationView } from './conversation-view.tsx'
import { ConversationList } from './list/conversation-list.tsx'
import { NewChat } from './new-chat.tsx'
import { SessionsProvider } from './sessions.tsx'

/** Needed on phones only. */
const ListDrawer = lazy(async () => ({ default: (await import('./list/list-drawer.tsx')).ListDrawer }))

/** `/chat` begins a conversation, `/chat/<id>` shows one. */
export function Chat() {
  const { id } = useParams<{ id?: string }>()
  const [listOpened, list] = useDisclosure(false)
  return (
    <SessionsProvider>
      <div className={classes.chat}>
        <aside className={classes.side} aria-label="Your conversations">
          <ConversationList active={id} close={() => undefined} />
        </aside>
        {listOpened && (
          <Suspense>
            <ListDrawer active={id} close={list.close} />
          </Suspense>
        )}
        <div className={classes.main}>
          {id ? <ConversationView key={id} id={id} openList={list.open} /> : <NewChat openList={list.open} />}
        </div>
      </div>
    </SessionsProvider>
  )
}
