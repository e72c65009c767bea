import { Fieldset, NumberInput, Select, SimpleGrid } from '@mantine/core'
import { type Draft, type Fields, numberOrNull } from './draft.ts'

const strategies = [
  { value: 'fixed', label: 'the same wait each time' },
  { value: 'linear', label: 'a longer wait each time' },
  { value: 'exponential', label: 'twice the wait each time' },
]

const misfires = [
  { value: 'run_once', label: 'Run once, late' },
  { value: 'run_all', label: 'Run for each missed time' },
  { value: 'skip', label: 'Skip them' },
]

const overlaps = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'buffer_one', label: 'Let one wait' },
  { value: 'allow', label: 'Run side by side' },
  { value: 'cancel_other', label: 'Cancel the older run' },
]

/** What becomes of tries that fail and times that are missed. */
export function FailureFields({ values, errors, change }: Fields) {
  const { retry, misfire } = values
  const hours = misfire.window_seconds / 3_600
  return (
    <Fieldset legend="When it does not go well" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Tries"
          description="The first included"
          min={1}
          max={20}
          allowDecimal={false}
          error={errors['retry.max_attempts']}
          value={retry.max_attempts}
          onChange={(value) => change({ retry: { ...retry, max_attempts: Number(value) } })}
        />
        <NumberInput
          label="Wait before the second try"
          description="Seconds"
          min={0}
          max={3_600}
          allowDecimal={false}
          disabled={retry.max_attempts <= 1}
          error={errors['retry.base_delay']}
          value={retry.base_delay}
          onChange={(value) => change({ retry: { ...retry, base_delay: Number(value) } })}
        />
        <Select
          label="Then"
          data={strategies}
          value={retry.strategy}
          disabled={retry.max_attempts <= 1}
          error={errors['retry.strategy']}
          allowDeselect={false}
          onChange={(strategy) =>
            change({ retry: { ...retry, strategy: strategy as Draft['retry']['strategy'] } })
          }
        />
        <NumberInput
          label="Pause after failures in a row"
          min={1}
          max={1_000}
          placeholder="Never"
          allowDecimal={false}
          error={errors.auto_pause_after}
          value={values.auto_pause_after ?? ''}
          onChange={(value) => change({ auto_pause_after: numberOrNull(value) })}
        />
        <Select
          label="Missed times"
          description="While the machine was off"
          data={misfires}
          value={misfire.policy}
          error={errors['misfire.policy']}
          allowDeselect={false}
          onChange={(policy) =>
            change({ misfire: { ...misfire, policy: policy as Draft['misfire']['policy'] } })
          }
        />
        <NumberInput
          label="Not later than"
          description="Hours; what is longer overdue does not run"
          min={0}
          disabled={misfire.policy === 'skip'}
          error={errors['misfire.window_seconds']}
          value={Number.isInteger(hours) ? hours : Math.round(hours * 100) / 100}
          onChange={(value) =>
            change({ misfire: { ...misfire, window_seconds: Math.round(Number(value) * 3_600) } })
          }
        />
        <Select
          label="While the run before goes on"
          data={overlaps}
          value={values.overlap}
          error={errors.overlap}
          allowDeselect={false}
          onChange={(overlap) => change({ overlap: overlap as Draft['overlap'] })}
        />
      </SimpleGrid>
    </Fieldset>
  )
}
