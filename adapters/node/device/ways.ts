import table from './ways.json' with { type: 'json' }

/** What a way needs besides its programs. `display`: X11 or Wayland. */
export type Need = 'wayland' | 'x11' | 'display' | 'camera' | 'microphone'

/** How a system does something with a program that people have. */
export interface Way {
  /** All must be installed; the first is run. */
  programs: readonly [string, ...string[]]
  /** `{name}` is a value of the call. Each is one argument, and nothing passes through a shell. */
  args: readonly string[]
  needs?: readonly Need[]
  /** Runs afterwards. */
  afterwards?: Way
}

export type Capability =
  | 'notify'
  | 'open_url'
  | 'clipboard.read'
  | 'clipboard.write'
  | 'screenshot'
  | 'camera'
  | 'microphone'

export type System = 'darwin' | 'linux' | 'win32'

/** A row of the table: `run` is a program with its arguments, `powershell` a script, `also` programs that the script starts. */
interface Entry {
  run?: string
  programs?: readonly [string, ...string[]]
  args?: readonly string[]
  powershell?: readonly string[]
  also?: readonly string[]
  needs?: readonly Need[]
  afterwards?: Entry
}

/** Values reach a script as variables such as `$env:HEARTHD_TITLE`, never as part of it. */
export const powershell = (script: string, also: readonly string[] = []): Way => ({
  programs: ['powershell', ...also],
  args: ['-NoProfile', '-NonInteractive', '-Command', script],
})

function wayIn({ run = '', programs, args = [], powershell: script, also, needs = [], afterwards }: Entry): Way {
  const [program = '', ...words] = run.split(' ')
  const way = script
    ? powershell(script.join('\n'), also)
    : programs
      ? { programs, args }
      : { programs: [program], args: words }
  return { ...(way as Way), needs, ...(afterwards && { afterwards: wayIn(afterwards) }) }
}

/** The camera that programs use on Linux. */
export const firstCamera = '/dev/video0'

/** The first way whose programs are installed and whose needs are met is used. Photos are JPEG, recordings WAV. */
export const waysOf = (capability: Capability, system: System): Way[] =>
  ((table as unknown as Record<Capability, Record<System, Entry[]>>)[capability][system] ?? []).map(wayIn)
