import { LRUCache } from 'lru-cache'
import type { Host } from '../host.ts'
import { processState } from '../process-state.ts'
import type { StoredExecution } from './execution-store.ts'
import { Graph } from './graph.ts'
import type { Definition } from './schema.ts'
import { findName, findVersion } from './workflow-store.ts'

/** What an execution walks through. */
export interface Drawing {
  /** Of the workflow. */
  name: string
  definition: Definition
  graph: Graph
}

/** By workflow and version, which never changes; bounded by the characters of their JSON. */
const drawings = processState(
  () => new LRUCache<string, Omit<Drawing, 'name'>>({ maxSize: 8 * 1024 * 1024, sizeCalculation: sizeOf }),
)

const sizeOf = ({ definition }: Pick<Drawing, 'definition'>): number => JSON.stringify(definition).length

/** Null if the workflow or this version of it was deleted. `known`: the name of the workflow, if it has just been read. */
export async function findDrawing(
  host: Pick<Host, 'sql' | 'process'>,
  { workflow_id, version }: Pick<StoredExecution, 'workflow_id' | 'version'>,
  known?: string,
): Promise<Drawing | null> {
  const name = known ?? (await findName(host, workflow_id))
  if (name === null) return null
  const key = `${workflow_id} ${version}`
  let drawing = drawings(host).get(key)
  if (!drawing) {
    const definition = await findVersion(host, workflow_id, version)
    if (!definition) return null
    drawing = { definition, graph: new Graph(definition) }
    drawings(host).set(key, drawing)
  }
  return { ...drawing, name }
}
