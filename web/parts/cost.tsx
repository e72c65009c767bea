import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { providersQuery } from '../api/providers.ts'
import { useApi } from '../app/services.tsx'
import { money } from './numbers.ts'

interface CostProps {
  usd: number
  provider: string | null
  model: string | null
}

/** What tokens have cost. Where nobody has said what they cost, it says so instead of nothing. */
export function Cost({ usd, provider, model }: CostProps) {
  return usd > 0 ? money(usd) : <CostOfNothing provider={provider} model={model} />
}

/** Asked for only where a cost is nothing, which is seldom. */
function CostOfNothing({ provider, model }: Omit<CostProps, 'usd'>) {
  const { data } = useQuery(providersQuery(useApi()))
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
