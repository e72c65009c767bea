import { cloneElement, type ReactElement, type Ref, useState } from 'react'
import type { Icon } from './buttons.tsx'
import { lazily } from './lazily.ts'

export interface Action {
  label: string
  /** A second line. */
  hint?: string
  icon?: Icon
  color?: string
  /** Opens this address. */
  href?: string
  onClick?: () => void
}

export interface ActionMenuProps {
  /** `divider` draws a line; false is left out. */
  actions: readonly (Action | 'divider' | false)[]
  position?: 'bottom-end' | 'top-end' | 'top-start'
  width?: number
  /** The button that opens the menu. */
  children: ReactElement<ButtonAttributes>
}

interface ButtonAttributes {
  ref?: Ref<HTMLButtonElement>
  onClick?: () => void
  'aria-haspopup'?: 'menu'
  'aria-expanded'?: boolean
}

const closed = { 'aria-haspopup': 'menu', 'aria-expanded': false } as const

/** Menus are needed only after a click, so they are not part of the first load. */
const OpenMenu = lazily(
  () => import('./open-menu.tsx'),
  'OpenMenu',
  ({ children }) => cloneElement(children, closed),
)

/** A button that opens a menu. The first click loads the menu and opens it. */
export function ActionMenu(props: ActionMenuProps) {
  const [asked, setAsked] = useState(false)
  if (!asked) return cloneElement(props.children, { ...closed, onClick: () => setAsked(true) })
  return <OpenMenu {...props} />
}
