import { Button, Drawer, Group, Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearch } from 'wouter'
import type { Job } from '../../../api/scheduler.ts'
import { JobForm } from './job-form.tsx'

interface JobDrawerProps {
  /** Null for a new one, which may begin with what the address says. */
  job: Job | null
  close: () => void
}

export function JobDrawer({ job, close }: JobDrawerProps) {
  const [dirty, setDirty] = useState(false)
  const [asking, setAsking] = useState(false)
  const search = useSearch()
  return (
    <>
      <Drawer
        opened
        onClose={() => (dirty ? setAsking(true) : close())}
        position="right"
        size="lg"
        title={job ? job.name : 'New job'}
      >
        <JobForm key={job?.id ?? search} job={job} search={search} setDirty={setDirty} close={close} />
      </Drawer>
      {/* Mounted anew each time: one that is only hidden would take the same Esc that asked for it, and close. */}
      {asking && (
        <Modal opened onClose={() => setAsking(false)} title="Discard your changes?" size="sm">
          <Text size="sm" mb="md">
            What you changed here is not saved yet.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
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
