/** A status dot. The text next to it says the same, because some people cannot distinguish the colors. */
export function Dot({ color }: { color: 'teal' | 'yellow' | 'red' | 'gray' }) {
  const background = `var(--mantine-color-${color}-6)`
  return <span aria-hidden style={{ width: 8, height: 8, borderRadius: '50%', flexShrink: 0, background }} />
}
