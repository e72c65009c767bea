import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Time } from './time.tsx'
import { Hint } from './typography.tsx'

export interface LinkRowProps {
  href: string
  icon?: ReactNode
  name: string
  detail?: string | null
  at?: string
  /** Before the time. */
  children?: ReactNode
  onClick?: () => void
}

/** A thing with its page, and when it happened. */
export function LinkRow({ href, icon, name, detail, at, children, onClick }: LinkRowProps) {
  return (
    <Link href={href} className="row" onClick={onClick}>
      {icon}
      <div className="grow">
        <Text size="sm" truncate>
          {name}
        </Text>
        {detail && <Hint truncate>{detail}</Hint>}
      </div>
      {children}
      {at && (
        <Hint style={{ flexShrink: 0 }}>
          <Time at={at} />
        </Hint>
      )}
    </Link>
  )
}
