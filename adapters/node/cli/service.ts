import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure, type Options, print } from './command.ts'

/** How an operating system keeps a program of this user running. */
interface Supervisor {
  file: string
  /** Content of that file. `start` is the command line of the daemon. */
  describe(start: readonly string[], variables: Record<string, string>): string
  after_install: string[][]
  before_removal: string[][]
  restart: string[]
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&').replace(/%/g, '%%')}"`
const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

const systemd = (): Supervisor => ({
  file: join(homedir(), '.config', 'systemd', 'user', 'hearthd.service'),
  describe: (start, variables) =>
    [
      '[Unit]\nDescription=hearthd\nAfter=network-online.target\n',
      '[Service]',
      `ExecStart=${start.map(quoted).join(' ')}`,
      ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
      'Restart=on-failure\nRestartSec=2\nTimeoutStopSec=20\nUMask=0077\n',
      '[Install]\nWantedBy=default.target\n',
    ].join('\n'),
  after_install: [
    ['systemctl', '--user', 'daemon-reload'],
    ['systemctl', '--user', 'enable', '--now', 'hearthd'],
  ],
  before_removal: [['systemctl', '--user', 'disable', '--now', 'hearthd']],
  restart: ['systemctl', '--user', 'restart', 'hearthd'],
})

const label = 'io.hearthd.daemon'

const launchd = (): Supervisor => {
  const file = join(homedir(), 'Library', 'LaunchAgents', `${label}.plist`)
  const domain = `gui/${process.getuid?.() ?? 501}`
  return {
    file,
    describe: (start, variables) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>${label}</string>
<key>ProgramArguments</key><array>${start.map((word) => `<string>${escaped(word)}</string>`).join('')}</array>
<key>EnvironmentVariables</key><dict>${Object.entries(variables)
      .map(([name, value]) => `<key>${name}</key><string>${escaped(value)}</string>`)
      .join('')}</dict>
<key>RunAtLoad</key><true/><key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`,
    after_install: [['launchctl', 'bootstrap', domain, file]],
    before_removal: [['launchctl', 'bootout', `${domain}/${label}`]],
    restart: ['launchctl', 'kickstart', '-k', `${domain}/${label}`],
  }
}

function supervisor(): Supervisor {
  if (process.platform === 'linux') return systemd()
  if (process.platform === 'darwin') return launchd()
  throw new Failure('Services are installed on Linux (systemd) and macOS (launchd) only')
}

const run = ([program = '', ...rest]: string[]) =>
  execFileSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] })

/** The service of this user when one is installed, else null. */
export function installedService(): { restart(options: Options): number } | null {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return null
  const { file, restart } = supervisor()
  if (!existsSync(file)) return null
  return {
    restart(options) {
      run(restart)
      print(options, { restarted: true, service: file }, 'hearthd was restarted by its service')
      return 0
    },
  }
}

/** Secrets of the environment are not copied into the file: they belong into the keeper of the operator's choice. */
export function installService(start: readonly string[], variables: Record<string, string>): string {
  const { file, describe, after_install } = supervisor()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, describe(start, variables), { mode: 0o600 })
  for (const line of after_install) run(line)
  return file
}

export function uninstallService(): string | null {
  const { file, before_removal } = supervisor()
  if (!existsSync(file)) return null
  for (const line of before_removal) run(line)
  rmSync(file)
  return file
}
