import { defineArea } from '../area.ts'
import { iso } from '../time.ts'

/** Tools that belong to no other area. */
export const toolsArea = defineArea({
  name: 'tools',
  tables: ['todos', 'tainted_files', 'file_versions', 'workspace_folders'],
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
