import type { Machine } from '../../runtime/ports/machine.ts'

/** A machine that tells nothing, as a worker's does. */
export const unknownMachine: Machine = { disk: async () => null, residentBytes: () => null }
