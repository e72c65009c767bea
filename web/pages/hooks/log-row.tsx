import { type ReactNode, useState } from 'react'
import { SmallButton } from '../../parts/buttons.tsx'
import { Row } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Hint } from '../../parts/typography.tsx'
import { endOf } from './labels.ts'

interface LogRowProps {
  name: string
  label?: string
  status: string
  /** Loaded when they are first shown. */
  details: () => ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A run or a delivery in a log; a click shows its details. */
export function LogRow({ status, details, actions, children, ...row }: LogRowProps) {
  const [open, setOpen] = useState(false)
  return (
    <Row
      {...row}
      badges={<StatusBadge {...endOf(status)} />}
      actions={
        <>
          <SmallButton onClick={() => setOpen(!open)}>{open ? 'Hide' : 'Details'}</SmallButton>
          {actions}
        </>
      }
      details={open && details()}
    >
      <Hint>{children}</Hint>
    </Row>
  )
}
