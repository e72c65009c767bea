import { SimpleGrid, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { LinkButton } from './buttons.tsx'
import { EmptyState } from './list.tsx'
import { Hint } from './typography.tsx'

/** Something to start from; `href` opens the form with it. */
interface Example {
  name: string
  hint?: string
  text: string
  href: string
}

interface GettingStartedProps {
  /** Name of the list that is empty. */
  what: string
  icon: ReactNode
  title: string
  description: string
  /** How it works, in order. */
  steps: readonly (readonly [title: string, text: string])[]
  examples: readonly Example[]
}

/** An empty list that explains what belongs in it, with examples to start from. */
export const GettingStarted = ({ what, icon, title, description, steps, examples }: GettingStartedProps) => (
  <section className="card" aria-label={what}>
    <EmptyState icon={icon} title={title}>
      {description}
    </EmptyState>
    <SimpleGrid component="ol" cols={{ base: 1, sm: 3 }} px="md" pb="md" m={0} className="plain">
      {steps.map(([step, text], index) => (
        <li key={step}>
          <Text size="sm" fw={600}>
            {index + 1}. {step}
          </Text>
          <Hint>{text}</Hint>
        </li>
      ))}
    </SimpleGrid>
    <ExampleCards examples={examples} />
  </section>
)

export const ExampleCards = ({ examples }: Pick<GettingStartedProps, 'examples'>) => (
  <SimpleGrid cols={{ base: 1, sm: 3 }} px="md" pb="md">
    {examples.map(({ name, hint, text, href }) => (
      <Stack key={name} className="card sunken" p="md" gap="xs" justify="space-between">
        <div>
          <Text component="h2" fw={600} size="sm">
            {name}
          </Text>
          {hint && <Hint>{hint}</Hint>}
          <Text size="sm" mt={6} style={{ whiteSpace: 'pre-line' }}>
            {text}
          </Text>
        </div>
        <LinkButton href={href} aria-label={`Use example: ${name}`}>
          Use
        </LinkButton>
      </Stack>
    ))}
  </SimpleGrid>
)
