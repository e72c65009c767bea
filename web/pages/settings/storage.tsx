import { Alert, Progress, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import type { AnswerOf } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/list.tsx'
import { byteSize, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { ExportPanel } from '../../parts/transfer.tsx'
import { SectionForm } from './section-form.tsx'

type Stored = AnswerOf<'GET', '/api/settings/storage'>

const titles: Record<Stored['kinds'][number]['kind'], string> = {
  events: 'Events',
  runs: 'Job runs',
  loop_runs: 'Loop runs',
  executions: 'Workflow executions',
  recordings: 'Screen recordings',
  files: 'Uploaded files',
  file_changes: 'Changes of files',
  model_requests: 'Requests to models',
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
        Versions, sizes, counts and errors, for someone who helps you. Secrets and your own text are not included.
      </ExportPanel>
    </Stack>
  )
}

const ApplyNow = ({ cleaning }: { cleaning: boolean }) => (
  <ConfirmByName
    name="delete"
    what="old data"
    effect="Data that exceeds the limits below is deleted now instead of at the next daily cleanup."
    run={(api) => api.post('/api/settings/storage/prune')}
    done={() => announce('The cleanup has started')}
  >
    {(ask) => (
      <SmallButton icon={IconTrash} loading={cleaning} onClick={ask}>
        Delete old data now
      </SmallButton>
    )}
  </ConfirmByName>
)

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
          The budget is exceeded. The oldest data is deleted within a day; uploaded files only if an age is set for
          them.
        </Alert>
      )}
    </div>
  )
}

const Kinds = ({ kinds }: { kinds: Stored['kinds'] }) => (
  <DataTable
    label="Kinds of data"
    minWidth={420}
    head={['Data', 'Rows', 'Size', 'Oldest', 'Kept for']}
    numbers={[1, 2]}
    rows={kinds.map(({ kind, rows, bytes, oldest_at, days }) => [
      titles[kind],
      whole(rows),
      byteSize(bytes),
      oldest_at ? <Time key="oldest" at={oldest_at} /> : '–',
      days === null ? 'Forever' : `${whole(days)} days`,
    ])}
  />
)

const Machine = ({ stored: { database, files, backups, disk } }: { stored: Stored }) => (
  <DataTable
    label="This machine"
    numbers={[1]}
    rows={[
      ['Database', byteSize(database.bytes)],
      ['Write-ahead log', byteSize(database.wal_bytes)],
      ...(files ? [[`Files and workspaces (${whole(files.count)})`, byteSize(files.bytes)]] : []),
      [`Backups (${whole(backups.count)})`, byteSize(backups.bytes)],
      ...(disk ? [['Free on the disk', `${byteSize(disk.free_bytes)} of ${byteSize(disk.total_bytes)}`]] : []),
    ]}
  />
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
      <DataTable
        label="In the database"
        numbers={[1]}
        rows={[
          ...areas
            .slice(0, shownAreas)
            .map(({ area, bytes: size }) => [areaTitles[area] ?? labelOf(area), byteSize(size)]),
          ['Other features', byteSize(rest)],
          ['Schema and file overhead', byteSize(other_bytes)],
          ['Free', byteSize(free_bytes)],
          ['Total', byteSize(bytes)],
        ]}
      />
    </div>
  )
}
