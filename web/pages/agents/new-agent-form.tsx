import { Alert, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { type Agent, archetypesQuery } from '../../api/agents.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../../parts/loaded.tsx'

const blank = 'blank'

/** A name and an expert to start from; the rest has defaults and is edited right after. */
export function NewAgentForm({ close }: { close: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const archetypes = useQuery(archetypesQuery(api))
  const [name, setName] = useState('')
  const [start, setStart] = useState(blank)
  const expert = archetypes.data?.archetypes.find(({ id }) => id === start)
  const create = useMutation({
    mutationFn: () => {
      const { id, name: expertName, ...given } = expert ?? { id: null, name: '' }
      return api.post<Agent>('/api/agents', { ...given, name: name.trim() || expertName, archetype: id })
    },
    meta: { shown: true },
    async onSuccess(agent) {
      await queries.invalidateQueries({ queryKey: ['agents'] })
      navigate(`/agents/${agent.id}`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const errors = fieldErrors(create.error)
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.isError && !errors.name && (
          <Alert color="red" role="alert">
            {readable(create.error)}
          </Alert>
        )}
        <TextInput
          data-autofocus
          label="Name"
          placeholder={expert?.name}
          required={!expert}
          maxLength={100}
          error={errors.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Loaded query={archetypes} what="Experts">
          {(data) => (
            <Radio.Group label="Start from" value={start} onChange={setStart}>
              <Stack gap="xs" mt="xs">
                <Start id={blank} name="Nothing" description="Write the instructions yourself." />
                {data.archetypes.map((archetype) => (
                  <Start key={archetype.id} {...archetype} />
                ))}
              </Stack>
            </Radio.Group>
          )}
        </Loaded>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Start({ id, name, description }: { id: string; name: string; description: string }) {
  return (
    <Radio.Card value={id} p="sm" radius="md" aria-label={name}>
      <Group wrap="nowrap" align="flex-start">
        <Radio.Indicator mt={2} />
        <div>
          <Text fw={500} size="sm">
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {description}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  )
}
