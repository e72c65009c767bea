import { Alert, Box, Button, Flex, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconFlame } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { useApiForm } from './form.tsx'

interface FrontPageProps {
  title: string
  description?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** The frame of the pages outside the shell, such as login and setup. */
export function FrontPage({ title, description, wide, children }: FrontPageProps) {
  useDocumentTitle(`${title} · hearthd`)
  return (
    <Flex
      component="main"
      className="sunken"
      justify="center"
      mih="100dvh"
      px="md"
      pt={wide ? 'clamp(1.25rem, 4vh, 3rem)' : 'clamp(1.5rem, 9vh, 7rem)'}
      pb="xl"
    >
      <Box w="100%" maw={wide ? '40rem' : '24rem'}>
        <Stack gap={4} align="center" mb="lg" ta="center">
          <IconFlame size={36} color="var(--mantine-primary-color-filled)" aria-hidden />
          <Title order={1} size="h2">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Stack>
        {children}
      </Box>
    </Flex>
  )
}

interface FrontFormProps {
  form: Pick<ReturnType<typeof useApiForm>, 'submit' | 'problem' | 'sending'>
  /** Label of the button that sends the form. */
  verb: string
  children: ReactNode
}

/** A form of such a page. */
export const FrontForm = ({ form: { submit, problem, sending }, verb, children }: FrontFormProps) => (
  <Paper className="card" p="lg" component="form" onSubmit={submit}>
    <Stack>
      {problem && (
        <Alert color="red" role="alert">
          {problem}
        </Alert>
      )}
      {children}
      <Button type="submit" loading={sending}>
        {verb}
      </Button>
    </Stack>
  </Paper>
)
