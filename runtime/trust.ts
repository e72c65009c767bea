import { z } from 'zod'

/** Who wrote a text: the owner, an agent, or somebody else (a web page, a channel, a stranger). */
export const Trust = z.enum(['owner', 'agent', 'external'])
export type Trust = z.infer<typeof Trust>
