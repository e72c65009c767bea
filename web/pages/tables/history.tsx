import { IconArrowBackUp } from '@tabler/icons-react'
import type { Change } from '../../../runtime/tables/history-store.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { counted } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

const past: Record<Change['action'], string> = {
  insert: 'added',
  update: 'changed',
  upsert: 'added or changed',
  delete: 'deleted',
  import: 'imported',
  undo: 'put back',
}

/** The changes of the rows of a table, each of which can be undone. */
export const History = ({ id, canWrite }: { id: string; canWrite: boolean }) => (
  <ResourceList
    path="/api/tables/{id}/history"
    params={{ id }}
    items="history"
    title="History"
    size={10}
    empty="No rows were changed yet."
    row={({ id: change_id, action, rows, by, at, undone }) => ({
      name: `${counted(rows, 'row', 'rows')} ${past[action]}`,
      badges: undone && <StatusBadge label="Undone" color="gray" />,
      children: (
        <Hint>
          {by}, <Time at={at} />
        </Hint>
      ),
      actions: canWrite && !undone && (
        <ActionButton
          icon={IconArrowBackUp}
          run={(api) => api.post('/api/tables/{id}/undo', { params: { id }, body: { change_id } })}
        >
          Undo
        </ActionButton>
      ),
    })}
  />
)
