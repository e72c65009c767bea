import { ComboboxPopover, Text } from '@mantine/core'
import classes from './composer.module.css'
import { flat, PickerButton, type PickerProps } from './picker-button.tsx'

/** Opened as soon as it is there. */
export function PickerList(props: PickerProps) {
  const { value, choices, change } = props
  return (
    <ComboboxPopover
      data={choices}
      value={value}
      onChange={(chosen) => chosen !== null && change(chosen)}
      defaultDropdownOpened
      allowDeselect={false}
      searchable={flat(choices).length > 8}
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
        <PickerButton picker={props} autoFocus />
      </ComboboxPopover.Target>
    </ComboboxPopover>
  )
}
