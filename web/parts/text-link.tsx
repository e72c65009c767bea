import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface TextLinkProps extends AnchorProps {
  href: string
  children: ReactNode
}

/** A link that stands alone. In a sentence, links are underlined. */
export const TextLink = (props: TextLinkProps) => (
  <Anchor component={Link} size="sm" underline="hover" {...props} />
)
