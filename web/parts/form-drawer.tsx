import { Button, Drawer, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { UnsavedChanges } from './form.tsx'

interface FormDrawerProps {
  title: string
  close: () => void
  /** `leave` closes it without a question. */
  children: (drawer: { leave: () => void }) => ReactNode
}

/** A drawer with a form. Closing it asks first if there are unsaved changes. */
export function FormDrawer({ title, close, children }: FormDrawerProps) {
  // Not a state: Esc right after the last letter would still call an `onClose` that saw no changes.
  const unsaved = useRef(false)
  const report = useCallback((changed: boolean) => {
    unsaved.current = changed
  }, [])
  const [asking, setAsking] = useState(false)
  const leave = () => {
    setAsking(false)
    close()
  }
  return (
    <>
      <Drawer
        opened
        onClose={() => (unsaved.current ? setAsking(true) : leave())}
        closeOnEscape={!asking}
        position="right"
        size="lg"
        title={title}
      >
        <UnsavedChanges value={report}>{children({ leave })}</UnsavedChanges>
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
