import { IconTable } from '@tabler/icons-react'
import { useParams } from 'wouter'
import { lazily } from '../../parts/lazily.ts'
import { SkeletonRows } from '../../parts/list.tsx'
import { byteSize, counted } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { Hint } from '../../parts/typography.tsx'

const TableView = lazily(() => import('./table-view.tsx'), 'TableView', <SkeletonRows />)

/** `/tables`; `/tables/<id>` shows the rows of one. */
export function Tables() {
  const { id } = useParams<{ id?: string }>()
  return (
    <div className="page">
      {!id && (
        <PageHeader title="Tables" description="Rows with typed columns that workflows, agents and people share." />
      )}
      <ResourcePage
        path="/api/tables"
        items="tables"
        noun="table"
        title="Tables"
        place="/tables"
        id={id}
        icon={IconTable}
        empty="Workflows and agents keep lists in tables: contacts, orders, readings. You can import one from CSV."
        row={({ description, row_count, bytes, columns }) => ({
          children: (
            <Hint>
              {counted(row_count, 'row', 'rows')}, {byteSize(bytes)} · {columns.map(({ name }) => name).join(', ')}
              {description && ` · ${description}`}
            </Hint>
          ),
        })}
        detail={(table, edit) => <TableView key={table.id} table={table} edit={edit} />}
        form={{
          layout: ['name', 'description', 'columns', 'shared_access'],
          effect: 'Its rows and their history are deleted too.',
        }}
      />
    </div>
  )
}
