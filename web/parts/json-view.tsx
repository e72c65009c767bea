import { Group } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'
import { pretty } from './json.ts'
import { whole } from './numbers.ts'
import { Hint, Scrolled } from './typography.tsx'

/** Characters. Longer values are shown in part, but copied completely. */
const shown = 20_000

/** A value as indented JSON; text is shown unchanged. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  const text = pretty(value)
  const cut = text.length > shown
  return (
    <div>
      <Group justify="space-between" gap={0} wrap="nowrap" fz="xs" fw={600} c="dimmed">
        <span>{label}</span>
        <CopyButton value={text} what={label.toLowerCase()} />
      </Group>
      <Scrolled label={label}>{cut ? text.slice(0, shown) : text || '—'}</Scrolled>
      {cut && (
        <Hint>
          The first {whole(shown)} of {whole(text.length)} characters. Copy takes all.
        </Hint>
      )}
    </div>
  )
}
