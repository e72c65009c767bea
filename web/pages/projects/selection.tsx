import { Button, Group } from '@mantine/core'
import { IconListCheck, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { Project } from '../../../runtime/projects/schema.ts'
import { announce, announceError } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { counted } from '../../parts/numbers.ts'
import { Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useOwnership } from '../../parts/use-is-mine.ts'

/** Maximum number of projects per request. */
const maxSelected = 200

const projectsOf = (count: number) => counted(count, 'project', 'projects')

/** The selected projects; `ids` is null outside selection mode. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string> | null>(null)
  const toggle = (id: string) =>
    setIds((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  return { ids, setIds, toggle }
}

export type Selection = ReturnType<typeof useSelection>

interface SelectionBarProps {
  selection: Selection
  shown: readonly Pick<Project, 'id' | 'owner_id'>[]
}

/** Selects projects and deletes the selected ones. */
export function SelectionBar({ selection: { ids, setIds }, shown }: SelectionBarProps) {
  const isMine = useOwnership()
  const remove = useChange((api) => api.post('/api/projects/batch/delete', { body: { ids: [...(ids ?? [])] } }), {
    stale: ['/api/projects'],
    done({ deleted, failed: [first, ...others] }) {
      setIds(null)
      if (deleted.length > 0) announce(`${projectsOf(deleted.length)} deleted`)
      if (first) announceError(new Error(`${projectsOf(others.length + 1)} not deleted: ${first.message}`))
    },
  })
  if (ids === null)
    return (
      <Group justify="flex-end" mb="xs">
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconListCheck size={16} />}
          onClick={() => setIds(new Set())}
        >
          Select
        </Button>
      </Group>
    )
  const all = shown.filter(isMine).slice(0, maxSelected)
  return (
    <Group justify="flex-end" mb="xs" gap="xs" role="group" aria-label="Selection">
      <Muted mr="auto" role="status">
        {ids.size === 0 ? 'Select projects to delete' : `${projectsOf(ids.size)} selected`}
      </Muted>
      <Button
        variant="default"
        size="compact-sm"
        disabled={all.length === 0}
        onClick={() => setIds(new Set(all.map(({ id }) => id)))}
      >
        Select all shown
      </Button>
      <ConfirmByName
        name={String(ids.size)}
        what={ids.size === 1 ? 'project' : 'selection'}
        effect={`${projectsOf(ids.size)} and their tasks and files are deleted, and running tasks are stopped. Conversations are kept.`}
        run={remove}
      >
        {(ask) => (
          <Button
            variant="default"
            size="compact-sm"
            data-writes
            leftSection={<IconTrash size={16} />}
            disabled={ids.size === 0 || ids.size > maxSelected}
            onClick={ask}
          >
            Delete…
          </Button>
        )}
      </ConfirmByName>
      <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setIds(null)}>
        Cancel
      </Button>
    </Group>
  )
}
