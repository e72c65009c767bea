import { Flex, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Plan, ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Diff } from '../../parts/file-diff.tsx'
import { Loaded } from '../../parts/list.tsx'
import { money, whole } from '../../parts/numbers.ts'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { Bullets, Hint, Section } from '../../parts/typography.tsx'
import { planStatus } from './labels.ts'
import classes from './projects.module.css'

/** The versions of the plan, and the difference between two of them. */
export function PlanView({ project }: { project: ProjectDetails }) {
  const query = useEndpoint('/api/projects/{id}/plans', { params: { id: project.id } })
  return (
    <Loaded query={query} what="The plan">
      {({ plans }) => <Versions plans={plans} />}
    </Loaded>
  )
}

const none = 'none'

function Versions({ plans }: { plans: readonly Plan[] }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const [compared, setCompared] = useState(none)
  const plan = plans.find(({ id }) => id === chosen) ?? plans[0]
  if (!plan) return null
  const other = plans.find(({ id }) => id === compared && id !== plan.id)
  const names = plans.map(({ id, version }) => ({ value: id, label: `Version ${version}` }))
  return (
    <Stack>
      <Group align="flex-end">
        <NativeSelect
          label="Show"
          data={names}
          value={plan.id}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
        {plans.length > 1 && (
          <NativeSelect
            label="Compare with"
            data={[{ value: none, label: 'No other version' }, ...names.filter(({ value }) => value !== plan.id)]}
            value={other ? compared : none}
            onChange={(event) => setCompared(event.currentTarget.value)}
          />
        )}
      </Group>
      {other ? (
        <Diff path={`Version ${other.version} to ${plan.version}`} before={textOf(other)} after={textOf(plan)} />
      ) : (
        <PlanText plan={plan} />
      )}
    </Stack>
  )
}

function PlanText({ plan }: { plan: Plan }) {
  const strategy = useLabels('/api/projects', 'strategy')
  const { summary, assumptions, instructions, estimate, phases, status, made_by, created_at } = plan
  return (
    <Stack>
      <Group gap="xs">
        <StatusBadge {...planStatus(status)} />
        <Hint>
          made by {made_by} <Time at={created_at} />
        </Hint>
      </Group>
      <Text>{summary}</Text>
      {instructions && <Text size="sm">Instructions: {instructions}</Text>}
      <Facts
        facts={[
          ['Strategy', strategy(plan.strategy)],
          ['Open tasks', whole(estimate.tasks)],
          ['Estimated tokens', whole(estimate.tokens)],
          ['Estimated cost', estimate.cost_usd === null ? 'Price unknown' : money(estimate.cost_usd)],
          ['Estimated time', `${whole(estimate.minutes)} min`],
        ]}
      />
      {assumptions.length > 0 && (
        <Section title="Assumptions">
          <Bullets items={assumptions} />
        </Section>
      )}
      {phases.map((phase) => (
        <section key={phase.id} className={classes.phase} aria-label={phase.name}>
          <Text component="h2" fw={600}>
            {phase.name}
          </Text>
          {phase.goal && <Hint>{phase.goal}</Hint>}
          <Flex component="ol" direction="column" gap="0.6rem" m={0} mt="0.5rem" pl="1.6rem" fz="sm">
            {phase.tasks.map((task) => (
              <li key={task.id}>
                <Text size="sm" fw={500}>
                  {task.title}
                </Text>
                {task.description && task.description !== task.title && (
                  <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
                    {task.description}
                  </Text>
                )}
                {task.acceptance.length > 0 && <Bullets items={task.acceptance} />}
              </li>
            ))}
          </Flex>
        </section>
      ))}
    </Stack>
  )
}

/** A plan as lines that can be compared; ids are left out because each version has its own. */
function textOf({ summary, assumptions, phases }: Plan): string {
  const tasks = phases.flatMap((phase) => phase.tasks)
  const titleOf = (id: string) => tasks.find((task) => task.id === id)?.title ?? id
  return [
    summary,
    ...assumptions.map((assumption) => `Assumption: ${assumption}`),
    ...phases.flatMap((phase) => [
      '',
      `# ${phase.name}`,
      ...(phase.goal ? [phase.goal] : []),
      ...phase.tasks.flatMap((task) => [
        `- ${task.title}`,
        ...task.description
          .split('\n')
          .filter((line) => line !== '' && line !== task.title)
          .map((line) => `  ${line}`),
        ...(task.priority === 'normal' ? [] : [`  Priority: ${labelOf(task.priority)}`]),
        ...task.depends_on.map((id) => `  After: ${titleOf(id)}`),
        ...task.acceptance.map((criterion) => `  Criterion: ${criterion}`),
      ]),
    ]),
    '',
  ].join('\n')
}
