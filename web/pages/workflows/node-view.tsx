import { ActionIcon, Box, Group, Loader } from '@mantine/core'
import { IconAlertTriangle, IconDots, IconPinFilled } from '@tabler/icons-react'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { type CSSProperties, createContext, memo, use } from 'react'
import type { Issue, WorkflowNode } from '../../../runtime/workflows/schema.ts'
import { type Action, ActionMenu } from '../../parts/action-menu.tsx'
import type { Status } from '../../parts/status.tsx'
import { isTrigger } from './editor-state.ts'
import { iconOf, type Output } from './kinds.ts'

import classes from './workflows.module.css'

export interface NodeData extends Record<string, unknown> {
  node: WorkflowNode
  /** Name of the type. */
  kind: string
  outputs: readonly Output[]
  status: Status | undefined
  running: boolean
  pinned: boolean
  /** What went wrong, or what validation found: errors before warnings. */
  problem: string | undefined
  severity: Issue['severity'] | undefined
}

/** The actions in the menu of a node; null where the flow is only shown. */
export const NodeActions = createContext<((node: WorkflowNode) => (Action | 'divider' | false)[]) | null>(null)

const modes = { auto: '', item: ' · for each item', list: ' · with the list' } as const

/** A node: connections enter at the left and leave at its outputs at the right. */
export const NodeView = memo(function NodeView({ data, isConnectable }: NodeProps<Node<NodeData>>) {
  const { node, kind, outputs, status, running, pinned, problem, severity } = data
  const actions = use(NodeActions)
  const Icon = iconOf(node.type)
  const handle = { isConnectable, className: classes.handle }
  const style = { '--mark': `var(--mantine-color-${status?.color ?? 'gray'}-6)` } as CSSProperties
  if (node.type === 'note') return <div className={classes.note}>{String(node.params.text ?? '') || node.name}</div>
  const labelled = outputs.length > 1 || (outputs[0] && outputs[0].name !== 'main')
  return (
    <div
      className={classes.node}
      style={style}
      data-disabled={node.disabled || undefined}
      data-problem={severity}
      data-status={status && true}
      title={problem ?? node.notes ?? undefined}
    >
      {!isTrigger(node.type) && <Handle type="target" position={Position.Left} {...handle} />}
      <Group gap="0.5rem" px="0.6rem" py="0.5rem" wrap="nowrap">
        <span className={classes.icon} data-trigger={isTrigger(node.type) || undefined}>
          <Icon size={18} stroke={1.7} />
        </span>
        <div className="grow">
          <Box className="truncate" fw={550}>
            {node.name}
          </Box>
          <Box className="truncate" fz="xs" c="dimmed">
            {running && <Loader size={10} mr={4} aria-hidden />}
            {node.disabled ? 'Disabled' : (status?.label ?? kind + modes[node.input_mode])}
          </Box>
        </div>
        {pinned && <IconPinFilled size={14} aria-label="Output is pinned" />}
        {severity && <IconAlertTriangle className={classes.alert} size={16} aria-hidden />}
        {actions && (
          <ActionMenu width={200} actions={actions(node)}>
            <ActionIcon
              className="nodrag"
              flex="none"
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Actions for ${node.name}`}
            >
              <IconDots size={16} />
            </ActionIcon>
          </ActionMenu>
        )}
      </Group>
      {labelled ? (
        <Box pb="0.3rem">
          {outputs.map(({ name, label }) => (
            <Box key={name} pos="relative" py="0.1rem" pr="0.9rem" fz="xs" c="dimmed" ta="right">
              {label || 'Next'}
              <Handle id={name} type="source" position={Position.Right} {...handle} />
            </Box>
          ))}
        </Box>
      ) : (
        outputs.length > 0 && <Handle id="main" type="source" position={Position.Right} {...handle} />
      )}
    </div>
  )
})
