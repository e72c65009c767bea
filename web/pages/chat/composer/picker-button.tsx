import { Button, type ButtonProps, type ComboboxItem, type ComboboxItemGroup } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import classes from './composer.module.css'

export interface Choice extends ComboboxItem {
  hint?: string | undefined
}

export interface PickerProps {
  /** "Model", "Agent": what is chosen. */
  what: string
  icon: ReactNode
  value: string
  choices: (Choice | ComboboxItemGroup<Choice>)[]
  change: (value: string) => void
  /** Only its icon is shown where there is little room. */
  small?: boolean
  /** Shown instead of the name of the choice. */
  shown?: string | undefined
}

export const flat = (choices: PickerProps['choices']): Choice[] =>
  choices.flatMap((choice) => ('items' in choice ? choice.items : [choice]))

interface PickerButtonProps extends ButtonProps, Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  picker: PickerProps
  /** Nothing opens it yet: it says itself what it is. */
  closed?: boolean
}

export function PickerButton({ picker, closed, ...others }: PickerButtonProps) {
  const { what, icon, value, choices, small, shown } = picker
  const label = shown ?? flat(choices).find((choice) => choice.value === value)?.label ?? value
  const role = closed && { role: 'combobox', 'aria-expanded': false, 'aria-haspopup': 'listbox' as const }
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      className={classes.picker}
      data-small={small}
      aria-label={`${what}: ${label}`}
      leftSection={icon}
      rightSection={<IconChevronDown size={14} className={classes.chevron} aria-hidden />}
      {...role}
      {...others}
    >
      <span className={classes.pickerLabel}>{label}</span>
    </Button>
  )
}
