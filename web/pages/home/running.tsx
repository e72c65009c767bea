import { Loader, Text } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { conversationsQuery } from '../../api/chat.ts'
import { jobsQuery, latestRunsQuery, type Run, type RunStatus } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { ConversationRow } from './conversation-row.tsx'

/** A running turn has just written to its conversation, so the newest page holds them all. */
const newest = { limit: 200 }
const open: RunStatus[] = ['running', 'queued']

/** Chats that are being answered, and jobs that run or wait to. */
export function Running() {
  const api = useApi()
  const query = useQuery(conversationsQuery(api, newest))
  const runs = useQueries({
    queries: open.map((status) => latestRunsQuery(api, { status, limit: 20 })),
  }).flatMap(({ data }) => data?.runs ?? [])
  // What asks for a yes is a conversation to look at; any other run is shown as the job that it is.
  const shown = runs.filter(({ waiting_approval }) => !waiting_approval)
  const running = query.data?.conversations.filter(
    ({ status, id }) => status !== 'idle' && !shown.some(({ conversation_id }) => conversation_id === id),
  )
  const count = shown.length + (running?.length ?? 0)
  return (
    <Panel title="Running now" count={count}>
      <Loaded query={query} what="Running work" skeleton={<SkeletonRows count={1} />}>
        {() =>
          count === 0 ? (
            <Text size="sm" c="dimmed" px="md" pb="md">
              All quiet.
            </Text>
          ) : (
            <>
              {shown.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
              {running?.map((conversation) => (
                <ConversationRow key={conversation.id} conversation={conversation} />
              ))}
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

function RunRow({ run }: { run: Run }) {
  const jobs = useQuery(jobsQuery(useApi())).data?.jobs
  return (
    <Link href={`/scheduler/${run.job_id}/${run.id}`} className="row">
      {run.status === 'running' ? (
        <Loader size={16} aria-label="Running" />
      ) : (
        <IconClockPause size={18} color="var(--mantine-color-dimmed)" aria-label="Queued" />
      )}
      <Text className="grow" size="sm" truncate>
        {jobs?.find(({ id }) => id === run.job_id)?.name ?? 'A job'}
      </Text>
      <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
        <Time at={run.started_at ?? run.created_at} />
      </Text>
    </Link>
  )
}
