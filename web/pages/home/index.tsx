import { Grid, Stack, Text } from '@mantine/core'
import { pendingApprovals } from '../../api/chat.ts'
import { useEndpoint } from '../../api/query.ts'
import { useMyName } from '../../api/settings.ts'
import { ApprovalCard } from '../../parts/approval.tsx'
import { Health } from '../../parts/health.tsx'
import { lazily } from '../../parts/lazily.ts'
import { List, Loaded, SkeletonRows } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { money, whole } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { useZone } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { Composer } from './composer.tsx'
import {
  Failures,
  MoreLink,
  RecentConversations,
  Row,
  Running,
  useLoops,
  useWaitingProjects,
  WaitingProject,
} from './work.tsx'

const LoopQuestion = lazily(
  () => import('../../parts/loop-question.tsx'),
  'LoopQuestion',
  <SkeletonRows count={1} />,
)

/** Shows what the agents are doing, what they need from the person, and what they have cost. */
export function Home() {
  const name = useMyName()
  const zone = useZone()
  const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeZone: zone }).format(new Date())
  return (
    <div className="page">
      <PageHeader title={`Hello, ${name}`} description={date} />
      <Stack gap="lg">
        <Composer />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack gap="lg">
              <Approvals />
              <Failures />
              <Running />
              <RecentConversations />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 4 }}>
            <Stack gap="lg">
              <NextJobs />
              <Today />
              <Health />
            </Stack>
          </Grid.Col>
        </Grid>
      </Stack>
    </div>
  )
}

function Approvals() {
  const pending = useEndpoint('/api/chat/approvals', pendingApprovals)
  const projects = useWaitingProjects()
  const loops = useLoops('blocked')
  const others = projects.length + loops.length
  const count = (pending.data?.total ?? 0) + others
  return (
    <Panel title="Needs you" count={count} action={<MoreLink href="/approvals" />}>
      {projects.map((waiting) => (
        <WaitingProject key={waiting.project.id} {...waiting} />
      ))}
      {loops.map((loop) => (
        <LoopQuestion key={loop.id} loop={loop} />
      ))}
      <List
        query={pending}
        what="Approvals"
        items="approvals"
        empty={others === 0 && 'Nothing is waiting for you.'}
        skeleton={<SkeletonRows count={1} />}
      >
        {(approval) => <ApprovalCard key={approval.id} approval={approval} />}
      </List>
    </Panel>
  )
}

function NextJobs() {
  const query = useEndpoint('/api/scheduler/jobs', { query: { status: 'active', limit: 5 } })
  return (
    <Panel title="Next up" action={<MoreLink href="/scheduler" />}>
      <List
        query={query}
        what="Jobs"
        items={({ jobs }) => jobs.filter(({ next_run_at }) => next_run_at !== null)}
        empty="Nothing is scheduled."
        skeleton={<SkeletonRows count={2} />}
      >
        {({ id, name, next_run_at }) => (
          <Row key={id} href={`/scheduler/${id}`} name={name} at={next_run_at ?? ''} />
        )}
      </List>
    </Panel>
  )
}

/** Tokens and cost of today. */
function Today() {
  const tokens = useEndpoint('/api/monitoring/tokens')
  const week = useEndpoint('/api/monitoring/usage', { query: { period: '7d', tz: useZone() } }).data
  return (
    <Panel title="Today" action={<MoreLink href="/monitor/usage">Usage</MoreLink>}>
      <Loaded query={tokens} what="Usage" skeleton={<SkeletonRows count={2} />}>
        {({ used_today, limit_today }) => (
          <Stack gap={2} px="md" pb="md">
            <Text fz={28} fw={650} lh={1.2}>
              {whole(used_today)}{' '}
              <Text span size="sm" c="dimmed">
                tokens
              </Text>
            </Text>
            <Text size="sm" c="dimmed">
              {money(week?.series.at(-1)?.cost_usd ?? 0)} today · {money(week?.totals.cost_usd ?? 0)} in 7
              days
            </Text>
            {limit_today > 0 && <Hint>Limit: {whole(limit_today)} tokens per day</Hint>}
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}
