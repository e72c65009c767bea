import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import classes from './chains.module.css'
import { stateLabels } from './states.ts'

export interface JobNodeData extends Record<string, unknown> {
  name: string
  /** In the last run of the chain. */
  status: string | undefined
}

/** A job of a chain: arrows come in at the left and go out at the right. */
export function JobNode({ data: { name, status }, isConnectable }: NodeProps<Node<JobNodeData>>) {
  return (
    <div className={classes.node} data-status={status}>
      <Handle
        type="target"
        position={Position.Left}
        isConnectable={isConnectable}
        className={classes.handle}
      />
      <div className={classes.name}>{name}</div>
      {status && <div className={classes.state}>{stateLabels[status]?.label ?? status}</div>}
      <Handle
        type="source"
        position={Position.Right}
        isConnectable={isConnectable}
        className={classes.handle}
      />
    </div>
  )
}
