import type { Api } from '../../api/client.ts'
import type { Settings } from './composer/pickers.tsx'

/** Tells the daemon what a person has chosen for a conversation. Each thing has its own door. */
export async function changeSettings(api: Api, id: string, changes: Partial<Settings>): Promise<void> {
  const path = `/api/chat/conversations/${id}`
  const { mode, execution_mode, ...rest } = changes
  if (mode) await api.patch(`${path}/mode`, { mode })
  if (execution_mode) await api.put(`${path}/execution-mode`, { execution_mode })
  if (Object.keys(rest).length > 0) await api.put(path, rest)
}
