import table from './places.json' with { type: 'json' }

/** Things that are named without the word of their area: `hearthd jobs list` for `/api/scheduler/jobs`. */
export const places: Readonly<Record<string, string>> = table
