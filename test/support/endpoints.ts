import { areas } from '../../handlers/index.ts'
import { loadAll } from '../../runtime/http/area.ts'

export { sockets } from '../../handlers/index.ts'

/** Every endpoint there is. */
export const endpoints = await loadAll(areas)
