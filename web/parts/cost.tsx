import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useEndpoint } from '../api/query.ts'
import { money } from './numbers.ts'

interface CostProps {
  usd: number
  provider: string | null
  model: string | null
}

/** The cost of tokens, or a link where the price of the model is unknown. */
export function Cost({ usd, provider, model }: CostProps) {
  return usd > 0 ? money(usd) : <ZeroCost provider={provider} model={model} />
}

/** A separate component, so that prices are loaded only where the cost is zero. */
function ZeroCost({ provider, model }: Omit<CostProps, 'usd'>) {
  const { data } = useEndpoint('/api/providers')
  const known = data?.providers
    .find(({ id }) => id === provider)
    ?.models.find(({ id }) => id === model)?.input_usd_per_mtok
  if (!data || typeof known === 'number') return money(0)
  return (
    <Anchor component={Link} href="/settings/spending" inherit>
      price unknown
    </Anchor>
  )
}
