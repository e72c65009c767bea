export { type Entity, type EntityType, extractEntities } from './extract.ts'
export { type OfflinePlan, type PlannedTask, planOffline } from './plan.ts'
export { lexicalSimilarity, type Similarity } from './similarity.ts'
export { type OfflineOptions, streamOffline } from './stream.ts'
export { summarise } from './summarise.ts'

export const offlineModel = { provider: 'offline', model: 'offline', context_tokens: 32000 } as const
