import { Button, NumberInput, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { parseObject, pretty } from './json.ts'
import { labelOf } from './text.ts'
import { type Input, isInput, textOf } from './tool-input.tsx'

interface EditorProps {
  input: unknown
  /** Null while the input cannot be sent. */
  change(input: Input | null): void
}

/** Fields for the input of a tool; what is not text, a number or a switch is edited as JSON. */
export function ToolInputEditor({ input, change }: EditorProps) {
  const [edited, setEdited] = useState(input)
  const [json, setJson] = useState(!isInput(input))
  const set = (next: Input) => {
    setEdited(next)
    change(next)
  }
  if (json || !isInput(edited)) return <JsonEditor input={edited} change={change} />
  return (
    <Stack gap="xs">
      {Object.entries(edited).map(([name, value]) => (
        <Field key={name} name={name} value={value} change={(changed) => set({ ...edited, [name]: changed })} />
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        style={{ alignSelf: 'start' }}
        onClick={() => setJson(true)}
      >
        Edit as JSON
      </Button>
    </Stack>
  )
}

interface FieldProps {
  name: string
  value: unknown
  change(value: unknown): void
}

function Field({ name, value, change }: FieldProps) {
  const label = labelOf(name)
  if (typeof value === 'boolean')
    return <Switch label={label} checked={value} onChange={(event) => change(event.currentTarget.checked)} />
  if (typeof value === 'number') return <NumberInput label={label} value={value} onChange={change} />
  if (typeof value === 'string')
    return (
      <Textarea
        label={label}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
        autosize
        maxRows={12}
      />
    )
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="sm" className="verbatim" mah="20rem" style={{ overflowY: 'auto' }}>
        {textOf(value)}
      </Text>
    </div>
  )
}

function JsonEditor({ input, change }: EditorProps) {
  const [text, setText] = useState(() => pretty(input))
  const parsed = parseObject(text)
  return (
    <Textarea
      label="Input (JSON)"
      classNames={{ input: 'mono' }}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        const read = parseObject(value)
        change(read.ok ? read.value : null)
      }}
      error={parsed.ok ? null : parsed.reason}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      autoFocus
    />
  )
}
