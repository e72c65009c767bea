/** The risks of what an agent may do. */
export const risks = {
  low: { label: 'Low risk', color: 'teal' },
  medium: { label: 'Medium risk', color: 'yellow' },
  high: { label: 'High risk', color: 'red' },
} as const
