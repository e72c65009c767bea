/** A state at a glance. Words beside it say the same, because a colour alone tells some people nothing. */
export function Dot({ color }: { color: 'teal' | 'yellow' | 'red' | 'gray' }) {
  const background = `var(--mantine-color-${color}-6)`
  return <span aria-hidden style={{ width: 8, height: 8, borderRadius: '50%', flexShrink: 0, background }} />
}
