import { Button, Fieldset, Group, NumberInput, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Agent } from '../../api/agents.ts'
import type { Fields } from './agent-form.tsx'
import { ModelChoice } from './model-choice.tsx'

type Fallback = Agent['model']['fallbacks'][number]

/** As the schema says. */
const mostFallbacks = 8

export function ModelFields({ values, errors, change }: Fields) {
  const { model } = values
  const setFallbacks = (fallbacks: Fallback[]) => change({ model: { ...model, fallbacks } })
  return (
    <Stack>
      <ModelChoice
        label="Provider"
        placeholder="Automatic"
        value={model}
        error={errors['model.provider'] ?? errors['model.model']}
        change={(choice) => change({ model: { ...model, ...choice } })}
      />
      <Fieldset legend="When that one fails">
        <Stack gap="sm">
          {model.fallbacks.length === 0 && (
            <Text size="sm" c="dimmed">
              No fallback: the turn ends with an error.
            </Text>
          )}
          {model.fallbacks.map((fallback, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fallback is known by its place alone
            <div key={index}>
              <ModelChoice
                label={`Fallback ${index + 1}`}
                placeholder="Choose one"
                value={fallback}
                error={errors[`model.fallbacks.${index}.model`]}
                change={(choice) => setFallbacks(model.fallbacks.with(index, filled(choice)))}
              />
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                mt={4}
                onClick={() => setFallbacks(model.fallbacks.toSpliced(index, 1))}
              >
                Remove fallback {index + 1}
              </Button>
            </div>
          ))}
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              disabled={model.fallbacks.length >= mostFallbacks}
              onClick={() => setFallbacks([...model.fallbacks, { provider: '', model: '' }])}
            >
              Add a fallback
            </Button>
          </Group>
        </Stack>
      </Fieldset>
      <Group grow align="flex-start">
        <NumberInput
          label="Temperature"
          description="Empty: the model's own"
          min={0}
          max={2}
          step={0.1}
          error={errors.temperature}
          value={values.temperature ?? ''}
          onChange={(value) => change({ temperature: numberOrNull(value) })}
        />
        <NumberInput
          label="Longest answer, tokens"
          description="Empty: the model's own"
          min={1}
          max={1_000_000}
          allowDecimal={false}
          error={errors.max_output_tokens}
          value={values.max_output_tokens ?? ''}
          onChange={(value) => change({ max_output_tokens: numberOrNull(value) })}
        />
      </Group>
    </Stack>
  )
}

const filled = ({ provider, model }: { provider: string | null; model: string | null }): Fallback => ({
  provider: provider ?? '',
  model: model ?? '',
})

/** An emptied number field means "not set". */
export const numberOrNull = (value: number | string) => (value === '' ? null : Number(value))
