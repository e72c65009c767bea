import { Button, Group, NumberInput, PasswordInput, Select, Text, Textarea, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import type { MemberSchema } from '../../api/settings.ts'

interface ControlProps {
  label: string
  description: string | undefined
  error: string | undefined
  save(value: unknown): void
}

const onEnter = (act: () => void) => (event: KeyboardEvent) => {
  if (event.key === 'Enter') act()
}

interface PlainProps extends ControlProps {
  schema: MemberSchema
  value: unknown
  /** Empty is null. */
  optional: boolean
}

/** Saved on blur or Enter. */
export function TextField({ schema, value, optional, save, ...labels }: PlainProps) {
  const before = typeof value === 'string' ? value : ''
  const [text, setText] = useState(before)
  const commit = () => {
    if (text.trim() !== before) save(optional && text.trim() === '' ? null : text.trim())
  }
  const time = schema.format === 'time-of-day'
  return (
    <TextInput
      {...labels}
      value={text}
      type={time ? 'time' : 'text'}
      w={time ? 140 : undefined}
      maxLength={schema.maxLength}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={onEnter(commit)}
    />
  )
}

export function NumberField({ schema, value, optional, save, ...labels }: PlainProps) {
  const before = typeof value === 'number' ? value : ''
  const [number, setNumber] = useState<number | string>(before)
  const commit = () => {
    if (number === before || (number === '' && !optional)) return setNumber(before)
    save(number === '' ? null : number)
  }
  return (
    <NumberInput
      {...labels}
      value={number}
      min={schema.minimum}
      max={schema.maximum}
      clampBehavior="none"
      maw={260}
      allowDecimal={schema.type === 'number'}
      {...(schema.unit && { suffix: ` ${schema.unit}` })}
      onChange={setNumber}
      onBlur={commit}
      onKeyDown={onEnter(commit)}
    />
  )
}

export function Choice({
  value,
  options,
  save,
  ...labels
}: ControlProps & { value: string; options: string[] }) {
  return (
    <Select
      {...labels}
      value={value}
      data={options.map((option) => ({ value: option, label: humanised(option) }))}
      allowDeselect={false}
      maw={320}
      onChange={(next) => next !== null && next !== value && save(next)}
    />
  )
}

export function ChoiceOfAgent({ value, save, ...labels }: ControlProps & { value: string }) {
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  return (
    <Select
      {...labels}
      value={value}
      data={agents.filter(({ enabled }) => enabled).map(({ id, name }) => ({ value: id, label: name }))}
      allowDeselect={false}
      maw={320}
      onChange={(next) => next !== null && next !== value && save(next)}
    />
  )
}

const languages =
  'system ar cs da de el en-GB en-US es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-CN zh-TW'

/** Languages, each by its own name. */
export function ChoiceOfLanguage({ value, save, ...labels }: ControlProps & { value: string }) {
  const tags = [...new Set([...languages.split(' '), value])]
  return (
    <Select
      {...labels}
      searchable
      value={value}
      data={tags.map((tag) => ({
        value: tag,
        label: tag === 'system' ? 'Same as the browser' : nameOf(tag),
      }))}
      allowDeselect={false}
      maw={320}
      onChange={(next) => next !== null && next !== value && save(next)}
    />
  )
}

const nameOf = (tag: string) => new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag

/** A list of texts, one per line. */
export function Lines({ value, save, description, ...labels }: ControlProps & { value: string[] }) {
  const before = value.join('\n')
  const [text, setText] = useState(before)
  const commit = () => {
    if (text.trim() === before) return
    save(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    )
  }
  return (
    <Textarea
      {...labels}
      description={description ? `${description}. One per line` : 'One per line'}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
    />
  )
}

/** A write-only value, of which only the last characters are shown. */
export function Secret({ value, save, label, description, error }: ControlProps & { value: unknown }) {
  const { configured, hint } = value as { configured: boolean; hint: string | null }
  const [text, setText] = useState('')
  const commit = () => text !== '' && save(text)
  return (
    <div>
      <PasswordInput
        label={label}
        description={description}
        error={error}
        value={text}
        placeholder={configured ? (hint ?? '…') : 'None'}
        autoComplete="new-password"
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={onEnter(commit)}
      />
      {configured && (
        <Group gap="xs" mt={6}>
          <Text size="xs" c="dimmed">
            A value is stored. Enter another to replace it.
          </Text>
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => save(null)}>
            Remove
          </Button>
        </Group>
      )}
    </div>
  )
}

const abbreviations: Record<string, string> = { tls: 'TLS', starttls: 'STARTTLS' }

/** `approval_timeout_minutes` as `Approval timeout minutes`, for members without a title. */
export function humanised(name: string): string {
  const short = abbreviations[name]
  if (short) return short
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function labelsOf({ title, description }: MemberSchema, path: readonly string[]) {
  return { label: title ?? humanised(path.at(-1) ?? ''), description }
}
