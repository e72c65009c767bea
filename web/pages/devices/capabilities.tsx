import { Alert, Checkbox, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { Device } from '../../../runtime/devices/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Panel } from '../../parts/page.tsx'
import { risks } from '../../parts/risks.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { useCapabilityTitles } from './labels.ts'

/** The capabilities of a device. None can be used before the owner has allowed it. */
export function Capabilities({ device }: { device: Device }) {
  const { id, capabilities, allowed_commands, new_capabilities } = device
  const types = useEndpoint('/api/devices/command-types').data?.commands ?? []
  const titles = useCapabilityTitles()
  const [draft, setDraft] = useState<string[] | null>(null)
  const chosen = draft ?? allowed_commands
  return (
    <Panel
      title="Capabilities"
      action={
        (draft !== null || new_capabilities.length > 0) && (
          <ActionButton
            variant="filled"
            run={(api) =>
              api.put('/api/devices/{id}', {
                params: { id },
                body: { allowed_commands: chosen.filter((one) => capabilities.includes(one)) },
              })
            }
            done={() => setDraft(null)}
          >
            Save
          </ActionButton>
        )
      }
      gap="sm"
    >
      {new_capabilities.length > 0 && (
        <Alert color="yellow" role="status">
          New: {titles(new_capabilities)}. Select the ones you allow, then save.
        </Alert>
      )}
      {capabilities.length === 0 && <Text size="sm">This device has not reported any capabilities yet.</Text>}
      {capabilities.map((name) => {
        const type = types.find((one) => one.name === name)
        return (
          <Checkbox
            key={name}
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              setDraft(currentTarget.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
            label={
              <Group gap={6}>
                {type?.title ?? name}
                <StatusBadge {...risks[type?.risk ?? 'high']} />
              </Group>
            }
            description={type?.description ?? 'Unknown to hearthd; treated as high risk.'}
          />
        )
      })}
    </Panel>
  )
}
