import { Button, type ButtonProps, type ComboboxItem, type ComboboxItemGroup } from '@mantine/core'
import { IconChevronDown, IconCpu, IconRobot, IconShieldCheck, IconWand } from '@tabler/icons-react'
import { type ComponentPropsWithRef, type ReactNode, useState } from 'react'
import type { Conversation } from '../../../runtime/chat/schema.ts'
import type { Provider } from '../../../runtime/providers/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useEnabledAgents } from '../../parts/agents.ts'
import { executionModes } from '../../parts/execution-modes.ts'
import { lazily } from '../../parts/lazily.ts'
import classes from './composer.module.css'
import { modelName, modes, offlineModel } from './state/labels.ts'

/** The settings of a conversation, which may not exist yet. */
export type Settings = Pick<Conversation, 'agent_id' | 'mode' | 'execution_mode' | 'model'>

interface PickersProps {
  settings: Settings
  change: (changes: Partial<Settings>) => void
}

export function Pickers({ settings, change }: PickersProps) {
  return (
    <>
      <AgentPicker value={settings.agent_id} change={(agent_id) => change({ agent_id })} />
      <ModelPicker value={settings.model} change={(model) => change({ model })} />
      {modePickers.map(({ what, icon: Icon, name, labels }) => (
        <Picker
          key={name}
          what={what}
          small
          icon={<Icon size={16} aria-hidden />}
          value={settings[name]}
          choices={choicesOf(labels)}
          change={(mode) => change({ [name]: mode })}
        />
      ))}
    </>
  )
}

const modePickers = [
  { what: 'Mode', icon: IconWand, name: 'mode', labels: modes },
  { what: 'Permission', icon: IconShieldCheck, name: 'execution_mode', labels: executionModes },
] as const

const choicesOf = (labels: Record<string, { label: string; hint: string }>): Choice[] =>
  Object.entries(labels).map(([value, { label, hint }]) => ({ value, label, hint }))

function AgentPicker({ value, change }: { value: string | null; change: (id: string) => void }) {
  const agents = useEnabledAgents()
  if (agents.length < 2) return null
  return (
    <Picker
      what="Agent"
      icon={<IconRobot size={16} aria-hidden />}
      value={value ?? agents[0]?.id ?? ''}
      choices={agents.map(({ id, name, description }) => ({
        value: id,
        label: name,
        hint: description || undefined,
      }))}
      change={change}
    />
  )
}

/** The known models, and the default, which may not be among them. */
const namesOf = ({ models, default_model }: Provider): string[] => [
  ...new Set([...(default_model ? [default_model] : []), ...models.map(({ id }) => id)]),
]

/** The value for "the model of the agent", which is null in the API. */
const automatic = ''

function ModelPicker({ value, change }: { value: string | null; change: (model: string | null) => void }) {
  const list = useEndpoint('/api/providers').data
  const providers = (list?.providers ?? []).filter((provider) => provider.configured)
  const firstModel = providers.length === 0 && list ? 'Offline model' : undefined
  const groups = providers.map((provider) => ({
    group: provider.name,
    items: namesOf(provider).map((name) => ({ value: `${provider.id}/${name}`, label: name })),
  }))
  const builtIn: Choice[] = [
    {
      value: automatic,
      label: 'Automatic',
      hint: firstModel ? 'The offline model, because no provider is set up' : 'The agent’s model',
    },
    { value: offlineModel, label: 'Offline model', hint: 'Rules on this machine; no language model' },
  ]
  const [provider = null, ...model] = value?.split('/') ?? []
  const isListed = [...builtIn, ...groups.flatMap((group) => group.items)].some((item) => item.value === value)
  const pinned = isListed || value === null ? [] : [{ value, label: modelName(provider, model.join('/')) }]
  return (
    <Picker
      what="Model"
      icon={<IconCpu size={16} aria-hidden />}
      value={value ?? automatic}
      choices={[...builtIn, ...pinned, ...groups.filter((group) => group.items.length > 0)]}
      change={(chosen) => change(chosen === automatic ? null : chosen)}
      label={value === null ? firstModel : modelName(provider, model.join('/') || null)}
    />
  )
}

interface Choice extends ComboboxItem {
  hint?: string | undefined
}

export interface PickerProps {
  /** The name of the choice, such as "Model". */
  what: string
  icon: ReactNode
  value: string
  choices: (Choice | ComboboxItemGroup<Choice>)[]
  change: (value: string) => void
  /** Shows only the icon on narrow screens. */
  small?: boolean
  /** Replaces the label of the choice. */
  label?: string | undefined
}

/** The list is larger than the rest of the composer, so it loads when one is first opened. */
const PickerList = lazily(
  () => import('./picker-list.tsx'),
  'PickerList',
  ({ children }) => children,
)

/** A small button that shows a choice and opens the others. */
function Picker(props: PickerProps) {
  const [asked, setAsked] = useState(false)
  const choices = props.choices.flatMap((choice) => ('items' in choice ? choice.items : [choice]))
  const label = props.label ?? choices.find(({ value }) => value === props.value)?.label ?? props.value
  const button = { picker: props, label }
  const closed = { role: 'combobox', 'aria-expanded': false, 'aria-haspopup': 'listbox' } as const
  if (!asked) return <PickerButton {...button} {...closed} onClick={() => setAsked(true)} />
  return (
    <PickerList picker={props} searchable={choices.length > 8}>
      <PickerButton {...button} autoFocus />
    </PickerList>
  )
}

interface PickerButtonProps extends ButtonProps, Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  picker: PickerProps
  label: string
}

function PickerButton({ picker: { what, icon, small }, label, ...others }: PickerButtonProps) {
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
      {...others}
    >
      <span className={classes.pickerLabel}>{label}</span>
    </Button>
  )
}
