import type { Approval } from '../../api/chat.ts'

export const risks: Record<Approval['risk'], { label: string; color: string }> = {
  low: { label: 'Low risk', color: 'green' },
  medium: { label: 'Some risk', color: 'yellow' },
  high: { label: 'High risk', color: 'red' },
}
