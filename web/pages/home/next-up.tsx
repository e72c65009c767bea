import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { jobsQuery } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

/** What begins by itself next. */
export function NextUp() {
  const query = useQuery(jobsQuery(useApi(), { status: 'active', limit: 5 }))
  const all = (
    <Anchor component={Link} href="/scheduler" size="sm" underline="hover">
      All
    </Anchor>
  )
  return (
    <Panel title="Next up" action={all}>
      <Loaded query={query} what="Jobs" skeleton={<SkeletonRows count={2} />}>
        {({ jobs }) => {
          const due = jobs.filter(({ next_run_at }) => next_run_at !== null)
          if (due.length === 0)
            return (
              <Text size="sm" c="dimmed" px="md" pb="md">
                Nothing is scheduled.
              </Text>
            )
          return due.map(({ id, name, next_run_at }) => (
            <Link key={id} href={`/scheduler/${id}`} className="row">
              <Text className="grow" size="sm" truncate>
                {name}
              </Text>
              <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
                <Time at={next_run_at ?? ''} />
              </Text>
            </Link>
          ))
        }}
      </Loaded>
    </Panel>
  )
}
