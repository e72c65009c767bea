import { IconCpu, IconRobot, IconShieldCheck, IconWand } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../api/chat.ts'
import { type Provider, providersQuery } from '../../../api/providers.ts'
import { useApi } from '../../../app/services.tsx'
import { useAgents } from '../agents.ts'
import { executionModes, modelName, modes, offlineModel } from '../labels.ts'
import { Picker } from './picker.tsx'
import type { Choice } from './picker-button.tsx'

/** What can be chosen for a conversation, made or not made yet. */
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
      <Picker
        what="Mode"
        small
        icon={<IconWand size={16} aria-hidden />}
        value={settings.mode}
        choices={choicesOf(modes)}
        change={(mode) => change({ mode: mode as Settings['mode'] })}
      />
      <Picker
        what="Permission"
        small
        icon={<IconShieldCheck size={16} aria-hidden />}
        value={settings.execution_mode}
        choices={choicesOf(executionModes)}
        change={(mode) => change({ execution_mode: mode as Settings['execution_mode'] })}
      />
    </>
  )
}

const choicesOf = (labels: Record<string, { label: string; hint: string }>): Choice[] =>
  Object.entries(labels).map(([value, { label, hint }]) => ({ value, label, hint }))

function AgentPicker({ value, change }: { value: string | null; change: (id: string) => void }) {
  const agents = useAgents()
  if (agents.length < 2) return null
  const chosen = value ?? agents[0]?.id ?? ''
  const choices = agents.map(({ id, name, description }) => ({
    value: id,
    label: name,
    hint: description || undefined,
  }))
  return (
    <Picker
      what="Agent"
      icon={<IconRobot size={16} aria-hidden />}
      value={chosen}
      choices={choices}
      change={change}
    />
  )
}

/** The models that are known, and the default, which may be one that only the person knows. */
const namesOf = ({ models, default_model }: Provider): string[] => [
  ...new Set([...(default_model ? [default_model] : []), ...models.map(({ id }) => id)]),
]

/** Stands for "as the agent says", which the daemon knows as null. */
const automatic = ''

function ModelPicker({ value, change }: { value: string | null; change: (model: string | null) => void }) {
  const list = useQuery(providersQuery(useApi())).data
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
      hint: firstModel ? 'No provider is set up: the offline model answers' : 'The model of the agent',
    },
    { value: offlineModel, label: 'Offline model', hint: 'Rules on this machine; no language model' },
  ]
  const [provider = null, ...model] = value?.split('/') ?? []
  const known =
    value === null ||
    value === offlineModel ||
    groups.some((group) => group.items.some((item) => item.value === value))
  const pinned = known ? [] : [{ value: value ?? '', label: modelName(provider, model.join('/')) }]
  return (
    <Picker
      what="Model"
      icon={<IconCpu size={16} aria-hidden />}
      value={value ?? automatic}
      choices={[...builtIn, ...pinned, ...groups.filter((group) => group.items.length > 0)]}
      change={(chosen) => change(chosen === automatic ? null : chosen)}
      shown={value === null ? firstModel : modelName(provider, model.join('/') || null)}
    />
  )
}
