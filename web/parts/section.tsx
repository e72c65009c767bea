import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  children: ReactNode
}

/** A part of a page or a drawer, below a small heading. */
export const Section = ({ title, children }: SectionProps) => (
  <section aria-label={title}>
    <Text component="h2" size="sm" fw={600} mb={4}>
      {title}
    </Text>
    {children}
  </section>
)

/** Short texts with bullets. */
export const Bullets = ({ items }: { items: readonly string[] }) => (
  <Text component="ul" size="sm" m={0} style={{ paddingInlineStart: '1.2rem' }}>
    {items.map((item) => (
      <li key={item}>{item}</li>
    ))}
  </Text>
)
