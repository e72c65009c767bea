import { Badge, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PanelProps {
  title: string
  /** Shown next to the title if it is above zero. */
  count?: number | undefined
  action?: ReactNode
  children: ReactNode
}

/** A titled card: one subject of a page. */
export function Panel({ title, count, action, children }: PanelProps) {
  return (
    <section className="card" aria-label={title}>
      <Group justify="space-between" px="md" pt="sm" pb={6} wrap="nowrap">
        <Group gap="xs">
          <Title order={2} size="h6">
            {title}
          </Title>
          {Boolean(count) && <Badge circle={(count ?? 0) < 10}>{count}</Badge>}
        </Group>
        {action}
      </Group>
      {children}
    </section>
  )
}
