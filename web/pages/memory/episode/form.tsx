import { Alert, Button, Group, Input, Modal, Select, Slider, Stack, TagsInput, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { agentsQuery } from '../../../api/agents.ts'
import { fieldErrors, readable } from '../../../api/error.ts'
import { type Episode, episodePath } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { moodLabel, percent } from '../labels.ts'

type Fields = Pick<Episode, 'content' | 'summary' | 'topics' | 'importance' | 'valence' | 'agent_id'>

const blank: Fields = {
  content: '',
  summary: null,
  topics: [],
  importance: 0.5,
  valence: 0,
  agent_id: null,
}

interface EpisodeFormProps {
  /** Left out for a new one. */
  episode?: Episode
  close: () => void
}

/** Writes something down, or changes what was written. */
export function EpisodeForm({ episode, close }: EpisodeFormProps) {
  const { values, change, save, dirty } = useForm(episode, close)
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Modal opened onClose={close} title={episode ? 'Change this memory' : 'Remember something'} size="lg">
      <Stack component="form" onSubmit={submit}>
        {save.isError && !errors.content && (
          <Alert color="red" role="alert" title="Not saved">
            {readable(save.error)}
          </Alert>
        )}
        <Textarea
          data-autofocus
          required
          label="What to remember"
          autosize
          minRows={4}
          maxRows={16}
          maxLength={32_768}
          error={errors.content}
          value={values.content}
          onChange={(event) => change({ content: event.currentTarget.value })}
        />
        {episode && (
          <Textarea
            label="Summary"
            description="Shown in lists in place of its beginning; may be empty"
            autosize
            maxLength={2_000}
            value={values.summary ?? ''}
            onChange={(event) => change({ summary: event.currentTarget.value || null })}
          />
        )}
        <TagsInput
          label="Topics"
          description="Enter adds one"
          maxTags={50}
          value={values.topics}
          onChange={(topics) => change({ topics })}
          acceptValueOnBlur
        />
        <Group grow align="flex-start">
          <Part
            label={`Importance: ${percent(values.importance)}`}
            name="Importance"
            min={0}
            value={values.importance}
            change={(importance) => change({ importance })}
          />
          <Part
            label={`Feeling: ${moodLabel(values.valence).toLowerCase()}`}
            name="Feeling"
            min={-1}
            value={values.valence}
            change={(valence) => change({ valence })}
          />
        </Group>
        <AgentChoice value={values.agent_id} change={(agent_id) => change({ agent_id })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!dirty || values.content.trim() === ''}>
            {episode ? 'Save' : 'Remember'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function useForm(episode: Episode | undefined, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [changes, setChanges] = useState<Partial<Fields>>({})
  const values: Fields = { ...(episode ?? blank), ...changes }
  const save = useMutation({
    mutationFn: () =>
      episode
        ? api.put<Episode>(episodePath(episode.id), changes)
        : api.post<Episode>('/api/memory/episodes', values),
    meta: { shown: true },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['memory'] })
      announce(episode ? 'Saved' : 'Remembered')
      close()
    },
  })
  return {
    values,
    save,
    dirty: Object.keys(changes).length > 0,
    change: (more: Partial<Fields>) => setChanges((before) => ({ ...before, ...more })),
  }
}

interface PartProps {
  label: string
  name: string
  min: number
  value: number
  change: (value: number) => void
}

const Part = ({ label, name, min, value, change }: PartProps) => (
  <Input.Wrapper label={label} labelElement="div">
    <Slider
      thumbLabel={name}
      min={min}
      max={1}
      step={0.05}
      label={null}
      value={value}
      onChange={change}
      mt={6}
    />
  </Input.Wrapper>
)

function AgentChoice({ value, change }: { value: string | null; change: (id: string | null) => void }) {
  const agents = useQuery(agentsQuery(useApi())).data?.agents ?? []
  return (
    <Select
      label="Whose memory"
      description="Empty belongs to all agents"
      placeholder="All agents"
      clearable
      data={agents.map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={change}
    />
  )
}
