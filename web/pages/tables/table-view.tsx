import { Group, Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconDownload, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { DataTable } from '../../../runtime/tables/tables.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { UploadButton } from '../../parts/files/transfer.tsx'
import { lazily } from '../../parts/lazily.ts'
import { Loaded } from '../../parts/list.tsx'
import { counted } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { Pages } from '../../parts/pages.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { Grid } from './grid.tsx'

const History = lazily(() => import('./history.tsx'), 'History')

const size = 50

/** The rows of a table, which are changed in place. */
export function TableView({ table, edit }: { table: DataTable; edit: () => void }) {
  const { id, name, description } = table
  const params = { id }
  const isMine = useIsMine(table)
  const canWrite = isMine || table.shared_access === 'write'
  const [page, setPage] = useState(1)
  const [search, setSearch] = useState('')
  const [text] = useDebouncedValue(search.trim(), 250)
  const [sort, setSort] = useState('')
  const [chosen, setChosen] = useState<readonly number[]>([])
  const query = useEndpoint(
    '/api/tables/{id}/rows',
    { params, query: { search: text, sort, limit: size, offset: (page - 1) * size } },
    { keepPrevious: true },
  )
  const show = (next: { page?: number; sort?: string; search?: string }) => {
    setPage(next.page ?? 1)
    if (next.sort !== undefined) setSort(next.sort)
    if (next.search !== undefined) setSearch(next.search)
    setChosen([])
  }
  const add = useChange((api) => api.post('/api/tables/{id}/insert', { params, body: { rows: [{}] } }), {
    done: () => show({ page: Math.ceil((table.row_count + 1) / size), sort: '', search: '' }),
  })
  const save = useChange((api) => saveFile(`${name}.csv`, api.open('GET', '/api/tables/{id}/csv', { params })))
  return (
    <Stack>
      <PageHeader title={name} description={description}>
        {canWrite && (
          <UploadButton
            accept=".csv,text/csv"
            upload={(api, [file]) => api.post('/api/tables/{id}/csv', { params, ...(file && { body: file }) })}
            done={({ rows }) => announce(`${counted(rows, 'row was', 'rows were')} imported`)}
          >
            Import CSV
          </UploadButton>
        )}
        <SmallButton icon={IconDownload} loading={save.isPending} onClick={() => save.mutate()}>
          Export CSV
        </SmallButton>
        {isMine && <SmallButton onClick={edit}>Edit columns</SmallButton>}
        {isMine && (
          <EntityMenu
            name={name}
            what="table"
            actions={[]}
            share={{
              ...{ path: '/api/tables', item: table },
              text: 'They can read its rows, and change them if its settings say so.',
            }}
            remove={false}
          />
        )}
      </PageHeader>
      <Group gap="sm">
        <SearchField
          maw="24rem"
          what="Search the rows"
          data-search
          value={search}
          change={(next) => show({ search: next })}
        />
        {canWrite && chosen.length > 0 && (
          <ConfirmButton
            color="red"
            question={`Delete ${counted(chosen.length, 'row', 'rows')}?`}
            verb="Delete"
            run={(api) => api.post('/api/tables/{id}/remove', { params, body: { ids: [...chosen] } })}
            done={() => setChosen([])}
          >
            Delete {counted(chosen.length, 'row', 'rows')}
          </ConfirmButton>
        )}
        {canWrite && (
          <SmallButton variant="filled" icon={IconPlus} loading={add.isPending} onClick={() => add.mutate()}>
            Add row
          </SmallButton>
        )}
      </Group>
      <section className="card" aria-label="Rows">
        <Loaded query={query} what="The rows">
          {({ rows, total }) => (
            <>
              <Grid
                {...{ table, rows, sort, chosen }}
                canWrite={canWrite}
                order={(next) => show({ sort: next })}
                choose={setChosen}
              />
              <Pages
                count={
                  text ? `${counted(total, 'row contains', 'rows contain')} “${text}”` : counted(total, 'row', 'rows')
                }
                {...{ total, size, page }}
                change={(next) => show({ page: next })}
              />
            </>
          )}
        </Loaded>
      </section>
      <History id={id} canWrite={canWrite} />
    </Stack>
  )
}
