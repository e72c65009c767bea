import { Drawer } from '@mantine/core'
import classes from './chat.module.css'
import { ConversationList } from './conversation-list.tsx'

/** The conversations on a phone. */
export function ListDrawer({ active, close }: { active: string | undefined; close: () => void }) {
  return (
    <Drawer
      opened
      onClose={close}
      title="Conversations"
      size={300}
      hiddenFrom="sm"
      padding={0}
      classNames={{ header: classes.drawerHeader, body: classes.drawerBody }}
    >
      <ConversationList active={active} close={close} />
    </Drawer>
  )
}
