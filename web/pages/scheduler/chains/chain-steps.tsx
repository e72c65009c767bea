import { Badge, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { Chain } from '../../../api/scheduler.ts'
import { Panel } from '../../../parts/panel.tsx'
import { edgeLabels, stateLabels } from './states.ts'

interface ChainStepsProps {
  chain: Chain
  jobs: readonly { id: string; name: string; status?: string | undefined }[]
}

/** The graph in words, with a way to each job and to its run. */
export function ChainSteps({ chain, jobs }: ChainStepsProps) {
  const nameOf = (id: string) => jobs.find((job) => job.id === id)?.name ?? id
  return (
    <Panel title="Jobs of the chain">
      {jobs.map(({ id, name, status }) => {
        const run = chain.last_run?.steps?.find((step) => step.job_id === id)?.run_id
        const from = chain.edges.filter(({ to }) => to === id)
        return (
          <Link key={id} href={run ? `/scheduler/${id}/${run}` : `/scheduler/${id}`} className="row">
            <div className="grow">
              <Text size="sm" fw={550}>
                {name}
              </Text>
              <Text size="xs" c="dimmed">
                {from.length === 0
                  ? 'begins'
                  : from.map((edge) => `behind ${nameOf(edge.from)}, ${edgeLabels[edge.type]}`).join('; ')}
              </Text>
            </div>
            {status && (
              <Badge size="sm" variant="light" color={stateLabels[status]?.color ?? 'gray'}>
                {stateLabels[status]?.label ?? status}
              </Badge>
            )}
          </Link>
        )
      })}
    </Panel>
  )
}
