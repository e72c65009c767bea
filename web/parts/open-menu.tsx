import { Menu } from '@mantine/core'
import { Link } from 'wouter'
import { useUnreachable } from '../app/services.tsx'
import type { Action, ActionMenuProps } from './action-menu.tsx'
import { Hint } from './typography.tsx'

/** The menu of `ActionMenu`, opened as soon as it is loaded. */
export function OpenMenu({ actions, position = 'bottom-end', width = 200, children }: ActionMenuProps) {
  return (
    // The placeholder would be a child of the menu that is no item of it.
    <Menu position={position} width={width} defaultOpened withInitialFocusPlaceholder={false}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {actions.map((action, index) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: a divider has no other identity
          if (action === 'divider') return <Menu.Divider key={index} />
          return action && <Item key={action.label} {...action} />
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

function Item({ label, hint, icon: Icon, color, href, onClick }: Action) {
  // What a menu does, the daemon does.
  const disabled = useUnreachable()
  const props = {
    ...(Icon && { leftSection: <Icon size={16} /> }),
    ...(color && { c: 'var(--mantine-color-error)' }),
    ...(onClick && { onClick }),
  }
  const content = (
    <>
      {label}
      {hint && <Hint>{hint}</Hint>}
    </>
  )
  if (href === undefined)
    return (
      <Menu.Item {...props} disabled={disabled}>
        {content}
      </Menu.Item>
    )
  return (
    <Menu.Item component={Link} href={href} {...props}>
      {content}
    </Menu.Item>
  )
}
