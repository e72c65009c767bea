import { Menu } from '@mantine/core'
import { IconCopy, IconPencil, IconPlayerPlay, IconTestPipe, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Job } from '../../../api/scheduler.ts'
import { ConfirmByName } from '../../../parts/confirm-by-name.tsx'
import { MoreButton } from './more-button.tsx'
import { useJobActions } from './use-job-actions.ts'

/** Opened as soon as it is there. */
export function OpenJobMenu({ job }: { job: Job }) {
  const [asked, setAsked] = useState(false)
  const { runNow, duplicate, remove } = useJobActions(job)
  const path = `/scheduler/${job.id}`
  return (
    <>
      <Menu position="bottom-end" width={180} defaultOpened>
        <Menu.Target>
          <MoreButton name={job.name} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => runNow.mutate()}>
            Run now
          </Menu.Item>
          <Menu.Item component={Link} href={`${path}/edit`} leftSection={<IconPencil size={16} />}>
            Edit
          </Menu.Item>
          <Menu.Item component={Link} href={`${path}/dry-run`} leftSection={<IconTestPipe size={16} />}>
            Dry run
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => duplicate.mutate()}>
            Duplicate
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsked(true)}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmByName
        name={asked ? job.name : null}
        what="job"
        pending={remove.isPending}
        confirm={() => remove.mutate(undefined, { onSettled: () => setAsked(false) })}
        close={() => setAsked(false)}
      >
        Its runs and what they wrote go with it; one that is going on is stopped. Their conversations stay.
      </ConfirmByName>
    </>
  )
}
