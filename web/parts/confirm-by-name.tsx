import { type ReactNode, useState } from 'react'
import { lazily } from './lazily.ts'
import type { Run } from './use-change.ts'

/** The dialog of `ConfirmByName`. */
export const Question = lazily(() => import('./confirm-question.tsx'), 'Question')

export interface ConfirmByNameProps {
  /** The name that must be typed. */
  name: string
  /** "agent", "user". */
  what: string
  /** "Delete", "Revoke". */
  verb?: string
  /** What happens then. */
  effect?: ReactNode
  run: Run
  /** Called after a `run` through the API. */
  done?: (() => unknown) | undefined
  /** The button that opens the question. */
  children: (ask: () => void) => ReactNode
}

/** Asks to type the name of what cannot be restored, then runs a mutation. */
export function ConfirmByName(props: ConfirmByNameProps) {
  const [asked, setAsked] = useState(false)
  return (
    <>
      {props.children(() => setAsked(true))}
      {asked && <Question {...props} close={() => setAsked(false)} />}
    </>
  )
}
