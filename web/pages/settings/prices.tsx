import { Group, Stack, Text } from '@mantine/core'
import type { Usage } from '../../../runtime/monitoring/usage.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { FormProblem, inputsOf, useApiForm } from '../../parts/form.tsx'
import { locale } from '../../parts/locale.ts'
import { whole } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { useZone } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'

/** Models used in the last 30 days that have no price. */
export function Prices() {
  const usage = useEndpoint('/api/monitoring/usage', { query: { period: '30d', tz: useZone() } }).data
  return (
    <Panel title="Prices" gap="md">
      {usage && <Unpriced usage={usage} />}
      <PricesAsOf />
    </Panel>
  )
}

function PricesAsOf() {
  const { data } = useEndpoint('/api/providers')
  if (!data) return null
  const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <Hint>
      Built-in prices are as of {date.format(new Date(`${data.prices_as_of}T00:00:00Z`))}. Prices from a vendor’s own
      list and prices that you set override them.
    </Hint>
  )
}

/** Models without a known price; their cost is not included in the totals. */
function Unpriced({ usage: { unpriced } }: { usage: Usage }) {
  if (unpriced.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label="Price unknown">
      <Muted>
        The cost of these models is not included. Set their prices in US dollars per million tokens; they apply to later
        calls.
      </Muted>
      {unpriced.map((one) => (
        <PriceForm key={`${one.provider}/${one.model}`} {...one} />
      ))}
    </Stack>
  )
}

function usePriceForm({ provider, model }: Usage['unpriced'][number]) {
  const api = useApi()
  return useApiForm({
    initial: { input_usd_per_mtok: null as number | null, output_usd_per_mtok: null as number | null },
    save({ input_usd_per_mtok, output_usd_per_mtok }) {
      const price = {
        input_usd_per_mtok: input_usd_per_mtok ?? 0,
        output_usd_per_mtok: output_usd_per_mtok ?? 0,
      }
      const body = { prices: { [model]: price } }
      return api.put('/api/providers/{id}/prices', { params: { id: provider }, body })
    },
    stale: ['/api/'],
    saved: () => announce(`The price of ${model} was set`),
  })
}

function PriceForm(unpriced: Usage['unpriced'][number]) {
  const { provider, model, tokens } = unpriced
  const form = usePriceForm(unpriced)
  const field = {
    size: 'xs',
    w: 110,
    min: 0,
    max: 1_000_000,
    allowDecimal: true,
    decimalScale: 4,
    hideControls: true,
  } as const
  const { optionalNumber } = inputsOf(form)
  const complete = Object.values(form.values).every((price) => price !== null)
  return (
    <Group gap="xs" align="flex-end" component="form" onSubmit={form.submit}>
      <FormProblem form={form} />
      <Text size="sm" className="grow">
        {provider}/{model} · {whole(tokens)} tokens
      </Text>
      {optionalNumber('input_usd_per_mtok', 'Input', { ...field, 'aria-label': `Input price of ${model}` })}
      {optionalNumber('output_usd_per_mtok', 'Output', {
        ...field,
        'aria-label': `Output price of ${model}`,
      })}
      <SmallButton type="submit" disabled={!complete} loading={form.sending}>
        Set price
      </SmallButton>
    </Group>
  )
}
