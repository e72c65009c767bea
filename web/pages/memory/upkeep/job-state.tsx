import { Alert, Progress, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import type { MemoryJob } from '../../../api/memory.ts'
import { whole } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'

const phases: Record<string, string> = {
  starting: 'Starting',
  preparing: 'Preparing',
  conversations: 'Reading conversations',
  episodes: 'Making memories',
  embeddings: 'Learning what they mean',
  facts: 'Reading facts',
  entities: 'Finding names',
  saving: 'Putting the new graph in place',
}

/** How far a job is, or what came of the last one. */
export function JobState({ job }: { job: MemoryJob }) {
  if (job.status === 'running') return <Running job={job} />
  if (job.status === 'error')
    return (
      <Alert color="red" role="alert" icon={<IconAlertTriangle size={18} />} title="It stopped">
        {job.error ?? 'No reason was given.'} What was done by then stays.
      </Alert>
    )
  return <Done job={job} />
}

function Running({ job: { progress } }: { job: MemoryJob }) {
  const { phase, done, total } = progress
  const share = total > 0 ? (done / total) * 100 : 0
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {phases[phase] ?? phase}
        {total > 0 && ` (${whole(done)} of ${whole(total)})`}
      </Text>
      <Progress value={total > 0 ? share : 100} animated={total === 0} aria-label="Progress" />
    </Stack>
  )
}

const members: Record<string, (count: number) => string> = {
  episodes_created: (count) => `${whole(count)} made`,
  episodes_skipped: (count) => `${whole(count)} not worth keeping or known already`,
  embeddings_generated: (count) => `${whole(count)} prepared for searching by meaning`,
  episodes_read: (count) => `${whole(count)} read`,
  episodes_left: (count) => `${whole(count)} left for the next run`,
  model_calls: (count) => `${whole(count)} calls of a model`,
}

function Done({ job: { result, finished_at } }: { job: MemoryJob }) {
  const told = Object.entries(result ?? {}).flatMap(([name, count]) => {
    const words = members[name]
    if (!words || typeof count !== 'number' || count === 0) return []
    return [words(count)]
  })
  const warning = typeof result?.warning === 'string' ? result.warning : null
  return (
    <Alert
      color={warning ? 'yellow' : 'teal'}
      role="status"
      icon={warning ? <IconAlertTriangle size={18} /> : <IconCheck size={18} />}
      title={told.join(', ') || 'Done: there was nothing new'}
    >
      {warning && <Text size="sm">{warning}</Text>}
      {result?.method === 'offline' && <Text size="sm">Read by rules, because no model is set up.</Text>}
      {finished_at && (
        <Text size="xs">
          Finished <Time at={finished_at} />
        </Text>
      )}
    </Alert>
  )
}
