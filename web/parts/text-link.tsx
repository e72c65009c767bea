import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface TextLinkProps extends AnchorProps {
  href: string
  children: ReactNode
}

/** A standalone link. Links inside a sentence are underlined. */
export const TextLink = (props: TextLinkProps) => (
  <Anchor component={Link} size="sm" underline="hover" {...props} />
)
