import { Alert, Anchor, Button, Checkbox, Group, List, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ImportResult, JobKind, MemoryJob } from '../../../runtime/memory/schema.ts'
import { ApiError } from '../../api/error.ts'
import { memories } from '../../api/live.ts'
import { endpointQuery, useRefresh } from '../../api/query.ts'
import { useApi, useBusEvents } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Loaded, SkeletonRows } from '../../parts/list.tsx'
import { counted, whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { ExportPanel, ImportPanel } from '../../parts/transfer.tsx'
import { Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { AgentFilter } from './parts.tsx'

/** Jobs on all memories, export, import, and deletion. */
export const Maintenance = () => (
  <Stack gap="lg">
    <Muted>
      New conversations are processed automatically. See the{' '}
      <Anchor component={Link} href="/settings/memory" size="sm">
        memory settings
      </Anchor>{' '}
      for the schedule, and for what is forgotten.
    </Muted>
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Generation />
      <Consolidation />
      <ExportPanel path="/api/settings/memory/export" name="hearthd-memory.json">
        All memories, entities and facts in one file
      </ExportPanel>
      <MemoryImport />
      <DeleteAll />
    </SimpleGrid>
  </Stack>
)

interface Start {
  path: '/api/memory/backfill-entities' | '/api/memory/generate-episodes' | '/api/memory/consolidate/conversations'
  body: { agent_id?: string; wipe?: boolean }
}

/** The active or latest job of a kind, kept current by the bus, and how to start one. */
function useJob(kind: JobKind) {
  const api = useApi()
  const queries = useQueryClient()
  const options = endpointQuery(api, '/api/memory/jobs/{kind}', { params: { kind } })
  const query = useQuery(options)
  const show = (job: MemoryJob) => queries.setQueryData(options.queryKey, { job })
  useBusEvents('memory.job.', ({ type, data }) => {
    if (type === 'memory.job.updated' && data.job.kind === kind) show(data.job)
  })
  const start = useMutation({
    mutationFn: ({ path, body }: Start) => api.post(path, { body }),
    meta: { shown: true },
    onSuccess: ({ job }) => show(job),
    async onError(error) {
      await queries.invalidateQueries(options)
      const active = error instanceof ApiError && error.status === 409
      if (active) announce('This job is already running')
      else announceError(error)
    },
  })
  return { query, start, running: query.data?.job?.status === 'running' }
}

/** Creates memories from earlier conversations, and missing embeddings. */
function Generation() {
  const { query, start, running } = useJob('generate')
  const [agent, setAgent] = useState('')
  const body = agent ? { agent_id: agent } : {}
  return (
    <Panel title="Generate memories" gap="sm">
      <Muted>
        Reads all conversations, saves what is worth remembering, and creates embeddings for search by meaning. Nothing
        is saved twice.
      </Muted>
      <Group align="flex-end" justify="space-between">
        <AgentFilter value={agent} onChange={setAgent} />
        <Button
          disabled={running}
          loading={start.isPending}
          onClick={() => start.mutate({ path: '/api/memory/generate-episodes', body })}
        >
          Generate
        </Button>
      </Group>
      <LatestJob query={query} />
    </Panel>
  )
}

/** Extracts people, places, things and facts from memories. */
function Consolidation() {
  const { query, start, running } = useJob('consolidate')
  const [agent, setAgent] = useState('')
  const [wipe, setWipe] = useState(false)
  const body = agent ? { agent_id: agent } : {}
  const busy = running || start.isPending
  return (
    <Panel title="Consolidate" gap="sm">
      <Muted>
        Extracts entities and facts from memories into the graph. Uses a model if one is set up, with five memories per
        call.
      </Muted>
      <Group align="flex-end" justify="space-between">
        <AgentFilter value={agent} onChange={setAgent} />
        <Group gap="xs">
          <Button
            variant="default"
            disabled={busy}
            onClick={() => start.mutate({ path: '/api/memory/backfill-entities', body })}
          >
            Extract names only
          </Button>
          <Button
            disabled={running}
            loading={start.isPending}
            onClick={() => start.mutate({ path: '/api/memory/consolidate/conversations', body: { ...body, wipe } })}
          >
            Consolidate
          </Button>
        </Group>
      </Group>
      <Checkbox
        label="Rebuild the graph"
        description="Reads all memories again. The current graph is kept, and can be restored"
        checked={wipe}
        onChange={(event) => setWipe(event.currentTarget.checked)}
      />
      <LatestJob query={query} />
      <UndoRebuild disabled={busy} />
    </Panel>
  )
}

function UndoRebuild({ disabled }: { disabled: boolean }) {
  const undo = useChange((api) => api.post('/api/memory/undo'), {
    stale: memories,
    done: ({ kept }) =>
      announce(`Previous graph restored. ${counted(kept, 'older version is', 'older versions are')} kept.`),
  })
  return (
    <Group>
      <ConfirmButton
        question="The current graph is replaced by the one before the last rebuild. Memories do not change."
        verb="Restore"
        icon={IconArrowBackUp}
        size="compact-sm"
        variant="subtle"
        disabled={disabled}
        run={undo}
      >
        Undo last rebuild…
      </ConfirmButton>
    </Group>
  )
}

const LatestJob = ({ query }: { query: ReturnType<typeof useJob>['query'] }) => (
  <Loaded query={query} what="The latest job" skeleton={<SkeletonRows count={1} />}>
    {({ job }) => job && <JobStatus job={job} />}
  </Loaded>
)

function JobStatus({ job }: { job: MemoryJob }) {
  if (job.status === 'running') return <RunningJob job={job} />
  if (job.status === 'error')
    return (
      <Alert color="red" role="alert" icon={<IconAlertTriangle size={18} />} title="Failed">
        {job.error ?? 'Unknown error.'} Results up to this point are kept.
      </Alert>
    )
  return <FinishedJob job={job} />
}

const phases: Record<string, string> = {
  starting: 'Starting',
  preparing: 'Preparing',
  conversations: 'Reading conversations',
  episodes: 'Creating memories',
  embeddings: 'Creating embeddings',
  facts: 'Extracting facts',
  entities: 'Extracting names',
  saving: 'Saving the new graph',
}

function RunningJob({ job }: { job: MemoryJob }) {
  const { phase, done, total } = job.progress
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {phases[phase] ?? phase}
        {total > 0 && ` (${whole(done)} of ${whole(total)})`}
      </Text>
      <Progress value={total > 0 ? (done / total) * 100 : 100} animated={total === 0} aria-label="Progress" />
    </Stack>
  )
}

const counts: Record<string, string> = {
  episodes_created: 'created',
  episodes_skipped: 'skipped as known or not worth saving',
  embeddings_generated: 'embeddings created',
  episodes_read: 'read',
  episodes_left: 'left for the next run',
  model_calls: 'model calls',
}

function FinishedJob({ job: { result, finished_at } }: { job: MemoryJob }) {
  const parts = Object.entries(counts).flatMap(([name, text]) => {
    const count = result?.[name]
    return typeof count === 'number' && count > 0 ? [`${whole(count)} ${text}`] : []
  })
  const warning = typeof result?.warning === 'string' ? result.warning : null
  return (
    <Alert
      color={warning ? 'yellow' : 'teal'}
      role="status"
      icon={warning ? <IconAlertTriangle size={18} /> : <IconCheck size={18} />}
      title={parts.join(', ') || 'Nothing new'}
    >
      {warning && <Text size="sm">{warning}</Text>}
      {result?.method === 'offline' && <Text size="sm">Extracted by rules, because no model is set up</Text>}
      {finished_at && (
        <Text size="xs">
          Finished <Time at={finished_at} />
        </Text>
      )}
    </Alert>
  )
}

function MemoryImport() {
  const refresh = useRefresh()
  return (
    <ImportPanel<ImportResult>
      send={(api, content, query) =>
        api.post('/api/settings/memory/import', {
          body: new Blob([JSON.stringify(content)], { type: 'application/json' }),
          query,
        })
      }
      hint="Memories exported from this or another hearthd."
      outcome={(result) => <ImportOutcome result={result} />}
      offer={({ imported }) => (imported > 0 ? `Import ${counted(imported, 'memory', 'memories')}` : null)}
      done={() => refresh(...memories)}
    />
  )
}

const maxProblems = 5

function ImportOutcome({ result: { dry_run, imported, skipped, invalid } }: { result: ImportResult }) {
  const title = `${counted(imported, 'memory', 'memories')} ${dry_run ? 'to import' : 'imported'}`
  return (
    <Alert color={invalid.length > 0 ? 'yellow' : dry_run ? 'gray' : 'teal'} role="status" title={title}>
      {skipped > 0 && <Text size="sm">{counted(skipped, 'already exists', 'already exist')}</Text>}
      {invalid.length > 0 && (
        <>
          <Text size="sm">{counted(invalid.length, 'is', 'are')} invalid and left out:</Text>
          <List size="xs">
            {invalid.slice(0, maxProblems).map(({ index, message }) => (
              <List.Item key={index}>
                Number {index + 1}: {message}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Alert>
  )
}

function DeleteAll() {
  const wipe = useChange((api) => api.delete('/api/settings/memory/data'), {
    stale: ['/api/memory'],
    done: ({ cleared }) => announce(`${counted(cleared, 'memory was', 'memories were')} permanently deleted`),
  })
  return (
    <Panel title="Delete all memories">
      <Group px="md" pb="md" justify="space-between">
        <Muted className="words">
          Deletes every memory with its history, the map and the graph. This cannot be undone, so export them first if
          you may need them. Conversations are kept.
        </Muted>
        <ConfirmByName
          name="WIPE"
          what="memory"
          verb="Delete all"
          effect="All memories are permanently deleted, including from the database file."
          run={wipe}
        >
          {(ask) => (
            <Button variant="default" color="red" onClick={ask}>
              Delete all…
            </Button>
          )}
        </ConfirmByName>
      </Group>
    </Panel>
  )
}
