import { NumberInput, Stack } from '@mantine/core'
import type { Fields } from './agent-form.tsx'
import { numberOrNull } from './model-fields.tsx'

export function LimitFields({ values, errors, change }: Fields) {
  const { budget } = values
  return (
    <Stack>
      <NumberInput
        label="Steps per turn"
        description="A turn that needs more ends and says so"
        min={1}
        max={500}
        allowDecimal={false}
        error={errors.max_steps}
        value={values.max_steps}
        onChange={(value) => change({ max_steps: Number(value) })}
      />
      <NumberInput
        label="Budget per run, US dollars"
        description="Empty: no limit"
        min={0}
        decimalScale={2}
        prefix="$"
        error={errors['budget.run_usd']}
        value={budget.run_usd ?? ''}
        onChange={(value) => change({ budget: { ...budget, run_usd: numberOrNull(value) } })}
      />
      <NumberInput
        label="Budget per day, US dollars"
        description="Empty: no limit"
        min={0}
        decimalScale={2}
        prefix="$"
        error={errors['budget.daily_usd']}
        value={budget.daily_usd ?? ''}
        onChange={(value) => change({ budget: { ...budget, daily_usd: numberOrNull(value) } })}
      />
    </Stack>
  )
}
