import { Button, Group, NumberInput, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { type ComponentType, type KeyboardEvent, useState } from 'react'
import type { MemberSchema } from '../../api/settings.ts'
import { useAgentOptions } from '../../parts/agents.ts'
import { labelOf, linesOf } from '../../parts/text.ts'
import { Hint } from '../../parts/typography.tsx'

export interface ControlProps {
  label: string
  description: string | undefined
  error: string | undefined
  /** Without `null` as an alternative. */
  schema: MemberSchema
  value: unknown
  /** Empty is null. */
  optional: boolean
  save(value: unknown): void
}

/** The control for a member that is not a group. */
export function controlOf({ format = '', ...schema }: MemberSchema): ComponentType<ControlProps> {
  const byFormat = byFormats[format]
  if (byFormat) return byFormat
  if (schema.enum) return EnumChoice
  if (schema.type === 'boolean') return Toggle
  if (schema.type === 'array') return Lines
  return schema.type === 'integer' || schema.type === 'number' ? NumberField : TextField
}

/** A draft that is saved on blur or Enter, if it changed. */
function useDraft<Draft>(before: Draft, save: (draft: Draft) => void) {
  const [draft, setDraft] = useState(before)
  const onBlur = () => {
    if (draft !== before) save(draft)
  }
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') onBlur()
  }
  return { draft, setDraft, onBlur, onKeyDown }
}

function Toggle({ schema: _, optional: _optional, value, save, ...labels }: ControlProps) {
  return (
    <Switch {...labels} checked={value === true} onChange={(event) => save(event.currentTarget.checked)} />
  )
}

function TextField({ schema, value, optional, save, ...labels }: ControlProps) {
  const { draft, setDraft, ...events } = useDraft(typeof value === 'string' ? value : '', (text) =>
    save(optional && text.trim() === '' ? null : text.trim()),
  )
  const time = schema.format === 'time-of-day'
  return (
    <TextInput
      {...labels}
      {...events}
      value={draft}
      type={time ? 'time' : 'text'}
      w={time ? 140 : undefined}
      maxLength={schema.maxLength}
      placeholder={optional ? 'Default' : undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => setDraft(event.currentTarget.value)}
    />
  )
}

function NumberField({ schema, value, optional, save, ...labels }: ControlProps) {
  const before = typeof value === 'number' ? value : ''
  const { draft, setDraft, ...events } = useDraft<number | string>(before, (number) => {
    if (number !== '') save(number)
    else if (optional) save(null)
    else setDraft(before)
  })
  return (
    <NumberInput
      {...labels}
      {...events}
      value={draft}
      min={schema.minimum}
      max={schema.maximum}
      clampBehavior="none"
      maw={260}
      allowDecimal={schema.type === 'number'}
      {...(schema.unit && { suffix: ` ${schema.unit}` })}
      onChange={setDraft}
    />
  )
}

interface ChoiceProps extends ControlProps {
  data: { value: string; label: string }[]
}

function Choice({ schema: _, value, optional, save, data, ...labels }: ChoiceProps) {
  return (
    <Select
      {...labels}
      value={value === null ? null : String(value)}
      data={data}
      allowDeselect={false}
      clearable={optional}
      clearButtonProps={{ 'aria-label': `Clear ${labels.label.toLowerCase()}` }}
      placeholder={optional ? 'Default' : undefined}
      searchable={data.length > 12}
      limit={100}
      maw={320}
      onChange={(next) => next !== value && save(next)}
    />
  )
}

const EnumChoice = (props: ControlProps) => (
  <Choice
    {...props}
    data={(props.schema.enum ?? []).map((value) => ({
      value,
      label: props.schema.labels?.[value] ?? labelOf(value),
    }))}
  />
)

const AgentChoice = (props: ControlProps) => <Choice {...props} data={useAgentOptions()} />

const languages =
  'system ar cs da de el en-GB en-US es fi fr he hi hu id it ja ko nb nl pl pt-BR pt-PT ro ru sv th tr uk vi zh-CN zh-TW'

const nameOf = (tag: string) => new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag

/** Languages, each named in itself. */
const LanguageChoice = (props: ControlProps) => (
  <Choice
    {...props}
    data={[...new Set([...languages.split(' '), String(props.value)])].map((tag) => ({
      value: tag,
      label: tag === 'system' ? 'Same as the browser' : nameOf(tag),
    }))}
  />
)

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone }))

const ZoneChoice = (props: ControlProps) => <Choice {...props} data={zones} />

/** A list of texts, one per line. */
function Lines({ schema: _, optional: _optional, value, save, description, ...labels }: ControlProps) {
  const before = (value as string[]).join('\n')
  const { draft, setDraft, onBlur } = useDraft(before, (text) => save(linesOf(text)))
  return (
    <Textarea
      {...labels}
      description={description ? `${description}. One per line` : 'One per line'}
      value={draft}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={onBlur}
    />
  )
}

/** A write-only value, of which only the last characters are shown. */
function Secret({ schema: _, optional: _optional, value, save, ...labels }: ControlProps) {
  const { configured, hint } = value as { configured: boolean; hint: string | null }
  const { draft, setDraft, ...events } = useDraft<string>('', save)
  return (
    <div>
      <PasswordInput
        {...labels}
        {...events}
        value={draft}
        placeholder={configured ? (hint ?? '…') : 'None'}
        autoComplete="new-password"
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      {configured && (
        <Group gap="xs" mt={6}>
          <Hint>A value is stored. Enter another to replace it.</Hint>
          <Button size="compact-xs" variant="subtle" color="red" onClick={() => save(null)}>
            Remove
          </Button>
        </Group>
      )}
    </div>
  )
}

const byFormats: Record<string, ComponentType<ControlProps>> = {
  secret: Secret,
  agent: AgentChoice,
  language: LanguageChoice,
  timezone: ZoneChoice,
  'time-of-day': TextField,
}
