import { Fieldset, NumberInput, SimpleGrid, TextInput } from '@mantine/core'
import { useZone } from '../../../parts/time.tsx'
import { instantOf, wallOf } from '../schedule/wall-clock.ts'
import { type Draft, type Fields, numberOrNull } from './draft.ts'

/** How long, how often, how dear. */
export function LimitFields({ values, errors, change }: Fields) {
  const zone = useZone()
  const budget = values.budget ?? { run_usd: null, daily_usd: null }
  const setBudget = (changes: Partial<NonNullable<Draft['budget']>>) => {
    const next = { ...budget, ...changes }
    change({ budget: next.run_usd === null && next.daily_usd === null ? null : next })
  }
  return (
    <Fieldset legend="Limits" p="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="A run takes at most"
          description="Minutes"
          min={1}
          error={errors.timeout_seconds}
          value={Math.round((values.timeout_seconds / 60) * 100) / 100}
          onChange={(value) => change({ timeout_seconds: Math.round(Number(value) * 60) })}
        />
        <NumberInput
          label="Begin up to so much later"
          description="Seconds, by chance: not everything at once"
          min={0}
          max={3_600}
          allowDecimal={false}
          error={errors.jitter_seconds}
          value={values.jitter_seconds}
          onChange={(value) => change({ jitter_seconds: Number(value) })}
        />
        <NumberInput
          label="Runs in all"
          placeholder="No limit"
          min={1}
          allowDecimal={false}
          error={errors.max_runs}
          value={values.max_runs ?? ''}
          onChange={(value) => change({ max_runs: numberOrNull(value) })}
        />
        <TextInput
          type="datetime-local"
          label="Ends"
          error={errors.ends_at}
          value={values.ends_at ? wallOf(Date.parse(values.ends_at), zone) : ''}
          onChange={(event) => {
            const wall = event.currentTarget.value
            change({ ends_at: wall ? new Date(instantOf(wall, zone)).toISOString() : null })
          }}
        />
        <NumberInput
          label="Budget of a run"
          placeholder="No limit"
          prefix="$"
          min={0}
          decimalScale={4}
          error={errors['budget.run_usd']}
          value={budget.run_usd ?? ''}
          onChange={(value) => setBudget({ run_usd: numberOrNull(value) })}
        />
        <NumberInput
          label="Budget of a day"
          placeholder="No limit"
          prefix="$"
          min={0}
          decimalScale={4}
          error={errors['budget.daily_usd']}
          value={budget.daily_usd ?? ''}
          onChange={(value) => setBudget({ daily_usd: numberOrNull(value) })}
        />
      </SimpleGrid>
    </Fieldset>
  )
}
