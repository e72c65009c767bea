import { Grid, Stack } from '@mantine/core'
import { nextJobs } from '../../api/first.ts'
import { useInbox } from '../../api/inbox.ts'
import { useEndpoint } from '../../api/query.ts'
import { useMyName } from '../../api/settings.ts'
import { Health } from '../../parts/health.tsx'
import { Inbox } from '../../parts/inbox.tsx'
import { LinkRow } from '../../parts/link-row.tsx'
import { List, SkeletonRows } from '../../parts/list.tsx'
import { locale } from '../../parts/locale.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { useZone } from '../../parts/time.tsx'
import { Composer } from './composer.tsx'
import { Failures, MoreLink, RecentConversations, Running, Strip } from './work.tsx'

/** Shows what the agents are doing, what they need from the person, and what they have cost. */
export function Home() {
  const name = useMyName()
  const zone = useZone()
  const now = useEndpoint('/api/monitoring/now')
  const inbox = useInbox()
  const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'full', timeZone: zone }).format(new Date())
  return (
    <div className="page">
      <PageHeader title={`Hello, ${name}`} description={date} />
      <Stack gap="lg">
        <Strip now={now.data} />
        <Composer />
        {/* Shown at once, so that nothing moves when the rest arrives. */}
        {now.isPending || inbox.isPending ? (
          <SkeletonRows count={5} />
        ) : (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="lg">
                <Inbox title="Needs you" empty="Nothing is waiting for you." action={<MoreLink href="/inbox" />} />
                <Failures failed={now.data?.failed ?? []} />
                <Running query={now} />
                <RecentConversations />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack gap="lg">
                <NextJobs />
                <Health />
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Stack>
    </div>
  )
}

function NextJobs() {
  const query = useEndpoint('/api/scheduler/jobs', nextJobs)
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
          <LinkRow key={id} href={`/scheduler/${id}`} name={name} at={next_run_at ?? ''} />
        )}
      </List>
    </Panel>
  )
}
