import { defineArea } from '../area.ts'
import { iso } from '../time.ts'

export const toolsArea = defineArea({
  name: 'tools',
  tables: ['todos', 'tainted_files', 'file_versions', 'file_changes', 'workspace_folders'],
  retained: { file_changes: async () => (await import('./change-store.ts')).retainedChanges },
  async prune({ clock }) {
    const { rememberedFor } = await import('./file-versions.ts')
    const { pruneVersions } = await import('./store.ts')
    return [pruneVersions(iso(clock.now() - rememberedFor))]
  },
  tools: async () => [
    (await import('./web-fetch.ts')).webFetch,
    (await import('./http-request.ts')).httpRequest,
    (await import('./todo.ts')).todo,
    (await import('./ask-user.ts')).askUser,
  ],
})
