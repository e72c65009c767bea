import { workingAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { textFiles } from '../tools/text-files.ts'
import { loopRoot, openMount, workspaceOf } from '../tools/workspace.ts'
import type { StoredLoop } from './loop-store.ts'

/** The texts of a loop's files; see `textFiles`. */
export async function loopFiles(
  context: Context,
  loop: StoredLoop,
  selection: Parameters<typeof textFiles>[2],
): ReturnType<typeof textFiles> {
  const root =
    (await openMount(context, loopRoot(loop.id))) ??
    workspaceOf((await workingAgent(context, loop.agent_id)).id, loop.owner_id)
  return textFiles(context, root, selection)
}
