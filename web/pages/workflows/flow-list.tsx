import { Drawer, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { ExecutionDetails } from '../../../runtime/workflows/schema.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Hint } from '../../parts/typography.tsx'
import { type Flow, inOrder } from './editor-state.ts'
import { iconOf, type Kinds, outputsOf } from './kinds.ts'
import { statusOf } from './labels.ts'
import { NodeData } from './node-data.tsx'

interface FlowListProps {
  flow: Flow
  kinds: Kinds
  execution: ExecutionDetails | null
}

/** The nodes in the order in which they run, for screens that are too small for the canvas. */
export function FlowList({ flow, kinds, execution }: FlowListProps) {
  const [opened, open] = useState<string | null>(null)
  const runs = new Map(execution?.node_runs.map((run) => [run.node_id, run]))
  const node = flow.nodes.find(({ id }) => id === opened)
  return (
    <>
      <ol className="plain divided" aria-label="Nodes">
        {inOrder(flow)
          .filter(({ type }) => type !== 'note')
          .map((step) => {
            const Icon = iconOf(step.type)
            const status = statusOf(runs.get(step.id))
            return (
              <li key={step.id}>
                <UnstyledButton className="row" w="100%" onClick={() => open(step.id)}>
                  <Icon size={20} stroke={1.7} />
                  <span className="grow">
                    <Text size="sm" fw={500} component="span" display="block">
                      {step.name}
                    </Text>
                    <Hint>{nextText(flow, step.id, kinds)}</Hint>
                  </span>
                  {step.disabled ? (
                    <StatusBadge label="Disabled" color="gray" />
                  ) : (
                    status && <StatusBadge {...status} />
                  )}
                </UnstyledButton>
              </li>
            )
          })}
      </ol>
      <Hint p="md">Open this page on a larger screen to edit the flow.</Hint>
      {node && (
        <Drawer opened onClose={() => open(null)} position="right" title={node.name}>
          <NodeData node={node.id} execution={execution} />
          <JsonView label="Parameters" value={node.params} />
        </Drawer>
      )}
    </>
  )
}

/** "True: Send the mail. False: Wait". */
function nextText(flow: Flow, id: string, kinds: Kinds): string {
  const node = flow.nodes.find((one) => one.id === id)
  if (!node) return ''
  const nameOf = (target: string) => flow.nodes.find((one) => one.id === target)?.name ?? target
  const outputs = outputsOf(node, kinds)
  const parts = outputs.flatMap(({ name, label }) => {
    const targets = flow.edges.filter(({ source, source_output }) => source === id && source_output === name)
    const names = targets.map(({ target }) => nameOf(target)).join(', ')
    if (names === '') return []
    return [outputs.length > 1 && label ? `${label}: ${names}` : `Then ${names}`]
  })
  return parts.join('. ') || 'The end'
}
