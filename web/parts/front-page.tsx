import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconFlame } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './front-page.module.css'

interface FrontPageProps {
  title: string
  description?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** The frame of the pages outside the shell: login and setup. */
export function FrontPage({ title, description, wide, children }: FrontPageProps) {
  useDocumentTitle(`${title} · hearthd`)
  return (
    <main className={classes.page}>
      <div className={classes.box} data-wide={wide || undefined}>
        <Stack gap={4} align="center" mb="lg" ta="center">
          <IconFlame size={36} color="var(--mantine-primary-color-filled)" aria-hidden />
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {children}
      </div>
    </main>
  )
}
