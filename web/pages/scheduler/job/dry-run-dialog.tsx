import { Badge, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { dryRunQuery, type Job } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { money, whole } from '../../../parts/numbers.ts'
import { useZone } from '../../../parts/time.tsx'
import { NextTimes, Zone } from '../schedule/next-times.tsx'

/** What the job would do; nothing is done. */
export function DryRunDialog({ job, close }: { job: Job; close: () => void }) {
  const query = useQuery(dryRunQuery(useApi(), job.id))
  const home = useZone()
  const zone = job.schedule.timezone ?? home
  return (
    <Modal opened onClose={close} title={`Dry run of ${job.name}`} size="lg">
      <Loaded query={query} what="The dry run">
        {(run) => (
          <Stack>
            <div>
              <Text size="sm" fw={600}>
                The next {run.next_runs.length} times <Zone zone={zone} />
              </Text>
              <NextTimes times={run.next_runs} zone={zone} what="The next times" />
            </div>
            <div>
              <Text size="sm" fw={600}>
                One run takes about
              </Text>
              <Text size="sm">
                {whole(run.estimated_tokens)} tokens, {money(run.estimated_cost_usd)}, with {run.model}
              </Text>
              <Text size="xs" c="dimmed">
                {run.estimate_basis === 'runs'
                  ? 'As the latest runs have taken.'
                  : 'Reckoned from the goal, the instructions and the tools: it has not run yet.'}
              </Text>
            </div>
            <div>
              <Text size="sm" fw={600} mb={4}>
                Tools that it may use
              </Text>
              <Group gap={6}>
                {run.tools.length === 0 && <Text size="sm">None</Text>}
                {run.tools.map((tool) => (
                  <Badge key={tool} size="sm" variant="default">
                    {tool}
                  </Badge>
                ))}
              </Group>
              <Text size="xs" c="dimmed" mt={6}>
                {run.changes_need_approval
                  ? 'What changes something waits for a yes; without one within 30 minutes it is refused.'
                  : 'What changes something does not wait for a yes.'}
              </Text>
            </div>
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}
