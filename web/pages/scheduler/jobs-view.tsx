import { Box, Button, Group, Stack, Switch, Text, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCalendarTime, IconSparkles } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import type { Job, JobStatus, RunStatus } from '../../../runtime/scheduler/schema.ts'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import { usePages } from '../../api/query.ts'
import { parsedScheduleQuery } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { useAgents } from '../../parts/agents.ts'
import { ExampleCards } from '../../parts/getting-started.tsx'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { ListFilter, NoMatches, useListFilter } from '../../parts/list-filter.tsx'
import { counted } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, NameLink } from '../../parts/typography.tsx'
import { JobMenu, useJobActions } from './job-actions.tsx'
import { newJobPath } from './new-job-path.ts'
import { ParsedSchedule } from './schedule.tsx'
import { jobLabels, runLabels } from './status.tsx'

/** All jobs; the one that runs next comes first. */
export function JobsView() {
  const filter = useListFilter<JobStatus>('')
  const { status, search } = filter
  const query = usePages('/api/scheduler/jobs', { query: { status, search } })
  const agents = useAgents()
  return (
    <>
      <ScheduleBar />
      <ListFilter filter={filter} what="Search jobs" statuses={jobLabels} counts={undefined} />
      <section className="card" aria-label="Jobs">
        <List
          query={query}
          what="Jobs"
          items="jobs"
          skeleton={<SkeletonRows count={5} height={64} />}
          empty={status || search ? <NoMatches what="jobs" /> : <Examples />}
        >
          {(job) => <JobRow key={job.id} job={job} agent={agents.find(({ id }) => id === job.agent_id)?.name} />}
        </List>
      </section>
    </>
  )
}

/** "every weekday at 9: summarise my inbox". A colon between digits belongs to a time of day. */
function splitSentence(text: string): { when: string; what: string } {
  const [when = '', what = ''] = text.split(/:(?!\d\d?(?!\d))(.*)/s)
  return { when: when.trim().replaceAll(/\s+/g, ' ').slice(0, 500), what: what.trim() }
}

/** One line for schedule and task, with or without a colon between them. Enter opens the form with both. */
function ScheduleBar() {
  const { text, setText, sentence, shown, choose, submit } = useSentence()
  return (
    <Stack component="form" gap="xs" mb="lg" onSubmit={submit}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          className="grow"
          size="md"
          aria-label="Schedule and task"
          placeholder="every weekday at 9 summarise my inbox"
          leftSection={<IconSparkles size={18} />}
          autoComplete="off"
          maxLength={4_000}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" size="md" variant="light" disabled={!sentence.when}>
          Schedule
        </Button>
      </Group>
      <Box mih="1.5rem">
        <ParsedSchedule text={shown.when} split={shown.what === ''} choose={choose} />
      </Box>
    </Stack>
  )
}

function useSentence() {
  const api = useApi()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text, 300)
  const [, navigate] = useLocation()
  const sentence = splitSentence(text)
  const shown = splitSentence(settled)
  const choose = (schedule: Schedule) => navigate(newJobPath({ what: sentence.what, schedule }))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!sentence.when) return
    if (sentence.what) return navigate(newJobPath(sentence))
    const parsed = parsedScheduleQuery(api, sentence.when, true)
    const { goal: what = '' } = await queries.fetchQuery(parsed).catch(() => ({ goal: '' }))
    navigate(newJobPath({ when: sentence.when.replace(what, '').trim(), what }))
  }
  return { text, setText, sentence, shown, choose, submit }
}

function JobRow({ job, agent }: { job: Job; agent: string | undefined }) {
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={job.name}>
      <div className="words">
        <Group gap="xs" wrap="nowrap">
          <NameLink href={`/scheduler/${job.id}`}>{job.name}</NameLink>
          {job.status !== 'active' && <StatusBadge {...jobLabels[job.status]} />}
        </Group>
        <Hint>
          {job.human_readable}
          {agent && ` · ${agent}`} · {counted(job.run_count, 'run', 'runs')}
        </Hint>
        {job.paused_reason && (
          <Text size="xs" c="var(--mantine-color-error)">
            {job.paused_reason}
          </Text>
        )}
      </div>
      <Box w={{ base: 90, sm: 120 }}>
        <Hint>Next run</Hint>
        <Box fz="sm">{job.next_run_at ? <Time at={job.next_run_at} /> : '—'}</Box>
      </Box>
      <Box w={{ base: 110, sm: 192 }}>
        <Hint>Last run</Hint>
        <Group gap={6} fz="sm">
          {job.last_run_at ? <Time at={job.last_run_at} /> : '—'}
          {job.last_status && <StatusBadge {...runLabels[job.last_status as RunStatus]} />}
        </Group>
      </Box>
      <Group gap={4} wrap="nowrap">
        <ActiveSwitch job={job} />
        <JobMenu job={job} />
      </Group>
    </article>
  )
}

/** A job that has ended cannot be switched on: it needs a new schedule. */
function ActiveSwitch({ job }: { job: Job }) {
  const { toggle } = useJobActions(job)
  const ended = job.status === 'completed' || job.status === 'failed'
  const active = toggle.isPending ? job.status !== 'active' : job.status === 'active'
  const label = ended ? 'This job has ended. Edit its schedule to run it again.' : active ? 'Pause' : 'Resume'
  return (
    <Tooltip label={label}>
      <div>
        <Switch
          aria-label={`${job.name} is active`}
          checked={active}
          disabled={ended}
          onChange={() => !toggle.isPending && toggle.mutate()}
        />
      </div>
    </Tooltip>
  )
}

const examples = [
  {
    name: 'Morning briefing',
    when: 'every weekday at 7:30',
    what: 'Summarise my day: open work, the weather, and what happened overnight. Ten lines at most.',
  },
  {
    name: 'Watch a page',
    when: 'every 2 hours between 9 and 17',
    what: 'Read https://example.com/news and report what is new since the last run. If nothing is new, say only that.',
  },
  {
    name: 'Week in review',
    when: 'every Friday at 16:00',
    what: 'Summarise what was done this week, what is still open, and what it cost.',
  },
]

const Examples = () => (
  <>
    <EmptyState icon={<IconCalendarTime />} title="No jobs yet">
      Enter a schedule and a task above, or start with an example.
    </EmptyState>
    <ExampleCards
      examples={examples.map((job) => ({ name: job.name, hint: job.when, text: job.what, href: newJobPath(job) }))}
    />
  </>
)
