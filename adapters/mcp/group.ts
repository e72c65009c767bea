import { type ChildProcess, spawn } from 'node:child_process'
import { homedir } from 'node:os'
import type { ToolServerAddress } from '../../runtime/ports/tool-servers.ts'

type Command = Extract<ToolServerAddress, { transport: 'stdio' }>

/**
 * Starts a command without a shell, at the head of a process group of its own, so that what it starts in turn can be
 * ended with it. It sees PATH, HOME and what was configured, and nothing else of our environment.
 */
export function startGroup({ command, args, env }: Command): ChildProcess {
  const { PATH = '', HOME = homedir() } = process.env
  return spawn(command, [...args], {
    env: { PATH, HOME, ...env },
    cwd: homedir(),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: true,
    windowsHide: true,
  })
}

/** Milliseconds that a process has to end by itself after its input was closed, and again after it was told to. */
const grace = 1_000

/** Ends the whole group: politely, then for good. */
export async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return
  child.stdin?.end()
  if (!(await exited(child))) {
    signalGroup(child, 'SIGTERM')
    await exited(child)
  }
  // The head may be gone while others of its group are not.
  signalGroup(child, 'SIGKILL')
}

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // nobody is left
  }
}

function exited(child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), grace)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
