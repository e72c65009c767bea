import type { EdgeType } from '../../../api/scheduler.ts'
import { runLabels } from '../labels.ts'

/** How a job of a chain, or the chain itself, stands in its last run. */
export const stateLabels: Record<string, { label: string; color: string }> = {
  ...runLabels,
  left_out: { label: 'Left out', color: 'gray' },
}

export const edgeLabels: Record<EdgeType, string> = {
  on_success: 'on success',
  on_failure: 'on failure',
  on_complete: 'either way',
}

export const edgeTypes = Object.keys(edgeLabels) as EdgeType[]
export const edgeChoices = edgeTypes.map((value) => ({ value, label: edgeLabels[value] }))
