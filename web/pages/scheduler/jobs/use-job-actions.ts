import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { Job } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { copyOf } from '../form/draft.ts'

/** What can be done with a job wherever it is shown. */
export function useJobActions(job: Job) {
  const api = useApi()
  const queries = useQueryClient()
  const [location, navigate] = useLocation()
  const refresh = () => queries.invalidateQueries({ queryKey: ['scheduler'] })
  const path = `/api/scheduler/jobs/${job.id}`
  return {
    toggle: useMutation({
      mutationFn: () => api.post<Job>(`${path}/${job.status === 'active' ? 'pause' : 'resume'}`),
      onSettled: refresh,
    }),
    runNow: useMutation({
      mutationFn: () => api.post<{ run_id: string }>(`${path}/trigger`),
      async onSuccess({ run_id }) {
        await refresh()
        announce(`${job.name} has begun`)
        navigate(`/scheduler/${job.id}/${run_id}`)
      },
    }),
    duplicate: useMutation({
      mutationFn: () => api.post<Job>('/api/scheduler/jobs', copyOf(job)),
      async onSuccess(copy) {
        await refresh()
        navigate(`/scheduler/${copy.id}/edit`)
      },
    }),
    remove: useMutation({
      mutationFn: () => api.remove(path),
      async onSuccess() {
        if (location !== '/scheduler') navigate('/scheduler')
        await refresh()
        announce(`${job.name} was deleted`)
      },
    }),
  }
}
