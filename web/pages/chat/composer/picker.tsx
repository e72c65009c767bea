import { Button, type ComboboxItem, type ComboboxItemGroup, ComboboxPopover, Text } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './composer.module.css'

export interface Choice extends ComboboxItem {
  hint?: string | undefined
}

interface PickerProps {
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

/** A small button that shows a choice and opens the others. */
export function Picker({ what, icon, value, choices, change, small, shown }: PickerProps) {
  const all = choices.flatMap((choice) => ('items' in choice ? choice.items : [choice]))
  const label = shown ?? all.find((choice) => choice.value === value)?.label ?? value
  return (
    <ComboboxPopover
      data={choices}
      value={value}
      onChange={(chosen) => chosen !== null && change(chosen)}
      allowDeselect={false}
      searchable={all.length > 8}
      nothingFoundMessage="Nothing has that name"
      maxDropdownHeight={320}
      comboboxProps={{ width: 280, position: 'top-start', shadow: 'md' }}
      renderOption={({ option }) => (
        <div className={classes.option}>
          <Text size="sm">{option.label}</Text>
          {'hint' in option && Boolean(option.hint) && (
            <Text size="xs" c="dimmed">
              {String(option.hint)}
            </Text>
          )}
        </div>
      )}
    >
      <ComboboxPopover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          className={classes.picker}
          data-small={small}
          aria-label={`${what}: ${label}`}
          leftSection={icon}
          rightSection={<IconChevronDown size={14} className={classes.chevron} aria-hidden />}
        >
          <span className={classes.pickerLabel}>{label}</span>
        </Button>
      </ComboboxPopover.Target>
    </ComboboxPopover>
  )
}
