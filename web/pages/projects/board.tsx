import { Box, Flex, Group, SimpleGrid, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Phase, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { counted, money } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'
import { Hint } from '../../parts/typography.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { phaseStatus, taskLabel } from './labels.ts'
import classes from './projects.module.css'

const PhaseDialog = lazily(() => import('./dialogs.tsx'), 'PhaseDialog')

const columns: readonly { name: string; statuses: readonly Task['status'][] }[] = [
  { name: 'To do', statuses: ['pending', 'ready'] },
  { name: 'In progress', statuses: ['running', 'waiting_approval', 'blocked'] },
  { name: 'Ended', statuses: ['completed', 'failed', 'skipped', 'cancelled'] },
]

/** The phases below each other, and their tasks in columns by status. */
export function Board({ project }: { project: ProjectDetails }) {
  const { id, phases, tasks } = project
  const [adding, setAdding] = useState(false)
  return (
    <>
      {phases.map((phase) => (
        <PhaseSection
          key={phase.id}
          project={project}
          phase={phase}
          tasks={tasks.filter(({ phase_id }) => phase_id === phase.id)}
        />
      ))}
      {useIsOpen(project) && (
        <SmallButton icon={IconPlus} onClick={() => setAdding(true)}>
          Add phase
        </SmallButton>
      )}
      {adding && <PhaseDialog project={id} close={() => setAdding(false)} />}
    </>
  )
}

/** Whether the person may still change the plan. */
const useIsOpen = (project: ProjectDetails): boolean =>
  useIsMine(project) && (project.status === 'pending' || project.status === 'running')

interface PhaseProps {
  project: ProjectDetails
  phase: Phase
  tasks: readonly Task[]
}

function PhaseSection({ project, phase, tasks }: PhaseProps) {
  const isOpen = useIsOpen(project)
  const isShown = project.status === 'running' || phase.status === 'completed'
  return (
    <section className={classes.phase} aria-label={phase.name}>
      <Group justify="space-between" mb="xs" gap="xs">
        <div className="words">
          <Group gap="xs">
            <Text component="h2" fw={600}>
              {phase.name}
            </Text>
            {isShown && <StatusBadge {...phaseStatus(phase.status)} />}
          </Group>
          {phase.goal && <Hint>{phase.goal}</Hint>}
        </div>
        {isOpen && (
          <LinkButton
            icon={IconPlus}
            variant="subtle"
            href={`?task=new&phase=${phase.id}`}
            aria-label={`Add task to ${phase.name}`}
          >
            Add task
          </LinkButton>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        {columns.map(({ name, statuses }) => (
          <Column
            key={name}
            name={name}
            project={project}
            tasks={tasks.filter(({ status }) => statuses.includes(status))}
          />
        ))}
      </SimpleGrid>
    </section>
  )
}

interface ColumnProps {
  name: string
  project: ProjectDetails
  tasks: readonly Task[]
}

const Column = ({ name, project, tasks }: ColumnProps) => (
  <Box className="sunken" p="0.6rem" bdrs="md" visibleFrom={tasks.length === 0 ? 'sm' : undefined}>
    <Hint fw={550} mb={6}>
      {name} {tasks.length > 0 && tasks.length}
    </Hint>
    <Flex component="ul" className="plain" direction="column" gap="0.5rem">
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskCard task={task} project={project} />
        </li>
      ))}
    </Flex>
  </Box>
)

function TaskCard({ task, project }: { task: Task; project: ProjectDetails }) {
  const { id, title, status, priority, attempts, outputs, cost_usd, error, depends_on } = task
  const open = project.tasks.filter(
    (other) => depends_on.includes(other.id) && !['completed', 'skipped'].includes(other.status),
  )
  const isTodo = status === 'pending' || status === 'ready'
  const facts = [
    priority !== 'normal' && `${labelOf(priority)} priority`,
    isTodo && open.length > 0 && `after ${counted(open.length, 'task', 'tasks')}`,
    attempts > 1 && `attempt ${attempts}`,
    outputs.length > 0 && counted(outputs.length, 'output', 'outputs'),
    cost_usd > 0 && money(cost_usd),
  ].filter(Boolean)
  return (
    <Link href={`?task=${id}`} className={`card ${classes.task}`} data-status={status}>
      <Text size="sm" fw={500} lineClamp={3}>
        {title}
      </Text>
      {!isTodo && (
        <div>
          <StatusBadge {...taskLabel(task)} />
        </div>
      )}
      {facts.length > 0 && <Hint>{facts.join(' · ')}</Hint>}
      {status === 'failed' && error && (
        <Text size="xs" c="var(--mantine-color-error)" lineClamp={2}>
          {error}
        </Text>
      )}
    </Link>
  )
}
