import { useQuery } from '@tanstack/react-query'
import { useSearch } from 'wouter'
import { chainQuery, jobsQuery } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { ChainForm } from './chain-form.tsx'

/** `?from=<chain>` begins with that one. */
export function NewChain() {
  const api = useApi()
  const from = new URLSearchParams(useSearch()).get('from')
  const pattern = useQuery({ ...chainQuery(api, from ?? ''), enabled: from !== null })
  const jobs = useQuery(jobsQuery(api))
  return (
    <Loaded query={jobs} what="Jobs">
      {(data) =>
        from !== null && pattern.isPending ? null : (
          <ChainForm key={from} known={data.jobs} pattern={pattern.data ?? null} />
        )
      }
    </Loaded>
  )
}
