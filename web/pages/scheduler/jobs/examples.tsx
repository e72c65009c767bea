import { Button, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconCalendarTime } from '@tabler/icons-react'
import { Link } from 'wouter'
import { EmptyState } from '../../../parts/states.tsx'
import { newJobPath } from '../form/new-job-path.ts'

const examples = [
  {
    name: 'Morning briefing',
    when: 'every weekday at 7:30',
    what: 'Tell me what is on today: my open work, the weather, and what happened overnight. Ten lines at most.',
  },
  {
    name: 'Watch a page',
    when: 'every 2 hours between 9 and 17',
    what: 'Read https://example.com/news and tell me what is new since the last time. Say nothing else if nothing is.',
  },
  {
    name: 'Week in review',
    when: 'every Friday at 16:00',
    what: 'Sum up what was done this week, what is still open, and what it cost.',
  },
]

/** Nothing is scheduled yet: three jobs to begin with. */
export function Examples() {
  return (
    <section className="card" aria-label="Jobs">
      <EmptyState icon={<IconCalendarTime />} title="Nothing is scheduled yet">
        Write above when something is to be done, or begin with one of these.
      </EmptyState>
      <SimpleGrid cols={{ base: 1, sm: 3 }} px="md" pb="md">
        {examples.map((example) => (
          <Stack key={example.name} className="card sunken" p="md" gap="xs" justify="space-between">
            <div>
              <Text component="h2" fw={600} size="sm">
                {example.name}
              </Text>
              <Text size="xs" c="dimmed">
                {example.when}
              </Text>
              <Text size="sm" mt={6}>
                {example.what}
              </Text>
            </div>
            <Button
              component={Link}
              href={newJobPath(example)}
              size="xs"
              variant="default"
              aria-label={`Use this: ${example.name}`}
            >
              Use this
            </Button>
          </Stack>
        ))}
      </SimpleGrid>
    </section>
  )
}
