import { Input, Slider } from '@mantine/core'
import type { Episode } from '../../../runtime/memory/schema.ts'
import { memories } from '../../api/live.ts'
import { announce } from '../../parts/announce.ts'
import { ResourceDrawer } from '../../parts/resource-form.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { moodLabel, percent } from './labels.ts'

interface EpisodeFormProps {
  /** Left out for a new memory. */
  episode?: Episode
  close: () => void
}

export const EpisodeForm = ({ episode, close }: EpisodeFormProps) => (
  <ResourceDrawer
    path="/api/memory/episodes"
    noun="memory"
    item={episode ?? null}
    close={close}
    stale={memories}
    title={(item) => (item ? 'Edit memory' : 'Add memory')}
    verb="Add"
    saved={() => announce(episode ? 'Memory saved' : 'Memory added')}
    effect={false}
    fields={{
      summary: episode !== undefined,
      importance: (props) => <SliderField {...props} textOf={percent} />,
      valence: (props) => <SliderField {...props} textOf={(value) => moodLabel(value).toLowerCase()} />,
    }}
    layout={['content', 'summary', 'topics', ['importance', 'valence'], 'agent_id']}
  />
)

interface SliderProps extends FieldProps {
  textOf: (value: number) => string
}

const SliderField = ({ label, schema, value, change, textOf }: SliderProps) => (
  <Input.Wrapper label={`${label}: ${textOf(Number(value))}`} labelElement="div">
    <Slider
      thumbLabel={label}
      label={null}
      mt={6}
      min={schema.minimum ?? 0}
      max={schema.maximum ?? 1}
      step={schema.step ?? 1}
      value={Number(value)}
      onChange={(next) => change(next)}
    />
  </Input.Wrapper>
)
