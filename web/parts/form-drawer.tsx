import { Button, Drawer, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'

interface FormDrawerProps {
  title: string
  close: () => void
  /** `setDirty` receives whether there are unsaved changes; `leave` closes without a question. */
  children: (form: { setDirty: (dirty: boolean) => void; leave: () => void }) => ReactNode
}

/** A drawer with a form. Closing it asks first if there are unsaved changes. */
export function FormDrawer({ title, close, children }: FormDrawerProps) {
  const [dirty, setDirty] = useState(false)
  const [asking, setAsking] = useState(false)
  const leave = () => {
    setDirty(false)
    setAsking(false)
    close()
  }
  return (
    <>
      <Drawer
        opened
        onClose={() => (dirty ? setAsking(true) : leave())}
        closeOnEscape={!asking}
        position="right"
        size="lg"
        title={title}
      >
        {children({ setDirty, leave })}
      </Drawer>
      {/* Mounted only while open: otherwise the Esc that opens it would also close it. */}
      {asking && (
        <Modal opened onClose={() => setAsking(false)} title="Discard your changes?" size="sm">
          <Text size="sm" mb="md">
            Your changes are not saved yet.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>
              Discard
            </Button>
            <Button data-autofocus onClick={() => setAsking(false)}>
              Keep editing
            </Button>
          </Group>
        </Modal>
      )}
    </>
  )
}
