import { useMemo } from 'react'
import type { ProjectDetails } from '../../../runtime/projects/schema.ts'
import { Graph } from '../../parts/graph.tsx'
import { Hint } from '../../parts/typography.tsx'
import { taskStatus } from './labels.ts'

/** The tasks and what each waits for. The board has the same as text. */
export function GraphView({ project: { tasks } }: { project: ProjectDetails }) {
  const nodes = useMemo(
    () =>
      tasks.map(({ id, title, status }) => ({
        id,
        name: title,
        status: taskStatus(status),
        href: `?task=${id}`,
      })),
    [tasks],
  )
  const edges = useMemo(
    () => tasks.flatMap(({ id, depends_on }) => depends_on.map((from) => ({ from, to: id }))),
    [tasks],
  )
  return (
    <>
      <Graph label="Task graph" nodes={nodes} edges={edges} tall />
      <Hint mt="xs">An arrow leads from a task to the tasks that start after it.</Hint>
    </>
  )
}
