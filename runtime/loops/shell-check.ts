import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import {
  addContainer,
  chooseEngine,
  commandResult,
  NewContainer,
  removeContainer,
  requireContainer,
  sandboxConfig,
} from '../sandbox/index.ts'
import { readSection } from '../sections/section.ts'
import { clipped } from '../tools/text.ts'
import { loopFiles } from './files.ts'
import type { StoredLoop } from './loop-store.ts'

/** Characters of the files that a command reads. */
const maxFiles = 10_000_000

/** Throws a 503 if commands cannot run here. */
export async function requireShell(context: Context): Promise<void> {
  const choice = await chooseEngine(context, await readSection(context, sandboxConfig))
  if ('engine' in choice) return
  const instead = 'Or use a JavaScript check, http, judge or human'
  throw new Fault(503, 'unavailable', `A shell command needs the sandbox. ${choice.problem}. ${instead}`)
}

/** Runs a command over copies of the loop's text files, in a container of its own: nothing that the agent left elsewhere decides. */
export async function runShellCheck(context: Context, loop: StoredLoop, command: string) {
  await requireShell(context)
  const { texts, tainted } = await loopFiles(context, loop, { max_chars: maxFiles, since: null })
  const name = clipped(`Check of ${loop.name}`, 100)
  const { id, network } = await addContainer(context, NewContainer.parse({ name }))
  try {
    for (const [path, text] of Object.entries(texts))
      await context.sandbox.files.write(id, path, new TextEncoder().encode(text))
    const result = await commandResult(context, await requireContainer(context, id), {
      command,
      stdin: '',
      env: {},
    })
    return { ...result, untrusted: tainted || network === 'full' }
  } finally {
    await removeContainer(context, id)
  }
}
