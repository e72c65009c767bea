import { Alert, Button, Group, Stack, Tabs } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Agent } from '../../api/agents.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { BasicFields } from './basic-fields.tsx'
import { LimitFields } from './limit-fields.tsx'
import { MemoryFields } from './memory-fields.tsx'
import { ModelFields } from './model-fields.tsx'
import { ToolFields } from './tool-fields.tsx'

/** What every group of fields gets: the values, the messages of a refusal by field, and a way to change. */
export interface Fields {
  values: Agent
  errors: Record<string, string>
  change: (changes: Partial<Agent>) => void
}

const groups = [
  {
    id: 'basics',
    label: 'Basics',
    fields: BasicFields,
    of: /^(name|description|avatar|enabled|system_prompt)/,
  },
  { id: 'model', label: 'Model', fields: ModelFields, of: /^(model|temperature|max_output_tokens)/ },
  {
    id: 'tools',
    label: 'Tools',
    fields: ToolFields,
    of: /^(tools|execution_mode|sandbox|skills|mcp_servers)/,
  },
  { id: 'memory', label: 'Memory', fields: MemoryFields, of: /^memory/ },
  { id: 'limits', label: 'Limits', fields: LimitFields, of: /^(max_steps|budget)/ },
] as const

interface AgentFormProps {
  agent: Agent
  /** Told when there is something to lose. */
  setDirty: (dirty: boolean) => void
  close: () => void
}

export function AgentForm({ agent, setDirty, close }: AgentFormProps) {
  const api = useApi()
  const queries = useQueryClient()
  const [changes, setChanges] = useState<Partial<Agent>>({})
  const [tab, setTab] = useState<string | null>('basics')
  const values = { ...agent, ...changes }
  const dirty = Object.keys(changes).length > 0
  const change = (more: Partial<Agent>) => {
    setChanges({ ...changes, ...more })
    setDirty(true)
  }
  const save = useMutation({
    mutationFn: () => api.put<Agent>(`/api/agents/${agent.id}`, changes),
    meta: { shown: true },
    async onSuccess(saved) {
      await queries.invalidateQueries({ queryKey: ['agents'] })
      announce(`${saved.name} is saved`)
      close()
    },
    onError(error) {
      const wrong = Object.keys(fieldErrors(error))[0]
      const group = groups.find(({ of }) => wrong && of.test(wrong))
      if (group) setTab(group.id)
    },
  })
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {save.isError && (
          <Alert color="red" role="alert" title="Not saved">
            {readable(save.error)}
          </Alert>
        )}
        <Tabs value={tab} onChange={setTab}>
          <Tabs.List style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
            {groups.map(({ id, label }) => (
              <Tabs.Tab key={id} value={id}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {groups.map(({ id, fields: Group }) => (
            <Tabs.Panel key={id} value={id} pt="md">
              <Group values={values} errors={errors} change={change} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {dirty ? 'Discard' : 'Close'}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!dirty}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
