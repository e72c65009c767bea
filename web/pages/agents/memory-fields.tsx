import { NumberInput, Radio, Stack, Switch } from '@mantine/core'
import type { Agent } from '../../api/agents.ts'
import type { Fields } from './agent-form.tsx'

export function MemoryFields({ values, errors, change }: Fields) {
  const { memory } = values
  const set = (changes: Partial<Agent['memory']>) => change({ memory: { ...memory, ...changes } })
  return (
    <Stack>
      <Switch
        label="Remember"
        description="Recalls what is known before it answers"
        checked={memory.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label="Capture"
        description="Keeps what matters of each conversation"
        checked={memory.capture}
        disabled={!memory.enabled}
        onChange={(event) => set({ capture: event.currentTarget.checked })}
      />
      <Radio.Group
        label="Whose memory"
        value={memory.scope}
        onChange={(scope) => set({ scope: scope as 'own' | 'shared' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="own"
            label="Its own"
            description="Sees only what it captured itself"
            disabled={!memory.enabled}
          />
          <Radio
            value="shared"
            label="Shared"
            description="Sees what all sharing agents captured"
            disabled={!memory.enabled}
          />
        </Stack>
      </Radio.Group>
      <NumberInput
        label="Memories per answer"
        description="How many it recalls at most"
        min={0}
        max={50}
        allowDecimal={false}
        error={errors['memory.recall_limit']}
        value={memory.recall_limit}
        disabled={!memory.enabled}
        onChange={(value) => set({ recall_limit: Number(value) })}
      />
    </Stack>
  )
}
