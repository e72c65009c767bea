import { defineArea } from '../area.ts'

/** Tools that belong to no other area. */
export const toolsArea = defineArea({
  name: 'tools',
  tables: ['todos', 'tainted_files', 'workspace_folders'],
  tools: async () => [
    (await import('./web-fetch.ts')).webFetch,
    (await import('./http-request.ts')).httpRequest,
    (await import('./files.ts')).files,
    (await import('./todo.ts')).todo,
    (await import('./ask-user.ts')).askUser,
    (await import('./time.ts')).time,
  ],
})
