import { Group, Input, Modal, Slider, TagsInput } from '@mantine/core'
import type { Episode } from '../../../runtime/memory/schema.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { moodLabel, percent } from './labels.ts'
import { AgentSelect, memories } from './parts.tsx'

interface EpisodeFormProps {
  /** Left out for a new memory. */
  episode?: Episode
  close: () => void
}

export function EpisodeForm({ episode, close }: EpisodeFormProps) {
  const form = useEpisodeForm(episode, close)
  const { content, importance, valence } = form.values
  const { area } = inputsOf(form)
  return (
    <Modal opened onClose={close} title={episode ? 'Edit memory' : 'Add memory'} size="lg">
      <EntityForm
        form={form}
        verb={episode ? 'Save' : 'Add'}
        close={close}
        disabled={!form.isDirty() || content.trim() === ''}
      >
        {area('content', 'Content', [4, 16], { 'data-autofocus': true, required: true, maxLength: 32_768 })}
        {episode &&
          area('summary', 'Summary', [1], {
            description: 'Shown in lists instead of the content. Optional',
            maxLength: 2_000,
          })}
        <TagsInput
          label="Topics"
          description="Press Enter to add one"
          maxTags={50}
          acceptValueOnBlur
          {...form.getInputProps('topics')}
        />
        <Group grow align="flex-start">
          <Input.Wrapper label={`Importance: ${percent(importance)}`} labelElement="div">
            <Slider thumbLabel="Importance" min={0} {...slider} {...form.getInputProps('importance')} />
          </Input.Wrapper>
          <Input.Wrapper label={`Sentiment: ${moodLabel(valence).toLowerCase()}`} labelElement="div">
            <Slider thumbLabel="Sentiment" min={-1} {...slider} {...form.getInputProps('valence')} />
          </Input.Wrapper>
        </Group>
        <AgentSelect description="Who can recall it" {...form.getInputProps('agent_id')} />
      </EntityForm>
    </Modal>
  )
}

const slider = { max: 1, step: 0.05, label: null, mt: 6 }

const empty = { content: '', summary: '', topics: [] as string[], importance: 0.5, valence: 0, agent_id: '' }

type Values = typeof empty

function useEpisodeForm(episode: Episode | undefined, close: () => void) {
  const api = useApi()
  return useApiForm<Values, Episode>({
    initial: episode ? valuesOf(episode) : empty,
    save: (values, changes) =>
      episode
        ? api.put('/api/memory/episodes/{id}', { params: { id: episode.id }, body: bodyOf(changes) })
        : api.post('/api/memory/episodes', { body: { ...bodyOf(values), content: values.content } }),
    stale: memories,
    saved() {
      announce(episode ? 'Memory saved' : 'Memory added')
      close()
    },
  })
}

const valuesOf = ({ content, summary, topics, importance, valence, agent_id }: Episode): Values => ({
  content,
  summary: summary ?? '',
  topics,
  importance,
  valence,
  agent_id: agent_id ?? '',
})

const bodyOf = ({ summary, agent_id, ...rest }: Partial<Values>) => ({
  ...rest,
  ...(summary !== undefined && { summary: summary || null }),
  ...(agent_id !== undefined && { agent_id: agent_id || null }),
})
