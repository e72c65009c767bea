import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Suggestion, suggestionsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { SkeletonRows } from '../../../parts/states.tsx'
import { newJobPath } from '../form/new-job-path.ts'

/** Habits that could run by themselves. */
export function Suggestions() {
  const query = useQuery(suggestionsQuery(useApi()))
  return (
    <Panel title="Could run by itself" count={query.data?.suggestions.length}>
      <Loaded query={query} what="Suggestions" skeleton={<SkeletonRows count={2} />}>
        {({ suggestions }) =>
          suggestions.length === 0 ? (
            <Text size="sm" c="dimmed" px="md" pb="md">
              No habit to be seen yet: what comes back at the same hour in three of four weeks is told here.
            </Text>
          ) : (
            suggestions.map((suggestion) => (
              <Row
                key={`${suggestion.job_id}${suggestion.time}${suggestion.days.join()}`}
                suggestion={suggestion}
              />
            ))
          )
        }
      </Loaded>
    </Panel>
  )
}

function Row({ suggestion }: { suggestion: Suggestion }) {
  const { time, days, reason, job_id } = suggestion
  const schedule = cronOf(suggestion)
  return (
    <article className="row" style={{ flexWrap: 'wrap' }}>
      <div className="words">
        <Text size="sm" fw={550}>
          {days.map(capital).join(', ')} at {time}
        </Text>
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      </div>
      <Button
        component={Link}
        size="xs"
        variant="default"
        href={job_id ? `/scheduler/${job_id}/edit` : newJobPath(schedule ? { schedule } : {})}
      >
        {job_id ? 'Open the job' : 'Schedule it'}
      </Button>
    </article>
  )
}

const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function cronOf({ time, days }: Suggestion) {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const numbers = days.map((day) => names.indexOf(day.slice(0, 3).toLowerCase())).filter((day) => day >= 0)
  const weekdays =
    numbers.length === 0 || numbers.length === 7 ? '*' : numbers.toSorted((a, b) => a - b).join()
  return { type: 'cron' as const, expression: `${minute} ${hour} * * ${weekdays}` }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
