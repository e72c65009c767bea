import { ActionIcon, type ActionIconProps } from '@mantine/core'
import { IconChevronUp } from '@tabler/icons-react'
import type { ComponentPropsWithRef } from 'react'

type WaysButtonProps = ActionIconProps & Omit<ComponentPropsWithRef<'button'>, keyof ActionIconProps>

export function WaysButton(props: WaysButtonProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="How to send while an answer is made"
      {...props}
    >
      <IconChevronUp size={18} />
    </ActionIcon>
  )
}
