import { Drawer } from '@mantine/core'
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
      styles={{
        header: { height: '3.25rem', minHeight: 0, padding: '0 0.75rem' },
        body: { height: 'calc(100% - 3.25rem)' },
      }}
    >
      <ConversationList active={active} close={close} />
    </Drawer>
  )
}
