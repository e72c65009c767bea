import { Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { Agent } from '../../api/agents.ts'
import type { Fields } from './agent-form.tsx'
import { modeHints, modeLabels, sandboxLabels } from './labels.ts'
import { ServersField, SkillsField } from './list-fields.tsx'
import { ToolNames } from './tool-names.tsx'

const optionsOf = <Key extends string>(labels: Record<Key, string>) =>
  (Object.keys(labels) as Key[]).map((value) => ({ value, label: labels[value] }))

export function ToolFields({ values, errors, change }: Fields) {
  const { tools } = values
  return (
    <Stack>
      <Radio.Group
        label="How much it may do without asking"
        value={values.execution_mode}
        error={errors.execution_mode}
        onChange={(mode) => change({ execution_mode: mode as Agent['execution_mode'] })}
      >
        <Stack gap="xs" mt="xs">
          {optionsOf(modeLabels).map(({ value, label }) => (
            <Radio key={value} value={value} label={label} description={modeHints[value]} />
          ))}
        </Stack>
      </Radio.Group>
      <ToolNames
        label="Allowed tools"
        description="Names; a * at the end stands for any rest, so * alone is all of them"
        value={tools.allow}
        error={errors['tools.allow']}
        change={(allow) => change({ tools: { ...tools, allow } })}
      />
      <ToolNames
        label="Denied tools"
        description="Wins over what is allowed"
        value={tools.deny}
        error={errors['tools.deny']}
        change={(deny) => change({ tools: { ...tools, deny } })}
      />
      <SkillsField value={values.skills} error={errors.skills} change={(skills) => change({ skills })} />
      <ServersField
        value={values.mcp_servers}
        error={errors.mcp_servers}
        change={(mcp_servers) => change({ mcp_servers })}
      />
      <div>
        <Text size="sm" fw={500} mb={4} id="sandbox-label">
          Run commands in the sandbox
        </Text>
        <SegmentedControl
          aria-labelledby="sandbox-label"
          data={optionsOf(sandboxLabels)}
          value={values.sandbox.mode}
          onChange={(mode) => change({ sandbox: { mode } })}
        />
      </div>
    </Stack>
  )
}
