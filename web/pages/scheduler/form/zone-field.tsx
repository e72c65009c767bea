import { Select } from '@mantine/core'

interface ZoneFieldProps {
  value: string
  error: string | undefined
  change: (zone: string) => void
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export function ZoneField({ value, error, change }: ZoneFieldProps) {
  const data = zones.includes(value) ? zones : [value, ...zones]
  return (
    <Select
      label="Time zone"
      data={data}
      value={value}
      error={error}
      searchable
      allowDeselect={false}
      limit={80}
      nothingFoundMessage="No such zone"
      onChange={(zone) => zone && change(zone)}
    />
  )
}
