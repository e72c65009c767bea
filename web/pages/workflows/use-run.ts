import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import type { Execute, Issue, Workflow } from '../../../runtime/workflows/schema.ts'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'
import { type DraftState, identityOf } from './use-draft.ts'

export type RunActions = ReturnType<typeof useRun>

/** Saves the workflow and runs it. A run saves first. */
export function useRun({ id }: Workflow, state: DraftState) {
  const [, navigate] = useLocation()
  const params = { id }
  const put = async (api: Api) => {
    const sent = state.draft
    state.saved(sent, await api.put('/api/workflows/{id}', { params, body: sent }))
  }
  const save = useChange(put, { stale, done: () => announce('The workflow was saved') })
  const run = useChange(
    async (api, options: Partial<Execute>) => {
      if (state.dirty) await put(api)
      return api.post('/api/workflows/{id}/execute', { params, body: options })
    },
    { stale, done: ({ execution_id }) => navigate(`/workflows/${id}?execution=${execution_id}`) },
  )
  return { save, run }
}

const none: readonly Issue[] = []

/** What is wrong with the workflow as it is drawn now. */
export function useIssues({ id }: Workflow, { draft }: DraftState): readonly Issue[] {
  const api = useApi()
  const [settled] = useDebouncedValue(draft, 500)
  const { nodes, edges, settings, variables, input_schema, pin_data } = settled
  const body = { nodes, edges, settings, variables, input_schema, pin_data }
  const query = useQuery({
    queryKey: [`/api/workflows/${id}/validate`, identityOf(settled)],
    queryFn: () => api.post('/api/workflows/{id}/validate', { params: { id }, body }),
    placeholderData: (last) => last,
  })
  return query.data?.issues ?? none
}
