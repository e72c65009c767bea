import { Anchor, type AnchorProps, Box, type BoxProps, Text, type TextProps } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import type { AriaRole, ReactNode, Ref } from 'react'
import { Link } from 'wouter'

/** Small secondary text. */
export const Hint = (props: TextProps & { children: ReactNode; role?: string }) => (
  <Text size="xs" c="dimmed" component="div" {...props} />
)

/** Secondary text of the usual size. */
export const Muted = (props: TextProps & { children: ReactNode; role?: string }) => (
  <Text size="sm" c="dimmed" {...props} />
)

interface TextLinkProps extends AnchorProps {
  href: string
  children: ReactNode
}

/** A standalone link. Links inside a sentence are underlined. */
export const TextLink = (props: TextLinkProps) => <Anchor component={Link} size="sm" underline="hover" {...props} />

/** The name in a row, which leads to its page. */
export const NameLink = (props: TextLinkProps) => <TextLink inherit c="inherit" fw={550} truncate {...props} />

/** Leads back to the list that a page belongs to. */
export const BackLink = ({ children, ...props }: TextLinkProps) => (
  <TextLink mb="sm" display="inline-flex" style={{ alignItems: 'center', gap: '0.3rem' }} {...props}>
    <IconArrowLeft size={16} aria-hidden /> {children}
  </TextLink>
)

/** A part of a page or a drawer, below a small heading. */
export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
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

interface ScrolledProps extends BoxProps {
  /** Name for screen readers. */
  label: string
  role?: AriaRole
  ref?: Ref<HTMLPreElement>
  onScroll?: () => void
  children: ReactNode
}

/** Long text with a fixed width, which is scrolled with a finger, the mouse or the keyboard. */
export const Scrolled = ({ label, role = 'group', ...rest }: ScrolledProps) => (
  <Box
    component="pre"
    className="sunken verbatim"
    m={0}
    px="sm"
    py="xs"
    mah="20rem"
    bdrs="sm"
    ff="monospace"
    fz="0.8rem"
    lh={1.5}
    style={{ overflow: 'auto' }}
    tabIndex={0}
    role={role}
    aria-label={label}
    {...rest}
  />
)
