import { Badge, Group, type MantineSpacing, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useWaitingCount } from '../api/inbox.ts'
import { Muted } from './typography.tsx'

interface PageHeaderProps {
  title: string
  description?: ReactNode
  /** Buttons at the right. */
  children?: ReactNode
}

/** Title of a page, which is also the title of the tab, there with the number of what waits. */
export function PageHeader({ title, description, children }: PageHeaderProps) {
  const waiting = useWaitingCount()
  useDocumentTitle(`${waiting > 0 ? `(${waiting}) ` : ''}${title} · hearthd`)
  return (
    <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {description && <Muted mt={2}>{description}</Muted>}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}

interface PanelProps {
  title: string
  /** Shown next to the title if it is above zero. */
  count?: number | undefined
  action?: ReactNode
  /** Between the parts of its content, which then has a margin. Without it, rows reach from edge to edge. */
  gap?: MantineSpacing
  children: ReactNode
}

/** A titled card: one subject of a page. */
export function Panel({ title, count, action, gap, children }: PanelProps) {
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
      {gap === undefined ? (
        children
      ) : (
        <Stack gap={gap} px="md" pb="md">
          {children}
        </Stack>
      )}
    </section>
  )
}
