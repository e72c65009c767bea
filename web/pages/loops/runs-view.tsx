import { Stack } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import { useSearchParams } from 'wouter'
import type { LoopDetails, LoopRun } from '../../../runtime/loops/schema.ts'
import { useOptional, usePages } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { Found, List } from '../../parts/list.tsx'
import { counted, duration, money, whole } from '../../parts/numbers.ts'
import { Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { Iterations } from './iterations.tsx'
import { loopLabels, stopReasons } from './labels.ts'
import { verdictText } from './values.ts'

/** The runs of a loop; `?run=` names the one whose iterations are shown. */
export function RunsView({ loop: { id } }: { loop: LoopDetails }) {
  const [search] = useSearchParams()
  const run = search.get('run')
  const query = usePages('/api/loops/{id}/runs', { params: { id } }, { size: 20 })
  if (run) return <OneRun loop={id} run={run} />
  return (
    <section className="card" aria-label="Runs">
      <List query={query} what="Runs" items="runs" empty="It was not started yet.">
        {(item) => <RunRow key={item.id} run={item} />}
      </List>
    </section>
  )
}

function RunRow({ run }: { run: LoopRun }) {
  const { id, status, stop_reason, iteration, last_verdict, started_at } = run
  const started = exact(started_at, useZone())
  return (
    <Row
      name={started}
      badges={<StatusBadge {...loopLabels[status]} />}
      actions={
        <LinkButton href={`?run=${id}`} aria-label={`Iterations of the run of ${started}`}>
          {counted(iteration, 'iteration', 'iterations')}
        </LinkButton>
      }
    >
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
    </Row>
  )
}

function OneRun({ loop, run }: { loop: string; run: string }) {
  const query = useOptional('/api/loops/{id}/runs/{run_id}', { params: { id: loop, run_id: run } })
  return (
    <Stack>
      <TextLink href={`/loops/${loop}/runs`}>← All runs</TextLink>
      <Found query={query} what="This run" icon={<IconRepeat />}>
        {(details) => (
          <>
            <RunRow run={details} />
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
