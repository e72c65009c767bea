import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { variables } from '../environment.ts'
import { addressOptions, command, environmentOf, Failure, jsonOption, print } from './command.ts'
import { daemonVariables, startCommand } from './process.ts'

/** How an operating system keeps a program of this user running. */
interface ServiceManager {
  file: string
  /** Content of the file. */
  describe(start: readonly string[], variables: Record<string, string>): string
  after_install: string[][]
  before_removal: string[][]
  restart: string[]
}

const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&').replace(/%/g, '%%')}"`

const systemd = (): ServiceManager => ({
  file: join(homedir(), '.config', 'systemd', 'user', 'hearthd.service'),
  describe: (start, variables) =>
    [
      '[Unit]\nDescription=hearthd\nAfter=network-online.target\n',
      '[Service]',
      `ExecStart=${start.map(quoted).join(' ')}`,
      ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
      'Restart=on-failure\nRestartSec=2\nTimeoutStopSec=20\nUMask=0077\nKeyringMode=private\n',
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
const xmlString = (text: string) => `<string>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</string>`

function launchd(): ServiceManager {
  const file = join(homedir(), 'Library', 'LaunchAgents', `${label}.plist`)
  const domain = `gui/${process.getuid?.() ?? 501}`
  return {
    file,
    describe: (start, variables) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>Label</key><string>${label}</string>
<key>ProgramArguments</key><array>${start.map(xmlString).join('')}</array>
<key>EnvironmentVariables</key><dict>${Object.entries(variables)
      .map(([name, value]) => `<key>${name}</key>${xmlString(value)}`)
      .join('')}</dict>
<key>RunAtLoad</key><true/><key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`,
    after_install: [['launchctl', 'bootstrap', domain, file]],
    before_removal: [['launchctl', 'bootout', `${domain}/${label}`]],
    restart: ['launchctl', 'kickstart', '-k', `${domain}/${label}`],
  }
}

const managers: Partial<Record<NodeJS.Platform, () => ServiceManager>> = { linux: systemd, darwin: launchd }

function serviceManager(): ServiceManager {
  const manager = managers[process.platform]
  if (manager) return manager()
  throw new Failure('Services are supported on Linux (systemd) and macOS (launchd)', { name: 'unsupported' })
}

const execute = ([program = '', ...args]: string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })

/** The installed service of this user, or null. */
export function installedService(): { file: string; restart(): void } | null {
  const manager = managers[process.platform]?.()
  if (!manager || !existsSync(manager.file)) return null
  return { file: manager.file, restart: () => void execute(manager.restart) }
}

/** Variables that are set now. Secrets are not copied to the file: the operator decides where they are kept. */
function publicVariables(): Record<string, string> {
  const set = variables.flatMap(({ name, secret }) => {
    const value = process.env[name]
    return value && !secret ? [[name, value]] : []
  })
  return Object.fromEntries(set) as Record<string, string>
}

const install = command({
  usage: 'service install',
  what: 'Install hearthd as a service of this user, which the operating system keeps running',
  options: { ...addressOptions, ...jsonOption },
  run(_, { host, port, json }) {
    environmentOf({ host, port })
    const { file, describe, after_install } = serviceManager()
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, describe(startCommand({ host, port }), { ...daemonVariables, ...publicVariables() }), {
      mode: 0o600,
    })
    after_install.forEach(execute)
    print({ json }, { installed: true, file }, `Installed as ${file}`)
  },
})

const uninstall = command({
  usage: 'service uninstall',
  what: 'Stop the service of this user and remove it',
  options: jsonOption,
  run(_, options) {
    const { file, before_removal } = serviceManager()
    const installed = existsSync(file)
    if (installed) {
      before_removal.forEach(execute)
      rmSync(file)
    }
    const value = { uninstalled: installed, file: installed ? file : null }
    print(options, value, installed ? `Removed ${file}` : 'No service is installed')
  },
})

export const commands = [install, uninstall]
