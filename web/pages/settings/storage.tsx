import { Alert, Progress, Stack, Table, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Loaded } from '../../parts/list.tsx'
import { byteSize, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { ExportPanel } from '../../parts/transfer.tsx'
import { useChange } from '../../parts/use-change.ts'
import { SectionForm } from './section-form.tsx'

type Stored = AnswerOf<'GET', '/api/settings/storage'>

const titles: Record<Stored['kinds'][number]['kind'], string> = {
  events: 'Events',
  runs: 'Job runs',
  loop_runs: 'Loop runs',
  executions: 'Workflow executions',
  recordings: 'Screen recordings',
  files: 'Uploaded files',
  logs: 'Log files',
}

/** Storage use and the retention settings. */
export function Storage() {
  const query = useEndpoint('/api/settings/storage')
  return (
    <Stack gap="lg" maw={760}>
      <Panel title="Storage use" action={<ApplyNow cleaning={query.data?.cleaning ?? false} />}>
        <Loaded query={query} what="The storage use">
          {(stored) => (
            <Stack gap="sm" px="md" pb="md">
              <Budget stored={stored} />
              <Kinds kinds={stored.kinds} />
              <Machine stored={stored} />
              <Database database={stored.database} />
            </Stack>
          )}
        </Loaded>
      </Panel>
      <SectionForm name="retention" title="Retention" />
      <ExportPanel path="/api/settings/diagnostics" name="hearthd-diagnostics.json" title="Diagnostics">
        Versions, sizes, counts and errors, for someone who helps you. Secrets and your own text are not
        included.
      </ExportPanel>
    </Stack>
  )
}

function ApplyNow({ cleaning }: { cleaning: boolean }) {
  const prune = useChange((api) => api.post('/api/settings/storage/prune'), {
    stale: ['/api/settings/storage'],
    done: () => announce('The cleanup has started'),
  })
  return (
    <ConfirmByName
      name="delete"
      what="old data"
      effect="Data that exceeds the limits below is deleted now instead of at the next daily cleanup."
      run={prune}
    >
      {(ask) => (
        <SmallButton icon={IconTrash} loading={cleaning} onClick={ask}>
          Delete old data now
        </SmallButton>
      )}
    </ConfirmByName>
  )
}

function Budget({ stored: { budget, budget_bytes, total_bytes } }: { stored: Stored }) {
  if (budget_bytes === null) return null
  const text = `${byteSize(total_bytes)} of ${byteSize(budget_bytes)}`
  return (
    <div>
      <Text size="sm">Budget: {text}</Text>
      <Progress
        mt={4}
        value={Math.min(100, (total_bytes / budget_bytes) * 100)}
        color={budget === 'ok' ? 'teal' : budget === 'near' ? 'yellow' : 'red'}
        aria-label={`Budget: ${text}`}
      />
      {budget === 'near' && (
        <Alert mt="sm" color="yellow">
          The budget is almost used up. When it is exceeded, the oldest data is deleted.
        </Alert>
      )}
      {budget === 'exceeded' && (
        <Alert mt="sm" color="red">
          The budget is exceeded. The oldest data is deleted within a day; uploaded files only if an age is
          set for them.
        </Alert>
      )}
    </div>
  )
}

const Kinds = ({ kinds }: { kinds: Stored['kinds'] }) => (
  <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} role="region" aria-label="Kinds of data">
    <Table fz="sm" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Data</Table.Th>
          <Table.Th ta="right">Rows</Table.Th>
          <Table.Th ta="right">Size</Table.Th>
          <Table.Th>Oldest</Table.Th>
          <Table.Th>Kept for</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {kinds.map(({ kind, rows, bytes, oldest_at, days }) => (
          <Table.Tr key={kind}>
            <Table.Td>{titles[kind]}</Table.Td>
            <Table.Td ta="right">{whole(rows)}</Table.Td>
            <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
              {byteSize(bytes)}
            </Table.Td>
            <Table.Td>{oldest_at ? <Time at={oldest_at} /> : '–'}</Table.Td>
            <Table.Td>{days === null ? 'Forever' : `${whole(days)} days`}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)

const Machine = ({ stored: { database, files, backups, disk } }: { stored: Stored }) => (
  <Table fz="sm" verticalSpacing={6} aria-label="This machine">
    <Table.Tbody>
      <Line name="Database" value={byteSize(database.bytes)} />
      <Line name="Write-ahead log" value={byteSize(database.wal_bytes)} />
      {files && <Line name={`Files and workspaces (${whole(files.count)})`} value={byteSize(files.bytes)} />}
      <Line name={`Backups (${whole(backups.count)})`} value={byteSize(backups.bytes)} />
      {disk && (
        <Line
          name="Free on the disk"
          value={`${byteSize(disk.free_bytes)} of ${byteSize(disk.total_bytes)}`}
        />
      )}
    </Table.Tbody>
  </Table>
)

/** Where the name of an area would not say what it keeps. */
const areaTitles: Record<string, string> = {
  auth: 'Users, sign-ins and audit log',
  core: 'Events and background work',
  monitoring: 'Usage and monitoring',
  providers: 'Model providers',
}

const shownAreas = 5

/** What is in the database file; the lines add up to its size. */
function Database({ database: { areas, other_bytes, free_bytes, bytes } }: Pick<Stored, 'database'>) {
  if (areas.length === 0) return null
  const rest = areas.slice(shownAreas).reduce((sum, area) => sum + area.bytes, 0)
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        In the database
      </Text>
      <Table fz="sm" verticalSpacing={6} aria-label="In the database">
        <Table.Tbody>
          {areas.slice(0, shownAreas).map(({ area, bytes }) => (
            <Line key={area} name={areaTitles[area] ?? labelOf(area)} value={byteSize(bytes)} />
          ))}
          <Line name="Other features" value={byteSize(rest)} />
          <Line name="Schema and file overhead" value={byteSize(other_bytes)} />
          <Line name="Free" value={byteSize(free_bytes)} />
          <Line name="Total" value={byteSize(bytes)} />
        </Table.Tbody>
      </Table>
    </div>
  )
}

const Line = ({ name, value }: { name: string; value: string }) => (
  <Table.Tr>
    <Table.Td>{name}</Table.Td>
    <Table.Td ta="right">{value}</Table.Td>
  </Table.Tr>
)
