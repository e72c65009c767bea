import { Stack } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import { useSearchParams } from 'wouter'
import type { LoopDetails, LoopRun } from '../../../runtime/loops/schema.ts'
import { useOptional } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { Found } from '../../parts/list.tsx'
import { counted, duration, money, whole } from '../../parts/numbers.ts'
import { ResourceList } from '../../parts/resource-list.tsx'
import { Row } from '../../parts/row.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { Iterations } from './iterations.tsx'
import { loopStatus, stopReasons, verdictText } from './labels.ts'

/** The runs of a loop; `?run=` names the one whose iterations are shown. */
export function RunsView({ loop: { id } }: { loop: LoopDetails }) {
  const [search] = useSearchParams()
  const zone = useZone()
  const run = search.get('run')
  if (run) return <OneRun loop={id} run={run} />
  return (
    <ResourceList
      path="/api/loops/{id}/runs"
      params={{ id }}
      items="runs"
      title="Runs"
      frame="card"
      size={20}
      empty="No runs yet."
      row={(one) => rowOf(one, zone)}
    />
  )
}

function rowOf(run: LoopRun, zone: string) {
  const { id, status, stop_reason, iteration, last_verdict, started_at } = run
  const started = exact(started_at, zone)
  return {
    name: started,
    badges: <StatusBadge {...loopStatus(status)} />,
    actions: (
      <LinkButton href={`?run=${id}`} aria-label={`Iterations of the run of ${started}`}>
        {counted(iteration, 'iteration', 'iterations')}
      </LinkButton>
    ),
    children: (
      <Hint>
        {[
          stop_reason && stopReasons[stop_reason].title,
          last_verdict && verdictText(last_verdict),
          `${whole(run.tokens_used)} tokens`,
          money(run.cost_usd),
          duration(run.active_seconds),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Hint>
    ),
  }
}

function OneRun({ loop, run }: { loop: string; run: string }) {
  const zone = useZone()
  const query = useOptional('/api/loops/{id}/runs/{run_id}', { params: { id: loop, run_id: run } })
  return (
    <Stack>
      <TextLink href={`/loops/${loop}/runs`}>← All runs</TextLink>
      <Found query={query} what="This run" icon={<IconRepeat />}>
        {(details) => (
          <>
            <Row {...rowOf(details, zone)} />
            <Iterations
              iterations={details.iterations}
              conversation={details.conversation_id}
              isBlocked={details.status === 'blocked'}
            />
          </>
        )}
      </Found>
    </Stack>
  )
}
