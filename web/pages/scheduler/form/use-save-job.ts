import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../api/error.ts'
import type { Job } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { bodyOf, type Draft } from './draft.ts'

interface Outcome {
  done: () => void
  refused: (error: unknown) => void
}

/** Stores a new job, or what was changed of one. */
export function useSaveJob(job: Job | null, { done, refused }: Outcome) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn(draft: Partial<Draft>) {
      if ('schedule' in draft && draft.schedule === null) throw unsaid()
      return job
        ? api.put<Job>(`/api/scheduler/jobs/${job.id}`, bodyOf(draft))
        : api.post<Job>('/api/scheduler/jobs', bodyOf(draft))
    },
    meta: { shown: true },
    async onSuccess(saved) {
      await queries.invalidateQueries({ queryKey: ['scheduler'] })
      announce(`${saved.name} is ${job ? 'saved' : 'scheduled'}`)
      done()
    },
    onError: refused,
  })
}

/** Told in the daemon's own way, so that it stands at its field. */
function unsaid(): ApiError {
  const message = 'Say when it runs'
  return new ApiError(422, 'validation_error', message, { issues: [{ path: 'schedule', message }] })
}
