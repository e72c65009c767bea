import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../api/error.ts'
import { type JobKind, jobQuery, type MemoryJob } from '../../../api/memory.ts'
import { useApi, useBusEvents } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'

interface Order {
  path: string
  body: Record<string, unknown>
}

/** The running job of a kind or the latest, told by the bus; and a way to start one. */
export function useJob(kind: JobKind) {
  const api = useApi()
  const queries = useQueryClient()
  const { queryKey } = jobQuery(api, kind)
  const query = useQuery(jobQuery(api, kind))
  const show = (job: MemoryJob) => queries.setQueryData(queryKey, { job })
  useBusEvents('memory.job.', ({ type, data }) => {
    const job = data.job as MemoryJob
    if (type === 'memory.job.updated' && job.kind === kind) show(job)
  })
  const start = useMutation({
    mutationFn: ({ path, body }: Order) => api.post<{ job: MemoryJob }>(path, body),
    meta: { shown: true },
    onSuccess: ({ job }) => show(job),
    async onError(error) {
      await queries.invalidateQueries({ queryKey })
      if (error instanceof ApiError && error.status === 409)
        announce('One runs already: here is how far it is')
      else announceError(error)
    },
  })
  return { query, start, running: query.data?.job?.status === 'running' }
}
