import { Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from 'wouter'
import classes from './chat.module.css'
import { ConversationView } from './conversation-view.tsx'
import { ConversationList } from './list/conversation-list.tsx'
import { NewChat } from './new-chat.tsx'
import { SessionsProvider } from './sessions.tsx'

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
        <Drawer
          opened={listOpened}
          onClose={list.close}
          title="Conversations"
          size={300}
          hiddenFrom="sm"
          padding={0}
          classNames={{ header: classes.drawerHeader, body: classes.drawerBody }}
        >
          <ConversationList active={id} close={list.close} />
        </Drawer>
        <div className={classes.main}>
          {id ? <ConversationView key={id} id={id} openList={list.open} /> : <NewChat openList={list.open} />}
        </div>
      </div>
    </SessionsProvider>
  )
}
