import { allEndpoints } from '../../handlers/index.ts'

export { sockets } from '../../handlers/index.ts'

/** Every endpoint there is. */
export const endpoints = await allEndpoints()
