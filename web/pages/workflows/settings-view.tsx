import { NativeSelect, NumberInput, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { Workflow } from '../../../runtime/workflows/schema.ts'
import { Panel } from '../../parts/page.tsx'
import { JsonField } from '../../parts/schema/fields.tsx'
import { useOptions } from '../../parts/schema/pickers.ts'
import type { Draft, DraftState } from './use-draft.ts'
import classes from './workflows.module.css'

const modes = [
  { value: 'parallel', label: 'Run at the same time' },
  { value: 'queued', label: 'Wait until the running one has ended' },
  { value: 'single', label: 'Skip the new one' },
  { value: 'restart', label: 'Cancel the running one' },
]

interface SettingsViewProps {
  workflow: Pick<Workflow, 'id'>
  state: DraftState
}

/** The settings are part of the draft and are saved with it. */
export function SettingsView({ workflow, state: { draft, edit, readonly } }: SettingsViewProps) {
  const [workflows, zones] = [useOptions('workflow') ?? [], useOptions('timezone') ?? []]
  const { settings } = draft
  const change = (part: Partial<Draft>) =>
    edit((last) => ({ ...last, ...part }), `settings ${Object.keys(part).join(' ')}`)
  const set = (part: Partial<Draft['settings']>) => change({ settings: { ...settings, ...part } })
  const none = (label: string) => ({ value: '', label })
  return (
    <div className="page">
      <fieldset disabled={readonly} className={classes.form}>
        <Stack gap="lg" maw={640}>
          <Panel title="General">
            <Stack px="md" pb="md">
              <TextInput
                label="Name"
                maxLength={200}
                value={draft.name}
                error={draft.name.trim() === '' ? 'A workflow needs a name' : undefined}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
              <Textarea
                label="Description"
                autosize
                minRows={2}
                maxRows={10}
                value={draft.description}
                onChange={(event) => change({ description: event.currentTarget.value })}
              />
              <TagsInput label="Tags" value={draft.tags} onChange={(tags) => change({ tags })} />
            </Stack>
          </Panel>
          <Panel title="Executions">
            <Stack px="md" pb="md">
              <NativeSelect
                label="If the workflow is triggered while it is running"
                data={modes}
                value={settings.mode}
                onChange={({ currentTarget }) => set({ mode: currentTarget.value as typeof settings.mode })}
              />
              {settings.mode === 'parallel' && (
                <NumberInput
                  label="Executions at the same time"
                  min={1}
                  max={1_000}
                  allowDecimal={false}
                  value={settings.max_concurrent}
                  onChange={(next) => set({ max_concurrent: Number(next) || 1 })}
                />
              )}
              <NumberInput
                label="Time limit in seconds"
                description="For the whole execution, including waiting"
                placeholder="No limit"
                min={1}
                allowDecimal={false}
                value={settings.timeout_seconds ?? ''}
                onChange={(next) => set({ timeout_seconds: next === '' ? null : Number(next) })}
              />
              <NativeSelect
                label="Workflow that starts after a failure"
                data={[none('None'), ...workflows.filter(({ value }) => value !== workflow.id)]}
                value={settings.error_workflow_id ?? ''}
                onChange={({ currentTarget }) => set({ error_workflow_id: currentTarget.value || null })}
              />
              <NativeSelect
                label="Time zone"
                data={[none('Same as the profile'), ...zones]}
                value={settings.timezone ?? ''}
                onChange={({ currentTarget }) => set({ timezone: currentTarget.value || null })}
              />
            </Stack>
          </Panel>
          <Panel title="Data">
            <Stack px="md" pb="md">
              <JsonField
                label="Variables"
                schema={{ description: 'Constants that expressions read as vars.name' }}
                value={draft.variables}
                change={(value) => change({ variables: (value ?? {}) as Draft['variables'] })}
              />
              <JsonField
                label="Input schema"
                schema={{ description: 'JSON Schema of the input; empty accepts any' }}
                value={draft.input_schema ?? undefined}
                change={(value) => change({ input_schema: (value ?? null) as Draft['input_schema'] })}
              />
              <Switch
                label="Agents may use it as a tool"
                description="Also through /mcp. The input schema describes the tool’s input"
                checked={settings.expose_as_tool}
                onChange={(event) => set({ expose_as_tool: event.currentTarget.checked })}
              />
            </Stack>
          </Panel>
        </Stack>
      </fieldset>
    </div>
  )
}
