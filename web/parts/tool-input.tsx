import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import classes from './approval.module.css'
import { pretty } from './json.ts'
import { JsonView } from './json-view.tsx'
import { labelOf } from './text.ts'

export type Input = Record<string, unknown>

export const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The input of a tool, a line per field, or as JSON. */
export function ToolInput({ input }: { input: unknown }) {
  const [json, setJson] = useState(false)
  if (json || !isInput(input)) return <JsonView label="Input" value={input} />
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <dl className={classes.fields}>
        {Object.entries(input).map(([name, value]) => (
          <div key={name}>
            <dt>{labelOf(name)}</dt>
            <dd>{textOf(value)}</dd>
          </div>
        ))}
      </dl>
      <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setJson(true)}>
        Show JSON
      </Button>
    </Group>
  )
}

export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.join('\n') || 'None'
  return value === null ? 'None' : pretty(value) || 'Empty'
}
